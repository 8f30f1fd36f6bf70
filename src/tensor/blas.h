/* Matrix products on BLAS. Matrices are row-major; `ld` is the distance between two rows.
 *
 * OpenBLAS runs single-threaded, since its sums change with its number of threads. A large product
 * is cut into tiles of its result instead, whose sizes depend on nothing but the result's, so that
 * every number of threads gives the same bits. */
#ifndef ELMAN_TENSOR_BLAS_H
#define ELMAN_TENSOR_BLAS_H

#include "base/status.h"
#include "tensor/blas_kernels.h"
#include "tensor/real.h"

enum transpose { AS_IT_IS, TRANSPOSED };

struct operand {
  const real *data;
  size_t ld;
  enum transpose transpose;
};

static inline struct operand as_it_is(const real *data, size_t ld) {
  return (struct operand){data, ld, AS_IT_IS};
}

static inline struct operand transposed(const real *data, size_t ld) {
  return (struct operand){data, ld, TRANSPOSED};
}

/* C (m,n) = beta C + alpha op(A) op(B), where op(A) is (m,k) and op(B) is (k,n).
 * With beta = 0, C need not hold numbers before. All sizes and distances are at most INT_MAX. */
struct product {
  real *c;
  size_t ldc;
  real beta, alpha;
  struct operand a, b;
  size_t m, n, k;
};

/* `then` (NULL = nothing) is called with every tile of C once it is complete, by the thread that
 * has it in its cache: rows [row, row + rows) of the columns [column, column + columns). */
typedef void tile_function(const void *context, size_t row, size_t rows, size_t column,
                           size_t columns);
void matrix_product_then(struct product p, tile_function *then, const void *context);

/* The same with `groups` products in one: C, and the columns of op(B), which is TRANSPOSED, are so
 * many groups of p.n columns side by side. A tile has the same columns of each group, and `then`
 * hears of those of the first. */
void matrix_product_groups_then(struct product p, size_t groups, tile_function *then,
                                const void *context);

static inline void matrix_product(struct product p) {
  matrix_product_then(p, NULL, NULL);
}

/* The same by the calling thread alone and in one piece: for work that is already shared out. */
void matrix_product_alone(struct product p);

/* Makes the BLAS library single-threaded, stops the threads that it started, and has it use the
 * kernels that fit the processor. Works once for the process; must come before the first product.
 */
void blas_set_up(void);

/* Sets up, and gets the memory that so many threads need for products at once. OpenBLAS itself asks
 * for it within a product, and if it is refused, asks again and again for ever. ELMAN_NO_MEMORY if
 * it cannot be had. */
elman_status blas_reserve(size_t threads, elman_error *error) CHECKED;

/* After setting up. */
struct blas_kernels blas_kernels_in_use(void);

#endif
