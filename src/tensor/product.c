#include "tensor/product.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "tensor/bfloat16.h"
#include "tensor/blas_kernels.h"
#include "tensor/kernels.h"

/* ---- numerics ---- */

const struct numerics *numerics_of(enum arithmetic arithmetic, elman_precision operands) {
  static const struct numerics all[][2] = {
      [ARITHMETIC_FAST] = {{ARITHMETIC_FAST, ELMAN_PRECISION_FLOAT32, NULL},
                           {ARITHMETIC_FAST, ELMAN_PRECISION_BFLOAT16, NULL}},
      [ARITHMETIC_PORTABLE] = {{ARITHMETIC_PORTABLE, ELMAN_PRECISION_FLOAT32, NULL},
                               {ARITHMETIC_PORTABLE, ELMAN_PRECISION_BFLOAT16, NULL}}};
  return &all[arithmetic][operands == ELMAN_PRECISION_BFLOAT16];
}

const struct numerics *numerics_in_float32(const struct numerics *numerics) {
  return numerics_of(numerics_required(numerics)->arithmetic, ELMAN_PRECISION_FLOAT32);
}

#ifndef ELMAN_DOUBLE
#if defined(__x86_64__)
#include <immintrin.h>

#define NAME(x) x##_avx512
#define TARGET __attribute__((target("avx512f,fma")))
#define VECTOR __m512
#define LANES 16
#define LOAD _mm512_loadu_ps
#define STORE _mm512_storeu_ps
#define SPLAT _mm512_set1_ps
#define FMA _mm512_fmadd_ps
#define ADD _mm512_add_ps
#define MULTIPLY _mm512_mul_ps
#define ROWS 14
#define VECTORS 2
#include "tensor/product_template.h"

#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define VECTOR __m256
#define LANES 8
#define LOAD _mm256_loadu_ps
#define STORE _mm256_storeu_ps
#define SPLAT _mm256_set1_ps
#define FMA _mm256_fmadd_ps
#define ADD _mm256_add_ps
#define MULTIPLY _mm256_mul_ps
#define ROWS 6
#define VECTORS 2
#include "tensor/product_template.h"

static bool runs_tiles(void) {
  return runs_avx512() && pair_kernel_runs(PAIRS_AMX);
}

static bool runs_fast_pairs(void) {
  return runs_avx512() && pair_kernel_runs(PAIRS_AVX512) && pair_kernel_gains(PAIRS_AVX512);
}

static bool runs_slow_pairs(void) {
  return runs_avx512() && pair_kernel_runs(PAIRS_AVX512) && !pair_kernel_gains(PAIRS_AVX512);
}
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>

/* WebAssembly has no fused multiply-add. This kernel is for fast arithmetic only. */
#define NAME(x) x##_simd128
#define TARGET
#define VECTOR v128_t
#define LANES 4
#define LOAD wasm_v128_load
#define STORE wasm_v128_store
#define SPLAT wasm_f32x4_splat
#define FMA(a, b, c) wasm_f32x4_add(wasm_f32x4_mul(a, b), c)
#define ADD wasm_f32x4_add
#define MULTIPLY wasm_f32x4_mul
#define ROWS 4
#define VECTORS 2
#include "tensor/product_template.h"
#elif defined(__aarch64__)
#include <arm_neon.h>

#define NAME(x) x##_neon
#define TARGET
#define VECTOR float32x4_t
#define LANES 4
#define LOAD vld1q_f32
#define STORE vst1q_f32
#define SPLAT vdupq_n_f32
#define FMA(a, b, c) vfmaq_f32(c, a, b)
#define ADD vaddq_f32
#define MULTIPLY vmulq_f32
#define ROWS 8
#define VECTORS 2
#include "tensor/product_template.h"
#endif

#endif

/* ---- one element at a time ---- */

static inline real load_one(const real *x) {
  return *x;
}

static inline void store_one(real *to, real x) {
  *to = x;
}

static inline real add_one(real x, real y) {
  return x + y;
}

static inline real multiply_one(real x, real y) {
  return x * y;
}

/* In double, only builds without OpenBLAS use this kernel. Fused operations would be slow on
 * processors that lack them, and results in double need not be equal on every processor. */
static inline real fma_one(real x, real y, real sum) {
#ifdef ELMAN_DOUBLE
  return x * y + sum;
#else
  return fmaf(x, y, sum);
#endif
}

#define NAME(x) x##_plain
#define TARGET
#define VECTOR real
#define LANES 1
#define LOAD load_one
#define STORE store_one
#define SPLAT (real)
#define FMA fma_one
#define ADD add_one
#define MULTIPLY multiply_one
#define ROWS 4
#define VECTORS 4
#include "tensor/product_template.h"

/* ---- the list of kernels ---- */

static const struct {
  struct product_kernel kernel;
  bool (*runs)(void);
} kernels[] = {
#ifdef ELMAN_DOUBLE
    {{"plain", NULL, 1, 4, false, run_plain, PAIRS_NONE}, runs_everywhere},
#else
#if defined(__x86_64__)
    {{"amx", "AVX-512", 16, 32, true, run_avx512, PAIRS_AMX}, runs_tiles},
    {{"avx512bf16", "AVX-512", 16, 32, true, run_avx512, PAIRS_AVX512}, runs_fast_pairs},
    {{"avx512", "AVX-512", 16, 32, true, run_avx512, PAIRS_NONE}, runs_avx512},
    {{"avx512bf16", "AVX-512", 16, 32, true, run_avx512, PAIRS_AVX512}, runs_slow_pairs},
    {{"avx2", "AVX2 with FMA", 8, 16, true, run_avx2, PAIRS_NONE}, runs_avx2},
#elif defined(__wasm_simd128__)
    {{"simd128", "SIMD128", 4, 8, false, run_simd128, PAIRS_NONE}, runs_everywhere},
#elif defined(__aarch64__)
    {{"neon", "NEON", 4, 8, true, run_neon, PAIRS_NONE}, runs_everywhere},
#endif
    {{"tiles", "plain code", 1, 4, true, run_plain, PAIRS_PLAIN}, runs_everywhere},
    {{"fmaf", NULL, 1, 4, true, run_plain, PAIRS_NONE}, runs_everywhere},
#endif
};

const struct product_kernel *product_kernel_at(size_t i) {
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    if (!kernels[k].runs()) continue;
    if (i == 0) return &kernels[k].kernel;
    i--;
  }
  return NULL;
}

static const struct product_kernel *kernel_named(const char *name) {
  const struct product_kernel *kernel;
  for (size_t i = 0; (kernel = product_kernel_at(i)) != NULL; i++)
    if (strcmp(kernel->name, name) == 0) return kernel;
  return NULL;
}

elman_status product_kernel_check(elman_error *error) {
  const char *name = getenv(PRODUCT_KERNEL_VARIABLE);
  const struct product_kernel *kernel;
  char names[64] = "";
  size_t used = 0;
  if (name == NULL || kernel_named(name) != NULL) return ELMAN_OK;
  for (size_t i = 0; (kernel = product_kernel_at(i)) != NULL && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ",
                             kernel->name);
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
              PRODUCT_KERNEL_VARIABLE ": \"%s\" is not one of: %s", name, names);
}

/* Return the fastest kernel that is not only for tests. */
static const struct product_kernel *fastest_kernel(bool fused) {
  const struct product_kernel *kernel, *first = NULL;
  for (size_t i = 0; (kernel = product_kernel_at(i)) != NULL; i++) {
    if (kernel->pairs == PAIRS_PLAIN) continue;
    if (first == NULL) first = kernel;
    if (!fused || kernel->fused) return kernel;
  }
  return first;
}

/* If several threads choose at the same time, they choose the same kernel. */
const struct product_kernel *product_kernel_in_use(enum arithmetic arithmetic) {
  static const struct product_kernel *_Atomic selected[2];
  const bool fused = arithmetic == ARITHMETIC_PORTABLE;
  const struct product_kernel *kernel = atomic_load(&selected[fused]);
  if (kernel != NULL) return kernel;
  const char *name = getenv(PRODUCT_KERNEL_VARIABLE);
  if (name != NULL) kernel = kernel_named(name);
  if (kernel == NULL || (fused && !kernel->fused)) kernel = fastest_kernel(fused);
  atomic_store(&selected[fused], kernel);
  return kernel;
}

const struct pair_kernel *pair_kernel_in_use(enum arithmetic arithmetic) {
  if (arithmetic == ARITHMETIC_PORTABLE) return NULL;
  return pair_kernel_of(product_kernel_in_use(arithmetic)->pairs);
}

elman_precision precision_that_gains(enum arithmetic arithmetic, elman_precision wanted) {
  const bool rounds =
      arithmetic == ARITHMETIC_PORTABLE || pair_kernel_in_use(ARITHMETIC_FAST) != NULL;
  return rounds ? wanted : ELMAN_PRECISION_FLOAT32;
}

/* ---- packing ---- */

static size_t panels_of(size_t width, size_t n) {
  return (n + width - 1) / width;
}

/* Return the number of panels of each group. */
static size_t panels_each(const struct packed *packed) {
  return panels_of(packed->width, packed->n);
}

size_t packed_size_for(const struct product_kernel *kernel, size_t groups, size_t n, size_t k) {
  const size_t reals = panels_of(kernel->width, n) * kernel->width * k;
  const size_t pairs = panels_of(PAIR_COLUMNS, n) * PAIR_COLUMNS * ((k + 1) / 2);
  return groups * (kernel->pairs != PAIRS_NONE && pairs > reals ? pairs : reals);
}

size_t packed_size(enum arithmetic arithmetic, size_t groups, size_t n, size_t k) {
  const struct product_kernel *kernel = product_kernel_in_use(arithmetic);
  /* The kernel without vectors is slower than OpenBLAS. */
  if (kernel->instructions == NULL) return 0;
  if (!blas_family_fuses(blas_kernels_in_use().family)) return 0;
  return packed_size_for(kernel, groups, n, k);
}

/* Copy `columns` rows of length k to columns of `to`, whose rows are `width` apart. Read whole
 * cache lines: the rows often lie a power of two apart, and then few of their lines fit in the
 * cache at once. */
static void turn(real *to, const real *from, size_t ld, size_t columns, size_t width, size_t k) {
  enum { LINE = ARENA_ALIGNMENT / sizeof(real) };
  for (size_t first = 0; first < k; first += LINE) {
    const size_t end = k - first < LINE ? k : first + LINE;
    for (size_t j = 0; j < columns; j++)
      for (size_t i = first; i < end; i++) to[i * width + j] = from[j * ld + i];
  }
}

static struct operand from_column(struct operand b, size_t column) {
  b.data += column * (b.transpose == TRANSPOSED ? b.ld : 1);
  return b;
}

static struct operand from_row(struct operand b, size_t row) {
  b.data += row * (b.transpose == TRANSPOSED ? 1 : b.ld);
  return b;
}

/* Copy k rows of op(B), and `columns` columns, to a panel. */
static void fill_panel(real *panel, struct operand b, size_t columns, size_t width, size_t k) {
  if (columns < width) memset(panel, 0, width * k * sizeof *panel);
  if (b.transpose == TRANSPOSED) {
    turn(panel, b.data, b.ld, columns, width, k);
    return;
  }
  for (size_t i = 0; i < k; i++)
    memcpy(panel + i * width, b.data + i * b.ld, columns * sizeof *panel);
}

struct packing {
  const struct packed *packed;
  struct operand b;
};

/* Return the place of panel i. The panels are an array of reals; a pair is as large as a real. */
static real *panel_at(const struct packed *packed, size_t i) {
  const size_t rows = packed->pairs == NULL ? packed->k : (packed->k + 1) / 2;
  return packed->panels + i * packed->width * rows;
}

static void pack_panel(const void *context, size_t i) {
  const struct packing *all = context;
  const struct packed *to = all->packed;
  const size_t width = to->width, each = panels_each(to);
  const size_t column = i % each * width, left = to->n - column;
  const size_t columns = left < width ? left : width, first = i / each * to->n + column;
  real *panel = panel_at(to, i);
  const struct operand b = from_column(all->b, first);
  if (to->pairs != NULL) {
    pair_pack_panel(to->pairs, (uint32_t *)(void *)panel, b, columns, to->k);
    return;
  }
  fill_panel(panel, b, columns, width, to->k);
  if (to->operands == ELMAN_PRECISION_BFLOAT16) bfloat16_round_all(panel, width * to->k);
}

static struct packed pack_all(struct packed packed, struct operand b) {
  const struct packing packing = {&packed, b};
  share_out(packed.groups * panels_each(&packed),
            (double)WORK_OF_NUMBER * (double)(packed.groups * packed.n * packed.k), pack_panel,
            &packing);
  return packed;
}

struct packed pack_for(const struct product_kernel *kernel, real *panels, struct operand b,
                       size_t groups, size_t n, size_t k) {
  const struct packed packed = {
      .kernel = kernel, .width = kernel->width, .panels = panels, .groups = groups, .n = n, .k = k};
  return pack_all(packed, b);
}

struct packed packed_before(real *panels, size_t groups, size_t n, size_t k,
                            const struct numerics *numerics) {
  const elman_precision operands = numerics_required(numerics)->operands;
  const struct product_kernel *kernel = product_kernel_in_use(numerics->arithmetic);
  const struct pair_kernel *pairs =
      operands == ELMAN_PRECISION_BFLOAT16 ? pair_kernel_in_use(numerics->arithmetic) : NULL;
  return (struct packed){.kernel = kernel,
                         .width = pairs == NULL ? kernel->width : (size_t)PAIR_COLUMNS,
                         .panels = panels,
                         .groups = groups,
                         .n = n,
                         .k = k,
                         .operands = operands,
                         .pairs = pairs};
}

struct packed pack(real *panels, struct operand b, size_t groups, size_t n, size_t k,
                   const struct numerics *numerics) {
  return pack_all(packed_before(panels, groups, n, k, numerics), b);
}

/* ---- products ---- */

/* Round up to a multiple of the kernel's lanes. */
static size_t whole_vectors(const struct product_kernel *kernel, size_t columns) {
  return (columns + kernel->lanes - 1) / kernel->lanes * kernel->lanes;
}

/* Compute `columns` columns of a tile, at most the kernel's width. The kernel writes whole vectors,
 * so compute an incomplete last vector beside C. */
static void run_kernel(const struct product_kernel *kernel, struct product_tile tile, size_t rows,
                       size_t columns) {
  enum { SOME = 28 }; /* a multiple of the rows of the largest tiles */
  const size_t whole = whole_vectors(kernel, columns);
  real beside[SOME * MAX_PANEL_WIDTH];
  struct product_tile part = tile;
  if (whole == columns) {
    kernel->run(tile, rows, columns);
    return;
  }
  part.c = beside;
  part.ldc = whole;
  memset(beside, 0, sizeof beside);
  for (size_t first = 0; first < rows; first += SOME, part.a += SOME * tile.a_row) {
    const size_t count = rows - first < SOME ? rows - first : SOME;
    real *c = tile.c + first * tile.ldc;
    for (size_t i = 0; tile.add && i < count; i++)
      memcpy(beside + i * whole, c + i * tile.ldc, columns * sizeof *c);
    kernel->run(part, count, whole);
    for (size_t i = 0; i < count; i++)
      memcpy(c + i * tile.ldc, beside + i * whole, columns * sizeof *c);
  }
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Compute the terms [first, first + k) of some rows of C, with A as `tile` describes it. Pack each
 * panel of B, unless few rows use it and it can be read in place. */
static void add_terms(const struct product_kernel *kernel, struct product_tile tile,
                      const struct product *p, size_t first, size_t rows) {
  enum { FEW = 16 };
  real panel[PRODUCT_BLOCK * MAX_PANEL_WIDTH];
  const struct operand b = from_row(p->b, first);
  real *c = tile.c;
  for (size_t column = 0; column < p->n; column += kernel->width) {
    const size_t columns = smaller(p->n - column, kernel->width);
    const struct operand part = from_column(b, column);
    tile.c = c + column;
    if (rows <= FEW && b.transpose == NOT_TRANSPOSED && columns % kernel->lanes == 0) {
      tile.b = part.data;
      tile.ldb = part.ld;
    } else {
      tile.b = panel;
      tile.ldb = whole_vectors(kernel, columns);
      fill_panel(panel, part, columns, tile.ldb, tile.k);
    }
    run_kernel(kernel, tile, rows, columns);
  }
}

/* Like add_terms for all rows, if A is TRANSPOSED. Copy some rows of op(A) at a time, because rows
 * of A often lie a power of two apart, and then few of their lines fit in the cache at once. */
static void add_terms_turned(const struct product_kernel *kernel, struct product_tile tile,
                             const struct product *p, size_t first) {
  enum { MANY = 112 };
  real rows[MANY * PRODUCT_BLOCK];
  for (size_t row = 0; row < p->m; row += MANY) {
    const size_t count = smaller(p->m - row, MANY);
    for (size_t i = 0; i < tile.k; i++)
      memcpy(rows + i * MANY, p->a.data + (first + i) * p->a.ld + row, count * sizeof *rows);
    tile.a = rows;
    tile.a_row = 1;
    tile.a_step = MANY;
    tile.c = p->c + row * p->ldc;
    add_terms(kernel, tile, p, first, count);
  }
}

void product_alone(struct product p) {
  const struct product_kernel *kernel = product_kernel_in_use(p.numerics->arithmetic);
  for (size_t i = 0; p.k == 0 && p.beta == 0 && i < p.m; i++)
    memset(p.c + i * p.ldc, 0, p.n * sizeof *p.c);
  for (size_t first = 0; first < p.k; first += PRODUCT_BLOCK) {
    struct product_tile tile = {.c = p.c,
                                .ldc = p.ldc,
                                .a = p.a.data + first,
                                .a_row = p.a.ld,
                                .a_step = 1,
                                .k = smaller(p.k - first, PRODUCT_BLOCK),
                                .alpha = p.alpha,
                                .add = first > 0 || p.beta != 0};
    if (p.a.transpose == TRANSPOSED)
      add_terms_turned(kernel, tile, &p, first);
    else
      add_terms(kernel, tile, &p, first, p.m);
  }
}

/* ---- products with a packed matrix ---- */

struct packed_product {
  struct product p;
  const struct packed *b;
  size_t panels; /* panels of each group in a tile */
  tile_function *then;
  const void *context;
};

/* Rows of A and terms of the sum that panels are multiplied with. */
struct part {
  size_t row, rows, first, k;
  struct operand a; /* the rows and terms, rounded if necessary */
};

/* Compute the columns of C that belong to a panel of reals, for the rows and terms of a part. */
static void run_panel(const struct packed_product *all, const struct part *part, size_t group,
                      size_t panel) {
  const struct product *p = &all->p;
  const struct packed *b = all->b;
  const size_t width = b->kernel->width, column = panel * width;
  const real *panels = panel_at(b, group * panels_each(b) + panel);
  const struct product_tile tile = {.c = p->c + part->row * p->ldc + group * b->n + column,
                                    .ldc = p->ldc,
                                    .a = part->a.data,
                                    .a_row = part->a.ld,
                                    .a_step = 1,
                                    .b = panels + part->first * width,
                                    .ldb = width,
                                    .k = part->k,
                                    .alpha = 1,
                                    .add = part->first > 0 || p->beta != 0};
  run_kernel(b->kernel, tile, part->rows, smaller(b->n - column, width));
}

#ifdef ELMAN_DOUBLE
static void run_pairs(const struct packed_product *all, const struct part *part,
                      const uint32_t *strips, size_t group, size_t panel) {
  (void)all, (void)part, (void)strips, (void)group, (void)panel;
}
#else
/* Like run_panel, for panels of pairs and strips of the part's rows. */
static void run_pairs(const struct packed_product *all, const struct part *part,
                      const uint32_t *strips, size_t group, size_t panel) {
  const struct product *p = &all->p;
  const struct packed *b = all->b;
  const size_t column = panel * PAIR_COLUMNS;
  const real *panels = panel_at(b, group * panels_each(b) + panel);
  const struct pair_tile tile = {.c = p->c + part->row * p->ldc + group * b->n + column,
                                 .ldc = p->ldc,
                                 .a = strips,
                                 .b = (const uint32_t *)(const void *)panels +
                                      part->first / 2 * PAIR_COLUMNS,
                                 .columns = smaller(b->n - column, PAIR_COLUMNS),
                                 .pairs = (part->k + 1) / 2,
                                 .alpha = 1,
                                 .add = part->first > 0 || p->beta != 0};
  pair_run_strips(b->pairs, tile, part->rows);
}
#endif

/* The panels [start, end) of every group. */
struct panel_range {
  size_t start, end;
};

static void run_part(const struct packed_product *all, const struct part *part,
                     struct panel_range panels, const uint32_t *strips) {
  for (size_t g = 0; g < all->b->groups; g++)
    for (size_t panel = panels.start; panel < panels.end; panel++) {
      if (strips != NULL)
        run_pairs(all, part, strips, g, panel);
      else
        run_panel(all, part, g, panel);
    }
}

static struct part part_of(const struct packed_product *all, size_t row, size_t rows, size_t first,
                           size_t k) {
  const struct product *p = &all->p;
  const struct operand a = not_transposed(p->a.data + row * p->a.ld + first, p->a.ld);
  return (struct part){row, smaller(p->m - row, rows), first, smaller(all->b->k - first, k), a};
}

static void run_exact(const struct packed_product *all, struct panel_range panels) {
  for (size_t first = 0; first < all->b->k; first += PRODUCT_BLOCK) {
    const struct part part = part_of(all, 0, all->p.m, first, PRODUCT_BLOCK);
    run_part(all, &part, panels, NULL);
  }
}

/* Round some rows of A at a time, and run the kernel of floats. */
static void run_rounded(const struct packed_product *all, struct panel_range panels) {
  enum { MANY = 112 };
  real rows[MANY * PRODUCT_BLOCK];
  for (size_t first = 0; first < all->b->k; first += PRODUCT_BLOCK)
    for (size_t row = 0; row < all->p.m; row += MANY) {
      struct part part = part_of(all, row, MANY, first, PRODUCT_BLOCK);
      bfloat16_round_rows(rows, PRODUCT_BLOCK, part.a, part.rows, part.k);
      part.a = not_transposed(rows, PRODUCT_BLOCK);
      run_part(all, &part, panels, NULL);
    }
}

static void run_in_pairs(const struct packed_product *all, struct panel_range panels) {
  uint32_t strips[PAIR_STRIPS * PAIR_BLOCK / 2 * PAIR_LANES];
  const struct pair_kernel *kernel = all->b->pairs;
  const size_t block = pair_block(kernel, all->b->k), rows = pair_rows_at_once(kernel);
  pair_begin(kernel);
  for (size_t first = 0; first < all->b->k; first += block)
    for (size_t row = 0; row < all->p.m; row += rows) {
      const struct part part = part_of(all, row, rows, first, block);
      pair_pack_strips(kernel, strips, part.a, part.rows, part.k);
      run_part(all, &part, panels, strips);
    }
  pair_end(kernel);
}

static void run_tile(const void *context, size_t i) {
  const struct packed_product *all = context;
  const struct packed *b = all->b;
  const size_t panels = panels_each(b), start = i * all->panels;
  if (start >= panels) return;
  const size_t end = panels - start < all->panels ? panels : start + all->panels;
  const size_t column = start * b->width, last = end * b->width;
  const struct panel_range range = {start, end};
  if (b->pairs != NULL)
    run_in_pairs(all, range);
  else
    (b->operands == ELMAN_PRECISION_BFLOAT16 ? run_rounded : run_exact)(all, range);
  if (all->then != NULL)
    all->then(all->context, 0, all->p.m, column, (last < b->n ? last : b->n) - column);
}

/* The tiles do not change the bits, so their number may depend on the number of threads. */
void packed_product_then(struct product p, const struct packed *b, tile_function *then,
                         const void *context) {
  enum { TILES_EACH = 4 };
  const size_t panels = panels_each(b);
  const double work = (double)p.m * (double)(b->groups * b->n) * (double)b->k;
  const size_t wanted = is_worth_sharing(work) ? TILES_EACH * team_size() : 1;
  const struct packed_product all = {p, b, (panels + wanted - 1) / wanted, then, context};
  team_run(run_tile, &all, wanted);
}
