/* Beam search and batches through the public API. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "elman.h"
#include "forced.h"

static elman_model *model;
static elman_translator *translator;

static elman_pairs *toy_pairs(void) {
  char path[512];
  snprintf(path, sizeof path, "%s/../data/toy.zh-en.tsv", getenv("TEST_DATA"));
  const char *file = path;
  elman_pairs_options files = elman_pairs_options_default();
  elman_pairs *pairs;
  files.files = &file;
  files.file_count = 1;
  cr_assert_eq(elman_pairs_read(&pairs, &files, NULL), ELMAN_OK);
  return pairs;
}

/* Untrained: the shape of the answers counts here, not their sense. */
static void set_up(void) {
  elman_model_options options = elman_model_options_default();
  elman_pairs *pairs = toy_pairs();
  options.embedding_size = 12;
  options.hidden_size = 16;
  cr_assert_eq(elman_model_create(&model, pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(elman_translator_create(&translator, model, NULL), ELMAN_OK);
  elman_pairs_free(pairs);
}

static void tear_down(void) {
  elman_translator_free(translator);
  elman_model_free(model);
}

TestSuite(api_translate, .init = set_up, .fini = tear_down);

static elman_translation *translate(const char *text, const elman_translate_options *options) {
  elman_error error = {0};
  elman_translation *translation;
  cr_assert_eq(elman_translate(&translation, translator, text, strlen(text), options, &error),
               ELMAN_OK, "%s", error.message);
  return translation;
}

static size_t list_length(const elman_translation *translation) {
  size_t length = 0;
  for (; translation != NULL; translation = translation->next) length++;
  return length;
}

Test(api_translate, n_best) {
  elman_translate_options options = elman_translate_options_default();
  cr_assert_eq(options.beam, 1);
  cr_assert_eq(options.n_best, 1);
  options.beam = 6;
  options.n_best = 4;
  options.length_penalty = 0.8;
  elman_translation *best = translate("我 爱 学习", &options);
  cr_assert_eq(list_length(best), 4);
  for (const elman_translation *one = best; one != NULL; one = one->next) {
    cr_assert_eq(one->source_count, 3);
    cr_assert_float_eq(one->score, one->log_probability / pow((double)one->target_count, 0.8),
                       1e-9);
    if (one->next != NULL) cr_assert_geq(one->score, one->next->score);
    for (size_t t = 0; t < one->target_count; t++) {
      double sum = 0;
      for (size_t s = 0; s < 3; s++) sum += (double)one->attention[t * 3 + s];
      cr_assert_float_eq(sum, 1, 1e-5);
    }
  }
  elman_translation_free(best);
  best = translate(" ", &options);
  cr_assert_eq(list_length(best), 1);
  cr_assert_str_eq(best->text, "");
  elman_translation_free(best);
}

Test(api_translate, too_many_bytes) {
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

  /* The default is a limit, too, and such a text is not read. */
  cr_assert_eq(
      elman_translate(found, translator, both[0].text, ELMAN_DEFAULT_MAX_BYTES + 1, NULL, NULL),
      ELMAN_BAD_DATA);
}

/* Numbers 0 to 6 of each eight sentences; number 7 is not text. */
static const char *const texts[] = {"我 爱 学习",
                                    "",
                                    "她 是 我 的 老师",
                                    "我",
                                    "他 在 喝 茶 他 在 喝 茶 他 在 喝 茶 他 在 喝 茶",
                                    "猫",
                                    "我们 去 学校",
                                    "\xff"};
enum { TEXTS = 8, COUNT = 100 };

static void check_batch(const elman_translate_options *options) {
  elman_sentence sentences[COUNT] = {{0}};
  elman_translation *together[COUNT];
  elman_error errors[COUNT], error = {0};
  for (size_t i = 0; i < COUNT; i++) {
    sentences[i].text = texts[i % TEXTS];
    sentences[i].length = strlen(sentences[i].text);
  }
  cr_assert_eq(
      elman_translate_batch(together, errors, translator, sentences, COUNT, options, &error),
      ELMAN_BAD_DATA);
  cr_assert_str_eq(error.message, "sentence 8: byte 1 is not valid UTF-8 text; iconv converts text "
                                  "in another encoding");
  for (size_t i = 0; i < COUNT; i++) {
    if (i % TEXTS == TEXTS - 1) {
      cr_assert_null(together[i]);
      cr_assert_eq(errors[i].code, ELMAN_BAD_DATA);
      cr_assert_str_eq(errors[i].message,
                       "byte 1 is not valid UTF-8 text; iconv converts text in another encoding");
      continue;
    }
    cr_assert_eq(errors[i].code, ELMAN_OK);
    elman_translation *alone = translate(sentences[i].text, options);
    cr_assert_eq(list_length(alone), list_length(together[i]));
    const elman_translation *a = alone, *b = together[i];
    for (; a != NULL; a = a->next, b = b->next) {
      cr_assert_str_eq(a->text, b->text);
      cr_assert_eq(a->target_count, b->target_count);
      cr_assert_float_eq(a->score, b->score, 1e-4);
    }
    elman_translation_free(alone);
    elman_translation_free(together[i]);
  }
}

Test(api_translate, a_batch_is_as_good_as_one_by_one) {
  elman_translate_options options = elman_translate_options_default();
  check_batch(NULL);
  check_batch(&options);
  options.beam = 5;
  options.n_best = 3;
  check_batch(&options);
  /* The team of the translator is made anew for each number. */
  for (options.threads = 1; options.threads <= 3; options.threads++) check_batch(&options);
}

Test(api_translate, batches_of_one_and_of_none) {
  const elman_sentence sentence = {.text = "我 爱 学习", .length = strlen("我 爱 学习")};
  elman_translation *translation;
  cr_assert_eq(elman_translate_batch(NULL, NULL, translator, NULL, 0, NULL, NULL), ELMAN_OK);
  cr_assert_eq(elman_translate_batch(&translation, NULL, translator, &sentence, 1, NULL, NULL),
               ELMAN_OK);
  cr_assert_eq(translation->source_count, 3);
  elman_translation_free(translation);
}

/* Some of the sentences of a batch are forced, whatever the others are searched with. */
Test(api_translate, references_in_a_batch) {
  elman_translate_options options = elman_translate_options_default();
  elman_sentence sentences[COUNT] = {{0}};
  elman_translation *found[COUNT];
  options.beam = options.n_best = 3;
  for (size_t i = 0; i < COUNT; i++) {
    sentences[i].text = texts[i % 7];
    sentences[i].length = strlen(sentences[i].text);
    if (i % 3 == 0) sentences[i].reference = "I love you";
    if (i % 3 == 0) sentences[i].reference_length = i % 2 == 0 ? 6 : 10;
  }
  cr_assert_eq(elman_translate_batch(found, NULL, translator, sentences, COUNT, &options, NULL),
               ELMAN_OK);
  for (size_t i = 0; i < COUNT; i++) {
    const bool has_words = sentences[i].length > 0, forced = has_words && i % 3 == 0;
    cr_assert_eq(found[i]->forced, forced);
    cr_assert_eq(list_length(found[i]), has_words && !forced ? 3 : 1);
    if (forced) {
      elman_translation *alone =
          force(translator, sentences[i].text, i % 2 == 0 ? "I love" : "I love you", NULL);
      cr_assert_str_eq(found[i]->text, alone->text);
      cr_assert_float_eq(found[i]->log_probability, alone->log_probability, 1e-4);
      elman_translation_free(alone);
    }
    elman_translation_free(found[i]);
  }
}

static void same_translation(const elman_translation *a, const elman_translation *b) {
  cr_assert_str_eq(a->text, b->text);
  cr_assert_eq(a->target_count, b->target_count);
  cr_assert_arr_eq(a->attention, b->attention,
                   a->target_count * a->source_count * sizeof *a->attention);
}

Test(api_translate, without_scores_all_else_is_the_same) {
  elman_translate_options options = elman_translate_options_default();
  cr_assert_not(options.without_scores);
  elman_translation *scored = translate(texts[0], &options);
  cr_assert(scored->log_probability < 0 && scored->score < 0);
  options.without_scores = true;
  elman_translation *bare = translate(texts[0], &options), *batched;
  const elman_sentence sentence = {.text = texts[0], .length = strlen(texts[0])};
  cr_assert_eq(elman_translate_batch(&batched, NULL, translator, &sentence, 1, &options, NULL),
               ELMAN_OK);
  same_translation(scored, bare);
  same_translation(scored, batched);
  /* Where the processor does not gain by it, they are there all the same. */
  cr_assert(isnan(bare->score) || fabs(bare->score - scored->score) < 1e-5);
  cr_assert(isnan(bare->log_probability) == isnan(bare->score));
  elman_translation_free(batched);
  elman_translation_free(bare);
  bare = force(translator, texts[0], "I love you", &options); /* is always scored */
  cr_assert_lt(bare->score, 0);
  elman_translation_free(bare);
  options.beam = 2; /* needs the scores */
  bare = translate(texts[0], &options);
  cr_assert_lt(bare->score, 0);
  elman_translation_free(bare);
  elman_translation_free(scored);
}

/* A translator keeps what it made of the weights; training makes that worthless. */
Test(api_translate, sees_that_the_model_has_been_trained) {
  char path[512];
  snprintf(path, sizeof path, "%s/../data/toy.zh-en.tsv", getenv("TEST_DATA"));
  const char *file = path;
  elman_pairs_options files = elman_pairs_options_default();
  elman_train_options training = elman_train_options_default();
  elman_pairs *pairs;
  elman_translator *fresh;
  files.files = &file;
  files.file_count = 1;
  cr_assert_eq(elman_pairs_read(&pairs, &files, NULL), ELMAN_OK);
  elman_translation_free(translate(texts[0], NULL));
  training.epochs = 60;
  cr_assert_eq(elman_train(model, pairs, &training, NULL), ELMAN_OK);
  cr_assert_eq(elman_translator_create(&fresh, model, NULL), ELMAN_OK);
  for (size_t i = 0; i < TEXTS - 1; i++) {
    elman_translation *expected, *found = translate(texts[i], NULL);
    cr_assert_eq(elman_translate(&expected, fresh, texts[i], strlen(texts[i]), NULL, NULL),
                 ELMAN_OK);
    same_translation(expected, found);
    elman_translation_free(expected);
    elman_translation_free(found);
  }
  elman_translator_free(fresh);
  elman_pairs_free(pairs);
}

Test(api_translate, limits) {
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
    elman_translation *best = translate("我 爱 学习", &options);
    for (const elman_translation *one = best; one != NULL; one = one->next)
      cr_assert_leq(one->target_count, cases[i].most);
    elman_translation_free(best);
  }
}

static void check_refused(const elman_translate_options *options, const char *message) {
  elman_translation *translation;
  elman_error error = {0};
  cr_assert_eq(elman_translate(&translation, translator, "我", 3, options, &error),
               ELMAN_INVALID_ARGUMENT);
  cr_assert_null(translation);
  cr_assert(strstr(error.message, message) != NULL, "%s", error.message);
}

Test(api_translate, wrong_options) {
  elman_translate_options options = elman_translate_options_default();
  options.beam = 0;
  check_refused(&options, "the beam must lie");
  options.beam = ELMAN_MOST_BEAM + 1;
  check_refused(&options, "the beam must lie");
  options.beam = 2;
  options.n_best = 3;
  check_refused(&options, "best translations");
  options.n_best = 0;
  check_refused(&options, "best translations");
  options.n_best = 2;
  options.length_penalty = -0.1;
  check_refused(&options, "length penalty");
  options.length_penalty = (double)NAN;
  check_refused(&options, "length penalty");
  options.length_penalty = 11;
  check_refused(&options, "length penalty");
  options.length_penalty = 0;
  options.max_ratio = -1;
  check_refused(&options, "ratio");
  options.max_ratio = (double)NAN;
  check_refused(&options, "ratio");
  options.max_ratio = 0;
  options.length_norm = (elman_length_norm)2;
  check_refused(&options, "norm of lengths");
  options.length_norm = ELMAN_LENGTH_WU;
  options.coverage_penalty = -1;
  check_refused(&options, "coverage penalty");
  options.coverage_penalty = (double)NAN;
  check_refused(&options, "coverage penalty");
  options.coverage_penalty = 0;
  options.ensemble_count = ELMAN_MOST_ENSEMBLE + 1;
  check_refused(&options, "more than 64 models");
  options.ensemble_count = 0;
  elman_translation_free(translate("我", &options));
  options = elman_translate_options_default();
  options.self_attention = true;
  options.overrides = &(elman_override){.kind = ELMAN_OVERRIDE_UNIFORM};
  options.override_count = 1;
  check_refused(&options, "self-attention");
}

static void check_same(const elman_translation *one, const elman_translation *other) {
  cr_assert_str_eq(one->text, other->text);
  cr_assert_eq(one->target_count, other->target_count);
  cr_assert_arr_eq(one->attention, other->attention,
                   one->target_count * one->source_count * sizeof(float));
}

/* Sentence by sentence and as a batch, between searches of the model alone, whose screen stays. */
Test(api_translate, a_model_with_itself_is_that_model) {
  static const char text[] = "我 爱 学习";
  const elman_model *const itself[] = {model, model};
  const elman_sentence sentence = {.text = text, .length = strlen(text)};
  elman_translate_options options = elman_translate_options_default();
  options.without_scores = true;
  elman_translation *alone = translate(text, &options), *batch;
  options.ensemble = itself;
  for (options.ensemble_count = 1; options.ensemble_count <= 2; options.ensemble_count++) {
    elman_translation *together = translate(text, &options);
    check_same(alone, together);
    cr_assert_eq(together->heads, 1);
    cr_assert_eq(together->head_attention, together->attention);
    elman_translation_free(together);
    cr_assert_eq(elman_translate_batch(&batch, NULL, translator, &sentence, 1, &options, NULL),
                 ELMAN_OK);
    check_same(alone, batch);
    elman_translation_free(batch);
    elman_translation_free(translate("", &options));
  }
  options.ensemble_count = 0;
  elman_translation *again = translate(text, &options);
  check_same(alone, again);
  elman_translation_free(again);
  elman_translation_free(alone);
}

Test(api_translate, an_ensemble_has_the_same_words) {
  elman_model_options few = elman_model_options_default();
  elman_evaluate_options evaluation = elman_evaluate_options_default();
  elman_translate_options options = elman_translate_options_default();
  elman_pairs *pairs = toy_pairs();
  elman_model *other;
  elman_scores scores;
  elman_error error = {0};
  few.max_vocabulary = 5;
  cr_assert_eq(elman_model_create(&other, pairs, &few, NULL), ELMAN_OK);
  const elman_model *const ensemble[] = {model, other};
  options.ensemble = ensemble;
  options.ensemble_count = 1;
  elman_translation_free(translate("我", &options));
  options.ensemble_count = 2;
  check_refused(&options, "model 3 of the ensemble differs from the first model: the source "
                          "vocabulary's size is 19 there and 6 here");
  evaluation.translate = options;
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &evaluation, &error), ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(elman_ensemble_check(model, model, &error), ELMAN_OK);
  cr_assert_eq(elman_ensemble_check(model, other, &error), ELMAN_INVALID_ARGUMENT);
  elman_model_free(other);
  elman_pairs_free(pairs);
}

Test(api_translate, norms_of_lengths_have_names) {
  cr_assert_str_eq(elman_length_norm_name(ELMAN_LENGTH_POWER), "power");
  cr_assert_str_eq(elman_length_norm_name(ELMAN_LENGTH_WU), "wu");
  cr_assert_null(elman_length_norm_name(2));
}

Test(api_translate, evaluation_searches_too) {
  elman_evaluate_options options = elman_evaluate_options_default();
  elman_pairs *pairs = toy_pairs();
  elman_scores scores;
  options.translate.beam = 4;
  options.translate.length_penalty = 0.6;
  options.translate.max_ratio = 1.5;
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(scores.sentences, 5);
  cr_assert_eq(elman_evaluate(&scores, model, pairs, NULL, NULL), ELMAN_OK);
  options.translate.beam = 0;
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &options, NULL), ELMAN_INVALID_ARGUMENT);
  elman_pairs_free(pairs);
}

/* Under a forced reference the decoder's states stay what they are: one row changes, and only it.
 */
Test(api_translate, an_override_of_a_cell_changes_its_row_alone) {
  elman_translate_options options = elman_translate_options_default();
  elman_translation *plain = force(translator, "我 爱 喝 茶", "I love drinking tea", NULL);
  const size_t S = plain->source_count, T = plain->target_count;
  for (size_t row = 0; row < T; row++) {
    const elman_override cell = {ELMAN_OVERRIDE_CELL, row, 1, 0.875};
    options.overrides = &cell;
    options.override_count = 1;
    elman_translation *changed = force(translator, "我 爱 喝 茶", "I love drinking tea", &options);
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
    elman_translation_free(changed);
  }
  elman_translation_free(plain);
}

/* Each target word draws another order: rows that were alike are not shuffled alike. */
Test(api_translate, a_shuffle_differs_from_row_to_row) {
  elman_translate_options options = elman_translate_options_default();
  static const char reference[] = "I I I I I I I I";
  elman_translation *plain = force(translator, "我 爱 喝 茶 学习", reference, NULL);
  options.overrides = &(elman_override){.kind = ELMAN_OVERRIDE_SHUFFLE};
  options.override_count = 1;
  elman_translation *shuffled = force(translator, "我 爱 喝 茶 学习", reference, &options);
  const size_t S = plain->source_count, T = plain->target_count;
  size_t first_place[8] = {0}, places = 0; /* of what was the first weight of its row */
  for (size_t t = 0; t < T; t++) {
    for (size_t s = 0; s < S; s++)
      if (shuffled->attention[t * S + s] == plain->attention[t * S]) first_place[s]++;
  }
  for (size_t s = 0; s < S; s++) places += first_place[s] > 0;
  cr_assert_gt(places, 1);
  elman_translation_free(plain);
  elman_translation_free(shuffled);
}

/* A sanitizer needs terabytes of it, and QEMU does not pass the limit on. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(EMULATOR)
/* Address space that the process has now, and so much more. */
static void limit_address_space(rlim_t more) {
  unsigned long pages;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%lu", &pages) != 1) cr_skip_test("no /proc");
  fclose(file);
  struct rlimit limit;
  cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
  limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
  cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

/* OpenBLAS would ask for its memory for ever. */
Test(api_translate, too_little_address_space_is_an_error, .timeout = 60) {
  static const char text[] = "我 爱 学习";
  elman_translation *translation = (elman_translation *)&translation;
  elman_error error;
  limit_address_space((rlim_t)100 << 20);
  cr_assert_eq(elman_translate(&translation, translator, text, strlen(text), NULL, &error),
               ELMAN_NO_MEMORY);
  cr_assert_null(translation);
  cr_assert_not_null(strstr(error.message, "address space"), "%s", error.message);
  limit_address_space((rlim_t)1 << 30);
  cr_assert_eq(elman_translate(&translation, translator, text, strlen(text), NULL, &error),
               ELMAN_OK);
  elman_translation_free(translation);
}
#endif

/* ---- prefixes ---- */

/* All translations of a sentence that begin with the first `count` tokens of `of`. */
static elman_translation *go_on(const elman_translation *of, size_t count,
                                const elman_translate_options *options) {
  const elman_sentence sentence = {.text = of->source,
                                   .length = strlen(of->source),
                                   .prefix = of->target_ids,
                                   .prefix_count = count};
  elman_translation *found;
  elman_error error = {0};
  cr_assert_eq(elman_translate_batch(&found, NULL, translator, &sentence, 1, options, &error),
               ELMAN_OK, "%s", error.message);
  for (size_t t = 0; t < count; t++) cr_assert_eq(found->target_ids[t], of->target_ids[t]);
  return found;
}

Test(api_translate, greedy_search_goes_on_as_it_would_have) {
  elman_translation *whole = translate("我 爱 学习", NULL);
  cr_assert_geq(whole->target_count, 3);
  for (size_t count = 1; count < whole->target_count; count++) {
    elman_translation *found = go_on(whole, count, NULL);
    cr_assert_str_eq(found->text, whole->text);
    cr_assert_eq(found->target_count, whole->target_count);
    for (size_t t = 0; t < whole->target_count; t++)
      cr_assert_float_eq(found->log_probabilities[t], whole->log_probabilities[t], 1e-4);
    elman_translation_free(found);
  }
  elman_translation_free(whole);
}

/* With one token more, and room for all, the search gives every token that may follow. */
static void check_alternatives(elman_translate_options options) {
  elman_translation *whole = translate("我 爱 学习", &options);
  const size_t V = elman_model_get_info(model).target_vocabulary;
  options.beam = options.n_best = V;
  options.max_length = 1;
  for (size_t t = 0; t < 3; t++) {
    elman_translation *found = go_on(whole, t, &options);
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
    elman_translation_free(found);
  }
  elman_translation_free(whole);
}

/* Also with attention that is changed, by what holds at that step, and in an ensemble. */
Test(api_translate, alternatives_of_a_token) {
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

Test(api_translate, prefixes_beside_sentences_without) {
  elman_translate_options options = elman_translate_options_default();
  const uint32_t prefix[] = {5, 0, 7};
  const elman_sentence sentences[] = {
      {.text = "我 爱 学习", .length = strlen("我 爱 学习")},
      {.text = "我 爱 学习", .length = strlen("我 爱 学习"), .prefix = prefix, .prefix_count = 3}};
  elman_translation *found[2];
  for (options.beam = 1; options.beam <= 4; options.beam += 3) {
    cr_assert_eq(elman_translate_batch(found, NULL, translator, sentences, 2, &options, NULL),
                 ELMAN_OK);
    elman_translation *alone = translate(sentences[0].text, &options);
    cr_assert_str_eq(found[0]->text, alone->text);
    cr_assert_arr_eq(found[1]->target_ids, prefix, sizeof prefix);
    cr_assert_gt(found[1]->target_count, 3);
    elman_translation_free(alone);
    elman_translation_free(found[0]);
    elman_translation_free(found[1]);
  }
}

Test(api_translate, prefixes_that_are_none) {
  const uint32_t V = (uint32_t)elman_model_get_info(model).target_vocabulary;
  for (uint32_t id = 0; id <= V; id++) {
    const bool special = id == 1 || id == 2 || id == V; /* <s>, </s>, and nothing */
    const elman_sentence sentence = {
        .text = "我", .length = strlen("我"), .prefix = &id, .prefix_count = 1};
    elman_translation *found;
    elman_error error = {0};
    cr_assert_eq(elman_translate_batch(&found, NULL, translator, &sentence, 1, NULL, &error),
                 special ? ELMAN_INVALID_ARGUMENT : ELMAN_OK);
    if (special) cr_assert_not_null(strstr(error.message, "token 1 of the prefix"));
    elman_translation_free(found);
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
