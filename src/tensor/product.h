/* Products with a matrix that is packed once and multiplied many times, as a recurrent weight is
 * within an update. OpenBLAS would copy the matrix into panels for every product.
 *
 * Every element of a product is computed by one chain of fused multiply-adds per block of
 * PRODUCT_BLOCK terms; the sums of the blocks are added in order. Therefore the bits of the result
 * depend on neither the kernel, nor the tile, nor the number of threads, nor the processor. In
 * double there are no kernels: packed_size returns 0. */
#ifndef ELMAN_TENSOR_PRODUCT_H
#define ELMAN_TENSOR_PRODUCT_H

#include <stdbool.h>

#include "tensor/blas.h"

enum { PRODUCT_BLOCK = 256 };

/* A tile of a product: C (rows,width) = A (rows,k) · panel (k,width), added to C if `add`. k is at
 * most PRODUCT_BLOCK. */
struct product_tile {
  real *c;
  size_t ldc;
  const real *a, *panel;
  size_t lda, k;
  bool add;
};

typedef void product_kernel_function(struct product_tile tile, size_t rows);

struct product_kernel {
  const char *name;             /* names the required instructions */
  size_t width;                 /* columns of a panel, at most MAX_PANEL_WIDTH */
  product_kernel_function *run; /* for any number of rows */
};

enum { MAX_PANEL_WIDTH = 32 };

/* Return kernel `i`, from the fastest to the slowest that this processor can run; NULL after the
 * last one. The last one needs no vector instructions. */
const struct product_kernel *product_kernel_at(size_t i);

/* Matrix op(B) (k, groups · n) in panels of columns. Each group begins with a new panel. Columns
 * that complete the last panel of a group are 0. */
struct packed {
  const struct product_kernel *kernel;
  real *panels; /* (groups, panels per group, k, width) */
  size_t groups, n, k;
};

/* Return the number of reals in the panels of such a matrix. Return 0 if the matrix should be
 * multiplied with OpenBLAS: if there is no kernel with vectors, or if the family of OpenBLAS has no
 * fused multiply-add. The family therefore determines the bits of an update, also when the user
 * selects an older family than the processor supports. */
size_t packed_size(size_t groups, size_t n, size_t k);

/* Pack op(B) into panels (packed_size), for the fastest kernel. */
struct packed pack(real *panels, struct operand b, size_t groups, size_t n, size_t k);

/* Return the matrix that `pack` has packed into these panels before. */
struct packed packed_before(real *panels, size_t groups, size_t n, size_t k);

/* Pack for this kernel. The panels have room for packed_size_for reals. */
struct packed pack_for(const struct product_kernel *kernel, real *panels, struct operand b,
                       size_t groups, size_t n, size_t k);
size_t packed_size_for(const struct product_kernel *kernel, size_t groups, size_t n, size_t k);

/* Like matrix_product_then, with a packed matrix in place of p.b. p.alpha must be 1, p.beta 0 or 1,
 * and p.a NOT_TRANSPOSED. */
void packed_product_then(struct product p, const struct packed *b, tile_function *then,
                         const void *context);

#endif
