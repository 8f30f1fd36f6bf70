/* Translation with an ensemble of models through the public API. */

#include "small_translator.h"

TestSuite(api_ensemble, .init = set_up, .fini = tear_down);

Test(api_ensemble, ensemble_members_need_equal_vocabularies) {
  elman_model_options few = elman_model_options_default();
  elman_evaluate_options evaluation = elman_evaluate_options_default();
  elman_translate_options options = elman_translate_options_default();
  owned_pairs *pairs = toy();
  owned_model *other;
  elman_scores scores;
  few.max_vocabulary = 5;
  cr_assert_eq(elman_model_create(&other, pairs, &few, NULL, NULL), ELMAN_OK);
  const elman_model *const ensemble[] = {model, other};
  options.ensemble = ensemble;
  options.ensemble_count = 1;
  elman_translation_free(translate(translator, "我", &options));
  options.ensemble_count = 2;
  check_refused(&options, "model 3 of the ensemble differs from the first model: source "
                          "vocabulary size: expected 19, got 6");
  evaluation.translate = options;
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &evaluation, &why), ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(elman_ensemble_check(model, model, &why), ELMAN_OK);
  cr_assert_eq(elman_ensemble_check(model, other, &why), ELMAN_INVALID_ARGUMENT);
}

/* Memory kept between calls has the members' sizes. The members change from call to call, while the
 * first model, the beam size and the sentence stay. */
Test(api_ensemble, member_sizes_may_change_between_calls) {
  static const size_t sizes[] = {8, 64, 16, 64, 8, 32}, heads[] = {1, 1, 8, 4, 8, 16};
  enum { CALLS = sizeof sizes / sizeof *sizes };
  owned_pairs *pairs = toy();
  elman_model *others[CALLS];
  elman_translate_options options = elman_translate_options_default();
  for (size_t i = 0; i < CALLS; i++) {
    elman_model_options shape = elman_model_options_default();
    shape.hidden_size = sizes[i];
    shape.decoder_self_attention = heads[i];
    others[i] = create(pairs, &shape);
  }
  for (options.beam = 1; options.beam <= 4; options.beam += 3) {
    for (size_t i = 0; i < CALLS; i++) {
      const elman_model *const ensemble[] = {others[i], others[0]};
      owned_translator *fresh = translator_of(model);
      options.ensemble = ensemble;
      options.ensemble_count = 1 + i % 2;
      owned_translation *expected = translate(fresh, "我 爱 学习", &options);
      owned_translation *found = translate(translator, "我 爱 学习", &options);
      same_translation(expected, found);
    }
  }
  for (size_t i = 0; i < CALLS; i++) elman_model_free(others[i]);
}
