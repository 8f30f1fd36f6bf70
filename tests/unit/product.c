/* Test: some threads. */
/* Own products: every kernel has the bits of a plain loop, for every size and number of threads,
 * whether the matrix is packed or not. */
#include "check.h"
#include "threads.h"

#include <inttypes.h>
#include <string.h>

#include "base/xxh64.h"
#include "tensor/blas.h"
#include "tensor/product.h"

#ifndef ELMAN_DOUBLE

struct sizes {
  size_t m, groups, n, k;
};

/* One element by definition: a chain of fused multiply-adds per block, and the blocks in order. */
static real plain_element(real before, real alpha, const real *a, const real *b, size_t k) {
  real total = before;
  for (size_t first = 0; first < k; first += PRODUCT_BLOCK) {
    real sum = 0;
    for (size_t i = first; i < k && i < first + PRODUCT_BLOCK; i++) sum = fmaf(a[i], b[i], sum);
    total = first == 0 && before == 0 ? alpha * sum : total + alpha * sum;
  }
  return total;
}

/* Columns of the result that a tile reports; each must be reported once. */
struct reported {
  size_t rows, *counts;
};

static void report(const void *context, size_t row, size_t rows, size_t column, size_t columns) {
  const struct reported *reported = context;
  cr_assert_eq(row, 0);
  cr_assert_eq(rows, reported->rows);
  for (size_t j = column; j < column + columns; j++) reported->counts[j]++;
}

/* B is (groups·n,k) if it is transposed, and (k,groups·n) otherwise. */
static void check_product(const struct product_kernel *kernel, struct sizes s, enum transpose turn,
                          real beta) {
  const size_t columns = s.groups * s.n, lda = s.k + 3, ldc = columns + 5;
  const size_t ldb = turn == TRANSPOSED ? s.k : columns;
  owned real *a = random_reals(s.m * lda, 1, 1), *b = random_reals(columns * s.k, 1, 2);
  owned real *c = random_reals(s.m * ldc, 1, 3), *before = reals(s.m * ldc), *column = reals(s.k);
  owned real *panels = reals(packed_size_for(kernel, s.groups, s.n, s.k));
  owned size_t *counts = calloc(s.n, sizeof *counts);
  memcpy(before, c, s.m * ldc * sizeof *c);
  const struct operand operand = {b, ldb, turn};
  const struct packed packed = pack_for(kernel, panels, operand, s.groups, s.n, s.k);
  const struct reported reported = {s.m, counts};
  const struct product p = {c, ldc, beta, 1, not_transposed(a, lda), operand, s.m, s.n, s.k, FAST};
  packed_product_then(p, &packed, report, &reported);
  for (size_t j = 0; j < s.n; j++) cr_assert_eq(counts[j], 1, "column %zu is reported once", j);
  for (size_t j = 0; j < ldc; j++) {
    for (size_t i = 0; j < columns && i < s.k; i++)
      column[i] = turn == TRANSPOSED ? b[j * ldb + i] : b[i * ldb + j];
    for (size_t r = 0; r < s.m; r++) {
      const real old = before[r * ldc + j];
      const real expected =
          j < columns ? plain_element(beta == 0 ? 0 : old, 1, a + r * lda, column, s.k) : old;
      cr_assert(memcmp(&c[r * ldc + j], &expected, sizeof expected) == 0,
                "%s: %zu x %zu x %zu x %zu, row %zu, column %zu: %a, not %a", kernel->name, s.m,
                s.groups, s.n, s.k, r, j, (double)c[r * ldc + j], (double)expected);
    }
  }
}

static void check_all_sizes(const struct product_kernel *kernel) {
  const size_t ms[] = {1, 2, 5, 6, 7, 13, 14, 15, 31}, groups[] = {1, 3},
               ks[] = {1, 37, PRODUCT_BLOCK, PRODUCT_BLOCK + 1, 700};
  const size_t ns[] = {1, 4, 16, 33, 70};
  for (size_t m = 0; m < sizeof ms / sizeof *ms; m++)
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
      for (size_t n = 0; n < sizeof ns / sizeof *ns; n++)
        for (size_t k = 0; k < sizeof ks / sizeof *ks; k++)
          for (int beta = 0; beta < 2; beta++) {
            const struct sizes sizes = {ms[m], groups[g], ns[n], ks[k]};
            check_product(kernel, sizes, (ms[m] + k) % 2 == 0 ? TRANSPOSED : NOT_TRANSPOSED,
                          (real)beta);
          }
}

Test(product, every_kernel_has_the_bits_of_a_plain_loop) {
  const struct product_kernel *kernel;
  for (size_t i = 0; (kernel = product_kernel_at(i)) != NULL; i++) check_all_sizes(kernel);
}

/* Compare the product of the kernel in use with the plain loop. */
static void check_alone(struct product p, const real *before) {
  const struct operand a = p.a, b = p.b;
  owned real *row = reals(p.k + 1), *column = reals(p.k + 1);
  product_alone(p);
  for (size_t r = 0; r < p.m; r++) {
    for (size_t i = 0; i < p.k; i++)
      row[i] = a.transpose == TRANSPOSED ? a.data[i * a.ld + r] : a.data[r * a.ld + i];
    for (size_t j = 0; j < p.ldc; j++) {
      const real old = before[r * p.ldc + j];
      for (size_t i = 0; j < p.n && i < p.k; i++)
        column[i] = b.transpose == TRANSPOSED ? b.data[j * b.ld + i] : b.data[i * b.ld + j];
      const real expected =
          j < p.n ? plain_element(p.beta == 0 ? 0 : old, p.alpha, row, column, p.k) : old;
      cr_assert(memcmp(&p.c[r * p.ldc + j], &expected, sizeof expected) == 0,
                "%zu x %zu x %zu, %d %d, row %zu, column %zu: %a, not %a", p.m, p.n, p.k,
                a.transpose, b.transpose, r, j, (double)p.c[r * p.ldc + j], (double)expected);
    }
  }
}

/* A and B are copied, or read in place, depending on their sizes and directions. */
Test(product, unpacked_products_have_the_bits_of_a_plain_loop) {
  const size_t ms[] = {1, 3, 15, 17, 113, 230}, ns[] = {1, 5, 16, 32, 75},
               ks[] = {0, 1, 40, PRODUCT_BLOCK, PRODUCT_BLOCK + 9};
  size_t number = 0;
  for (size_t m = 0; m < sizeof ms / sizeof *ms; m++)
    for (size_t n = 0; n < sizeof ns / sizeof *ns; n++)
      for (size_t k = 0; k < sizeof ks / sizeof *ks; k++)
        for (size_t turn = 0; turn < 4; turn++, number++) {
          const size_t M = ms[m], N = ns[n], K = ks[k], ldc = N + 3;
          const size_t lda = (turn & 1 ? M : K) + 2, ldb = (turn & 2 ? K : N) + 1;
          owned real *a = random_reals((M + K) * lda, 1, 1), *b = random_reals((N + K) * ldb, 1, 2);
          owned real *c = random_reals(M * ldc, 1, 3), *before = reals(M * ldc);
          memcpy(before, c, M * ldc * sizeof *c);
          const struct product p = {c,
                                    ldc,
                                    (real)(number % 2),
                                    number % 3 == 0 ? (real)0.3 : 1,
                                    {a, lda, turn & 1 ? TRANSPOSED : NOT_TRANSPOSED},
                                    {b, ldb, turn & 2 ? TRANSPOSED : NOT_TRANSPOSED},
                                    M,
                                    N,
                                    K,
                                    FAST};
          check_alone(p, before);
        }
}

/* Large enough for the team to divide it. */
Test(product, portable_products_do_not_depend_on_threads) {
  enum { M = 300, N = 500, K = 400 };
  owned real *a = random_reals(M * K, 1, 1), *b = random_reals(N * K, 1, 2), *c = reals(M * N);
  owned real *alone = reals(M * N);
  struct product p = {alone, N, 0, 1, not_transposed(a, K), transposed(b, K), M, N, K, FAST};
  p.numerics = numerics_of(ARITHMETIC_PORTABLE, ELMAN_PRECISION_FLOAT32);
  product_alone(p);
  p.c = c;
  for (size_t threads = 1; threads <= 5; threads++) {
    use_threads(threads);
    matrix_product(p);
    cr_assert(memcmp(c, alone, M * N * sizeof *c) == 0, "%zu threads", threads);
  }
  use_threads(1);
}

/* Large enough for the team to divide it. */
Test(product, bits_do_not_depend_on_threads) {
  const struct product_kernel *kernel;
  for (size_t threads = 1; threads <= 5; threads++) {
    use_threads(threads);
    for (size_t i = 0; (kernel = product_kernel_at(i)) != NULL; i++) {
      const struct sizes recurrent = {40, 4, 200, 200}, backward = {40, 1, 200, 800};
      check_product(kernel, recurrent, TRANSPOSED, 1);
      check_product(kernel, backward, NOT_TRANSPOSED, 1);
    }
  }
  use_threads(1);
}

/* The same bits on every processor, with every compiler and optimization. */
Test(product, bits_are_those_of_every_machine) {
  enum { M = 30, N = 70, K = 600 };
  const struct product_kernel *kernel;
  owned real *a = reals(M * K), *b = reals(N * K), *c = reals(M * N), *panels = reals(128 * K);
  for (uint32_t i = 0; i < M * K; i++) a[i] = (real)(i * 2654435761U >> 8) * 0x1p-23f - 1;
  for (uint32_t i = 0; i < N * K; i++) b[i] = (real)(i * 2246822519U >> 8) * 0x1p-23f - 1;
  for (size_t i = 0; (kernel = product_kernel_at(i)) != NULL; i++) {
    const struct packed packed = pack_for(kernel, panels, transposed(b, K), 1, N, K);
    const struct product p = {c, N, 0, 1, not_transposed(a, K), transposed(b, K), M, N, K, FAST};
    packed_product_then(p, &packed, NULL, NULL);
    const uint64_t hash = xxh64_of(c, M * N * sizeof *c);
    cr_assert_eq(hash, UINT64_C(0x1771CD6AB67BD72A), "%s: %016" PRIX64, kernel->name, hash);
  }
}

/* A NaN must not spread to other elements, although panels are padded. */
Test(product, nan_stays_in_its_row) {
  const struct product_kernel *kernel;
  for (size_t i = 0; (kernel = product_kernel_at(i)) != NULL; i++) {
    enum { M = 7, N = 5, K = 3 };
    real a[M * K], b[N * K], c[M * N], panels[MAX_PANEL_WIDTH * K];
    for (size_t j = 0; j < M * K; j++) a[j] = j == 4 ? NAN : 1;
    for (size_t j = 0; j < N * K; j++) b[j] = 2;
    const struct packed packed = pack_for(kernel, panels, transposed(b, K), 1, N, K);
    const struct product p = {c, N, 0, 1, not_transposed(a, K), transposed(b, K), M, N, K, FAST};
    packed_product_then(p, &packed, NULL, NULL);
    for (size_t j = 0; j < M * N; j++) cr_assert_eq(isnan(c[j]), j / N == 1, "%s", kernel->name);
  }
}

#else

Test(product, double_packs_nothing) {
  cr_assert_eq(product_kernel_in_use(ARITHMETIC_PORTABLE)->fused, false);
  cr_assert_eq(packed_size(ARITHMETIC_PORTABLE, 4, 512, 512), 0);
}

#endif
