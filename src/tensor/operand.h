/* The operands of a matrix product, and how it is computed. Matrices are row-major; `ld` is the
 * distance between the starts of two adjacent rows. */
#ifndef ELMAN_TENSOR_OPERAND_H
#define ELMAN_TENSOR_OPERAND_H

#include <stdlib.h>

#include "elman/precision.h"
#include "tensor/real.h"

/* In portable arithmetic a result has the same bits on every processor. In fast arithmetic the
 * order of the sums of matrix products depends on the processor and on OpenBLAS. */
enum arithmetic { ARITHMETIC_FAST, ARITHMETIC_PORTABLE };

struct eight_bits; /* tensor/eight_bits.h */

/* How products with the weights of a model are computed. All views of these weights refer to one
 * such struct, which parameters_use (model/parameters.h) sets. A product without this struct is an
 * error that ends the program, because a default would silently change the bits of results. */
struct numerics {
  enum arithmetic arithmetic;
  elman_precision operands; /* round the operands of large products to float32 or bfloat16 */
  const struct eight_bits *eight_bits; /* the set of these weights in eight bits, which forward
                                          functions then use; NULL = use the floats */
};

/* Return the argument, which must not be NULL. */
static inline const struct numerics *numerics_required(const struct numerics *numerics) {
  if (numerics == NULL) abort();
  return numerics;
}

/* Return the numerics without eight bits; they are never freed. */
const struct numerics *numerics_of(enum arithmetic arithmetic, elman_precision operands);

/* Return the numerics of the same arithmetic for products whose operands are never rounded, such as
 * those of attention. */
const struct numerics *numerics_in_float32(const struct numerics *numerics);

enum transpose { NOT_TRANSPOSED, TRANSPOSED };

struct operand {
  const real *data;
  size_t ld;
  enum transpose transpose;
};

static inline struct operand not_transposed(const real *data, size_t ld) {
  return (struct operand){data, ld, NOT_TRANSPOSED};
}

static inline struct operand transposed(const real *data, size_t ld) {
  return (struct operand){data, ld, TRANSPOSED};
}

/* The product C (m,n) = beta C + alpha op(A) op(B), where op(A) is (m,k) and op(B) is (k,n). If
 * beta is 0, C may be uninitialized. All sizes and distances are at most INT_MAX. */
struct product {
  real *c;
  size_t ldc;
  real beta, alpha;
  struct operand a, b;
  size_t m, n, k;
  const struct numerics *numerics; /* its eight bits are not used */
};

#endif
