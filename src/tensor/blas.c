#include "tensor/blas.h"

#ifdef ELMAN_OPENBLAS
#include <cblas.h>
#endif
#include <string.h>

#include "base/team.h"
#include "tensor/bfloat16.h"
#include "tensor/few_rows.h"

enum { TILE_UNIT = 16, LEAST_HALF = 128, LEAST_QUARTER = 160, LARGE_TILE = 640, MAX_TILES = 16 };

#ifdef ELMAN_OPENBLAS

#ifdef ELMAN_DOUBLE
#define cblas_gemm cblas_dgemm
#define cblas_gemv cblas_dgemv
#else
#define cblas_gemm cblas_sgemm
#define cblas_gemv cblas_sgemv
#endif

static CBLAS_TRANSPOSE blas_transpose(enum transpose transpose) {
  return transpose == TRANSPOSED ? CblasTrans : CblasNoTrans;
}

/* Compute the product if C is one row, as in step-by-step decoding. A general product would spend
 * most of its time copying B into another order. */
static void row_product(struct product p) {
  const bool turned = p.b.transpose == TRANSPOSED; /* B is stored as (n,k) */
  const size_t step = p.a.transpose == TRANSPOSED ? p.a.ld : 1;
  cblas_gemv(CblasRowMajor, turned ? CblasNoTrans : CblasTrans, (int)(turned ? p.n : p.k),
             (int)(turned ? p.k : p.n), p.alpha, p.b.data, (int)p.b.ld, p.a.data, (int)step, p.beta,
             p.c, 1);
}

#endif

/* Return whether few_rows.c is faster. It is faster for few rows, a matrix stored as (n,k), and
 * sums of at least LONG terms. LONG is 1 without OpenBLAS, because the library's own kernels would
 * copy the matrix for sums of any length. */
static bool is_few_rows(struct product p) {
#ifdef ELMAN_OPENBLAS
  enum { LONG = 256 };
#else
  enum { LONG = 1 };
#endif
  return p.m <= FEW_ROWS && p.k >= LONG && p.alpha == 1 && (p.beta == 0 || p.beta == 1) &&
         p.a.transpose == NOT_TRANSPOSED && p.a.ld == p.k && p.b.transpose == TRANSPOSED &&
         p.b.ld == p.k;
}

/* Return whether portable arithmetic requires the library's own kernels. In double it does not: no
 * kernel is fused. */
static bool needs_own_kernels(enum arithmetic arithmetic) {
  return arithmetic == ARITHMETIC_PORTABLE && product_kernel_in_use(arithmetic)->fused;
}

static void few_rows_product(struct product p) {
  few_rows_kernel_at(0)->run((struct few_rows){p.c, p.ldc, p.beta == 1}, p.a.data, p.b.data, p.m,
                             p.k, p.n);
}

#ifdef ELMAN_OPENBLAS
static void fast_product(struct product p) {
  if (p.m == 1)
    row_product(p);
  else if (is_few_rows(p))
    few_rows_product(p);
  else
    cblas_gemm(CblasRowMajor, blas_transpose(p.a.transpose), blas_transpose(p.b.transpose),
               (int)p.m, (int)p.n, (int)p.k, p.alpha, p.a.data, (int)p.a.ld, p.b.data, (int)p.b.ld,
               p.beta, p.c, (int)p.ldc);
}
#else
static void fast_product(struct product p) {
  if (is_few_rows(p))
    few_rows_product(p);
  else
    product_alone(p);
}
#endif

static void float32_product(struct product p) {
  (needs_own_kernels(p.numerics->arithmetic) ? product_alone : fast_product)(p);
}

/* ---- operands in bfloat16 ---- */

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Round rows and columns [row, row + rows) x [column, column + columns) of op(X). The result is
 * stored in the order of X, with rows that are `ld` apart. */
static struct operand rounded(real *to, size_t ld, struct operand x, size_t row, size_t rows,
                              size_t column, size_t columns) {
  const bool turned = x.transpose == TRANSPOSED;
  x.data += turned ? column * x.ld + row : row * x.ld + column;
  bfloat16_round_rows(to, ld, x, turned ? columns : rows, turned ? rows : columns);
  return (struct operand){to, ld, x.transpose};
}

/* Round the operands block by block, and multiply the blocks in float32. In portable arithmetic the
 * bits are those of a product of matrices that have been rounded, because the terms are divided as
 * product_alone divides them. This function is not inlined. Otherwise its buffers would be on the
 * stack of matrix_product_alone for every product, and code that is compiled with
 * -fstack-clash-protection would touch each page of them. */
__attribute__((noinline)) static void rounded_product(struct product p) {
  enum { ROWS = 112, COLUMNS = 256 };
  real a[ROWS * PRODUCT_BLOCK], b[COLUMNS * PRODUCT_BLOCK];
  struct product part = p;
  part.numerics = numerics_in_float32(p.numerics);
  for (size_t i = 0; p.k == 0 && p.beta == 0 && i < p.m; i++)
    memset(p.c + i * p.ldc, 0, p.n * sizeof *p.c);
  for (size_t first = 0; first < p.k; first += PRODUCT_BLOCK) {
    part.k = smaller(p.k - first, PRODUCT_BLOCK);
    part.beta = first == 0 ? p.beta : 1;
    for (size_t column = 0; column < p.n; column += COLUMNS) {
      part.n = smaller(p.n - column, COLUMNS);
      part.b = rounded(b, p.b.transpose == TRANSPOSED ? part.k : part.n, p.b, first, part.k, column,
                       part.n);
      for (size_t row = 0; row < p.m; row += ROWS) {
        part.m = smaller(p.m - row, ROWS);
        part.a = rounded(a, p.a.transpose == TRANSPOSED ? part.m : part.k, p.a, row, part.m, first,
                         part.k);
        part.c = p.c + row * p.ldc + column;
        float32_product(part);
      }
    }
  }
}

void matrix_product_alone(struct product p) {
  if (p.m == 0 || p.n == 0) return;
  if (numerics_required(p.numerics)->operands == ELMAN_PRECISION_FLOAT32) {
    float32_product(p);
    return;
  }
  const struct pair_kernel *pairs = pair_kernel_in_use(p.numerics->arithmetic);
  if (pairs != NULL)
    pair_product(pairs, p);
  else
    rounded_product(p);
}

/* Return the number of tiles: two or four, and more only if each tile remains large. Few large
 * tiles are faster, because OpenBLAS copies the undivided operand for every tile. Powers of two
 * divide evenly among most numbers of cores. */
static size_t tile_count(size_t longer, double work) {
  if (!is_worth_sharing(work) || longer / 2 < LEAST_HALF) return 1;
  size_t tiles = longer / 4 < LEAST_QUARTER ? 2 : 4;
  while (tiles < MAX_TILES && longer / (2 * tiles) >= LARGE_TILE) tiles *= 2;
  return tiles;
}

/* A product divided along its longer side. */
struct tiled_product {
  struct product whole; /* the product of one group */
  size_t groups;
  const real *bias; /* (n): initial value of every row of C; NULL = none */
  size_t tile;      /* rows or columns per tile */
  tile_function *then;
  const void *context;
};

static struct product all_groups(struct product p, size_t groups) {
  p.n *= groups;
  return p;
}

static bool is_cut_in_rows(struct product p, size_t groups) {
  return p.m >= p.n * groups;
}

static void put_bias(struct product p, const real *bias) {
  for (size_t i = 0; i < p.m && bias != NULL; i++)
    memcpy(p.c + i * p.ldc, bias, p.n * sizeof *bias);
}

static void run_rows(const struct tiled_product *all, size_t start, size_t size) {
  struct product part = all_groups(all->whole, all->groups);
  part.m = size;
  part.a.data += part.a.transpose == NOT_TRANSPOSED ? start * part.a.ld : start;
  part.c += start * part.ldc;
  put_bias(part, all->bias);
  matrix_product_alone(part);
  if (all->then != NULL) all->then(all->context, start, size, 0, all->whole.n);
}

static void run_columns(const struct tiled_product *all, size_t start, size_t size) {
  const size_t b_step = all->whole.b.transpose == NOT_TRANSPOSED ? 1 : all->whole.b.ld;
  for (size_t g = 0; g < all->groups; g++) {
    struct product part = all->whole;
    part.n = size;
    part.b.data += (g * all->whole.n + start) * b_step;
    part.c += g * all->whole.n + start;
    put_bias(part, all->bias == NULL ? NULL : all->bias + start);
    matrix_product_alone(part);
  }
  if (all->then != NULL) all->then(all->context, 0, all->whole.m, start, size);
}

static void run_tile(const void *context, size_t i) {
  const struct tiled_product *all = context;
  const bool of_rows = is_cut_in_rows(all->whole, all->groups);
  const size_t length = of_rows ? all->whole.m : all->whole.n, start = i * all->tile;
  if (start >= length) return;
  const size_t size = length - start < all->tile ? length - start : all->tile;
  (of_rows ? run_rows : run_columns)(all, start, size);
}

static void run_tiled(struct tiled_product all) {
  const struct product p = all.whole;
  const size_t columns = p.n * all.groups, longer = p.m >= columns ? p.m : columns;
  const size_t tiles = tile_count(longer, (double)p.m * (double)columns * (double)p.k);
  const size_t length = is_cut_in_rows(p, all.groups) ? p.m : p.n;
  const size_t even = (length + tiles - 1) / tiles;
  if (tiles == 1) {
    put_bias(p, all.bias);
    matrix_product_alone(all_groups(p, all.groups));
    if (all.then != NULL) all.then(all.context, 0, p.m, 0, p.n);
    return;
  }
  all.tile = (even + TILE_UNIT - 1) / TILE_UNIT * TILE_UNIT;
  team_run(run_tile, &all, tiles);
}

void matrix_product_then(struct product p, size_t groups, tile_function *then,
                         const void *context) {
  run_tiled((struct tiled_product){.whole = p, .groups = groups, .then = then, .context = context});
}

void matrix_product_with_bias(struct product p, const real *bias) {
  run_tiled((struct tiled_product){.whole = p, .groups = 1, .bias = bias});
}

void matrix_product(struct product p) {
  run_tiled((struct tiled_product){.whole = p, .groups = 1});
}
