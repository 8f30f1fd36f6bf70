/* Matrix products, and the library's own kernels for them.
 *
 * These kernels compute every element of a product by one chain of fused multiply-adds per block of
 * PRODUCT_BLOCK terms; the sums of the blocks are added in order. Therefore the bits of the result
 * depend on neither the kernel, nor the tile, nor the number of threads, nor the processor. The
 * vectors of WebAssembly have no fused operation. Their kernel rounds the products, too; it serves
 * fast arithmetic only, and its bits do not depend on the processor either.
 *
 * The operands of a product may be rounded to bfloat16 first (bfloat16.h). A processor with
 * instructions for this precision then uses a kernel of pairs in fast arithmetic. Where no kernel
 * of pairs is used, the rounded operands are multiplied like all others.
 *
 * In fast arithmetic, own kernels multiply with matrices that are packed once and used many times,
 * as a recurrent weight is within an update; OpenBLAS would copy such a matrix into panels for
 * every product. In portable arithmetic, and in builds without OpenBLAS, own kernels compute all
 * products. In double the only kernel is a plain loop, for builds without OpenBLAS. */
#ifndef ELMAN_TENSOR_PRODUCT_H
#define ELMAN_TENSOR_PRODUCT_H

#include <stdbool.h>

#include "base/status.h"
#include "tensor/bfloat16.h"
#include "tensor/operand.h"

/* A function that processes rows [row, row + rows) and columns [column, column + columns) of a
 * complete tile of C. */
typedef void tile_function(const void *context, size_t row, size_t rows, size_t column,
                           size_t columns);

enum { PRODUCT_BLOCK = 256 };

/* Compute the whole product on the calling thread, with the kernel in use. p.beta must be 0 or 1,
 * and p.numerics->operands float32. */
void product_alone(struct product p);

/* ---- kernels ---- */

/* A tile of a product: C (rows,columns) = alpha A (rows,k) B (k,columns), added to C if `add`. k is
 * at most PRODUCT_BLOCK. Elements of A are a_row apart in a column and a_step apart in a row. */
struct product_tile {
  real *c;
  size_t ldc;
  const real *a, *b;
  size_t a_row, a_step, ldb, k;
  real alpha;
  bool add;
};

/* Compute a tile of any number of rows; `columns` is a multiple of the kernel's lanes, at most its
 * width. */
typedef void product_kernel_function(struct product_tile tile, size_t rows, size_t columns);

struct product_kernel {
  const char *name;         /* name in ELMAN_PRODUCT_KERNEL */
  const char *instructions; /* the instructions that it requires; NULL = none */
  size_t lanes, width;      /* columns of a vector, and of a panel: at most MAX_PANEL_WIDTH */
  bool fused;               /* uses fused multiply-add, which portable arithmetic requires */
  product_kernel_function *run;
  enum pair_kind pairs; /* the kernel that multiplies operands in bfloat16 */
};

enum { MAX_PANEL_WIDTH = 32 };

/* Return kernel `i`, from the fastest to the slowest that this processor can run; NULL after the
 * last one. The last one needs no vector instructions. The kernel "tiles" is slow and only for
 * tests: it multiplies operands in bfloat16 as the instruction for tiles does. */
const struct product_kernel *product_kernel_at(size_t i);

/* The environment variable that selects a kernel by name, to reproduce on one machine the path of
 * another machine. */
#define PRODUCT_KERNEL_VARIABLE "ELMAN_PRODUCT_KERNEL"

/* Return ELMAN_INVALID_ARGUMENT if the variable names no kernel that this processor can run. */
elman_status product_kernel_check(elman_error *error) CHECKED;

/* Return the kernel of pairs that multiplies operands in bfloat16. Return NULL if they must be
 * rounded and multiplied in float32: in portable arithmetic, if the kernel in use has no
 * instructions for bfloat16, or if the system does not permit these instructions. */
const struct pair_kernel *pair_kernel_in_use(enum arithmetic arithmetic);

/* Return the precision of the operands of an update: the user's choice `wanted`, or float32 in
 * place of bfloat16 if rounded operands would only cost time. Portable arithmetic rounds
 * everywhere, so that the model does not depend on the processor. */
elman_precision precision_that_gains(enum arithmetic arithmetic, elman_precision wanted);

/* Return the kernel that the variable selects; if it selects none, the fastest one. In portable
 * arithmetic, choose only among fused kernels, if there are any. The choice is made once per
 * process and arithmetic. */
const struct product_kernel *product_kernel_in_use(enum arithmetic arithmetic);

/* ---- packed matrices ---- */

/* Matrix op(B) (k, groups · n) in panels of columns. Each group begins with a new panel. Columns
 * that complete the last panel of a group are 0. */
struct packed {
  const struct product_kernel *kernel;
  size_t width; /* width of a panel: that of the kernel, or PAIR_COLUMNS */
  real *panels; /* (groups, panels per group, k, width); for pairs, (k + 1) / 2 instead of k */
  size_t groups, n, k;
  elman_precision operands;
  const struct pair_kernel *pairs; /* multiplies pairs, which the panels contain; NULL = reals */
};

/* Return the number of reals in the panels of such a matrix. Return 0 if the matrix should be
 * multiplied with matrix_product_then: if the kernel in use has no vectors, or if the family of
 * OpenBLAS has no fused multiply-add. In fast arithmetic the family therefore determines the bits
 * of an update, also when the user selects an older family than the processor supports. */
size_t packed_size(enum arithmetic arithmetic, size_t groups, size_t n, size_t k);

/* Pack op(B) into panels (packed_size), for the kernel and the precision of the numerics. */
struct packed pack(real *panels, struct operand b, size_t groups, size_t n, size_t k,
                   const struct numerics *numerics);

/* Return the matrix that `pack` has packed into these panels before, with the same numerics. */
struct packed packed_before(real *panels, size_t groups, size_t n, size_t k,
                            const struct numerics *numerics);

/* Pack for this kernel, in float32. The panels have room for packed_size_for reals. */
struct packed pack_for(const struct product_kernel *kernel, real *panels, struct operand b,
                       size_t groups, size_t n, size_t k);
size_t packed_size_for(const struct product_kernel *kernel, size_t groups, size_t n, size_t k);

/* Like matrix_product_then, with a packed matrix in place of p.b, and its precision in place of
 * that of p.numerics. p.alpha must be 1, p.beta 0 or 1, and p.a NOT_TRANSPOSED. */
void packed_product_then(struct product p, const struct packed *b, tile_function *then,
                         const void *context);

#endif
