/* Overrides of attention weights through the public API. */

#include "small_translator.h"

TestSuite(api_override, .init = set_up, .fini = tear_down);

/* Under forced decoding the decoder states do not change, so only the overridden row changes. */
Test(api_override, cell_override_changes_only_its_row) {
  elman_translate_options options = elman_translate_options_default();
  owned_translation *plain = force(translator, "我 爱 喝 茶", "I love drinking tea", NULL);
  const size_t S = plain->source_count, T = plain->target_count;
  for (size_t row = 0; row < T; row++) {
    const elman_override cell = {ELMAN_OVERRIDE_CELL, row, 1, 0.875};
    options.overrides = &cell;
    options.override_count = 1;
    owned_translation *changed = force(translator, "我 爱 喝 茶", "I love drinking tea", &options);
    for (size_t t = 0; t < T; t++) {
      const float *before = plain->attention + t * S, *now = changed->attention + t * S;
      for (size_t s = 0; s < S; s++) {
        if (t != row)
          cr_assert_float_eq(now[s], before[s], 1e-6, "row %zu changed row %zu", row, t);
        else if (s == 1)
          cr_assert_float_eq(now[s], 0.875F, 1e-6F);
        else
          cr_assert_float_eq(now[s], 0.125F * before[s] / (1 - before[1]), 1e-5);
      }
    }
  }
}

/* Each target word draws another permutation, so equal rows are shuffled differently. */
Test(api_override, each_row_is_shuffled_differently) {
  elman_translate_options options = elman_translate_options_default();
  static const char reference[] = "I I I I I I I I";
  owned_translation *plain = force(translator, "我 爱 喝 茶 学习", reference, NULL);
  options.overrides = &(elman_override){.kind = ELMAN_OVERRIDE_SHUFFLE};
  options.override_count = 1;
  owned_translation *shuffled = force(translator, "我 爱 喝 茶 学习", reference, &options);
  const size_t S = plain->source_count, T = plain->target_count;
  size_t first_place[8] = {0}, places = 0; /* where the first weight of each row went */
  for (size_t t = 0; t < T; t++) {
    for (size_t s = 0; s < S; s++)
      if (shuffled->attention[t * S + s] == plain->attention[t * S]) first_place[s]++;
  }
  for (size_t s = 0; s < S; s++) places += first_place[s] > 0;
  cr_assert_gt(places, 1);
}

/* A cell must lie inside one matrix: another translation may have the row, and another the column.
 */
Test(api_override, cell_outside_every_matrix_is_reported) {
  const elman_override cells[] = {{.kind = ELMAN_OVERRIDE_UNIFORM, .row = 99},
                                  {ELMAN_OVERRIDE_CELL, 2, 1, 0.5},
                                  {ELMAN_OVERRIDE_CELL, 2, 3, 0.5}};
  elman_translate_options options = elman_translate_options_default();
  elman_translation narrow = {.target_count = 3, .source_count = 2};
  const elman_translation wide = {.target_count = 2, .source_count = 4};
  elman_override_reach reach = {0};
  elman_error error;
  options.overrides = cells;
  options.override_count = 3;
  cr_assert_eq(elman_override_reach_check(&reach, &options, NULL), ELMAN_OK);
  narrow.next = &wide;
  elman_override_reach_add(&reach, &options, &narrow);
  cr_assert_eq(elman_override_reach_check(&reach, &options, &error), ELMAN_INVALID_ARGUMENT);
  cr_assert_str_eq(error.message,
                   "no matrix has target token 3 and source token 4: there are at most 3 target "
                   "tokens, </s> included, and 4 source tokens");
  options.override_count = 2;
  cr_assert_eq(elman_override_reach_check(&reach, &options, NULL), ELMAN_OK);
}
