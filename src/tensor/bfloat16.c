#include "tensor/bfloat16.h"

#include "tensor/kernels.h"

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

/* ---- packing ---- */

TARGET INLINE __mmask16 first_lanes(size_t count) {
  return (__mmask16)(count >= PAIR_LANES ? 0xFFFF : (1U << count) - 1);
}

TARGET static void pack_across(uint32_t *to, size_t step, const float *from, size_t ld,
                               size_t count, size_t k) {
  /* Lane j of `order` selects the number of the first row, and then the number of the second. */
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
  /* Copies: a store to C may change *t for all that a compiler knows. */
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

const struct pair_kernel *pair_kernel_here(void) {
  static const struct pair_kernel avx512 = {"AVX512-BF16", run_avx512, pack_along, pack_across};
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512bf16")
             ? &avx512
             : NULL;
}
#else
const struct pair_kernel *pair_kernel_here(void) {
  return NULL;
}
#endif

/* ---- products ---- */

size_t pair_block(size_t k) {
  const size_t blocks = (k + PAIR_BLOCK - 1) / PAIR_BLOCK;
  return blocks <= 1 ? k : ((k + blocks - 1) / blocks + 1) / 2 * 2;
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

static size_t strip_size(size_t k) {
  return (k + 1) / 2 * PAIR_LANES;
}

void pair_pack_strips(const struct pair_kernel *kernel, uint32_t *strips, struct operand a,
                      size_t rows, size_t k) {
  for (size_t at = 0; at < rows; at += PAIR_ROWS, strips += strip_size(k))
    pack_lanes(kernel, strips, PAIR_LANES, a, a.transpose == NOT_TRANSPOSED, at,
               smaller(rows - at, PAIR_ROWS), k);
}

void pair_run_strips(const struct pair_kernel *kernel, struct pair_tile tile, size_t rows) {
  for (size_t at = 0; at < rows; at += PAIR_ROWS) {
    tile.rows = smaller(rows - at, PAIR_ROWS);
    kernel->run(&tile);
    tile.a += tile.pairs * PAIR_LANES;
    tile.c += PAIR_ROWS * tile.ldc;
  }
}

static struct operand from_place(struct operand x, size_t row, size_t column) {
  x.data += x.transpose == TRANSPOSED ? column * x.ld + row : row * x.ld + column;
  return x;
}

/* Return the rows of A to pack at once: as even as whole strips allow, so that each panel of B is
 * packed as few times as possible. */
static size_t rows_at_once(size_t rows) {
  const size_t strips = (rows + PAIR_ROWS - 1) / PAIR_ROWS;
  const size_t parts = (strips + PAIR_STRIPS - 1) / PAIR_STRIPS;
  return (strips + parts - 1) / parts * PAIR_ROWS;
}

void pair_product(const struct pair_kernel *kernel, struct product p) {
  uint32_t strips[PAIR_STRIPS * PAIR_BLOCK / 2 * PAIR_LANES];
  uint32_t panel[PAIR_BLOCK / 2 * PAIR_COLUMNS];
  const size_t each = rows_at_once(p.m), block = pair_block(p.k);
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
}
#endif
