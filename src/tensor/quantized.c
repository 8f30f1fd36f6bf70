#include "tensor/quantized.h"

#include <string.h>

enum { GROUP = 4 };

size_t quantized_groups(size_t F) {
  return (F + GROUP - 1) / GROUP;
}

size_t quantized_place(size_t v, size_t column, size_t groups) {
  const size_t block = v / QUANTIZED_BLOCK, output = v % QUANTIZED_BLOCK;
  return ((block * groups + column / GROUP) * QUANTIZED_BLOCK + output) * GROUP + column % GROUP;
}

void quantized_product_plain(int32_t *sums, const uint8_t *features, size_t rows,
                             const int8_t *block, size_t groups) {
  memset(sums, 0, rows * QUANTIZED_BLOCK * sizeof *sums);
  for (size_t r = 0; r < rows; r++) {
    for (size_t g = 0; g < groups; g++) {
      for (size_t j = 0; j < QUANTIZED_BLOCK; j++) {
        for (size_t i = 0; i < GROUP; i++)
          sums[r * QUANTIZED_BLOCK + j] +=
              features[(r * groups + g) * GROUP + i] * block[(g * QUANTIZED_BLOCK + j) * GROUP + i];
      }
    }
  }
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define VNNI __attribute__((target("avx512f,avx512vnni")))

/* `rows` is a constant where this is called, so that all sums stay in registers. */
VNNI static inline __attribute__((always_inline)) void
vnni_rows(int32_t *sums, const uint8_t *features, size_t rows, const int8_t *block, size_t groups) {
  enum { LANES = 16, VECTORS = QUANTIZED_BLOCK / LANES };
  __m512i totals[QUANTIZED_ROWS][VECTORS];
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = 0; i < VECTORS; i++) totals[r][i] = _mm512_setzero_si512();
  }
  for (size_t g = 0; g < groups; g++) {
    __m512i weights[VECTORS];
    for (size_t i = 0; i < VECTORS; i++)
      weights[i] = _mm512_loadu_si512(block + (g * VECTORS + i) * LANES * GROUP);
    for (size_t r = 0; r < rows; r++) {
      int32_t four;
      memcpy(&four, features + (r * groups + g) * GROUP, sizeof four);
      const __m512i repeated = _mm512_set1_epi32(four);
      for (size_t i = 0; i < VECTORS; i++)
        totals[r][i] = _mm512_dpbusd_epi32(totals[r][i], repeated, weights[i]);
    }
  }
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = 0; i < VECTORS; i++)
      _mm512_storeu_si512(sums + (r * VECTORS + i) * LANES, totals[r][i]);
  }
}

VNNI static void product_vnni(int32_t *sums, const uint8_t *features, size_t rows,
                              const int8_t *block, size_t groups) {
  _Static_assert(QUANTIZED_ROWS == 4, "a case for each number of rows");
  switch (rows) {
  case 1:
    vnni_rows(sums, features, 1, block, groups);
    break;
  case 2:
    vnni_rows(sums, features, 2, block, groups);
    break;
  case 3:
    vnni_rows(sums, features, 3, block, groups);
    break;
  default:
    vnni_rows(sums, features, 4, block, groups);
  }
}

quantized_product *quantized_product_fast(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni") ? product_vnni
                                                                                   : NULL;
}
#else
quantized_product *quantized_product_fast(void) {
  return NULL;
}
#endif
