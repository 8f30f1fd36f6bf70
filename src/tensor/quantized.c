#include "tensor/quantized.h"

#include <string.h>

#include "tensor/kernels.h"
#include "tensor/tiles.h"

/* ROWS is the most rows of the kernels that use vectors; these kernels have a case for each number
 * of rows. */
enum { GROUP = 4, ROWS = 6 };

size_t quantized_groups(size_t F) {
  return (F + GROUP - 1) / GROUP;
}

size_t quantized_place(size_t v, size_t column, size_t groups) {
  const size_t block = v / QUANTIZED_BLOCK, output = v % QUANTIZED_BLOCK;
  return ((block * groups + column / GROUP) * QUANTIZED_BLOCK + output) * GROUP + column % GROUP;
}

/* ---- plain C ---- */

static void product_plain(int32_t *sums, const uint8_t *features, size_t rows, const int8_t *block,
                          size_t groups) {
  memset(sums, 0, rows * QUANTIZED_BLOCK * sizeof *sums);
  for (size_t r = 0; r < rows; r++) {
    for (size_t g = 0; g < groups; g++) {
      int8_t four[GROUP];
      memcpy(four, features + (r * groups + g) * GROUP, sizeof four);
      for (size_t j = 0; j < QUANTIZED_BLOCK; j++) {
        const int8_t *weights = block + (g * QUANTIZED_BLOCK + j) * GROUP;
        sums[r * QUANTIZED_BLOCK + j] += four[0] * weights[0] + four[1] * weights[1] +
                                         four[2] * weights[2] + four[3] * weights[3];
      }
    }
  }
}

#if defined(__GNUC__) && (defined(__x86_64__) || (defined(__aarch64__) && defined(__linux__)))
static int32_t four_features(const uint8_t *features, size_t r, size_t groups, size_t g) {
  int32_t four;
  memcpy(&four, features + (r * groups + g) * GROUP, sizeof four);
  return four;
}
#endif

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>

enum { UNSIGNED_ZERO = 128 };

/* ---- AVX-512 VNNI: unsigned features ---- */

#define VNNI __attribute__((target("avx512f,avx512vnni")))

/* Four vectors of sums for each row. They are variables instead of an array, because gcc copies the
 * elements of an array between registers and memory, which halves the speed. */
#define SUMS_OF_ROW(r)                                                                             \
  __m512i total##r##_0 = _mm512_setzero_si512(), total##r##_1 = total##r##_0,                      \
          total##r##_2 = total##r##_0, total##r##_3 = total##r##_0
#define ADD_TO_ROW(r)                                                                              \
  if (rows > (r)) {                                                                                \
    const __m512i repeated = _mm512_set1_epi32(four_features(features, r, groups, g));             \
    total##r##_0 = _mm512_dpbusd_epi32(total##r##_0, repeated, weights_0);                         \
    total##r##_1 = _mm512_dpbusd_epi32(total##r##_1, repeated, weights_1);                         \
    total##r##_2 = _mm512_dpbusd_epi32(total##r##_2, repeated, weights_2);                         \
    total##r##_3 = _mm512_dpbusd_epi32(total##r##_3, repeated, weights_3);                         \
  }
#define STORE_ROW(r)                                                                               \
  if (rows > (r)) {                                                                                \
    _mm512_storeu_si512(sums + (4 * (r) + 0) * LANES, total##r##_0);                               \
    _mm512_storeu_si512(sums + (4 * (r) + 1) * LANES, total##r##_1);                               \
    _mm512_storeu_si512(sums + (4 * (r) + 2) * LANES, total##r##_2);                               \
    _mm512_storeu_si512(sums + (4 * (r) + 3) * LANES, total##r##_3);                               \
  }
#define EACH_ROW(action) action(0) action(1) action(2) action(3) action(4) action(5)

/* Callers pass a constant `rows`, so that all sums stay in registers. */
VNNI INLINE void vnni_rows(int32_t *sums, const uint8_t *features, size_t rows, const int8_t *block,
                           size_t groups) {
  enum { LANES = 16, BYTES = LANES * GROUP };
  SUMS_OF_ROW(0);
  SUMS_OF_ROW(1);
  SUMS_OF_ROW(2);
  SUMS_OF_ROW(3);
  SUMS_OF_ROW(4);
  SUMS_OF_ROW(5);
  for (size_t g = 0; g < groups; g++, block += 4 * BYTES) {
    const __m512i weights_0 = _mm512_loadu_si512(block);
    const __m512i weights_1 = _mm512_loadu_si512(block + BYTES);
    const __m512i weights_2 = _mm512_loadu_si512(block + 2 * BYTES);
    const __m512i weights_3 = _mm512_loadu_si512(block + 3 * BYTES);
    EACH_ROW(ADD_TO_ROW)
  }
  EACH_ROW(STORE_ROW)
}

VNNI static void product_vnni(int32_t *sums, const uint8_t *features, size_t rows,
                              const int8_t *block, size_t groups) {
#define CALL(number) vnni_rows(sums, features, number, block, groups)
  switch (rows) { CASES_TO_6(CALL) }
#undef CALL
}

static bool runs_vnni(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni");
}

/* ---- tiles (AMX): unsigned features ---- */

#ifdef __linux__
#define TILES __attribute__((target("amx-tile,amx-int8")))

/* Tiles 0 to 3 are the sums of 16 outputs each, 4 the features, 5 and 6 the weights. */
TILES INLINE void add_groups(const uint8_t *features, size_t feature_bytes, const int8_t *block) {
  enum { BYTES = 16 * GROUP, BLOCK_BYTES = QUANTIZED_BLOCK * GROUP };
  _tile_loadd(4, features, feature_bytes);
  _tile_loadd(5, block, BLOCK_BYTES);
  _tile_dpbusd(0, 4, 5);
  _tile_loadd(6, block + BYTES, BLOCK_BYTES);
  _tile_dpbusd(1, 4, 6);
  _tile_loadd(5, block + 2 * BYTES, BLOCK_BYTES);
  _tile_dpbusd(2, 4, 5);
  _tile_loadd(6, block + 3 * BYTES, BLOCK_BYTES);
  _tile_dpbusd(3, 4, 6);
}

/* Add the last groups. The features and weights of missing groups are 0. */
TILES static void add_last_groups(const uint8_t *features, size_t feature_bytes, size_t rows,
                                  const int8_t *block, size_t groups) {
  enum { TILE = 16 };
  uint8_t some_features[TILE * TILE * GROUP] = {0};
  int8_t weights[TILE * QUANTIZED_BLOCK * GROUP] = {0};
  for (size_t r = 0; r < rows; r++)
    memcpy(some_features + r * TILE * GROUP, features + r * feature_bytes, groups * GROUP);
  memcpy(weights, block, groups * QUANTIZED_BLOCK * GROUP);
  __asm__ volatile("" ::: "memory"); /* see bfloat16.c */
  add_groups(some_features, TILE * GROUP, weights);
}

TILES static void product_tiles(int32_t *sums, const uint8_t *features, size_t rows,
                                const int8_t *block, size_t groups) {
  enum { TILE = 16, SUM_BYTES = QUANTIZED_BLOCK * sizeof *sums };
  struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } config = {.palette = 1,
              .row_bytes = {64, 64, 64, 64, 64, 64, 64},
              .rows = {(uint8_t)rows, (uint8_t)rows, (uint8_t)rows, (uint8_t)rows, (uint8_t)rows,
                       TILE, TILE}};
  const size_t bytes = groups * GROUP;
  __asm__ volatile("" ::: "memory");
  _tile_loadconfig(&config);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (; groups >= TILE; groups -= TILE) {
    add_groups(features, bytes, block);
    features += TILE * GROUP;
    block += TILE * QUANTIZED_BLOCK * GROUP;
  }
  if (groups > 0) add_last_groups(features, bytes, rows, block, groups);
  _tile_stored(0, sums, SUM_BYTES);
  _tile_stored(1, sums + TILE, SUM_BYTES);
  _tile_stored(2, sums + 2 * TILE, SUM_BYTES);
  _tile_stored(3, sums + 3 * TILE, SUM_BYTES);
  _tile_release();
}

/* Multiply with tiles; for few rows, with vectors, which are then as fast. */
static void product_amx(int32_t *sums, const uint8_t *features, size_t rows, const int8_t *block,
                        size_t groups) {
  if (rows > ROWS)
    product_tiles(sums, features, rows, block, groups);
  else
    product_vnni(sums, features, rows, block, groups);
}

static bool runs_amx(void) {
  return runs_vnni() && tiles_in_processor(TILES_OF_BYTES) && tiles_permitted();
}
#endif

/* ---- vectors of 32 bytes ----
 *
 * LOOP_OF_OUTPUTS computes the sums of `vectors` groups of eight outputs, starting with output
 * `first`. Callers pass constant `rows` and `vectors`, so that the sums stay in registers; their
 * product is at most 8. `add_products` adds the products of four features, repeated in each lane,
 * to a vector of sums. */

#define LOOP_OF_OUTPUTS(add_products)                                                              \
  enum { LANES = 8, MOST = 8 };                                                                    \
  __m256i totals[MOST];                                                                            \
  for (size_t i = 0; i < rows * vectors; i++) totals[i] = _mm256_setzero_si256();                  \
  for (size_t g = 0; g < groups; g++) {                                                            \
    for (size_t r = 0; r < rows; r++) {                                                            \
      const __m256i repeated = _mm256_set1_epi32(four_features(features, r, groups, g));           \
      for (size_t i = 0; i < vectors; i++) {                                                       \
        const int8_t *weights = block + (g * QUANTIZED_BLOCK + first + i * LANES) * GROUP;         \
        totals[r * vectors + i] =                                                                  \
            add_products(totals[r * vectors + i], repeated,                                        \
                         _mm256_loadu_si256((const __m256i *)(const void *)weights));              \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
  for (size_t r = 0; r < rows; r++) {                                                              \
    for (size_t i = 0; i < vectors; i++)                                                           \
      _mm256_storeu_si256((__m256i *)(void *)(sums + r * QUANTIZED_BLOCK + first + i * LANES),     \
                          totals[r * vectors + i]);                                                \
  }

/* Pairs of rows share the weights that are loaded. */
#define LOOP_OF_ROWS(outputs)                                                                      \
  size_t r = 0;                                                                                    \
  for (; r + 2 <= rows; r += 2) {                                                                  \
    for (size_t first = 0; first < QUANTIZED_BLOCK; first += 32)                                   \
      outputs(sums + r * QUANTIZED_BLOCK, features + r * groups * GROUP, 2, block, groups, first,  \
              4);                                                                                  \
  }                                                                                                \
  if (r < rows)                                                                                    \
  outputs(sums + r * QUANTIZED_BLOCK, features + r * groups * GROUP, 1, block, groups, 0, 8)

/* ---- AVX-VNNI: unsigned features ---- */

#define AVX_VNNI __attribute__((target("avx2,avxvnni")))

AVX_VNNI INLINE __m256i add_products_avx_vnni(__m256i totals, __m256i features, __m256i weights) {
  return _mm256_dpbusd_avx_epi32(totals, features, weights);
}

AVX_VNNI INLINE void avx_vnni_outputs(int32_t *sums, const uint8_t *features, size_t rows,
                                      const int8_t *block, size_t groups, size_t first,
                                      size_t vectors){LOOP_OF_OUTPUTS(add_products_avx_vnni)}

AVX_VNNI static void product_avx_vnni(int32_t *sums, const uint8_t *features, size_t rows,
                                      const int8_t *block, size_t groups) {
  LOOP_OF_ROWS(avx_vnni_outputs);
}

/* Return whether the processor has AVX-VNNI, for which not every gcc and clang has a name. */
static bool runs_avx_vnni(void) {
  enum { LEAF = 7, SUBLEAF = 1, BIT = 1 << 4 };
  unsigned a, b, c, d;
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __get_cpuid_count(LEAF, 0, &a, &b, &c, &d) && a >= 1 &&
         __get_cpuid_count(LEAF, SUBLEAF, &a, &b, &c, &d) && (a & BIT) != 0;
}

/* ---- AVX2: signed features ---- */

#define AVX2 __attribute__((target("avx2")))

/* maddubs multiplies unsigned numbers with signed ones, adds two 16-bit products, and saturates at
 * 32,767. The sign of a weight is moved to the feature, so that the sum of two products is at most
 * 2 · 127 · 127 = 32,258. */
_Static_assert(2 * QUANTIZED_LEVELS * QUANTIZED_LEVELS <= INT16_MAX,
               "two products do not saturate");

AVX2 INLINE __m256i add_products_avx2(__m256i totals, __m256i features, __m256i weights) {
  const __m256i pairs =
      _mm256_maddubs_epi16(_mm256_abs_epi8(weights), _mm256_sign_epi8(features, weights));
  return _mm256_add_epi32(totals, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

AVX2 INLINE void avx2_outputs(int32_t *sums, const uint8_t *features, size_t rows,
                              const int8_t *block, size_t groups, size_t first,
                              size_t vectors){LOOP_OF_OUTPUTS(add_products_avx2)}

AVX2 static void product_avx2(int32_t *sums, const uint8_t *features, size_t rows,
                              const int8_t *block, size_t groups) {
  LOOP_OF_ROWS(avx2_outputs);
}
#endif

/* ---- NEON with dot product: signed features ---- */

#if defined(__aarch64__) && defined(__linux__) && defined(__GNUC__)
#include <sys/auxv.h>

#ifdef __clang__
#define DOT_PRODUCT __attribute__((target("dotprod")))
#else
#define DOT_PRODUCT __attribute__((target("arch=armv8.2-a+dotprod")))
#endif

#include <arm_neon.h>

/* Use the instruction itself, because some compilers declare its intrinsic only if every function
 * may use it. */
DOT_PRODUCT INLINE int32x4_t add_products_neon(int32x4_t totals, int8x16_t weights,
                                               int8x16_t features) {
  __asm__("sdot %0.4s, %1.16b, %2.16b" : "+w"(totals) : "w"(weights), "w"(features));
  return totals;
}

/* Compute the sums of 16 outputs. Callers pass a constant `rows`, so that the sums stay in
 * registers. */
DOT_PRODUCT INLINE void neon_outputs(int32_t *sums, const uint8_t *features, size_t rows,
                                     const int8_t *block, size_t groups, size_t first) {
  enum { LANES = 4, VECTORS = 4 };
  int32x4_t totals[ROWS][VECTORS];
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = 0; i < VECTORS; i++) totals[r][i] = vdupq_n_s32(0);
  }
  for (size_t g = 0; g < groups; g++) {
    int8x16_t weights[VECTORS];
    for (size_t i = 0; i < VECTORS; i++)
      weights[i] = vld1q_s8(block + (g * QUANTIZED_BLOCK + first + i * LANES) * GROUP);
    for (size_t r = 0; r < rows; r++) {
      const int8x16_t repeated =
          vreinterpretq_s8_s32(vdupq_n_s32(four_features(features, r, groups, g)));
      for (size_t i = 0; i < VECTORS; i++)
        totals[r][i] = add_products_neon(totals[r][i], weights[i], repeated);
    }
  }
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = 0; i < VECTORS; i++)
      vst1q_s32(sums + r * QUANTIZED_BLOCK + first + i * LANES, totals[r][i]);
  }
}

DOT_PRODUCT static void product_neon(int32_t *sums, const uint8_t *features, size_t rows,
                                     const int8_t *block, size_t groups) {
  enum { OUTPUTS = 16 };
  for (size_t first = 0; first < QUANTIZED_BLOCK; first += OUTPUTS) {
#define CALL(number) neon_outputs(sums, features, number, block, groups, first)
    switch (rows) { CASES_TO_6(CALL) }
#undef CALL
  }
}

static bool runs_neon(void) {
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
}
#endif

/* ---- WebAssembly: signed features ---- */

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>

/* Return the four numbers at `bytes`, repeated, in 16 bits. */
INLINE v128_t repeated_four(const void *bytes) {
  return wasm_i16x8_extend_low_i8x16(wasm_v128_load32_splat(bytes));
}

/* Compute the sums of 8 outputs. The instruction for eight products of 16-bit numbers adds
 * neighboring products. Each sum therefore has two parts, which are added at the end; two vectors
 * contain the parts of 4 outputs. */
INLINE void wasm_outputs(int32_t *sums, const uint8_t *features, size_t rows, const int8_t *block,
                         size_t groups, size_t first) {
  enum { LANES = 4, VECTORS = 2 };
  v128_t totals[ROWS][2 * VECTORS];
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = 0; i < 2 * VECTORS; i++) totals[r][i] = wasm_i32x4_const_splat(0);
  }
  for (size_t g = 0; g < groups; g++) {
    v128_t weights[2 * VECTORS];
    for (size_t i = 0; i < VECTORS; i++) {
      const v128_t four = wasm_v128_load(block + (g * QUANTIZED_BLOCK + first + i * LANES) * GROUP);
      weights[2 * i] = wasm_i16x8_extend_low_i8x16(four);
      weights[2 * i + 1] = wasm_i16x8_extend_high_i8x16(four);
    }
    for (size_t r = 0; r < rows; r++) {
      const v128_t repeated = repeated_four(features + (r * groups + g) * GROUP);
      for (size_t i = 0; i < 2 * VECTORS; i++)
        totals[r][i] = wasm_i32x4_add(totals[r][i], wasm_i32x4_dot_i16x8(weights[i], repeated));
    }
  }
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = 0; i < VECTORS; i++) {
      const v128_t low = totals[r][2 * i], high = totals[r][2 * i + 1];
      wasm_v128_store(sums + r * QUANTIZED_BLOCK + first + i * LANES,
                      wasm_i32x4_add(wasm_i32x4_shuffle(low, high, 0, 2, 4, 6),
                                     wasm_i32x4_shuffle(low, high, 1, 3, 5, 7)));
    }
  }
}

/* Two rows share the weights that are loaded; the sums of more rows do not fit into registers. */
static void product_wasm(int32_t *sums, const uint8_t *features, size_t rows, const int8_t *block,
                         size_t groups) {
  enum { OUTPUTS = 8 };
  for (size_t first = 0; first < QUANTIZED_BLOCK; first += OUTPUTS) {
    size_t r = 0;
    for (; r + 2 <= rows; r += 2)
      wasm_outputs(sums + r * QUANTIZED_BLOCK, features + r * groups * GROUP, 2, block, groups,
                   first);
    if (r < rows)
      wasm_outputs(sums + r * QUANTIZED_BLOCK, features + r * groups * GROUP, 1, block, groups,
                   first);
  }
}
#endif

static const struct {
  struct quantized_kernel kernel;
  bool (*runs)(void);
} kernels[] = {
#if defined(__x86_64__) && defined(__GNUC__)
#ifdef __linux__
    {{"AMX-INT8", product_amx, QUANTIZED_ROWS, UNSIGNED_ZERO, false}, runs_amx},
#endif
    {{"AVX-512 VNNI", product_vnni, ROWS, UNSIGNED_ZERO, false}, runs_vnni},
    {{"AVX-VNNI", product_avx_vnni, ROWS, UNSIGNED_ZERO, false}, runs_avx_vnni},
    {{"AVX2", product_avx2, ROWS, 0, false}, runs_avx2},
#endif
#if defined(__aarch64__) && defined(__linux__) && defined(__GNUC__)
    {{"NEON with dot product", product_neon, ROWS, 0, false}, runs_neon},
#endif
#if defined(__wasm_simd128__)
    {{"SIMD of WebAssembly", product_wasm, ROWS, 0, false}, runs_everywhere},
#endif
    {{"plain C", product_plain, ROWS, 0, true}, runs_everywhere},
};

const struct quantized_kernel *quantized_kernel_at(size_t i) {
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    if (!kernels[k].runs()) continue;
    if (i == 0) return &kernels[k].kernel;
    i--;
  }
  return NULL;
}
