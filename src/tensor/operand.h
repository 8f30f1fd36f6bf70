/* The operands of a matrix product. Matrices are row-major; `ld` is the distance between the starts
 * of two adjacent rows. */
#ifndef ELMAN_TENSOR_OPERAND_H
#define ELMAN_TENSOR_OPERAND_H

#include "elman/precision.h"
#include "tensor/real.h"

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
  elman_precision operands; /* round A and B to this precision: float32 or bfloat16 */
};

#endif
