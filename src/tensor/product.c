#include "tensor/product.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/team.h"

#ifndef ELMAN_DOUBLE

#define INLINE static inline __attribute__((always_inline))

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
#define ROWS 6
#define VECTORS 2
#include "tensor/product_template.h"

static bool runs_avx512(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma");
}

static bool runs_avx2(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
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
#define ROWS 8
#define VECTORS 2
#include "tensor/product_template.h"
#endif

static inline float load_one(const float *x) {
  return *x;
}

static inline void store_one(float *to, float x) {
  *to = x;
}

static inline float add_one(float x, float y) {
  return x + y;
}

#define NAME(x) x##_plain
#define TARGET
#define VECTOR float
#define LANES 1
#define LOAD load_one
#define STORE store_one
#define SPLAT (float)
#define FMA fmaf
#define ADD add_one
#define ROWS 4
#define VECTORS 4
#include "tensor/product_template.h"

static bool runs_everywhere(void) {
  return true;
}

static const struct {
  struct product_kernel kernel;
  bool (*runs)(void);
} kernels[] = {
#if defined(__x86_64__)
    {{"AVX-512", 32, run_avx512}, runs_avx512},
    {{"AVX2 with FMA", 16, run_avx2}, runs_avx2},
#elif defined(__aarch64__)
    {{"NEON", 8, run_neon}, runs_everywhere},
#endif
    {{"fmaf", 4, run_plain}, runs_everywhere},
};

const struct product_kernel *product_kernel_at(size_t i) {
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    if (!kernels[k].runs()) continue;
    if (i == 0) return &kernels[k].kernel;
    i--;
  }
  return NULL;
}

#else

const struct product_kernel *product_kernel_at(size_t i) {
  (void)i;
  return NULL;
}

#endif

/* ---- packing ---- */

static size_t panels_of(const struct product_kernel *kernel, size_t n) {
  return (n + kernel->width - 1) / kernel->width;
}

size_t packed_size_for(const struct product_kernel *kernel, size_t groups, size_t n, size_t k) {
  return groups * panels_of(kernel, n) * kernel->width * k;
}

size_t packed_size(size_t groups, size_t n, size_t k) {
  /* The kernel without vectors comes last, and is slower than OpenBLAS. */
  if (product_kernel_at(0) == NULL || product_kernel_at(1) == NULL) return 0;
  if (!blas_family_fuses(blas_kernels_in_use().family)) return 0;
  return packed_size_for(product_kernel_at(0), groups, n, k);
}

struct packing {
  const struct packed *packed;
  struct operand b;
};

/* Copy `columns` rows of length k to columns of the panel. Read whole cache lines: the rows often
 * lie a power of two apart, and then few of their lines fit in the cache at once. */
static void pack_transposed(real *panel, const real *from, size_t ld, size_t columns, size_t width,
                            size_t k) {
  enum { LINE = ARENA_ALIGNMENT / sizeof(real) };
  for (size_t first = 0; first < k; first += LINE) {
    const size_t end = k - first < LINE ? k : first + LINE;
    for (size_t j = 0; j < columns; j++)
      for (size_t i = first; i < end; i++) panel[i * width + j] = from[j * ld + i];
  }
}

static void pack_panel(const void *context, size_t i) {
  const struct packing *all = context;
  const struct packed *to = all->packed;
  const size_t width = to->kernel->width, each = panels_of(to->kernel, to->n);
  const size_t column = i % each * width, left = to->n - column;
  const size_t columns = left < width ? left : width, first = i / each * to->n + column;
  const bool turned = all->b.transpose == TRANSPOSED;
  const real *from = all->b.data + first * (turned ? all->b.ld : 1);
  real *panel = to->panels + i * width * to->k;
  if (columns < width) memset(panel, 0, width * to->k * sizeof *panel);
  if (turned)
    pack_transposed(panel, from, all->b.ld, columns, width, to->k);
  else
    for (size_t k = 0; k < to->k; k++)
      memcpy(panel + k * width, from + k * all->b.ld, columns * sizeof *panel);
}

struct packed pack_for(const struct product_kernel *kernel, real *panels, struct operand b,
                       size_t groups, size_t n, size_t k) {
  const struct packed packed = {kernel, panels, groups, n, k};
  const struct packing packing = {&packed, b};
  share_out(groups * panels_of(kernel, n), (double)WORK_OF_NUMBER * (double)(groups * n * k),
            pack_panel, &packing);
  return packed;
}

struct packed pack(real *panels, struct operand b, size_t groups, size_t n, size_t k) {
  return pack_for(product_kernel_at(0), panels, b, groups, n, k);
}

struct packed packed_before(real *panels, size_t groups, size_t n, size_t k) {
  return (struct packed){product_kernel_at(0), panels, groups, n, k};
}

/* ---- products ---- */

struct packed_product {
  struct product p;
  const struct packed *b;
  size_t panels; /* panels of each group in a tile */
  tile_function *then;
  const void *context;
};

/* Compute a panel's columns of C, in blocks of the sum. */
static void run_block(const struct packed_product *all, size_t group, size_t panel, size_t block) {
  const struct product *p = &all->p;
  const struct packed *b = all->b;
  const size_t width = b->kernel->width, column = panel * width, left = b->n - column;
  const size_t columns = left < width ? left : width, at = block * PRODUCT_BLOCK;
  const size_t k = b->k - at < PRODUCT_BLOCK ? b->k - at : (size_t)PRODUCT_BLOCK;
  real *c = p->c + group * b->n + column;
  const real *panels = b->panels + (group * panels_of(b->kernel, b->n) + panel) * width * b->k;
  struct product_tile tile = {.c = c,
                              .ldc = p->ldc,
                              .a = p->a.data + at,
                              .panel = panels + at * width,
                              .lda = p->a.ld,
                              .k = k,
                              .add = block > 0 || p->beta != 0};
  if (columns == width) {
    b->kernel->run(tile, p->m);
    return;
  }
  /* The kernel writes whole panels, so compute the incomplete last one beside C. */
  real row[MAX_PANEL_WIDTH] = {0};
  tile.c = row;
  for (size_t i = 0; i < p->m; i++, tile.a += tile.lda) {
    memcpy(row, c + i * p->ldc, tile.add ? columns * sizeof *row : 0);
    b->kernel->run(tile, 1);
    memcpy(c + i * p->ldc, row, columns * sizeof *row);
  }
}

static void run_tile(const void *context, size_t i) {
  const struct packed_product *all = context;
  const struct packed *b = all->b;
  const size_t panels = panels_of(b->kernel, b->n), start = i * all->panels;
  if (start >= panels) return;
  const size_t end = panels - start < all->panels ? panels : start + all->panels;
  const size_t column = start * b->kernel->width, last = end * b->kernel->width;
  for (size_t block = 0; block * PRODUCT_BLOCK < b->k; block++)
    for (size_t g = 0; g < b->groups; g++)
      for (size_t panel = start; panel < end; panel++) run_block(all, g, panel, block);
  if (all->then != NULL)
    all->then(all->context, 0, all->p.m, column, (last < b->n ? last : b->n) - column);
}

/* The tiles do not change the bits, so their number may depend on the number of threads. */
void packed_product_then(struct product p, const struct packed *b, tile_function *then,
                         const void *context) {
  enum { TILES_EACH = 4 };
  const size_t panels = panels_of(b->kernel, b->n);
  const double work = (double)p.m * (double)(b->groups * b->n) * (double)b->k;
  const size_t wanted = is_worth_sharing(work) ? TILES_EACH * team_size() : 1;
  const struct packed_product all = {p, b, (panels + wanted - 1) / wanted, then, context};
  team_run(run_tile, &all, wanted);
}
