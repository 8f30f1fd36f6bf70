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
