/* Test: threads. */
/* Greedy search on a model with known choices: all weights are 0, so only the bias of the output
 * layer decides. */
#include "check.h"
#include "config_of.h"
#include "lettered_model.h"
#include "owned_values.h"

#include <string.h>

#include "model/ensemble.h"
#include "translate/translator.h"

enum { UNKNOWN, START, END, A, B, WORDS };

static struct model *make_model(const double bias[WORDS]) {
  struct vocabulary_pair vocabularies = {.source_mode = ELMAN_TOKENS_SPACE,
                                         .target_mode = ELMAN_TOKENS_SPACE,
                                         .source = lettered_vocabulary(ELMAN_SOURCE, WORDS - A),
                                         .target = lettered_vocabulary(ELMAN_TARGET, WORDS - A)};
  const struct model_config config = config_of(0, 0, 2, 3);
  struct model *model;
  blas_set_up();
  cr_assert_eq(model_create(&model, vocabularies, config, NULL), ELMAN_OK);
  for (size_t i = 0; i < WORDS; i++) model->weights.decoder.out_bias[i] = (real)bias[i];
  return model;
}

static double log_probability(const double bias[WORDS], size_t id) {
  double sum = 0;
  for (size_t i = 0; i < WORDS; i++) sum += exp(bias[i]);
  return bias[id] - log(sum);
}

/* `expected` contains `count` ids. */
static void check(const double bias[WORDS], const char *source, const char *reference, size_t limit,
                  const uint32_t *expected, size_t count) {
  owned_model *model = make_model(bias);
  owned_by(translator_free) struct translator translator;
  translator_create(&translator, model, NULL);
  const elman_sentence sentence = {.text = source,
                                   .length = strlen(source),
                                   .reference = reference,
                                   .reference_length = reference == NULL ? 0 : strlen(reference)};
  elman_translate_options options = elman_translate_options_default();
  elman_translation *found;
  options.max_length = limit;
  cr_assert_eq(translator_run(&translator, &(const elman_sentence *){&sentence}, 1, &options, NULL),
               ELMAN_OK);
  cr_assert_eq(translation_create(&found, &translator, 0, NULL), ELMAN_OK);
  cr_assert_null(found->next);
  const size_t S = found->source_count;
  double sum = 0;
  cr_assert_eq(found->target_count, count);
  for (size_t t = 0; t < count; t++) {
    cr_assert_eq(found->target_ids[t], expected[t]);
    cr_assert_float_eq(found->log_probabilities[t], log_probability(bias, expected[t]), 1e-5);
    sum += log_probability(bias, expected[t]);
    /* All source states are equal. */
    for (size_t s = 0; s < S; s++)
      cr_assert_float_eq((double)found->attention[t * S + s], 1.0 / (double)S, 1e-6);
  }
  cr_assert_float_eq(found->log_probability, sum, 1e-5);
  elman_translation_free(found);
}

Test(search, ties_take_the_first_token) {
  const uint32_t words[] = {A, A};
  check((const double[WORDS]){0, 0, 1, 2, 2}, "a", NULL, 2, words, 2);
}

Test(search, default_limit_grows_with_the_sentence) {
  uint32_t words[16];
  for (size_t i = 0; i < 16; i++) words[i] = A;
  check((const double[WORDS]){0, 0, 0, 3, 2}, "a", NULL, 0, words, 12);
  check((const double[WORDS]){0, 0, 0, 3, 2}, "a b c", NULL, 0, words, 16);
}

/* A word spelled like a special token is an unknown word. */
Test(search, forced_target_is_returned) {
  const uint32_t words[] = {B, UNKNOWN, UNKNOWN, A, END};
  check((const double[WORDS]){0, 9, 1, 3, 2}, "a b", "b zebra </s> a", 1, words, 5);
}

/* All attention weights are equal, so the first source word replaces an unknown one. */
Test(search, equal_weights_replace_unknown_by_first_word) {
  owned_model *model = make_model((const double[WORDS]){3, 0, 0, 1, 2});
  owned_by(translator_free) struct translator translator;
  translator_create(&translator, model, NULL);
  const elman_sentence sentence = {.text = "b a zebra", .length = 9};
  elman_translate_options options = elman_translate_options_default();
  struct text text;
  options.max_length = 2;
  options.replace_unknown = true;
  cr_assert_eq(translator_run(&translator, &(const elman_sentence *){&sentence}, 1, &options, NULL),
               ELMAN_OK);
  cr_assert_eq(translator_text(&text, &translator, 0, NULL), ELMAN_OK);
  cr_assert(text_equal(text, text_of("b b")), "%s", text.bytes);
}

/* The weight of a word is the sum over its tokens: with equal weights, the longest word is copied.
 */
Test(search, weights_of_a_word_are_added) {
  owned_model *model = make_model((const double[WORDS]){3, 0, 0, 1, 2});
  owned_by(translator_free) struct translator translator;
  model->config.source_tokens = ELMAN_TOKENS_CHARS;
  translator_create(&translator, model, NULL);
  const elman_sentence sentence = {.text = "b zebra a", .length = 9};
  elman_translate_options options = elman_translate_options_default();
  struct text text;
  options.max_length = 2;
  options.replace_unknown = true;
  succeeds(translator_run(&translator, &(const elman_sentence *){&sentence}, 1, &options, &why));
  succeeds(translator_text(&text, &translator, 0, &why));
  cr_assert(text_equal(text, text_of("zebra zebra")), "%s", text.bytes);
}

/* All searches use the same screen and the same weights in eight bits, until the weights change. */
Test(search, derived_values_are_shared) {
  owned_model *model = make_model((const double[WORDS]){3, 0, 0, 1, 2});
  elman_translate_options options = elman_translate_options_default(), rounded = options;
  const struct screen *screen, *again;
  owned_by(model_views_free) struct model_views views = {0}, others = {0};
  const elman_model *const ensemble[] = {(const elman_model *)model};
  rounded.precision = ELMAN_PRECISION_INT8;
  rounded.ensemble = ensemble;
  rounded.ensemble_count = 1;
  for (size_t i = 0; i < 2; i++) {
    cr_assert_eq(model_screen(&screen, model, &options, NULL), ELMAN_OK);
    cr_assert_eq(model_screen(&again, model, &options, NULL), ELMAN_OK);
    cr_assert(screen != NULL && screen == again);
    cr_assert_eq((real)screen->biases[B], model->weights.decoder.out_bias[B]);
    cr_assert_eq(model_views_set(&views, model, &rounded, NULL), ELMAN_OK);
    rounded.ensemble = ensemble;
    cr_assert_eq(model_views_set(&others, model, &rounded, NULL), ELMAN_OK);
    cr_assert_eq(views.first, others.first);
    cr_assert_eq(views.first, inner_model_const(rounded.ensemble[0]));
    cr_assert_neq(views.first, model);
    rounded.ensemble = ensemble;
    model->weights.decoder.out_bias[B] += 1;
    model->changes++;
  }
  cr_assert_eq(model_views_set(&views, model, &options, NULL), ELMAN_OK);
  cr_assert_eq(views.first, model);
  rounded.ensemble_count = 0;
  cr_assert_eq(model_views_set(&views, model, &rounded, NULL), ELMAN_OK);
  cr_assert_eq(model_screen(&screen, views.first, &options, NULL), ELMAN_OK);
  cr_assert_null(screen, "a search with weights in eight bits has a screen");
  options.sample = true;
  cr_assert_eq(model_screen(&screen, model, &options, NULL), ELMAN_OK);
  cr_assert_null(screen, "a screen does not sample");
}
