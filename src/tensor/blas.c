#include "tensor/blas.h"

#include <cblas.h>

/* Below this many multiplications the threads cost more than they bring. */
static const size_t PARALLEL_WORK = (size_t)1 << 19;
enum { TILE_UNIT = 64, MAX_TILES = 16 };

#ifdef ELMAN_DOUBLE
#define cblas_gemm cblas_dgemm
#else
#define cblas_gemm cblas_sgemm
#endif

static CBLAS_TRANSPOSE blas_transpose(enum transpose transpose) {
  return transpose == TRANSPOSED ? CblasTrans : CblasNoTrans;
}

static void product(real *c, size_t ldc, real beta, real alpha, struct operand a, struct operand b,
                    size_t m, size_t n, size_t k) {
  cblas_gemm(CblasRowMajor, blas_transpose(a.transpose), blas_transpose(b.transpose), (int)m,
             (int)n, (int)k, alpha, a.data, (int)a.ld, b.data, (int)b.ld, beta, c, (int)ldc);
}

void matrix_product(real *c, size_t ldc, real beta, real alpha, struct operand a, struct operand b,
                    size_t m, size_t n, size_t k) {
  if (m == 0 || n == 0) return;
  const size_t longer = m >= n ? m : n;
  if (longer < 2 * TILE_UNIT || m * n * k < PARALLEL_WORK) {
    product(c, ldc, beta, alpha, a, b, m, n, k);
    return;
  }
  const size_t units = (longer + TILE_UNIT - 1) / TILE_UNIT;
  const size_t tile = (units + MAX_TILES - 1) / MAX_TILES * TILE_UNIT;
  const size_t tiles = (longer + tile - 1) / tile;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < tiles; i++) {
    const size_t start = i * tile;
    const size_t size = longer - start < tile ? longer - start : tile;
    struct operand part = m >= n ? a : b;
    if (m >= n) {
      part.data += part.transpose == AS_IT_IS ? start * part.ld : start;
      product(c + start * ldc, ldc, beta, alpha, part, b, size, n, k);
    } else {
      part.data += part.transpose == AS_IT_IS ? start : start * part.ld;
      product(c + start, ldc, beta, alpha, a, part, m, size, k);
    }
  }
}

void blas_use_one_thread(void) {
  openblas_set_num_threads(1);
}
