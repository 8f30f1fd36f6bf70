/* Test: some threads. */
/* Linear maps in eight bits, compared bit for bit with their definition. */
#include <string.h>

#include "check.h"
#include "tensor/eight_bits.h"
#include "tensor/linear.h"
#include "threads.h"

/* ---- the definition ---- */

/* Round a row to levels, in long double where a float would round. Return the scale. */
static float levels_by_definition(int *levels, const real *x, size_t n) {
  float largest = 0;
  bool finite = true;
  for (size_t i = 0; i < n; i++) {
    levels[i] = 0;
    finite = finite && isfinite((float)x[i]);
    largest = fmaxf(largest, fabsf((float)x[i]));
  }
  if (!finite) return NAN;
  if (largest < 1e-30f) return 0;
  int exponent; /* exponent of the scale, which has 17 significant bits */
  const double fraction = frexp(largest / 127, &exponent);
  const float scale = (float)ldexp(floor(ldexp(fraction, 17) + 0.5), exponent - 17);
  const float inverse = 1 / scale;
  for (size_t i = 0; i < n; i++) {
    const float product = (float)x[i] * inverse;
    levels[i] = (int)nearbyintf(product);
  }
  return scale;
}

/* A map of n rows of features, and its values by the definition. */
struct map {
  const real *weight, *bias, *x;
  size_t out, in, n;
  float *weight_scales, *x_scales;
  int64_t *sums; /* (n,out): products of levels */
};

/* Complete a map by the definition. The weights are rounded once: rounding takes most of the time.
 */
static struct map map_define(struct map map) {
  owned int *w = calloc(map.in, sizeof *w), *f = calloc(map.n * map.in, sizeof *f);
  map.weight_scales = calloc(map.out, sizeof *map.weight_scales);
  map.x_scales = calloc(map.n, sizeof *map.x_scales);
  map.sums = calloc(map.n * map.out, sizeof *map.sums);
  for (size_t r = 0; r < map.n; r++)
    map.x_scales[r] = levels_by_definition(f + r * map.in, map.x + r * map.in, map.in);
  for (size_t o = 0; o < map.out; o++) {
    map.weight_scales[o] = levels_by_definition(w, map.weight + o * map.in, map.in);
    for (size_t r = 0; r < map.n; r++)
      for (size_t i = 0; i < map.in; i++)
        map.sums[r * map.out + o] += (int64_t)w[i] * f[r * map.in + i];
  }
  return map;
}

static void map_free(const struct map *map) {
  free(map->weight_scales);
  free(map->x_scales);
  free(map->sums);
}

/* Compute row r of the results, for `out` rows of the weights from `first` on. */
static void map_by_definition(real *y, const struct map *map, size_t r, size_t first, size_t out,
                              bool biased, bool add) {
  for (size_t o = 0; o < out; o++) {
    const int64_t sum = map->sums[r * map->out + first + o];
    const volatile float factor = map->weight_scales[first + o] * map->x_scales[r];
    const volatile float value = (float)(int32_t)sum * factor;
    const real before = add ? y[o] : biased ? map->bias[first + o] : 0;
    y[o] = add || biased ? before + (real)value : (real)value;
  }
}

static bool same(real a, real b) {
  return a == b || (isnan(a) && isnan(b));
}

/* ---- rows ---- */

/* Check one row: scale and levels of the definition, whose product is exact and stays the same when
 * it is rounded again. */
static void check_row(const real *x, size_t n) {
  owned int *expected = calloc(n, sizeof *expected);
  owned int8_t *levels = calloc(n, 1), *again = calloc(n, 1);
  owned real *rounded = calloc(n, sizeof *rounded), *twice = calloc(n, sizeof *twice);
  const float scale = eight_bits_scale(x, n);
  cr_assert_eq(scale, levels_by_definition(expected, x, n));
  eight_bits_levels(levels, x, n, scale);
  eight_bits_round(rounded, x, n);
  eight_bits_round(twice, rounded, n);
  cr_assert_eq(eight_bits_scale(rounded, n), scale);
  eight_bits_levels(again, rounded, n, scale);
  for (size_t i = 0; i < n; i++) {
    cr_assert_eq(levels[i], expected[i]);
    cr_assert_eq(again[i], expected[i]);
    cr_assert_eq((double)rounded[i], (double)scale * expected[i], "the product is exact");
    cr_assert_eq(twice[i], rounded[i]);
  }
}

Test(eight_bits, rows_that_were_rounded_stay) {
  enum { N = 9, ROWS = 20000 };
  owned real *x = random_reals((size_t)N * ROWS, 1, 1);
  for (size_t r = 0; r < ROWS; r++) check_row(x + r * N, N);
  for (size_t i = 0; i < N; i++) x[i] = 0;
  check_row(x, N);
  const float sizes[] = {9e-31f, 1e-30f, 1.1e-30f, 1e-20f, 1, 3e38f};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    for (size_t i = 0; i < N; i++) x[i] = (real)(sizes[s] * ((float)i / (N - 1) - 0.5f) * 2);
    check_row(x, N);
  }
}

Test(eight_bits, rows_that_are_not_finite_stay_so) {
  real x[] = {1, 2, (real)INFINITY}, rounded[3];
  for (size_t i = 0; i < 2; i++, x[2] = (real)NAN) {
    cr_assert(isnan(eight_bits_scale(x, 3)));
    eight_bits_round(rounded, x, 3);
    for (size_t j = 0; j < 3; j++) cr_assert(isnan(rounded[j]));
  }
}

/* ---- every kernel ---- */

enum { ROW_GAP = 3 }; /* unused columns after each row of results */

/* Compute y = x Wᵀ [+ bias] and y += x Wᵀ for rows `first` to `first` + `out` - 1 of the map, n at
 * once and one by one. */
static void check_map(const struct quantized_kernel *kernel, const struct map *map, size_t first,
                      size_t out, bool add) {
  owned_by(eight_bits_free) struct eight_bits set;
  const struct float_matrix matrices[] = {{map->bias, 1, map->out},
                                          {map->weight, map->out, map->in}};
  cr_assert_eq(eight_bits_create(&set, matrices, 2, kernel, NULL), ELMAN_OK);
  const struct eight_bit_rows rows = eight_bits_find(&set, map->weight + first * map->in, out);
  cr_assert_eq(rows.matrix, &set.matrices[1]);
  cr_assert_eq(rows.first, first);
  const size_t n = map->n, ld = out + ROW_GAP;
  for (int biased = 0; biased < (add ? 1 : 2); biased++) {
    const real *bias = biased ? map->bias + first : NULL;
    for (size_t together = n; together > 0; together = together == 1 ? 0 : 1) {
      owned real *y = random_reals(n * ld, 1, 5), *expected = random_reals(n * ld, 1, 5);
      for (size_t r = 0; r < n; r += together)
        eight_bit_product((struct eight_bit_results){y + r * ld, ld, bias, add},
                          map->x + r * map->in, rows, together);
      for (size_t r = 0; r < n; r++)
        map_by_definition(expected + r * ld, map, r, first, out, biased, add);
      for (size_t i = 0; i < n * ld; i++)
        cr_assert(same(y[i], expected[i]),
                  "%s: %zu of %zu in %zu, %zu rows, element %zu: %g, not %g", set.kernel->name, out,
                  map->out, map->in, n, i, (double)y[i], (double)expected[i]);
    }
  }
}

static void check_random(size_t out, size_t in, size_t n, size_t first, size_t some) {
  owned real *weight = random_reals(out * in, 0.3, 1), *bias = random_reals(out, 1, 2);
  owned real *x = random_reals(n * in, 2, 3);
  const struct map map = map_define(
      (struct map){.weight = weight, .bias = bias, .x = x, .out = out, .in = in, .n = n});
  const struct quantized_kernel *kernel;
  for (size_t k = 0; (kernel = quantized_kernel_at(k)) != NULL; k++) {
    check_map(kernel, &map, first, some, false);
    check_map(kernel, &map, first, some, true);
  }
  map_free(&map);
}

Test(eight_bits, products_match_definition) {
  static const size_t outs[] = {1, 63, 64, 65, 130}, ins[] = {1, 3, 4, 5, 67, 270};
  static const size_t rows[] = {1, 2, 3, 5, 6, 7, 13};
  for (size_t o = 0; o < sizeof outs / sizeof *outs; o++)
    for (size_t i = 0; i < sizeof ins / sizeof *ins; i++)
      check_random(outs[o], ins[i], rows[(o + i) % 7], 0, outs[o]);
}

Test(eight_bits, parts_of_a_matrix_match) {
  check_random(200, 30, 4, 64, 64);
  check_random(200, 30, 7, 1, 198);
  check_random(200, 30, 1, 199, 1);
  check_random(200, 30, 2, 60, 8);
}

/* More levels than the product quantizes at once. */
Test(eight_bits, many_rows_and_columns_match) {
  check_random(70, 20, 150, 0, 70);
  check_random(66, 9000, 9, 0, 66);
}

Test(eight_bits, threads_do_not_change_products) {
  for (size_t threads = 2; threads <= 5; threads += 3) {
    use_threads(threads);
    check_random(1030, 600, 40, 5, 1020);
  }
  use_threads(1);
}

/* ---- extreme values ---- */

Test(eight_bits, extreme_values_match) {
  enum { OUT = 70, IN = 9, N = 7 };
  static const double sizes[] = {0, 1e-45, 1e-39, 1e-31, 1e-29, 1e-20, 1, 1e20, 3e37};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  for (size_t i = 0; i < SIZES * SIZES; i++) {
    owned real *weight = random_reals(OUT * IN, sizes[i % SIZES], 6);
    owned real *x = random_reals(N * IN, sizes[i / SIZES], 7), *bias = random_reals(OUT, 1, 8);
    const struct map map = map_define(
        (struct map){.weight = weight, .bias = bias, .x = x, .out = OUT, .in = IN, .n = N});
    const struct quantized_kernel *kernel;
    for (size_t k = 0; (kernel = quantized_kernel_at(k)) != NULL; k++)
      check_map(kernel, &map, 0, OUT, false);
    map_free(&map);
  }
}

/* All products have the largest size and the same sign, so that sums would saturate if anything
 * could. */
Test(eight_bits, largest_levels_do_not_saturate) {
  enum { OUT = 65, IN = QUANTIZED_MAX_COLUMNS };
  owned real *weight = reals((size_t)OUT * IN), *x = reals(2 * (size_t)IN), *bias = reals(OUT);
  for (size_t i = 0; i < (size_t)OUT * IN; i++) weight[i] = i / IN % 2 == 0 ? 1 : -1;
  for (size_t i = 0; i < 2 * (size_t)IN; i++) x[i] = i / IN == 0 ? 1 : -1;
  const struct map map = map_define(
      (struct map){.weight = weight, .bias = bias, .x = x, .out = OUT, .in = IN, .n = 2});
  const struct quantized_kernel *kernel;
  for (size_t k = 0; (kernel = quantized_kernel_at(k)) != NULL; k++)
    check_map(kernel, &map, 0, OUT, false);
  map_free(&map);
}

/* A value that is not finite affects its own row of features or weights, and no other. */
Test(eight_bits, values_that_are_not_finite_give_nan) {
  enum { OUT = 70, IN = 21, N = 3 };
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  for (size_t b = 0; b < 3; b++) {
    owned real *weight = random_reals(OUT * IN, 1, 9), *x = random_reals(N * IN, 1, 10),
               *y = reals(N * OUT);
    struct eight_bits set;
    const struct float_matrix matrix = {weight, OUT, IN};
    const struct quantized_kernel *kernel;
    weight[66 * IN + 20] = (real)bad[b];
    x[1 * IN] = (real)bad[b];
    for (size_t k = 0; (kernel = quantized_kernel_at(k)) != NULL; k++) {
      cr_assert_eq(eight_bits_create(&set, &matrix, 1, kernel, NULL), ELMAN_OK);
      const struct numerics numerics = {.eight_bits = &set};
      linear_forward(
          y, x, (struct linear){.weight = weight, .in = IN, .out = OUT, .numerics = &numerics}, N);
      for (size_t i = 0; i < N * OUT; i++)
        cr_assert_eq(isnan(y[i]), i % OUT == 66 || i / OUT == 1, "%s, element %zu", kernel->name,
                     i);
      eight_bits_free(&set);
    }
  }
}

/* ---- how close the results are to those of floats ---- */

/* A level is off by at most half a scale, so that each product is off by at most
 * (|w| s_x + |x| s_w) / 2 + s_x s_w / 4; floats round 4 more times. */
Test(eight_bits, error_is_that_of_rounding_to_levels) {
  enum { OUT = 100, IN = 300 };
  owned real *weight = random_reals(OUT * IN, 0.1, 11), *x = random_reals(IN, 1, 12),
             *y = reals(OUT);
  owned_by(eight_bits_free) struct eight_bits set;
  const struct float_matrix matrix = {weight, OUT, IN};
  int levels[IN];
  const double scale = (double)levels_by_definition(levels, x, IN);
  cr_assert_eq(eight_bits_create(&set, &matrix, 1, NULL, NULL), ELMAN_OK);
  const struct numerics numerics = {.eight_bits = &set};
  linear_forward(y, x,
                 (struct linear){.weight = weight, .in = IN, .out = OUT, .numerics = &numerics}, 1);
  for (size_t o = 0; o < OUT; o++) {
    const real *w = weight + o * IN;
    const double weight_scale = (double)levels_by_definition(levels, w, IN);
    double exact = 0, bound = 0, size = 0;
    for (size_t i = 0; i < IN; i++) {
      exact += (double)w[i] * (double)x[i];
      size += fabs((double)w[i] * (double)x[i]);
      bound += fabs((double)w[i]) * scale / 2 + fabs((double)x[i]) * weight_scale / 2 +
               scale * weight_scale / 4;
    }
    cr_assert_leq(fabs((double)y[o] - exact), bound + 8 * (double)FLT_EPSILON * (size + bound));
  }
}

Test(eight_bits, too_many_columns_are_refused) {
  owned_by(eight_bits_free) struct eight_bits set;
  const struct float_matrix matrix = {NULL, 1, QUANTIZED_MAX_COLUMNS + 1};
  fails(eight_bits_create(&set, &matrix, 1, NULL, &why), ELMAN_INVALID_ARGUMENT, "use float32");
}
