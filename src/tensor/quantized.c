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

static void product_plain(int32_t *sums, const uint8_t *features, size_t rows, const int8_t *block,
                          size_t groups) {
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

#define INLINE static inline __attribute__((always_inline))

static int32_t four_features(const uint8_t *features, size_t r, size_t groups, size_t g) {
  int32_t four;
  memcpy(&four, features + (r * groups + g) * GROUP, sizeof four);
  return four;
}

/* ---- AVX-512 VNNI ---- */

#define VNNI __attribute__((target("avx512f,avx512vnni")))

/* Callers pass a constant `rows`, so that all sums stay in registers. */
VNNI INLINE void vnni_rows(int32_t *sums, const uint8_t *features, size_t rows, const int8_t *block,
                           size_t groups) {
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
      const __m512i repeated = _mm512_set1_epi32(four_features(features, r, groups, g));
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

/* ---- AVX2 ---- */

#define AVX2 __attribute__((target("avx2")))

/* maddubs adds two 16-bit products and saturates at 32,767. With features up to 2 · 63 + 1 the sum
 * of two products is at most 2 · 127 · 127 = 32,258. */
enum { AVX2_MAX_LEVEL = 63 };
_Static_assert(2 * (2 * AVX2_MAX_LEVEL + 1) * QUANTIZED_MAX_WEIGHT <= INT16_MAX,
               "two products do not saturate");

/* Compute the sums of `vectors` groups of eight outputs, starting with output `first`. Callers pass
 * constant `rows` and `vectors`, so that the sums stay in registers; their product is at most 8. */
AVX2 INLINE void avx2_outputs(int32_t *sums, const uint8_t *features, size_t rows,
                              const int8_t *block, size_t groups, size_t first, size_t vectors) {
  enum { LANES = 8, MOST = 8 };
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i totals[MOST];
  for (size_t i = 0; i < rows * vectors; i++) totals[i] = _mm256_setzero_si256();
  for (size_t g = 0; g < groups; g++) {
    for (size_t r = 0; r < rows; r++) {
      const __m256i repeated = _mm256_set1_epi32(four_features(features, r, groups, g));
      for (size_t i = 0; i < vectors; i++) {
        const int8_t *weights = block + (g * QUANTIZED_BLOCK + first + i * LANES) * GROUP;
        const __m256i pairs = _mm256_maddubs_epi16(
            repeated, _mm256_loadu_si256((const __m256i *)(const void *)weights));
        totals[r * vectors + i] =
            _mm256_add_epi32(totals[r * vectors + i], _mm256_madd_epi16(pairs, ones));
      }
    }
  }
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = 0; i < vectors; i++)
      _mm256_storeu_si256((__m256i *)(void *)(sums + r * QUANTIZED_BLOCK + first + i * LANES),
                          totals[r * vectors + i]);
  }
}

AVX2 static void product_avx2(int32_t *sums, const uint8_t *features, size_t rows,
                              const int8_t *block, size_t groups) {
  size_t r = 0;
  for (; r + 2 <= rows; r += 2) {
    for (size_t first = 0; first < QUANTIZED_BLOCK; first += 32)
      avx2_outputs(sums + r * QUANTIZED_BLOCK, features + r * groups * GROUP, 2, block, groups,
                   first, 4);
  }
  if (r < rows)
    avx2_outputs(sums + r * QUANTIZED_BLOCK, features + r * groups * GROUP, 1, block, groups, 0, 8);
}

static bool runs_vnni(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni");
}

static bool runs_avx2(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2");
}
#endif

static bool runs_everywhere(void) {
  return true;
}

static const struct {
  struct quantized_kernel kernel;
  bool (*runs)(void);
} kernels[] = {
#if defined(__x86_64__) && defined(__GNUC__)
    {{"AVX-512 VNNI", product_vnni, 127, false}, runs_vnni},
    {{"AVX2", product_avx2, AVX2_MAX_LEVEL, false}, runs_avx2},
#endif
    {{"plain C", product_plain, 127, true}, runs_everywhere},
};

const struct quantized_kernel *quantized_kernel_at(size_t i) {
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    if (!kernels[k].runs()) continue;
    if (i == 0) return &kernels[k].kernel;
    i--;
  }
  return NULL;
}
