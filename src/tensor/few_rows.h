/* The product y = x Wᵀ for few rows of x, as in a step of beam search: every weight is read
 * once and meets all rows while it is in a register. A general product would copy the weights into
 * another order first, which for few rows takes longer than to multiply them. */
#ifndef ELMAN_TENSOR_FEW_ROWS_H
#define ELMAN_TENSOR_FEW_ROWS_H

#include <stdbool.h>

#include "tensor/real.h"

/* With more rows a general product is faster. */
enum { FEW_ROWS = 12 };

/* Where a product goes. */
struct few_rows {
  real *rows;
  size_t ld; /* how far they are apart */
  bool add;  /* to what is there */
};

/* y (n,out) = x Wᵀ or, to be added, y += x Wᵀ; x (n,in); weight (out,in). A row's result does not
 * depend on the other rows. */
typedef void few_rows_function(struct few_rows y, const real *x, const real *weight, size_t n,
                               size_t in, size_t out);

struct few_rows_kernel {
  const char *name; /* of the instructions it needs */
  few_rows_function *run;
};

/* The kernels that this processor can run, the fastest first; NULL past the last one, which runs
 * everywhere. They add in other orders. */
const struct few_rows_kernel *few_rows_kernel_at(size_t i);

#endif
