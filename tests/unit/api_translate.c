/* Test: threads. */
/* Search through the public API: its options and limits. */
#include "small_translator.h"

TestSuite(api_translate, .init = set_up, .fini = tear_down);

Test(api_translate, n_best) {
  elman_translate_options options = elman_translate_options_default();
  cr_assert_eq(options.beam, 1);
  cr_assert_eq(options.n_best, 1);
  options.beam = 6;
  options.n_best = 4;
  elman_translation *best = translate(translator, "我 爱 学习", &options);
  cr_assert_eq(list_length(best), 4);
  for (const elman_translation *one = best; one != NULL; one = one->next)
    cr_assert_eq(one->source_count, 3);
  elman_translation_free(best);
  best = translate(translator, " ", &options);
  cr_assert_eq(list_length(best), 1);
  cr_assert_str_eq(best->text, "");
  elman_translation_free(best);
}

Test(api_translate, too_long_text_is_rejected) {
  static const elman_sentence both[] = {{.text = "我 爱 学习", .length = 14},
                                        {.text = "我 爱", .length = 7}};
  elman_translate_options options = elman_translate_options_default();
  elman_translation *found[2];
  elman_error errors[2], error;
  cr_assert_eq(options.max_bytes, ELMAN_DEFAULT_MAX_BYTES);
  options.max_bytes = 14;
  cr_assert_eq(elman_translate_batch(found, errors, translator, both, 2, &options, NULL), ELMAN_OK);
  elman_translation_free(found[0]);
  elman_translation_free(found[1]);
  options.max_bytes = 13;
  cr_assert_eq(elman_translate_batch(found, errors, translator, both, 2, &options, NULL),
               ELMAN_BAD_DATA);
  cr_assert_null(found[0]);
  cr_assert_eq(errors[0].code, ELMAN_BAD_DATA);
  cr_assert_not_null(strstr(errors[0].message, "13 bytes"));
  cr_assert_not_null(found[1]);
  elman_translation_free(found[1]);
  cr_assert_eq(elman_translate(found, translator, both[0].text, 14, &options, &error),
               ELMAN_BAD_DATA);
  options.max_bytes = 0;
  cr_assert_eq(elman_translate(found, translator, both[0].text, 14, &options, &error), ELMAN_OK);
  elman_translation_free(found[0]);

  /* The default limit applies too, and longer text is not read. */
  cr_assert_eq(
      elman_translate(found, translator, both[0].text, ELMAN_DEFAULT_MAX_BYTES + 1, NULL, NULL),
      ELMAN_BAD_DATA);
}

Test(api_translate, translation_length_limits_hold) {
  elman_translate_options options = elman_translate_options_default();
  options.beam = options.n_best = 3;
  static const struct {
    size_t max_length;
    double max_ratio;
    size_t most;
  } cases[] = {{0, 0, 16}, {5, 0, 5}, {0, 1.1, 4}, {2, 1.1, 2}, {9, 1.1, 4}, {0, 1e-9, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    options.max_length = cases[i].max_length;
    options.max_ratio = cases[i].max_ratio;
    owned_translation *best = translate(translator, "我 爱 学习", &options);
    for (const elman_translation *one = best; one != NULL; one = one->next)
      cr_assert_leq(one->target_count, cases[i].most);
  }
}

Test(api_translate, invalid_options_are_rejected) {
  elman_translate_options options = elman_translate_options_default();
  options.beam = 0;
  check_refused(&options, "beam must be a whole number from 1 to 1024, not 0");
  options.beam = 2;
  options.n_best = 3;
  check_refused(&options, "n_best 3 needs beam 3 or more");
  options.n_best = 2;
  options.ensemble_count = ELMAN_MAX_ENSEMBLE + 1;
  check_refused(&options, "at most 64 models");
  options.ensemble_count = 0;
  elman_translation_free(translate(translator, "我", &options));
  options = elman_translate_options_default();
  options.self_attention = true;
  options.overrides = &(elman_override){.kind = ELMAN_OVERRIDE_UNIFORM};
  options.override_count = 1;
  check_refused(&options, "self_attention cannot be combined with overrides");
}
