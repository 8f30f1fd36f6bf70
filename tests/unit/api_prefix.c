/* Translations that continue a prefix, through the public API. */
#include <math.h>

#include "small_translator.h"

TestSuite(api_prefix, .init = set_up, .fini = tear_down);

/* Return all translations of a sentence that begin with the first `count` tokens of `of`. */
static elman_translation *continuations_of(const elman_translation *of, size_t count,
                                           const elman_translate_options *options) {
  const elman_sentence sentence = {.text = of->source,
                                   .length = strlen(of->source),
                                   .prefix = of->target_ids,
                                   .prefix_count = count};
  elman_translation *found;
  succeeds(elman_translate_batch(&found, NULL, translator, &sentence, 1, options, &why));
  for (size_t t = 0; t < count; t++) cr_assert_eq(found->target_ids[t], of->target_ids[t]);
  return found;
}

Test(api_prefix, greedy_search_continues_its_own_prefix) {
  owned_translation *whole = translate(translator, "我 爱 学习", NULL);
  cr_assert_geq(whole->target_count, 3);
  for (size_t count = 1; count < whole->target_count; count++) {
    owned_translation *found = continuations_of(whole, count, NULL);
    cr_assert_str_eq(found->text, whole->text);
    cr_assert_eq(found->target_count, whole->target_count);
    for (size_t t = 0; t < whole->target_count; t++)
      cr_assert_float_eq(found->log_probabilities[t], whole->log_probabilities[t], 1e-4);
  }
}

/* With one more token and a beam wide enough, the search returns every possible next token. */
static void check_alternatives(elman_translate_options options) {
  owned_translation *whole = translate(translator, "我 爱 学习", &options);
  const size_t V = elman_model_get_info(model).target_vocabulary;
  options.beam = options.n_best = V;
  options.equal_texts = true;
  options.max_length = 1;
  for (size_t t = 0; t < 3; t++) {
    owned_translation *found = continuations_of(whole, t, &options);
    double sum = 0, last = 0;
    bool likeliest = true;
    cr_assert_eq(list_length(found), V - 1, "all but <s>");
    for (const elman_translation *one = found; one != NULL; one = one->next) {
      cr_assert_eq(one->target_count, t + 1);
      cr_assert_leq(one->log_probabilities[t], last);
      if (likeliest) cr_assert_eq(one->target_ids[t], whole->target_ids[t]);
      if (likeliest)
        cr_assert_float_eq(one->log_probabilities[t], whole->log_probabilities[t], 1e-4);
      likeliest = false;
      last = one->log_probabilities[t];
      sum += exp(last);
    }
    cr_assert_leq(sum, 1 + (double)V * 1e-6);
    cr_assert_geq(sum, 0.5, "an untrained model does not expect <s> alone");
  }
}

/* The check is repeated with overridden attention at that step and in an ensemble. */
Test(api_prefix, search_returns_alternatives_of_a_token) {
  const elman_override overrides[] = {
      {.kind = ELMAN_OVERRIDE_CELL, .row = 1, .column = 2, .weight = 1},
      {.kind = ELMAN_OVERRIDE_SHUFFLE}};
  const elman_model *const ensemble[] = {model};
  elman_translate_options options = elman_translate_options_default();
  check_alternatives(options);
  options.overrides = overrides;
  options.override_count = 2;
  check_alternatives(options);
  options.ensemble = ensemble;
  options.ensemble_count = 1;
  check_alternatives(options);
}

Test(api_prefix, batch_may_mix_prefixes_and_none) {
  elman_translate_options options = elman_translate_options_default();
  const uint32_t prefix[] = {5, 0, 7};
  const elman_sentence sentences[] = {
      {.text = "我 爱 学习", .length = strlen("我 爱 学习")},
      {.text = "我 爱 学习", .length = strlen("我 爱 学习"), .prefix = prefix, .prefix_count = 3}};
  elman_translation *found[2];
  for (options.beam = 1; options.beam <= 4; options.beam += 3) {
    succeeds(elman_translate_batch(found, NULL, translator, sentences, 2, &options, &why));
    owned_translation *alone = translate(translator, sentences[0].text, &options);
    cr_assert_str_eq(found[0]->text, alone->text);
    cr_assert_arr_eq(found[1]->target_ids, prefix, sizeof prefix);
    cr_assert_gt(found[1]->target_count, 3);
    elman_translation_free(found[0]);
    elman_translation_free(found[1]);
  }
}

Test(api_prefix, invalid_prefixes_are_rejected) {
  const uint32_t V = (uint32_t)elman_model_get_info(model).target_vocabulary;
  for (uint32_t id = 0; id <= V; id++) {
    const bool special =
        id == 1 || id == 2 || id == V; /* <s>, </s>, and the first id outside the vocabulary */
    const elman_sentence sentence = {
        .text = "我", .length = strlen("我"), .prefix = &id, .prefix_count = 1};
    owned_translation *found;
    cr_assert_eq(elman_translate_batch(&found, NULL, translator, &sentence, 1, NULL, &why),
                 special ? ELMAN_INVALID_ARGUMENT : ELMAN_OK);
    if (special) cr_assert_not_null(strstr(why.message, "token 1 of the prefix"));
  }
  const uint32_t id = 5;
  const elman_sentence both = {.text = "我",
                               .length = strlen("我"),
                               .reference = "I",
                               .reference_length = 1,
                               .prefix = &id,
                               .prefix_count = 1};
  elman_translation *found;
  cr_assert_eq(elman_translate_batch(&found, NULL, translator, &both, 1, NULL, NULL),
               ELMAN_INVALID_ARGUMENT);
}
