/* Test: some threads. */
/* Eight-bit products, and the largest logit that screening finds with them, compared with all
 * logits. */
#include <string.h>

#include "screening.h"
#include "tensor/softmax.h"
#include "threads.h"

/* ---- products ---- */

static uint64_t bits(unsigned which, size_t i) {
  uint32_t words[4];
  random_words(words, (struct random_stream){11, 5, which}, i);
  return (uint64_t)words[0] << 32 | words[1];
}

/* Compute products by definition, from values stored in rows. */
static void check_product(const struct quantized_kernel *kernel, size_t F, size_t rows,
                          bool extreme) {
  const size_t groups = quantized_groups(F), width = 4 * groups;
  owned int8_t *weights = calloc(QUANTIZED_BLOCK, width), *packed = calloc(QUANTIZED_BLOCK, width);
  owned uint8_t *features = calloc(rows, width);
  int32_t sums[QUANTIZED_ROWS * QUANTIZED_BLOCK];
  for (size_t v = 0; v < QUANTIZED_BLOCK; v++) {
    for (size_t i = 0; i < F; i++) {
      const int level = extreme ? (v & 1 ? 127 : -127) : (int)(bits(1, v * F + i) % 255) - 127;
      weights[v * width + i] = (int8_t)level;
      packed[quantized_place(v, i, groups)] = (int8_t)level;
    }
  }
  for (size_t i = 0; i < rows * width; i++)
    features[i] = (uint8_t)((extreme ? 127 : (int)(bits(2, i) % 255) - 127) + kernel->zero);
  kernel->product(sums, features, rows, packed, groups);
  for (size_t r = 0; r < rows; r++) {
    for (size_t v = 0; v < QUANTIZED_BLOCK; v++) {
      int64_t sum = 0;
      for (size_t i = 0; i < F; i++) {
        const uint8_t byte = features[r * width + i];
        sum += (kernel->zero > 0 ? (int64_t)byte : (int8_t)byte) * weights[v * width + i];
      }
      cr_assert_eq(sums[r * QUANTIZED_BLOCK + v], sum, "%s, F %zu, row %zu, output %zu",
                   kernel->name, F, r, v);
    }
  }
}

Test(screen, eight_bit_products_are_exact) {
  static const size_t columns[] = {1, 2, 3, 4, 5, 16, 63, 64, 65, 512};
  const struct quantized_kernel *kernel;
  for (size_t k = 0; (kernel = quantized_kernel_at(k)) != NULL; k++) {
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
      for (size_t rows = 1; rows <= kernel->rows; rows++) {
        check_product(kernel, columns[i], rows, false);
        check_product(kernel, columns[i], rows, true);
      }
    }
    check_product(kernel, QUANTIZED_MAX_COLUMNS, 1, true);
    check_product(kernel, QUANTIZED_MAX_COLUMNS, kernel->rows, true);
  }
}

/* The plain C kernel always exists, and all kernels differ. */
Test(screen, last_kernel_is_plain_c) {
  size_t count = 0;
  while (quantized_kernel_at(count) != NULL) count++;
  cr_assert_str_eq(quantized_kernel_at(count - 1)->name, "plain C");
  for (size_t i = 1; i < count; i++)
    cr_assert_neq(quantized_kernel_at(i)->product, quantized_kernel_at(i - 1)->product);
}

Test(screen, each_weight_has_its_own_position) {
  enum { V = 130, F = 7, GROUPS = 2, PLACES = 3 * QUANTIZED_BLOCK * 4 * GROUPS };
  bool taken[PLACES] = {false};
  for (size_t v = 0; v < V; v++) {
    for (size_t i = 0; i < F; i++) {
      const size_t place = quantized_place(v, i, GROUPS);
      cr_assert_lt(place, PLACES);
      cr_assert_not(taken[place]);
      taken[place] = true;
    }
  }
}

/* ---- the largest logit ---- */

/* Write the tokens (n) as well. */
static void check_same(size_t *expected, const real *weight, const real *bias, const real *features,
                       size_t V, size_t F, size_t n) {
  const struct quantized_kernel *kernel;
  const struct screened_layer layer = layer_of(weight, bias, V, F);
  owned size_t *found = calloc(n, sizeof *found);
  find_largest(expected, NULL, layer, features, n, false);
  for (size_t i = 0; (kernel = quantized_kernel_at(i / 2)) != NULL; i++) {
    find_largest(found, kernel, layer, features, n, i % 2 == 1);
    for (size_t r = 0; r < n; r++)
      cr_assert_eq(found[r], expected[r], "%s, V %zu, F %zu, row %zu: %zu, not %zu", kernel->name,
                   V, F, r, found[r], expected[r]);
  }
}

/* Every kernel must produce the sums of the fixed order. */
static void check_largest(const size_t *largest, const real *weight, const real *bias,
                          const real *features, size_t V, size_t F, size_t n) {
  for (size_t r = 0; r < n; r++) {
    double best = -INFINITY, chosen = -INFINITY, size = 0;
    for (size_t v = 0; v < V; v++) {
      double logit = (double)bias[v];
      for (size_t i = 0; i < F; i++) {
        logit += (double)weight[v * F + i] * (double)features[r * F + i];
        size = fmax(size, fabs((double)weight[v * F + i] * (double)features[r * F + i]));
      }
      if (v != NEVER && logit > best) best = logit;
      if (v == largest[r]) chosen = logit;
    }
    cr_assert_neq(largest[r], NEVER);
    cr_assert_leq(best - chosen, 1e-6 * (double)F * (size + fabs(best)));
  }
}

static void check_random(size_t V, size_t F, double spread, double like, double bias_size) {
  enum { ROWS = 7 };
  size_t largest[ROWS];
  owned real *weight = random_reals(V * F, spread, 1), *base = random_reals(F, spread, 2);
  owned real *bias = random_reals(V, bias_size, 3), *features = random_reals(ROWS * F, 0.7, 4);
  /* With `like` near 1, all rows of weights are nearly equal and differ in little. */
  for (size_t i = 0; i < V * F; i++)
    weight[i] = (real)((1 - like) * (double)weight[i] + like * (double)base[i % F]);
  check_same(largest, weight, bias, features, V, F, ROWS);
  check_largest(largest, weight, bias, features, V, F, ROWS);
}

Test(screen, screening_matches_all_logits) {
  static const size_t V[] = {4, 63, 64, 65, 400}, F[] = {1, 3, 4, 5, 67, 270};
  static const double like[] = {0, 0.9, 0.999, 0.999999, 1};
  for (size_t i = 0; i < sizeof V / sizeof V[0]; i++) {
    for (size_t j = 0; j < sizeof F / sizeof F[0]; j++) {
      for (size_t k = 0; k < sizeof like / sizeof like[0]; k++)
        check_random(V[i], F[j], 0.05, like[k], k % 2 == 0 ? 0.01 : 0);
    }
  }
}

/* Large enough for several threads. */
Test(screen, threads_do_not_change_screening) {
  for (size_t threads = 1; threads <= 5; threads += 2) {
    use_threads(threads);
    check_random(9500, 64, 0.05, 0, 0.1);
    check_random(9500, 64, 0.05, 0.999999, 0);
  }
  use_threads(1);
}

Test(screen, ties_take_first_permitted_token) {
  enum { V = 300, F = 10 };
  size_t largest;
  owned real *weight = random_reals(V * F, 0.1, 6), *bias = reals(V),
             *features = random_reals(F, 1, 7);
  for (size_t i = 0; i < F; i++) /* three equal rows, far ahead */
    weight[NEVER * F + i] = weight[150 * F + i] = weight[290 * F + i] = features[i];
  check_same(&largest, weight, bias, features, V, F, 1);
  cr_assert_eq(largest, 150);
  bias[NEVER] = 1000;
  check_same(&largest, weight, bias, features, V, F, 1);
  cr_assert_eq(largest, 150);
  memset(weight, 0, V * F * sizeof *weight);
  bias[NEVER] = 0;
  check_same(&largest, weight, bias, features, V, F, 1);
  cr_assert_eq(largest, 0);
}

/* The later of two equal rows has the smaller error bound, so it is examined first. */
Test(screen, ties_take_first_token_despite_error_bounds) {
  enum { V = 300, F = 10 };
  size_t largest;
  owned real *weight = random_reals(V * F, 0.1, 14), *bias = reals(V), *features = reals(F);
  for (size_t i = 0; i < F; i++) {
    features[i] = 1;
    weight[290 * F + i] = 1;
    weight[150 * F + i] = (real)(i % 2 == 0 ? 0.5 : 1.5);
  }
  check_same(&largest, weight, bias, features, V, F, 1);
  cr_assert_eq(largest, 150);
}

/* Extreme values in weights, biases and features. */
Test(screen, screening_handles_extreme_values) {
  static const double sizes[] = {0,   1e-45, 1e-39, 1e-30, 1e-20, 1e-10, 1,
                                 1e5, 1e10,  1e20,  1e29,  1e30,  1e31,  1e37};
  enum { SIZES = sizeof sizes / sizeof sizes[0], V = 70, F = 9, ROWS = 2 };
  size_t largest[ROWS];
  for (size_t i = 0; i < SIZES * SIZES * 2; i++) {
    owned real *weight = random_reals(V * F, sizes[i % SIZES], 8), *bias = random_reals(V, 1, 9);
    owned real *features = random_reals(ROWS * F, sizes[i / SIZES % SIZES], 10);
    for (size_t v = 0; v < V; v++) bias[v] *= (real)(i >= SIZES * SIZES ? 1e30 : 1e-3);
    /* One row of another magnitude. */
    for (size_t j = 0; j < F; j++) weight[33 * F + j] = (real)0.5;
    check_same(largest, weight, bias, features, V, F, ROWS);
  }
}

Test(screen, nan_row_has_no_largest_logit) {
  enum { V = 70, F = 9 };
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  for (size_t i = 0; i < 3; i++) {
    owned real *weight = random_reals(V * F, 1, 11), *bias = random_reals(V, 1, 12);
    owned real *features = random_reals(2 * F, 1, 13);
    size_t largest[2];
    features[F + 3] = (real)bad[i]; /* the second row only */
    check_same(largest, weight, bias, features, V, F, 2);
    cr_assert_neq(largest[0], SCREEN_NONE);
    cr_assert_eq(largest[1], SCREEN_NONE);
    features[F + 3] = 1;
    weight[44 * F + 2] = (real)bad[i];
    check_same(largest, weight, bias, features, V, F, 2);
    if (i == 0) cr_assert_eq(largest[0], SCREEN_NONE);
    weight[44 * F + 2] = 1;
    weight[NEVER * F + 2] = (real)bad[i]; /* this token's part of the probability is NaN as well */
    check_same(largest, weight, bias, features, V, F, 2);
    if (i == 0) cr_assert_eq(largest[0], SCREEN_NONE);
    weight[NEVER * F + 2] = 1;
    features[2] = 100;
    weight[44 * F + 2] = (real)(i == 0 ? 3e38 : -3e38); /* the logit overflows in float */
    check_same(largest, weight, bias, features, V, F, 2);
    weight[44 * F + 2] = 1;
    bias[69] = (real)bad[i];
    check_same(largest, weight, bias, features, V, F, 2);
    if (i < 2) cr_assert_eq(largest[0], SCREEN_NONE);
  }
}
