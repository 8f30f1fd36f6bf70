/* Test: threads. */
/* Translation in eight bits through the public API: its scores are those of one model, the rounded
 * one, in every kind of search. */
#include <math.h>
#include <pthread.h>

#include "small_translator.h"

TestSuite(api_precision, .init = set_up_in_folder, .fini = tear_down_in_folder);

static const char *const texts[] = {"我 爱 学习", "她 喜欢 苹果", "我", "他 去 学校 我 爱 学习 她"};
enum { TEXTS = sizeof texts / sizeof *texts };

static elman_translate_options in_eight_bits(void) {
  elman_translate_options options = elman_translate_options_default();
  options.precision = ELMAN_PRECISION_INT8;
  options.max_length = 12;
  return options;
}

/* The rounded model is another model, but it computes nearly the same; and the floats are used
 * again afterwards. */
Test(api_precision, scores_are_those_of_the_rounded_model) {
  elman_translate_options options = in_eight_bits();
  for (size_t i = 0; i < TEXTS; i++) {
    elman_translation_free(translate(translator, texts[i], &options));
    options.precision = ELMAN_PRECISION_FLOAT32;
    owned_translation *exact = force(translator, texts[i], "i love apples", &options);
    owned_translation *fresh = force(translator, texts[i], "i love apples", &options);
    options.precision = ELMAN_PRECISION_INT8;
    owned_translation *forced = force(translator, texts[i], "i love apples", &options);
    cr_assert_eq(exact->log_probability, fresh->log_probability);
    cr_assert_neq(exact->log_probability, forced->log_probability);
    cr_assert_lt(fabs(exact->log_probability - forced->log_probability), 0.1);
  }
}

/* A search in floats before does not matter. */
Test(api_precision, each_call_uses_its_precision) {
  elman_translate_options floats = elman_translate_options_default();
  const elman_translate_options options = in_eight_bits();
  floats.max_length = options.max_length;
  for (size_t i = 0; i < TEXTS; i++) {
    owned_translator *fresh = translator_of(model);
    owned_translation *expected = translate(fresh, texts[i], &options);
    owned_translation *exact = translate(translator, texts[i], &floats);
    owned_translation *found = translate(translator, texts[i], &options);
    owned_translation *again = translate(translator, texts[i], &floats);
    cr_assert_eq(found->log_probability, expected->log_probability);
    cr_assert_neq(found->log_probability, exact->log_probability);
    cr_assert_eq(again->log_probability, exact->log_probability);
  }
}

/* Forced decoding of a translation gives the probability that the search gave. Only the sums of
 * probabilities are rounded differently. Return whether the translation can be forced: whether it
 * ends, and has only words that its text gives back. */
static bool check_forced(const elman_translation *found, const char *text,
                         const elman_translate_options *options) {
  const double close = 1e-5 * (double)found->target_count;
  if (!found->ended || found->text[0] == '\0' || strstr(found->text, "<") != NULL) return false;
  owned_translation *forced = force(translator, text, found->text, options);
  const bool same = forced->target_count == found->target_count;
  if (same)
    cr_assert_float_eq(forced->log_probability, found->log_probability, close, "%s", found->text);
  return same;
}

Test(api_precision, search_and_forced_decoding_agree) {
  size_t ended = 0;
  owned_pairs *pairs = toy();
  elman_train_options training = elman_train_options_default();
  training.epochs = 15; /* enough for translations that end */
  training.learning_rate = 0.01;
  cr_assert_eq(elman_train(model, pairs, &training, NULL), ELMAN_OK);
  for (size_t beam = 1; beam <= 5; beam += 2) {
    elman_translate_options options = in_eight_bits();
    options.beam = options.n_best = beam;
    for (size_t i = 0; i < TEXTS; i++) {
      owned_translation *found = translate(translator, texts[i], &options);
      for (const elman_translation *one = found; one != NULL; one = one->next) {
        options.n_best = options.beam = 1;
        ended += check_forced(one, texts[i], &options);
      }
      options.beam = options.n_best = beam;
    }
  }
  cr_assert_gt(ended, 0);
}

static void same_list(const elman_translation *a, const elman_translation *b) {
  for (; a != NULL && b != NULL; a = a->next, b = b->next) {
    same_translation(a, b);
    cr_assert_eq(a->log_probability, b->log_probability);
    cr_assert_eq(a->score, b->score);
  }
  cr_assert(a == NULL && b == NULL);
}

/* A sentence has the same bits alone, in a batch, and with any number of threads. */
Test(api_precision, batches_and_threads_change_nothing) {
  elman_sentence sentences[3 * TEXTS];
  elman_translation *batch[3 * TEXTS];
  for (size_t i = 0; i < 3 * TEXTS; i++)
    sentences[i] = (elman_sentence){.text = texts[i % TEXTS], .length = strlen(texts[i % TEXTS])};
  for (size_t beam = 1; beam <= 4; beam += 3) {
    elman_translate_options options = in_eight_bits();
    options.beam = options.n_best = beam;
    for (options.threads = 1; options.threads <= 3; options.threads++) {
      succeeds(
          elman_translate_batch(batch, NULL, translator, sentences, 3 * TEXTS, &options, &why));
      for (size_t i = 0; i < 3 * TEXTS; i++) {
        owned_translation *alone = translate(translator, texts[i % TEXTS], &options);
        same_list(alone, batch[i]);
        elman_translation_free(batch[i]);
      }
    }
  }
}

Test(api_precision, greedy_search_without_scores_finds_the_same) {
  for (size_t i = 0; i < TEXTS; i++) {
    elman_translate_options options = in_eight_bits();
    owned_translation *scored = translate(translator, texts[i], &options);
    options.without_scores = true;
    owned_translation *plain = translate(translator, texts[i], &options);
    same_translation(scored, plain);
    cr_assert(isnan(plain->log_probability) && isnan(plain->score) &&
              isnan(plain->log_probabilities[0]));
    cr_assert(isfinite(scored->log_probability));
  }
}

Test(api_precision, ensemble_of_a_model_with_itself_matches) {
  const elman_model *const itself[] = {model, model};
  for (size_t i = 0; i < TEXTS; i++) {
    elman_translate_options options = in_eight_bits();
    options.beam = options.n_best = 2;
    owned_translation *alone = translate(translator, texts[i], &options);
    options.ensemble = itself;
    options.ensemble_count = 2;
    owned_translation *together = translate(translator, texts[i], &options);
    same_list(alone, together);
  }
}

Test(api_precision, overrides_and_sampling_use_the_rounded_model) {
  const elman_override uniform = {.kind = ELMAN_OVERRIDE_UNIFORM};
  elman_translate_options options = in_eight_bits();
  options.overrides = &uniform;
  options.override_count = 1;
  owned_translation *overridden = translate(translator, texts[0], &options);
  for (size_t s = 0; s < overridden->source_count; s++)
    cr_assert_eq(overridden->attention[s], 1 / (float)overridden->source_count);
  options = in_eight_bits();
  options.sample = true;
  owned_translation *sample = translate(translator, texts[0], &options);
  options.sample = false;
  (void)check_forced(sample, texts[0], &options);
}

/* Return another model with the weights that this one has now. */
static elman_model *copy(const elman_model *of) {
  elman_model *made;
  cr_assert_eq(elman_model_save(of, "copy.safetensors", NULL), ELMAN_OK);
  cr_assert_eq(elman_model_load(&made, "copy.safetensors", NULL), ELMAN_OK);
  return made;
}

/* Check that the translator, which may have translated before, uses the current weights, in each
 * precision and with or without the logits of greedy search. */
static void check_current(void) {
  owned_model *same = copy(model);
  owned_translator *fresh = translator_of(same);
  for (size_t i = 0; i < 4; i++) {
    elman_translate_options options = in_eight_bits();
    if (i < 2) options.precision = ELMAN_PRECISION_FLOAT32;
    options.without_scores = i % 2 == 1;
    for (size_t j = 0; j < TEXTS; j++) {
      owned_translation *expected = translate(fresh, texts[j], &options);
      owned_translation *found = translate(translator, texts[j], &options);
      same_translation(expected, found);
      cr_assert(expected->log_probability == found->log_probability || options.without_scores);
    }
  }
}

static bool check_validated(void *context, const elman_validation *validation) {
  (void)validation;
  ++*(size_t *)context;
  check_current();
  return true;
}

/* Training changes the weights at each update, and when it restores the best weights. */
Test(api_precision, translators_use_the_current_weights) {
  size_t validations = 0;
  owned_pairs *pairs = toy();
  elman_train_options training = elman_train_options_default();
  training.epochs = 4;
  training.learning_rate = 0.01;
  training.average = 0.9;
  training.dev = pairs;
  training.validated = check_validated;
  training.context = &validations;
  check_current();
  cr_assert_eq(elman_train(model, pairs, &training, NULL), ELMAN_OK);
  check_current();
  cr_assert_eq(validations, 4);
}

static void *translate_alone(void *context) {
  const elman_translate_options *options = context;
  owned_translator *own = translator_of(model);
  elman_translation *first = translate(own, texts[0], options);
  for (size_t i = 0; i < 25 * TEXTS; i++) {
    owned_translation *again = translate(own, texts[i % TEXTS], options);
    if (i % TEXTS == 0) cr_assert_eq(again->log_probability, first->log_probability);
  }
  return first;
}

/* Threads that start to translate together make the rounded weights, or the screen, only once. */
Test(api_precision, threads_share_a_model) {
  for (size_t i = 0; i < 2; i++) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    void *found[THREADS];
    elman_translate_options options = in_eight_bits();
    if (i == 0) options.precision = ELMAN_PRECISION_FLOAT32;
    options.threads = 1;
    for (size_t t = 0; t < THREADS; t++)
      cr_assert_eq(pthread_create(&threads[t], NULL, translate_alone, &options), 0);
    for (size_t t = 0; t < THREADS; t++) cr_assert_eq(pthread_join(threads[t], &found[t]), 0);
    for (size_t t = 0; t < THREADS; t++) {
      same_list(found[0], found[t]);
      if (t > 0) elman_translation_free(found[t]);
    }
    elman_translation_free(found[0]);
  }
}

Test(api_precision, evaluation_uses_the_rounded_model) {
  owned_pairs *pairs = toy();
  elman_evaluate_options options = elman_evaluate_options_default();
  elman_scores exact, rounded, again;
  cr_assert_eq(elman_evaluate(&exact, model, pairs, &options, NULL), ELMAN_OK);
  options.translate.precision = ELMAN_PRECISION_INT8;
  cr_assert_eq(elman_evaluate(&rounded, model, pairs, &options, NULL), ELMAN_OK);
  options.threads = 3;
  cr_assert_eq(elman_evaluate(&again, model, pairs, &options, NULL), ELMAN_OK);
  cr_assert_neq(exact.loss, rounded.loss);
  cr_assert_lt(fabs(exact.loss - rounded.loss), 0.01);
  cr_assert_eq(again.loss, rounded.loss);
  cr_assert_eq(again.metrics.chrf, rounded.metrics.chrf);
  options.translate.precision = ELMAN_PRECISION_BFLOAT16;
  cr_assert_eq(elman_evaluate(&again, model, pairs, &options, NULL), ELMAN_INVALID_ARGUMENT);
}

/* ---- model files in eight bits ---- */

/* Write a model in eight bits and read it. */
static elman_model *in_eight_bits_file(const elman_model *of) {
  elman_model *made;
  succeeds(elman_model_save_as(of, "eight_bits.safetensors", ELMAN_INT8, &why));
  succeeds(elman_model_load(&made, "eight_bits.safetensors", &why));
  return made;
}

/* Check that the file has the numbers of the model in precision int8, which is its precision by
 * default. */
static void check_in_file(const elman_model_options *configured) {
  owned_pairs *pairs = toy();
  owned_model *floats = create(pairs, configured), *file = in_eight_bits_file(floats);
  owned_translator *exact = translator_of(floats), *stored = translator_of(file);
  elman_translate_options of_file = elman_model_translate_options(file);
  cr_assert_eq(of_file.precision, ELMAN_PRECISION_INT8);
  cr_assert_eq(elman_model_translate_options(floats).precision, ELMAN_PRECISION_FLOAT32);
  of_file.max_length = 12;
  for (size_t i = 0; i < TEXTS; i++) {
    elman_translate_options options = in_eight_bits();
    owned_translation *expected = translate(exact, texts[i], &options);
    owned_translation *found = translate(stored, texts[i], &of_file);
    same_list(expected, found);
    options.precision = of_file.precision = ELMAN_PRECISION_FLOAT32;
    owned_translation *rounded = force(stored, texts[i], "i love apples", &of_file);
    owned_translation *unrounded = force(exact, texts[i], "i love apples", &options);
    cr_assert_neq(rounded->log_probability, unrounded->log_probability);
    of_file.precision = ELMAN_PRECISION_INT8;
  }
}

Test(api_precision, files_have_the_numbers_of_translation) {
  const char *attention, *cell;
  elman_model_options options = elman_model_options_default();
  options.embedding_size = 12;
  options.hidden_size = 16;
  for (size_t a = 0; (attention = elman_attention_name(a)) != NULL; a++) {
    options.attention = attention;
    check_in_file(&options);
  }
  options.attention = "additive";
  options.attentional_layer = options.tie_embeddings = options.input_feeding = true;
  options.encoder_self_attention = options.decoder_self_attention = 2;
  for (size_t c = 0; (cell = elman_cell_name(c)) != NULL; c++) {
    options.cell = cell;
    options.layers = 1 + c % 2;
    options.bidirectional = c % 2 == 0;
    options.layer_norm = c > 1;
    check_in_file(&options);
  }
}

/* Training changes the weights, so they are no longer those of the file. */
Test(api_precision, trained_models_are_float32) {
  owned_pairs *pairs = toy();
  owned_model *file = in_eight_bits_file(model);
  cr_assert_eq(elman_model_get_info(file).translate_precision, ELMAN_PRECISION_INT8);
  train_epochs(file, pairs, 1);
  cr_assert_eq(elman_model_get_info(file).translate_precision, ELMAN_PRECISION_FLOAT32);
  cr_assert_eq(elman_model_translate_options(file).precision, ELMAN_PRECISION_FLOAT32);
}

Test(api_precision, averages_are_float32) {
  static const char *const paths[] = {"eight_bits.safetensors", "eight_bits.safetensors"};
  owned_model *file = in_eight_bits_file(model), *average;
  succeeds(elman_model_average(&average, paths, 2, &why));
  cr_assert_eq(elman_model_get_info(average).translate_precision, ELMAN_PRECISION_FLOAT32);
  elman_history history, expected;
  succeeds(elman_model_read_history(&history, paths[0], &why));
  succeeds(elman_model_save(file, "wide.safetensors", &why));
  succeeds(elman_model_read_history(&expected, "wide.safetensors", &why));
  cr_assert_eq(history.work, expected.work);
}
