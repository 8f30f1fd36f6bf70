/* Attention weights that are overridden during decoding. */
#include "check.h"

#include <string.h>

#include "attention/attention.h"
#include "attention/mask.h"

enum { S = 6 };

static const struct visible some = {1, 5}; /* the first and the last key are masked */
static const real start[S] = {0, (real)0.1, (real)0.2, (real)0.3, (real)0.4, 0};

static void apply(real row[S], const elman_override *list, size_t count, uint64_t seed, size_t t) {
  const elman_translate_options options = {
      .overrides = list, .override_count = count, .seed = seed};
  const struct attention_overrides overrides = {&options, 10};
  override_apply(row, some, &overrides, t);
}

static void expect(const real row[S], double a, double b, double c, double d) {
  const double expected[S] = {0, a, b, c, d, 0};
  for (size_t i = 0; i < S; i++) cr_assert_float_eq((double)row[i], expected[i], 1e-6, "%zu", i);
}

Test(override, uniform_weights_visible_keys_equally) {
  real row[S];
  memcpy(row, start, sizeof row);
  apply(row, &(elman_override){.kind = ELMAN_OVERRIDE_UNIFORM}, 1, 1, 0);
  expect(row, 0.25, 0.25, 0.25, 0.25);
}

Test(override, position_gets_all_the_weight) {
  real row[S];
  memcpy(row, start, sizeof row);
  apply(row, &(elman_override){.kind = ELMAN_OVERRIDE_POSITION, .column = 2}, 1, 1, 0);
  expect(row, 0, 1, 0, 0);
  apply(row, &(elman_override){.kind = ELMAN_OVERRIDE_POSITION, .column = 0}, 1, 1, 0);
  expect(row, 1, 0, 0, 0);
  apply(row, &(elman_override){.kind = ELMAN_OVERRIDE_POSITION, .column = 99}, 1, 1, 0);
  expect(row, 0, 0, 0, 1);
}

Test(override, cell_override_rescales_its_row) {
  const elman_override set = {.kind = ELMAN_OVERRIDE_CELL, .row = 12, .column = 1, .weight = 0.55};
  real row[S];
  memcpy(row, start, sizeof row);
  apply(row, &set, 1, 1, 1); /* query 11 */
  expect(row, 0.1, 0.2, 0.3, 0.4);
  apply(row, &set, 1, 1, 2); /* query 12: the other weights keep their proportions */
  expect(row, 0.55, 0.1, 0.15, 0.2);
  const elman_override all = {.kind = ELMAN_OVERRIDE_CELL, .row = 12, .column = 1, .weight = 1};
  apply(row, &all, 1, 1, 2);
  expect(row, 1, 0, 0, 0);
  apply(row, &set, 1, 1, 2); /* the other weights were 0, so they become equal */
  expect(row, 0.55, 0.15, 0.15, 0.15);
}

Test(override, several_cells_apply_in_order) {
  const elman_override list[] = {
      {.kind = ELMAN_OVERRIDE_UNIFORM},
      {.kind = ELMAN_OVERRIDE_CELL, .row = 10, .column = 3, .weight = 0.7}};
  real row[S];
  memcpy(row, start, sizeof row);
  apply(row, list, 2, 1, 0);
  expect(row, 0.1, 0.1, 0.7, 0.1);
}

static int compare(const void *a, const void *b) {
  const real x = *(const real *)a, y = *(const real *)b;
  return (x > y) - (x < y);
}

Test(override, shuffle_permutes_and_is_repeatable) {
  const elman_override list = {.kind = ELMAN_OVERRIDE_SHUFFLE};
  size_t moved = 0, differ = 0;
  for (size_t t = 0; t < 20; t++) {
    real row[S], again[S], other[S];
    memcpy(row, start, sizeof row);
    memcpy(again, start, sizeof row);
    memcpy(other, start, sizeof row);
    apply(row, &list, 1, 1, t);
    apply(again, &list, 1, 1, t);
    apply(other, &list, 1, 2, t);
    cr_assert_arr_eq(row, again, sizeof row);
    moved += memcmp(row, start, sizeof row) != 0;
    differ += memcmp(row, other, sizeof row) != 0;
    qsort(row, S, sizeof *row, compare);
    for (size_t i = 0; i < 4; i++) cr_assert_eq(row[2 + i], start[1 + i]);
  }
  cr_assert(moved > 15 && differ > 15);
}

Test(override, single_key_gets_all_the_weight) {
  const elman_override list[] = {
      {.kind = ELMAN_OVERRIDE_UNIFORM},
      {.kind = ELMAN_OVERRIDE_SHUFFLE},
      {.kind = ELMAN_OVERRIDE_POSITION, .column = 3},
      {.kind = ELMAN_OVERRIDE_CELL, .row = 10, .column = 0, .weight = 0.2}};
  const elman_translate_options options = {.overrides = list, .override_count = 4, .seed = 1};
  const struct attention_overrides overrides = {&options, 10};
  real row = 1;
  override_apply(&row, (struct visible){0, 1}, &overrides, 0);
  cr_assert_eq(row, 1);
}

/* ---- in a batch ---- */

/* Sentences of different lengths: padding gets no weight, and each row still sums to 1. */
Test(override, padding_gets_no_weight) {
  enum { QUERIES = 3, KEYS = 5, BATCH = 3, SIZE = 4 };
  const size_t queries[BATCH] = {3, 2, 3}, keys[BATCH] = {5, 2, 1};
  const elman_override overrides[] = {
      {.kind = ELMAN_OVERRIDE_UNIFORM},
      {.kind = ELMAN_OVERRIDE_SHUFFLE},
      {.kind = ELMAN_OVERRIDE_POSITION, .column = 4},
      {.kind = ELMAN_OVERRIDE_CELL, .row = 1, .column = 4, .weight = 0.25},
  };
  const struct attention_shape shape = {.queries = QUERIES,
                                        .keys = KEYS,
                                        .batch = BATCH,
                                        .query_lengths = queries,
                                        .key_lengths = keys};
  const struct attention_parameters none = {.numerics = FAST};
  owned real *q = random_reals(QUERIES * BATCH * SIZE, 1, 1),
             *k = random_reals(KEYS * BATCH * SIZE, 1, 2);
  real context[QUERIES * BATCH * SIZE], weights[QUERIES * BATCH * KEYS];
  const struct attention_arrays cache = {.context = context, .weights = weights};
  for (size_t i = 0; i < sizeof overrides / sizeof *overrides; i++) {
    const elman_translate_options options = {
        .overrides = &overrides[i], .override_count = 1, .seed = 1};
    const struct attention_overrides list = {&options, 0};
    const struct attention_layer layer = {
        .config = {.kind = ATTENTION_DOT, .size = SIZE, .heads = 1},
        .weights = &none,
        .overrides = &list};
    const struct attention_pass pass = {layer, shape, cache, q, k, k};
    attention_forward(&pass, (struct range){0, QUERIES});
    for (size_t t = 0; t < QUERIES; t++) {
      for (size_t b = 0; b < BATCH; b++) {
        const real *row = weights + (t * BATCH + b) * KEYS;
        double sum = 0;
        for (size_t s = 0; s < KEYS; s++) {
          sum += (double)row[s];
          if (s >= keys[b] || t >= queries[b])
            cr_assert_eq(row[s], 0);
          else if (overrides[i].kind == ELMAN_OVERRIDE_UNIFORM)
            cr_assert_float_eq((double)row[s], 1 / (double)keys[b], CLOSE);
        }
        cr_assert_float_eq(sum, t < queries[b] ? 1 : 0, CLOSE);
      }
    }
  }
}

/* Rounding may make the sum of a row larger than 1; the sentinel's weight must not become
 * negative. */
Test(override, sentinel_weight_is_not_negative) {
  const real above[] = {(real)0.75, (real)0.25, 4 * (real)FLT_EPSILON}, below[] = {(real)0.75, 0};
  cr_assert_eq(mask_rest(above, 3), 0);
  cr_assert_eq(mask_rest(below, 2), (real)0.25);
}

/* ---- segments ---- */

Test(override, sums_of_segments) {
  const float weights[] = {0.5f, 0.25f, 0.125f, 0.0625f, 0.0625f};
  float sums[5];
  size_t ends[3];
  cr_assert_eq(attention_segments(NULL, 4, 2), 2);
  cr_assert_eq(attention_segments(NULL, 5, 9), 1);
  cr_assert_eq(attention_segments(NULL, 0, 2), 0);
  cr_assert_eq(attention_segments(NULL, 5, 0), 0);
  cr_assert_eq(attention_segments(ends, 5, 2), 3);
  cr_assert_eq(ends[0], 2);
  cr_assert_eq(ends[1], 4);
  cr_assert_eq(ends[2], 5);
  attention_sum_segments(sums, weights, ends, 3);
  cr_assert_eq(sums[0], 0.75f);
  cr_assert_eq(sums[1], 0.1875f);
  cr_assert_eq(sums[2], 0.0625f);
}
