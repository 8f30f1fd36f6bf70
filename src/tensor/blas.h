/* Matrix products on BLAS. Matrices are row-major; `ld` is the distance between two rows.
 *
 * OpenBLAS runs single-threaded, since its sums change with its number of threads. A large product
 * is cut into tiles of its result instead, whose sizes depend on nothing but the result's, so that
 * every number of threads gives the same bits. */
#ifndef ELMAN_TENSOR_BLAS_H
#define ELMAN_TENSOR_BLAS_H

#include "base/status.h"
#include "elman/machine.h"
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

void matrix_product(struct product p);
/* First C = the bias (n) in every row; NULL: nothing. */
void matrix_product_with_bias(struct product p, const real *bias);
/* The same by the calling thread alone and in one piece: for work that is already shared out. */
void matrix_product_alone(struct product p);

/* `groups` products in one: C, and the columns of op(B), which is TRANSPOSED unless groups is 1,
 * are so many groups of p.n columns side by side. A tile has the same columns of each group. `then`
 * (NULL = nothing) is called with every tile of C once it is complete, by the thread that has it in
 * its cache: rows [row, row + rows) of the columns [column, column + columns) of the first group.
 */
typedef void tile_function(const void *context, size_t row, size_t rows, size_t column,
                           size_t columns);
void matrix_product_then(struct product p, size_t groups, tile_function *then, const void *context);

/* Makes the BLAS library single-threaded, stops the threads that it started, and has it use the
 * kernels that fit the processor. Works once for the process; must come before the first product.
 */
void blas_set_up(void);

/* Sets up, and gets the memory that so many threads need for products at once. OpenBLAS itself asks
 * for it within a product, and if it is refused, asks again and again for ever. ELMAN_NO_MEMORY if
 * it cannot be had. */
elman_status blas_reserve(size_t threads, elman_error *error) CHECKED;

/* ---- which of its families of kernels OpenBLAS should use ----
 *
 * A build of OpenBLAS for many processors (DYNAMIC_ARCH) chooses by a list of processor models that
 * was complete on the day of its release: to a newer model it gives the kernels of an old one, at
 * half or a fifth of the speed. What counts here is which instructions the processor has. */

/* Vector instructions that the processor has and the operating system has enabled, each with those
 * before it: AVX2 with FMA, AVX-512 with F, DQ, BW and VL. */
enum vector_level { VECTOR_SSE, VECTOR_AVX, VECTOR_AVX2, VECTOR_AVX512 };

enum vector_level vector_level_here(void);

/* The vector instructions that the compiler was allowed to use in the library's own loops. */
const char *compiled_instructions(void);

/* The family for a processor on which OpenBLAS chose `family`; NULL: that one is good, or newer
 * than what is known here. */
const char *better_blas_family(const char *family, enum vector_level processor);

/* The kernels of this process. Static strings. */
struct blas_kernels {
  const char *config;          /* OpenBLAS's version and how it was built */
  const char *family;          /* "SkylakeX" */
  const char *original_family; /* that OpenBLAS had chosen itself */
  elman_kernel_choice choice;
};

/* Makes the choice: once for the process, before the first product. It is made through the
 * variable OPENBLAS_CORETYPE, which is as it was afterwards. */
struct blas_kernels blas_kernels_choose(void);

/* After setting up. */
struct blas_kernels blas_kernels_in_use(void);

/* Numbers below the smallest normal one are zero for this thread from now on, and for the threads
 * that it starts; returns the state to restore. Adam's moments of rare words decay towards zero and
 * would stay at the smallest denormal for ever, where every operation on them takes many times as
 * long. */
unsigned denormals_to_zero(void);
void denormals_restore(unsigned state);

#endif
