/* Matrix products with BLAS. Matrices are row-major; `ld` is the distance between the starts of two
 * adjacent rows.
 *
 * OpenBLAS runs single-threaded, because its sums change with its number of threads. Instead, a
 * large product is divided into tiles of its result. The tile sizes depend only on the size of the
 * result, so the bits of the result are equal for every number of threads. */
#ifndef ELMAN_TENSOR_BLAS_H
#define ELMAN_TENSOR_BLAS_H

#include <stdbool.h>

#include "base/status.h"
#include "elman/machine.h"
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
};

void matrix_product(struct product p);
/* Set every row of C to the bias (n), unless the bias is NULL. Then compute the product. */
void matrix_product_with_bias(struct product p, const real *bias);
/* Compute the whole product on the calling thread, for work that is already shared among
 * threads. */
void matrix_product_alone(struct product p);

/* Compute `groups` products at once. C and op(B) contain `groups` groups of p.n columns side by
 * side; B must be TRANSPOSED unless groups is 1. A tile consists of the same columns of each group.
 * Call `then` (NULL = nothing) for every complete tile, on the thread that has the tile in its
 * cache. `then` processes rows [row, row + rows) and columns [column, column + columns) of each
 * group. */
typedef void tile_function(const void *context, size_t row, size_t rows, size_t column,
                           size_t columns);
void matrix_product_then(struct product p, size_t groups, tile_function *then, const void *context);

/* Make OpenBLAS single-threaded, stop the threads it started, and select the kernels that fit
 * the processor. Only the first call of the process has an effect; it must precede the first
 * product. */
void blas_set_up(void);

/* Set up OpenBLAS, and allocate the memory that OpenBLAS needs for products on `threads` threads at
 * once. Otherwise OpenBLAS would allocate it during a product, and retry a refused allocation
 * forever. Return ELMAN_NO_MEMORY if the memory does not suffice. */
elman_status blas_reserve(size_t threads, elman_error *error) CHECKED;

/* ---- which family of kernels OpenBLAS should use ----
 *
 * A build of OpenBLAS for many processors (DYNAMIC_ARCH) selects kernels from a list of processor
 * models. The list ends with the models known at its release. For a newer model OpenBLAS selects
 * the kernels of an old one, which run at a half or a fifth of the speed. The functions below
 * select kernels by the processor's instructions instead. */

/* Vector instructions that the processor has and the operating system has enabled. Each level
 * includes the previous ones: AVX2 with FMA; AVX-512 with F, DQ, BW and VL. */
enum vector_level { VECTOR_SSE, VECTOR_AVX, VECTOR_AVX2, VECTOR_AVX512 };

enum vector_level vector_level_here(void);

/* Return the name of the vector instructions that the compiler used for the library's own loops. */
const char *compiled_instructions(void);

/* Return the family to use if OpenBLAS selected `family`. Return NULL to keep `family`, because it
 * is good enough or newer than the families listed here. */
const char *better_blas_family(const char *family, enum vector_level processor);

/* Return whether kernels of this family use fused multiply-add. Families that are not listed here
 * are newer, or of other processors, and do. */
bool blas_family_fuses(const char *family);

/* The kernels of this process, as static strings. */
struct blas_kernels {
  const char *config;          /* version and build options of OpenBLAS */
  const char *family;          /* such as "SkylakeX" */
  const char *original_family; /* the family that OpenBLAS selected */
  elman_kernel_choice choice;
};

/* Select the kernels. This function must be called once per process, before the first product. It
 * sets the environment variable OPENBLAS_CORETYPE for OpenBLAS and then restores it. */
struct blas_kernels blas_kernels_choose(void);

/* Return the selected kernels. The caller must have called blas_set_up. */
struct blas_kernels blas_kernels_in_use(void);

/* Treat subnormal numbers as zero on this thread and on threads that it starts later. Return the
 * state for denormals_restore. Every operation on subnormal numbers takes many times as long.
 * Without this call Adam's moments of rare words would decay to the smallest subnormal number and
 * stay there. */
unsigned denormals_to_zero(void);
void denormals_restore(unsigned state);

#endif
