#include "tensor/bfloat16.h"

#include <float.h>
#include <math.h>

#include "tensor/kernels.h"
#include "tensor/tiles.h"

#if defined(__x86_64__) && defined(__linux__) && !defined(ELMAN_DOUBLE)
#define HAS_TILES
#endif

/* ---- rounding ---- */

void bfloat16_round_all(real *x, size_t n) {
  for (size_t i = 0; i < n; i++) x[i] = bfloat16_round((float)x[i]);
}

void bfloat16_round_rows(real *to, size_t ld, struct operand from, size_t rows, size_t k) {
  for (size_t r = 0; r < rows; r++)
    for (size_t i = 0; i < k; i++)
      to[r * ld + i] = bfloat16_round((float)from.data[r * from.ld + i]);
}

#if defined(__x86_64__) && !defined(ELMAN_DOUBLE)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512bf16")))

enum { PAIR_ROWS = 14 }; /* rows of a strip of VDPBF16PS */

/* ---- packing ---- */

TARGET INLINE __mmask16 first_lanes(size_t count) {
  return (__mmask16)(count >= PAIR_LANES ? 0xFFFF : (1U << count) - 1);
}

TARGET static void pack_across(uint32_t *to, size_t step, const float *from, size_t ld,
                               size_t count, size_t k) {
  /* Pair j of `order` selects number j of the first row, and then number j of the second row. */
  static const uint16_t interleaved[2 * PAIR_LANES] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                                       21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                                       11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const __m512i order = _mm512_loadu_si512(interleaved);
  const __mmask16 lanes = first_lanes(count);
  for (size_t i = 0; i < k; i += 2, to += step) {
    const __m512 first = _mm512_maskz_loadu_ps(lanes, from + i * ld);
    const __m512 second =
        i + 1 < k ? _mm512_maskz_loadu_ps(lanes, from + (i + 1) * ld) : _mm512_setzero_ps();
    const __m512i both = (__m512i)_mm512_cvtne2ps_pbh(second, first);
    _mm512_storeu_si512(to, _mm512_permutexvar_epi16(order, both));
  }
}

/* Transpose a matrix of 16 x 16 pairs: first within groups of 4 lanes, then the groups. */
TARGET INLINE void transpose(__m512i x[PAIR_LANES]) {
  __m512i y[PAIR_LANES];
  for (size_t i = 0; i < PAIR_LANES; i += 4) {
    const __m512i low01 = _mm512_unpacklo_epi32(x[i], x[i + 1]);
    const __m512i high01 = _mm512_unpackhi_epi32(x[i], x[i + 1]);
    const __m512i low23 = _mm512_unpacklo_epi32(x[i + 2], x[i + 3]);
    const __m512i high23 = _mm512_unpackhi_epi32(x[i + 2], x[i + 3]);
    y[i] = _mm512_unpacklo_epi64(low01, low23);
    y[i + 1] = _mm512_unpackhi_epi64(low01, low23);
    y[i + 2] = _mm512_unpacklo_epi64(high01, high23);
    y[i + 3] = _mm512_unpackhi_epi64(high01, high23);
  }
  for (size_t i = 0; i < 4; i++) {
    const __m512i even01 = _mm512_shuffle_i32x4(y[i], y[i + 4], 0x88);
    const __m512i odd01 = _mm512_shuffle_i32x4(y[i], y[i + 4], 0xDD);
    const __m512i even23 = _mm512_shuffle_i32x4(y[i + 8], y[i + 12], 0x88);
    const __m512i odd23 = _mm512_shuffle_i32x4(y[i + 8], y[i + 12], 0xDD);
    x[i] = _mm512_shuffle_i32x4(even01, even23, 0x88);
    x[i + 4] = _mm512_shuffle_i32x4(odd01, odd23, 0x88);
    x[i + 8] = _mm512_shuffle_i32x4(even01, even23, 0xDD);
    x[i + 12] = _mm512_shuffle_i32x4(odd01, odd23, 0xDD);
  }
}

/* Pack up to 16 pairs of terms. */
TARGET INLINE void pack_some_along(uint32_t *to, size_t step, const float *from, size_t ld,
                                   size_t count, size_t k) {
  const size_t pairs = (k + 1) / 2;
  const __mmask16 low = first_lanes(k), high = k > PAIR_LANES ? first_lanes(k - PAIR_LANES) : 0;
  __m512i rows[PAIR_LANES];
  for (size_t j = 0; j < PAIR_LANES; j++) {
    rows[j] = _mm512_setzero_si512();
    if (j >= count) continue;
    const float *row = from + j * ld;
    rows[j] = (__m512i)_mm512_cvtne2ps_pbh(_mm512_maskz_loadu_ps(high, row + PAIR_LANES),
                                           _mm512_maskz_loadu_ps(low, row));
  }
  transpose(rows);
  for (size_t i = 0; i < PAIR_LANES && i < pairs; i++) _mm512_storeu_si512(to + i * step, rows[i]);
}

TARGET static void pack_along(uint32_t *to, size_t step, const float *from, size_t ld, size_t count,
                              size_t k) {
  enum { TERMS = 2 * PAIR_LANES };
  size_t i = 0;
  /* With constant numbers of rows and terms the rows stay in registers. */
  for (; i + TERMS <= k && count == PAIR_LANES; i += TERMS)
    pack_some_along(to + i / 2 * step, step, from + i, ld, PAIR_LANES, TERMS);
  for (; i + TERMS <= k && count == PAIR_ROWS; i += TERMS)
    pack_some_along(to + i / 2 * step, step, from + i, ld, PAIR_ROWS, TERMS);
  for (; i < k; i += TERMS)
    pack_some_along(to + i / 2 * step, step, from + i, ld, count, k - i < TERMS ? k - i : TERMS);
}

/* ---- multiplying ---- */

/* Callers pass constant `rows` and `vectors`, so that the sums stay in registers. */
TARGET INLINE void run_tile(const struct pair_tile *t, size_t rows, size_t vectors) {
  __m512 sums[PAIR_ROWS][2];
  const uint32_t *a = t->a, *b = t->b;
  for (size_t r = 0; r < rows; r++) {
    for (size_t v = 0; v < vectors; v++) {
      sums[r][v] = _mm512_setzero_ps();
      __builtin_prefetch(t->c + r * t->ldc + v * PAIR_LANES, 1);
    }
  }
  for (size_t i = 0; i < t->pairs; i++, a += PAIR_LANES, b += PAIR_COLUMNS) {
    __m512bh columns[2];
    for (size_t v = 0; v < vectors; v++)
      columns[v] = (__m512bh)_mm512_loadu_si512(b + v * PAIR_LANES);
    for (size_t r = 0; r < rows; r++) {
      const __m512bh row = (__m512bh)_mm512_set1_epi32((int)a[r]);
      for (size_t v = 0; v < vectors; v++)
        sums[r][v] = _mm512_dpbf16_ps(sums[r][v], row, columns[v]);
    }
  }
  /* These are copies, because the compiler must assume that a store to C changes *t. */
  float *const c = t->c;
  const size_t ldc = t->ldc, left = t->columns;
  const bool add = t->add;
  if (t->alpha != 1) {
    const __m512 alpha = _mm512_set1_ps(t->alpha);
    for (size_t r = 0; r < rows; r++)
      for (size_t v = 0; v < vectors; v++) sums[r][v] = _mm512_mul_ps(alpha, sums[r][v]);
  }
  for (size_t v = 0; v < vectors; v++) {
    const __mmask16 lanes = first_lanes(left - v * PAIR_LANES);
    for (size_t r = 0; r < rows; r++) {
      float *to = c + r * ldc + v * PAIR_LANES;
      const __m512 sum =
          add ? _mm512_add_ps(_mm512_maskz_loadu_ps(lanes, to), sums[r][v]) : sums[r][v];
      _mm512_mask_storeu_ps(to, lanes, sum);
    }
  }
}

TARGET INLINE void run_rows(const struct pair_tile *t, size_t vectors) {
#define CALL(number) run_tile(t, number, vectors)
  _Static_assert(PAIR_ROWS == 14, "a case for each number of rows");
  switch (t->rows) { CASES_TO_14(CALL) }
#undef CALL
}

TARGET static void run_avx512(const struct pair_tile *t) {
  if (t->columns > PAIR_LANES)
    run_rows(t, 2);
  else
    run_rows(t, 1);
}

TARGET static void strip_of_vectors(uint32_t *to, struct operand a, size_t rows, size_t k) {
  (a.transpose == TRANSPOSED ? pack_across : pack_along)(to, PAIR_LANES, a.data, a.ld, rows, k);
}

static const struct pair_kernel avx512_kernel = {.instructions = "AVX512-BF16",
                                                 .rows = PAIR_ROWS,
                                                 .vectors = 1,
                                                 .terms = 2,
                                                 .block = 384,
                                                 .run = run_avx512,
                                                 .along = pack_along,
                                                 .across = pack_across,
                                                 .strip = strip_of_vectors};

static bool has_avx512_bf16(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512bf16");
}

static bool is_by_amd(void) {
  __builtin_cpu_init();
  return __builtin_cpu_is("amd") != 0;
}
#endif

#ifndef ELMAN_DOUBLE

/* ---- tiles ---- */

/* A tile has 16 rows of 16 words. A strip consists of steps of 16 pairs of terms; a step has two
 * tiles of 16 rows of A. */
enum { TILE = 16, TILE_WORDS = TILE * TILE, STEP_WORDS = 2 * TILE_WORDS, STEP_TERMS = 2 * TILE };

/* Return whether sums begin with the numbers of C, to which a block is added. */
static bool begins_with_c(const struct pair_tile *t) {
  return t->add && t->alpha == 1;
}

/* Fill `sums` (2 TILE,PAIR_COLUMNS) with the initial values of the sums. */
static void take_sums(float *sums, const struct pair_tile *t) {
  memset(sums, 0, 2 * TILE * PAIR_COLUMNS * sizeof *sums);
  for (size_t r = 0; begins_with_c(t) && r < t->rows; r++)
    memcpy(sums + r * PAIR_COLUMNS, t->c + r * t->ldc, t->columns * sizeof *sums);
}

/* Put the sums of a block into C. */
static void put_sums(const struct pair_tile *t, const float *sums) {
  float *const c = t->c;
  const size_t rows = t->rows, columns = t->columns, ldc = t->ldc;
  const float alpha = t->alpha;
  const bool add = t->add && !begins_with_c(t);
  for (size_t r = 0; r < rows; r++) {
    float *to = c + r * ldc;
    const float *from = sums + r * PAIR_COLUMNS;
    for (size_t j = 0; j < columns; j++) to[j] = add ? to[j] + alpha * from[j] : alpha * from[j];
  }
}

/* The plain kernel. */

static uint32_t pair_of(float first, float second) {
  uint32_t low, high;
  first = bfloat16_round(first);
  second = bfloat16_round(second);
  memcpy(&low, &first, sizeof low);
  memcpy(&high, &second, sizeof high);
  return low >> 16 | high;
}

static void plain_along(uint32_t *to, size_t step, const float *from, size_t ld, size_t count,
                        size_t k) {
  for (size_t i = 0; i < k; i += 2, to += step)
    for (size_t j = 0; j < PAIR_LANES; j++) {
      const float *row = from + j * ld + i;
      to[j] = j < count ? pair_of(row[0], i + 1 < k ? row[1] : 0) : 0;
    }
}

static void plain_across(uint32_t *to, size_t step, const float *from, size_t ld, size_t count,
                         size_t k) {
  for (size_t i = 0; i < k; i += 2, to += step)
    for (size_t j = 0; j < PAIR_LANES; j++) {
      const float *row = from + i * ld + j;
      to[j] = j < count ? pair_of(row[0], i + 1 < k ? row[ld] : 0) : 0;
    }
}

static void plain_strip(uint32_t *to, struct operand a, size_t rows, size_t k) {
  const bool turned = a.transpose == TRANSPOSED;
  const size_t to_row = turned ? 1 : a.ld, to_term = turned ? a.ld : 1;
  for (size_t first = 0; first < k; first += STEP_TERMS, to += STEP_WORDS)
    for (size_t r = 0; r < rows; r++)
      for (size_t i = 0; i < TILE; i++) {
        const size_t term = first + 2 * i;
        const float *at = a.data + r * to_row + term * to_term;
        to[r * TILE + i] = term < k ? pair_of(at[0], term + 1 < k ? at[to_term] : 0) : 0;
      }
}

/* Return x, or 0 with the sign of x if x is subnormal. */
static float flushed(float x) {
  return fabsf(x) < FLT_MIN ? copysignf(0, x) : x;
}

static float number_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Return the sum of a step's products of one row and one column. */
static float plain_step(const uint32_t *row, const uint32_t *column, size_t pairs) {
  float first = 0, second = 0;
  for (size_t i = 0; i < pairs; i++) {
    const uint32_t a = row[i], b = column[i * PAIR_COLUMNS];
    first = flushed(fmaf(number_of(a << 16), number_of(b << 16), first));
    second = flushed(fmaf(number_of(a & 0xFFFF0000), number_of(b & 0xFFFF0000), second));
  }
  return flushed(first + second);
}

static void plain_run(const struct pair_tile *t) {
  float sums[2 * TILE * PAIR_COLUMNS];
  take_sums(sums, t);
  for (size_t r = 0; r < t->rows; r++)
    for (size_t j = 0; j < t->columns; j++) {
      float *sum = &sums[r * PAIR_COLUMNS + j];
      for (size_t i = 0; i < t->pairs; i += TILE) {
        const uint32_t *row = t->a + i / TILE * STEP_WORDS + r * TILE;
        const size_t left = t->pairs - i;
        *sum = flushed(flushed(*sum) +
                       plain_step(row, t->b + i * PAIR_COLUMNS + j, left < TILE ? left : TILE));
      }
    }
  put_sums(t, sums);
}

static const struct pair_kernel plain_kernel = {.instructions = "plain code for AMX-BF16",
                                                .rows = 2 * TILE,
                                                .vectors = 2,
                                                .terms = STEP_TERMS,
                                                .block = PAIR_BLOCK,
                                                .run = plain_run,
                                                .along = plain_along,
                                                .across = plain_across,
                                                .strip = plain_strip};

#ifdef HAS_TILES

#define TILES __attribute__((target("amx-tile,amx-bf16,avx512f,avx512bw,avx512bf16")))

TILES static void tiles_begin(void) {
  static const struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } config = {.palette = 1,
              .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
              .rows = {TILE, TILE, TILE, TILE, TILE, TILE, TILE, TILE}};
  _tile_loadconfig(&config);
}

TILES static void tiles_end(void) {
  _tile_release();
}

/* The intrinsics of gcc 12 do not declare the memory from which a tile is loaded. Force all stores
 * before such loads. */
INLINE void stores_are_done(void) {
  __asm__ volatile("" ::: "memory");
}

/* Multiply a step. Tiles 0 to 3 are the sums, 4 and 5 rows of A, 6 and 7 columns of B. */
TILES INLINE void add_step(const uint32_t *a, const uint32_t *b, bool more_rows,
                           bool more_columns) {
  enum { A_BYTES = TILE * sizeof *a, B_BYTES = PAIR_COLUMNS * sizeof *b };
  _tile_loadd(4, a, A_BYTES);
  _tile_loadd(6, b, B_BYTES);
  _tile_dpbf16ps(0, 4, 6);
  if (more_columns) {
    _tile_loadd(7, b + TILE, B_BYTES);
    _tile_dpbf16ps(1, 4, 7);
  }
  if (!more_rows) return;
  _tile_loadd(5, a + TILE_WORDS, A_BYTES);
  _tile_dpbf16ps(2, 5, 6);
  if (more_columns) _tile_dpbf16ps(3, 5, 7);
}

/* Callers pass constant flags. */
TILES INLINE void add_steps(const struct pair_tile *t, bool more_rows, bool more_columns) {
  const uint32_t *a = t->a, *b = t->b;
  size_t left = t->pairs;
  for (; left >= TILE; left -= TILE, a += STEP_WORDS, b += TILE * PAIR_COLUMNS)
    add_step(a, b, more_rows, more_columns);
  if (left == 0) return;
  /* A tile would read more rows than the panel has. */
  uint32_t rest[TILE * PAIR_COLUMNS] = {0};
  memcpy(rest, b, left * PAIR_COLUMNS * sizeof *b);
  stores_are_done();
  add_step(a, rest, more_rows, more_columns);
}

TILES static void run_tiles(const struct pair_tile *t) {
  const bool more_rows = t->rows > TILE, more_columns = t->columns > TILE;
  const bool whole = t->rows == 2 * TILE && t->columns == PAIR_COLUMNS && t->alpha == 1;
  float beside[2 * TILE * PAIR_COLUMNS];
  float *const sums = whole ? t->c : beside;
  const size_t ld = whole ? t->ldc : (size_t)PAIR_COLUMNS, bytes = ld * sizeof *sums;
  if (!whole) take_sums(beside, t);
  stores_are_done();
  if (t->add || !whole) {
    _tile_loadd(0, sums, bytes);
    _tile_loadd(1, sums + TILE, bytes);
    _tile_loadd(2, sums + TILE * ld, bytes);
    _tile_loadd(3, sums + TILE * ld + TILE, bytes);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  if (more_rows && more_columns)
    add_steps(t, true, true);
  else if (more_rows)
    add_steps(t, true, false);
  else
    add_steps(t, false, more_columns);
  _tile_stored(0, sums, bytes);
  _tile_stored(1, sums + TILE, bytes);
  _tile_stored(2, sums + TILE * ld, bytes);
  _tile_stored(3, sums + TILE * ld + TILE, bytes);
  if (!whole) put_sums(t, beside);
}

TILES static void strip_of_tiles(uint32_t *to, struct operand a, size_t rows, size_t k) {
  for (size_t first = 0; first < k; first += STEP_TERMS, to += STEP_WORDS) {
    const size_t terms = k - first < STEP_TERMS ? k - first : STEP_TERMS;
    if (a.transpose == NOT_TRANSPOSED) {
      const __mmask16 low = first_lanes(terms),
                      high = terms > PAIR_LANES ? first_lanes(terms - PAIR_LANES) : 0;
      for (size_t r = 0; r < rows; r++) {
        const float *row = a.data + r * a.ld + first;
        const __m512bh both = _mm512_cvtne2ps_pbh(_mm512_maskz_loadu_ps(high, row + PAIR_LANES),
                                                  _mm512_maskz_loadu_ps(low, row));
        _mm512_storeu_si512(to + r * TILE, (__m512i)both);
      }
      continue;
    }
    for (size_t r = 0; r < rows; r += TILE) {
      __m512i pairs[TILE] = {_mm512_setzero_si512()};
      pack_across((uint32_t *)pairs, TILE, a.data + first * a.ld + r, a.ld,
                  rows - r < TILE ? rows - r : TILE, terms);
      for (size_t i = (terms + 1) / 2; i < TILE; i++) pairs[i] = _mm512_setzero_si512();
      transpose(pairs);
      for (size_t i = 0; i < TILE; i++) _mm512_storeu_si512(to + (r + i) * TILE, pairs[i]);
    }
  }
}

static const struct pair_kernel amx_kernel = {.instructions = "AMX-BF16",
                                              .rows = 2 * TILE,
                                              .vectors = 2,
                                              .terms = STEP_TERMS,
                                              .block = PAIR_BLOCK,
                                              .run = run_tiles,
                                              .along = pack_along,
                                              .across = pack_across,
                                              .strip = strip_of_tiles,
                                              .begin = tiles_begin,
                                              .end = tiles_end};
#endif
#endif

/* ---- choosing a kernel ---- */

bool pair_kernel_runs(enum pair_kind kind) {
#ifndef ELMAN_DOUBLE
  if (kind == PAIRS_PLAIN) return true;
#ifdef HAS_TILES
  if (kind == PAIRS_AMX) return has_avx512_bf16() && tiles_in_processor(TILES_OF_BFLOAT16);
#endif
#ifdef __x86_64__
  if (kind == PAIRS_AVX512) return has_avx512_bf16();
#endif
#endif
  return kind == PAIRS_NONE;
}

bool pair_kernel_gains(enum pair_kind kind) {
#if defined(__x86_64__) && !defined(ELMAN_DOUBLE)
  if (kind == PAIRS_AVX512) return is_by_amd();
#endif
  return kind == PAIRS_AMX;
}

const struct pair_kernel *pair_kernel_of(enum pair_kind kind) {
#ifndef ELMAN_DOUBLE
  if (kind == PAIRS_PLAIN) return &plain_kernel;
#ifdef HAS_TILES
  if (kind == PAIRS_AMX) return tiles_permitted() ? &amx_kernel : NULL;
#endif
#ifdef __x86_64__
  if (kind == PAIRS_AVX512) return &avx512_kernel;
#endif
#endif
  (void)kind;
  return NULL;
}

/* ---- products ---- */

size_t pair_block(const struct pair_kernel *kernel, size_t k) {
  const size_t blocks = (k + kernel->block - 1) / kernel->block;
  if (blocks <= 1) return k;
  return ((k + blocks - 1) / blocks + kernel->terms - 1) / kernel->terms * kernel->terms;
}

void pair_begin(const struct pair_kernel *kernel) {
  if (kernel->begin != NULL) kernel->begin();
}

void pair_end(const struct pair_kernel *kernel) {
  if (kernel->end != NULL) kernel->end();
}

#ifdef ELMAN_DOUBLE
/* No kernel multiplies doubles in pairs. */
void pair_product(const struct pair_kernel *kernel, struct product p) {
  (void)kernel, (void)p;
}

void pair_pack_panel(const struct pair_kernel *kernel, uint32_t *panel, struct operand b,
                     size_t columns, size_t k) {
  (void)kernel, (void)panel, (void)b, (void)columns, (void)k;
}

void pair_pack_strips(const struct pair_kernel *kernel, uint32_t *strips, struct operand a,
                      size_t rows, size_t k) {
  (void)kernel, (void)strips, (void)a, (void)rows, (void)k;
}
#else

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static void pack_lanes(const struct pair_kernel *kernel, uint32_t *to, size_t step,
                       struct operand from, bool along, size_t at, size_t count, size_t k) {
  if (along)
    kernel->along(to, step, from.data + at * from.ld, from.ld, count, k);
  else
    kernel->across(to, step, from.data + at, from.ld, count, k);
}

void pair_pack_panel(const struct pair_kernel *kernel, uint32_t *panel, struct operand b,
                     size_t columns, size_t k) {
  for (size_t at = 0; at < columns; at += PAIR_LANES)
    pack_lanes(kernel, panel + at, PAIR_COLUMNS, b, b.transpose == TRANSPOSED, at,
               smaller(columns - at, PAIR_LANES), k);
}

/* Return the words of a strip of k terms. */
static size_t strip_size(const struct pair_kernel *kernel, size_t k) {
  const size_t terms = (k + kernel->terms - 1) / kernel->terms * kernel->terms;
  return terms / 2 * kernel->vectors * PAIR_LANES;
}

static struct operand from_place(struct operand x, size_t row, size_t column) {
  x.data += x.transpose == TRANSPOSED ? column * x.ld + row : row * x.ld + column;
  return x;
}

void pair_pack_strips(const struct pair_kernel *kernel, uint32_t *strips, struct operand a,
                      size_t rows, size_t k) {
  for (size_t at = 0; at < rows; at += kernel->rows, strips += strip_size(kernel, k))
    kernel->strip(strips, from_place(a, at, 0), smaller(rows - at, kernel->rows), k);
}

void pair_run_strips(const struct pair_kernel *kernel, struct pair_tile tile, size_t rows) {
  const size_t size = strip_size(kernel, 2 * tile.pairs);
  for (size_t at = 0; at < rows; at += kernel->rows) {
    tile.rows = smaller(rows - at, kernel->rows);
    kernel->run(&tile);
    tile.a += size;
    tile.c += kernel->rows * tile.ldc;
  }
}

/* Return the number of rows of A to pack at once. The rows are divided into as few parts as
 * possible, because each panel of B is packed once per part. The parts are as equal as whole strips
 * allow. */
static size_t rows_at_once(const struct pair_kernel *kernel, size_t rows) {
  const size_t most = PAIR_STRIPS / kernel->vectors;
  const size_t strips = (rows + kernel->rows - 1) / kernel->rows;
  const size_t parts = (strips + most - 1) / most;
  return (strips + parts - 1) / parts * kernel->rows;
}

void pair_product(const struct pair_kernel *kernel, struct product p) {
  uint32_t strips[PAIR_STRIPS * PAIR_BLOCK / 2 * PAIR_LANES];
  uint32_t panel[PAIR_BLOCK / 2 * PAIR_COLUMNS];
  const size_t each = rows_at_once(kernel, p.m), block = pair_block(kernel, p.k);
  pair_begin(kernel);
  for (size_t i = 0; p.k == 0 && p.beta == 0 && i < p.m; i++)
    memset(p.c + i * p.ldc, 0, p.n * sizeof *p.c);
  for (size_t first = 0; first < p.k; first += block) {
    const size_t k = smaller(p.k - first, block);
    for (size_t row = 0; row < p.m; row += each) {
      const size_t rows = smaller(p.m - row, each);
      pair_pack_strips(kernel, strips, from_place(p.a, row, first), rows, k);
      for (size_t column = 0; column < p.n; column += PAIR_COLUMNS) {
        const size_t columns = smaller(p.n - column, PAIR_COLUMNS);
        pair_pack_panel(kernel, panel, from_place(p.b, first, column), columns, k);
        pair_run_strips(kernel,
                        (struct pair_tile){.c = p.c + row * p.ldc + column,
                                           .ldc = p.ldc,
                                           .a = strips,
                                           .b = panel,
                                           .columns = columns,
                                           .pairs = (k + 1) / 2,
                                           .alpha = p.alpha,
                                           .add = first > 0 || p.beta != 0},
                        rows);
      }
    }
  }
  pair_end(kernel);
}
#endif
