/* The product y = x Wᵀ for few rows of x, as in a step of beam search. Every weight is read once
 * and multiplied with all rows. A general product would first copy the weights into another order,
 * which takes longer than multiplying a few rows. */
#ifndef ELMAN_TENSOR_FEW_ROWS_H
#define ELMAN_TENSOR_FEW_ROWS_H

#include <stdbool.h>

#include "tensor/real.h"

/* Maximum number of rows; for more rows a general product is faster. */
enum { FEW_ROWS = 12 };

/* The destination of a product. */
struct few_rows {
  real *rows;
  size_t ld; /* distance between rows */
  bool add;  /* add the product to the existing values */
};

/* Compute y (n,out) = x Wᵀ, or y += x Wᵀ if y.add; x (n,in); weight (out,in). A row's result does
 * not depend on the other rows. */
typedef void few_rows_function(struct few_rows y, const real *x, const real *weight, size_t n,
                               size_t in, size_t out);

struct few_rows_kernel {
  const char *name; /* names the required instructions */
  few_rows_function *run;
};

/* Return kernel `i`, from the fastest to the slowest that this processor can run; NULL after the
 * last one, which runs on every processor. Kernels differ in the order of their additions. */
const struct few_rows_kernel *few_rows_kernel_at(size_t i);

#endif
