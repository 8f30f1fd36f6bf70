/* Test: threads. */
/* Basic operations: products, softmax, cross-entropy, random numbers. */
#include "check.h"
#include "process_threads.h"
#include "threads.h"

#include <cblas.h>
#include <float.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "tensor/blas.h"
#include "tensor/blas_kernels.h"
#include "tensor/cross_entropy.h"
#include "tensor/dropout.h"
#include "tensor/linear.h"
#include "tensor/softmax.h"

static real at(struct operand a, size_t row, size_t column) {
  return a.transpose == NOT_TRANSPOSED ? a.data[row * a.ld + column] : a.data[column * a.ld + row];
}

/* OpenBLAS threads would keep the other cores busy while the first model is loaded. */
Test(tensor, openblas_threads_stop_and_restart) {
  enum { N = 300 };
#ifdef __SANITIZE_THREAD__
  cr_skip_test("ThreadSanitizer does not see how OpenBLAS threads synchronize");
#endif
  const int before = threads_of_process();
  openblas_set_num_threads(3);
  if (before == 0 || threads_of_process() <= before)
    cr_skip_test("OpenBLAS has no threads of its own, or they cannot be counted");
  blas_set_up();
  cr_assert_eq(openblas_get_num_threads(), 1);
  cr_assert_leq(threads_of_process(), before);
  /* A program that embeds elman may do this. */
  openblas_set_num_threads(2);
  cr_assert_gt(threads_of_process(), before);
  owned float *a = malloc(N * N * sizeof *a), *c = malloc(N * N * sizeof *c);
  cr_assert(a != NULL && c != NULL);
  for (int i = 0; i < N * N; i++) a[i] = 1;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, a, N, 0, c, N);
  for (int i = 0; i < N * N; i++) cr_assert_eq(c[i], N);
}

#if defined(__SSE2__) || defined(__aarch64__)
struct probes {
  atomic_size_t begun,
      without; /* pieces begun; threads for which half of the smallest normal number is 0 */
};

/* Wait for the other pieces, so that every thread runs one. */
static void probe_denormals(const void *context, size_t i) {
  enum { THREADS = 3 };
  struct probes *probes = *(struct probes *const *)context;
  const volatile float smallest = FLT_MIN;
  (void)i;
  atomic_fetch_add(&probes->begun, 1);
  while (atomic_load(&probes->begun) < THREADS) sched_yield();
  if (smallest * 0.5f == 0) atomic_fetch_add(&probes->without, 1);
}

static size_t threads_without_denormals(void) {
  struct probes probes = {0}, *const all = &probes;
  use_threads(3);
  team_run(probe_denormals, &all, 3);
  use_threads(1);
  return probes.without;
}

Test(tensor, denormals_are_zero_until_restored) {
  cr_assert_eq(threads_without_denormals(), 0);
  const unsigned before = denormals_to_zero();
  cr_assert_eq(threads_without_denormals(), 3);
  denormals_restore(before);
  cr_assert_eq(threads_without_denormals(), 0);
}
#endif

struct counted {
  const real *c, *expected;
  size_t n;
  unsigned char *times; /* how often each element was reported, always with its expected value */
};

static void count_tile(const void *context, size_t row, size_t rows, size_t column,
                       size_t columns) {
  const struct counted *counted = context;
  for (size_t i = row; i < row + rows; i++) {
    for (size_t j = column; j < column + columns; j++) {
      const size_t at = i * counted->n + j;
      const double difference = (double)counted->c[at] - (double)counted->expected[at];
      counted->times[at] += fabs(difference) < 100 * CLOSE ? 1 : 100;
    }
  }
}

/* Compare every transposition and both ways of tiling with three nested loops. Each tile must be
 * reported once, when it is complete. */
Test(tensor, matrix_product_matches_plain_loops) {
  const size_t sizes[][3] = {{1, 1, 1},       {1, 70, 90},     {3, 5, 7},      {140, 150, 130},
                             {1030, 33, 130}, {33, 1030, 130}, {260, 271, 64}, {271, 260, 64}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const size_t m = sizes[i][0], n = sizes[i][1], k = sizes[i][2];
    owned real *a = random_reals(m * k, 1, 1), *b = random_reals(k * n, 1, 2);
    for (int transposed = 0; transposed < 4; transposed++) {
      const struct operand left = {a, transposed & 1 ? m : k,
                                   transposed & 1 ? TRANSPOSED : NOT_TRANSPOSED};
      const struct operand right = {b, transposed & 2 ? k : n,
                                    transposed & 2 ? TRANSPOSED : NOT_TRANSPOSED};
      owned real *c = random_reals(m * n, 1, 3), *shown = random_reals(m * n, 1, 3);
      owned real *expected = random_reals(m * n, 1, 3);
      for (size_t row = 0; row < m; row++) {
        for (size_t column = 0; column < n; column++) {
          double sum = 0;
          for (size_t j = 0; j < k; j++)
            sum += (double)at(left, row, j) * (double)at(right, j, column);
          expected[row * n + column] = (real)(0.5 * (double)expected[row * n + column] + 2 * sum);
        }
      }
      matrix_product((struct product){c, n, (real)0.5, 2, left, right, m, n, k, FAST});
      cr_assert(relative_error(c, expected, m * n) < CLOSE);
      const struct counted counted = {shown, expected, n, calloc(m * n, 1)};
      matrix_product_then((struct product){shown, n, (real)0.5, 2, left, right, m, n, k, FAST}, 1,
                          count_tile, &counted);
      cr_assert_eq(memcmp(c, shown, m * n * sizeof *c), 0);
      for (size_t j = 0; j < m * n; j++) cr_assert_eq(counted.times[j], 1);
      free(counted.times);
    }
  }
}

/* No default decides on the arithmetic of weights whose numerics a caller forgot. */
Test(tensor, product_without_numerics_ends_the_program, .signal = SIGABRT) {
  real c[1];
  const real a[1] = {1};
  matrix_product((struct product){.c = c,
                                  .ldc = 1,
                                  .a = not_transposed(a, 1),
                                  .b = not_transposed(a, 1),
                                  .m = 1,
                                  .n = 1,
                                  .k = 1});
}

Test(tensor, linear_map_without_numerics_ends_the_program, .signal = SIGABRT) {
  real y[1];
  const real x[1] = {1};
  linear_forward(y, x, (struct linear){.weight = x, .in = 1, .out = 1}, 1);
}

Test(tensor, product_overwrites_uninitialized_output) {
  real c[2] = {NAN, NAN};
  const real a[2] = {1, 2}, b[1] = {3};
  matrix_product(
      (struct product){c, 1, 0, 1, not_transposed(a, 1), not_transposed(b, 1), 2, 1, 1, FAST});
  cr_assert_eq(c[0], 3);
  cr_assert_eq(c[1], 6);
}

/* More columns than the sums are computed for at a time. */
Test(tensor, gradient_of_wide_bias_matches) {
  enum { ROWS = 5, COLUMNS = 150 };
  owned real *dy = random_reals(ROWS * COLUMNS, 1, 1);
  owned real *dbias = random_reals(COLUMNS, 1, 2), *expected = random_reals(COLUMNS, 1, 2);
  for (size_t j = 0; j < COLUMNS; j++)
    for (size_t i = 0; i < ROWS; i++) expected[j] += dy[i * COLUMNS + j];
  bias_backward(dbias, dy, COLUMNS, ROWS, COLUMNS);
  cr_assert(relative_error(dbias, expected, COLUMNS) < CLOSE);
}

Test(tensor, softmax_does_not_overflow_or_underflow) {
  real row[3] = {1e30f, 1e30f, -1e30f};
  softmax_forward(row, 3);
  cr_assert_float_eq((double)row[0], 0.5, CLOSE);
  cr_assert_float_eq((double)row[1], 0.5, CLOSE);
  cr_assert_eq(row[2], 0);
  real far[2] = {-1e30f, -1e30f};
  softmax_forward(far, 2);
  cr_assert_float_eq((double)far[0], 0.5, CLOSE);
}

Test(tensor, softmax_ignores_a_shift) {
  owned real *a = random_reals(9, 1, 1), *b = random_reals(9, 1, 1);
  for (size_t i = 0; i < 9; i++) b[i] += 3;
  softmax_forward(a, 9);
  softmax_forward(b, 9);
  cr_assert(relative_error(a, b, 9) < CLOSE);
}

/* A part so far below another that its contribution rounds to 0. */
Test(tensor, cross_entropy_handles_underflowing_part) {
  const uint32_t targets[] = {0, 3};
  const struct cross_entropy_task task = {targets, 2, 4, 0, 1, 0};
  real low[] = {-800, -801, 1, 2}, high[] = {800, 799, 900, 3};
  struct softmax_part parts[4];
  double losses[2];
  cross_entropy_part(parts, low, NULL, task, 0, 2);
  cross_entropy_part(parts + 2, high, NULL, task, 2, 2);
  cross_entropy_join(losses, parts, 2, task);
  cross_entropy_gradient(low, NULL, parts, task, 0, 2);
  cross_entropy_gradient(high, NULL, parts + 2, task, 2, 2);
  cr_assert_float_eq(losses[0], 1600 + log1p(exp(-1)), 1e-4);
  cr_assert_float_eq(losses[1], 897, 1e-4);
  const double top = 1 / (1 + exp(-1));
  const double expected_low[] = {-1, 0, 0, 0}, expected_high[] = {top, 1 - top, 1, -1};
  for (size_t i = 0; i < 4; i++) {
    cr_assert_float_eq((double)low[i], expected_low[i], CLOSE);
    cr_assert_float_eq((double)high[i], expected_high[i], CLOSE);
  }
}

/* As above, with R-Drop: no divergence contains the logarithm of a probability that rounds to 0. */
Test(tensor, r_drop_handles_underflowing_part) {
  const uint32_t targets[] = {0, 3};
  const struct cross_entropy_task task = {targets, 2, 4, 0, 1, 0.5};
  real low[] = {-800, -801, 1, 2}, high[] = {800, 799, 900, 3};
  real low_differences[2], high_differences[2];
  struct softmax_part parts[4];
  double losses[2];
  cross_entropy_part(parts, low, low_differences, task, 0, 2);
  cross_entropy_part(parts + 2, high, high_differences, task, 2, 2);
  cross_entropy_join(losses, parts, 2, task);
  cross_entropy_gradient(low, low_differences, parts, task, 0, 2);
  cross_entropy_gradient(high, high_differences, parts + 2, task, 2, 2);
  cr_assert_float_eq(losses[0], 1600 + log1p(exp(-1)), 1e-4);
  /* p = (0, 0, top, 1 - top), p' = (0, 0, 1, 0), and the last differences are -100 and 796. */
  const double top = 1 / (1 + exp(-1)), mean = -100 * top + 796 * (1 - top);
  const double expected_low[] = {-1, 0, 0, 0};
  const double expected_high[] = {top + (top * (-100 - mean) + top - 1) / 2,
                                  (1 - top) + ((1 - top) * (796 - mean) + 1 - top) / 2,
                                  1 - (top - 1) / 2, -1 - (1 - top) / 2};
  for (size_t i = 0; i < 4; i++) {
    cr_assert_float_eq((double)low[i], expected_low[i], CLOSE);
    cr_assert_float_eq((double)high[i], expected_high[i], 100 * CLOSE);
  }
}

/* -log p of an impossible target is large but finite, although p itself would round to 0. */
Test(tensor, cross_entropy_of_impossible_target_is_finite) {
  const real logits[] = {0, 500, 0, 1, 1, 1};
  const uint32_t targets[] = {0, 2};
  double losses[2];
  cross_entropy_forward(losses, logits, targets, 0, 2, 3);
  cr_assert_float_eq(losses[0], 500, 1e-3);
  cr_assert_float_eq(losses[1], log(3), CLOSE);
}

/* The first test vectors published by Salmon et al. */
Test(tensor, philox_known_answers) {
  uint32_t words[4];
  random_words(words, (struct random_stream){0, 0, 0}, 0);
  cr_assert_eq(words[0], UINT32_C(0x6627e8d5));
  cr_assert_eq(words[1], UINT32_C(0xe169c58d));
  random_words(words, (struct random_stream){UINT64_MAX, UINT32_MAX, UINT32_MAX}, UINT64_MAX);
  cr_assert_eq(words[0], UINT32_C(0x408f276d));
  cr_assert_eq(words[1], UINT32_C(0x41c83b0e));
}

/* The lower half of the index overflows in some cases. */
Test(tensor, bulk_random_words_match_single_calls) {
  const struct random_stream stream = {0x123456789abcdef, RANDOM_DROPOUT, 77};
  for (uint64_t first = 0xfffffff0; first < 0xffffffff + UINT64_C(9); first += 5) {
    for (size_t count = 1; count <= RANDOM_MANY; count++) {
      uint32_t words[4 * RANDOM_MANY], expected[4];
      random_many(words, stream, first, count);
      for (size_t i = 0; i < count; i++) {
        random_words(expected, stream, first + i);
        cr_assert_eq(memcmp(words + 4 * i, expected, sizeof expected), 0);
      }
    }
  }
}

/* The mask is a function of the position: a call for a part drops the same positions as a call for
 * the whole. */
Test(tensor, dropout_depends_on_position_only) {
  enum { N = 700 };
  const struct dropout dropout = {0.25, {9, RANDOM_DROPOUT, 4}};
  real whole[N];
  size_t kept = 0;
  for (size_t i = 0; i < N; i++) whole[i] = 3;
  dropout_apply(whole, N, 1001, dropout);
  for (size_t i = 0; i < N; i++) {
    uint32_t words[4];
    random_words(words, dropout.stream, (1001 + i) / 4);
    const bool dropped = words[(1001 + i) % 4] < 0x40000000;
    cr_assert_eq(whole[i], dropped ? 0 : 3 * (real)(1 / 0.75));
    kept += !dropped;
  }
  cr_assert(kept > 480 && kept < 570, "%zu of %d", kept, N);
  for (size_t start = 0; start < 9; start++) {
    for (size_t n = 0; n < N - start; n += 1 + n / 2) {
      real part[N];
      for (size_t i = 0; i < N; i++) part[i] = 3;
      dropout_apply(part, n, 1001 + start, dropout);
      cr_assert_eq(memcmp(part, whole + start, n * sizeof *part), 0);
      cr_assert_eq(part[n], 3, "values after the end changed");
    }
  }
}

Test(tensor, random_numbers_have_their_distribution) {
  enum { N = 200000 };
  const struct random_stream stream = {1, RANDOM_INITIAL_WEIGHTS, 0};
  double sum = 0, squares = 0, uniform = 0;
  size_t hits[7] = {0};
  for (size_t i = 0; i < N; i++) {
    const double x = random_normal(stream, i), u = random_uniform(stream, i);
    cr_assert(isfinite(x) && u >= 0 && u < 1);
    sum += x;
    squares += x * x;
    uniform += u;
    hits[random_below(stream, i, 7)]++;
  }
  cr_assert_float_eq(sum / N, 0, 0.01);
  cr_assert_float_eq(squares / N, 1, 0.02);
  cr_assert_float_eq(uniform / N, 0.5, 0.005);
  for (size_t i = 0; i < 7; i++) cr_assert_float_eq((double)hits[i] / N, 1.0 / 7, 0.005);
}
