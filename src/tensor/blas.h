/* Matrix products with BLAS, or in portable arithmetic with the library's own kernels.
 *
 * OpenBLAS runs single-threaded, because its sums change with its number of threads. Instead, a
 * large product is divided into tiles of its result. The tile sizes depend only on the size of the
 * result, so the bits of the result are equal for every number of threads. */
#ifndef ELMAN_TENSOR_BLAS_H
#define ELMAN_TENSOR_BLAS_H

#include "tensor/product.h"

void matrix_product(struct product p);
/* Set every row of C to the bias (n), unless the bias is NULL. Then compute the product. */
void matrix_product_with_bias(struct product p, const real *bias);
/* Compute the whole product on the calling thread, for work that is already shared among
 * threads. */
void matrix_product_alone(struct product p);

/* Compute `groups` products at once. C and op(B) contain `groups` groups of p.n columns side by
 * side; B must be TRANSPOSED unless groups is 1. A tile consists of the same columns of each group.
 * Call `then` (NULL = nothing) for every complete tile, on the thread that has the tile in its
 * cache. `then` processes these rows and columns of each group. */
void matrix_product_then(struct product p, size_t groups, tile_function *then, const void *context);

#endif
