/* Test: threads. */
/* Batches through the public API: batching does not change a sentence's translation. */
#include <math.h>

#include "small_translator.h"

TestSuite(api_translate_batch, .init = set_up, .fini = tear_down);

/* Sentences 0 to 6 of each group of eight are text; sentence 7 is invalid UTF-8. */
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
                                  "from another encoding");
  for (size_t i = 0; i < COUNT; i++) {
    if (i % TEXTS == TEXTS - 1) {
      cr_assert_null(together[i]);
      cr_assert_eq(errors[i].code, ELMAN_BAD_DATA);
      cr_assert_str_eq(errors[i].message,
                       "byte 1 is not valid UTF-8 text; iconv converts text from another encoding");
      continue;
    }
    cr_assert_eq(errors[i].code, ELMAN_OK);
    owned_translation *alone = translate(translator, sentences[i].text, options);
    cr_assert_eq(list_length(alone), list_length(together[i]));
    const elman_translation *a = alone, *b = together[i];
    for (; a != NULL; a = a->next, b = b->next) {
      cr_assert_str_eq(a->text, b->text);
      cr_assert_eq(a->target_count, b->target_count);
      cr_assert_float_eq(a->score, b->score, 1e-4);
    }
    elman_translation_free(together[i]);
  }
}

Test(api_translate_batch, batch_matches_single_sentences) {
  elman_translate_options options = elman_translate_options_default();
  check_batch(NULL);
  check_batch(&options);
  options.beam = 5;
  options.n_best = 3;
  check_batch(&options);
  /* The translator creates its threads again for each number of threads. */
  for (options.threads = 1; options.threads <= 3; options.threads++) check_batch(&options);
}

Test(api_translate_batch, batches_may_have_one_or_no_sentence) {
  const elman_sentence sentence = {.text = "我 爱 学习", .length = strlen("我 爱 学习")};
  owned_translation *translation;
  cr_assert_eq(elman_translate_batch(NULL, NULL, translator, NULL, 0, NULL, NULL), ELMAN_OK);
  succeeds(elman_translate_batch(&translation, NULL, translator, &sentence, 1, NULL, &why));
  cr_assert_eq(translation->source_count, 3);
}

/* Some sentences of a batch are forced, whatever the search options of the others. */
Test(api_translate_batch, batch_may_contain_references) {
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
  succeeds(elman_translate_batch(found, NULL, translator, sentences, COUNT, &options, &why));
  for (size_t i = 0; i < COUNT; i++) {
    const bool has_words = sentences[i].length > 0, forced = has_words && i % 3 == 0;
    cr_assert_eq(found[i]->forced, forced);
    cr_assert_eq(list_length(found[i]), has_words && !forced ? 3 : 1);
    if (forced) {
      owned_translation *alone =
          force(translator, sentences[i].text, i % 2 == 0 ? "I love" : "I love you", NULL);
      cr_assert_str_eq(found[i]->text, alone->text);
      cr_assert_float_eq(found[i]->log_probability, alone->log_probability, 1e-4);
    }
    elman_translation_free(found[i]);
  }
}

Test(api_translate_batch, omitting_scores_changes_nothing_else) {
  elman_translate_options options = elman_translate_options_default();
  cr_assert_not(options.without_scores);
  owned_translation *scored = translate(translator, texts[0], &options);
  cr_assert(scored->log_probability < 0 && scored->score < 0);
  options.without_scores = true;
  elman_translation *bare = translate(translator, texts[0], &options), *batched;
  const elman_sentence sentence = {.text = texts[0], .length = strlen(texts[0])};
  succeeds(elman_translate_batch(&batched, NULL, translator, &sentence, 1, &options, &why));
  same_translation(scored, bare);
  same_translation(scored, batched);
  /* Processors that gain nothing by omitting the scores still compute them. */
  cr_assert(isnan(bare->score) || fabs(bare->score - scored->score) < 1e-5);
  cr_assert(isnan(bare->log_probability) == isnan(bare->score));
  elman_translation_free(batched);
  elman_translation_free(bare);
  bare = force(translator, texts[0], "I love you",
               &options); /* forced decoding always computes the score */
  cr_assert_lt(bare->score, 0);
  elman_translation_free(bare);
  options.beam = 2; /* needs the scores */
  bare = translate(translator, texts[0], &options);
  cr_assert_lt(bare->score, 0);
  elman_translation_free(bare);
}

/* ---- partial translations ---- */

enum { PARTIALS = 3 };

struct partials {
  size_t calls[PARTIALS], stop_after; /* 0 = never */
  uint32_t ids[PARTIALS][64];
  size_t counts[PARTIALS];
};

static bool keep_partial(void *context, const elman_partial *partial) {
  struct partials *seen = context;
  const size_t i = (size_t)partial->number - 1;
  if (partial->count == 0) return true; /* before the search */
  cr_assert_lt(i, PARTIALS);
  cr_assert_eq(partial->count, ++seen->calls[i], "one token per step");
  seen->counts[i] = partial->count;
  for (size_t t = 0; t < partial->count; t++) seen->ids[i][t] = partial->ids[t];
  return seen->calls[i] != seen->stop_after;
}

static elman_status translate_watched(elman_translation **found, struct partials *seen, size_t beam,
                                      elman_error *error) {
  elman_translate_options options = elman_translate_options_default();
  elman_sentence sentences[PARTIALS] = {{0}};
  for (size_t i = 0; i < PARTIALS; i++)
    sentences[i] =
        (elman_sentence){.text = texts[2 * i], .length = strlen(texts[2 * i]), .number = i + 1};
  options.beam = beam;
  options.threads = 1;
  options.max_length = 8;
  options.partial = keep_partial;
  options.partial_context = seen;
  return elman_translate_batch(found, NULL, translator, sentences, PARTIALS, &options, error);
}

/* Each step adds one token; greedy search never changes the tokens of an earlier step. */
Test(api_translate_batch, partial_translations_grow_by_one_token) {
  for (size_t beam = 1; beam <= 3; beam += 2) {
    struct partials seen = {.stop_after = 0};
    elman_translation *found[PARTIALS];
    cr_assert_eq(translate_watched(found, &seen, beam, NULL), ELMAN_OK);
    for (size_t i = 0; i < PARTIALS; i++) {
      if (beam == 1) {
        cr_assert_eq(seen.calls[i], found[i]->target_count - 1);
        cr_assert_arr_eq(seen.ids[i], found[i]->target_ids, seen.counts[i] * sizeof(uint32_t));
      }
      cr_assert_gt(seen.calls[i], 0);
      elman_translation_free(found[i]);
    }
  }
}

Test(api_translate_batch, partial_translation_may_stop_the_batch) {
  struct partials seen = {.stop_after = 2};
  elman_translation *found[PARTIALS];
  cr_assert_eq(translate_watched(found, &seen, 1, &why), ELMAN_INTERRUPTED);
  cr_assert_str_eq(why.message, "translation was stopped");
  for (size_t i = 0; i < PARTIALS; i++) cr_assert_null(found[i]);
  seen = (struct partials){.stop_after = 0};
  cr_assert_eq(translate_watched(found, &seen, 1, &why), ELMAN_OK);
  for (size_t i = 0; i < PARTIALS; i++) elman_translation_free(found[i]);
}

static bool stop_further_texts(void *context, const elman_partial *partial) {
  size_t *calls = context; /* with tokens, and without */
  calls[partial->count == 0]++;
  return calls[1] < 2;
}

/* Each sentence is passed when it is split into tokens, so that long ones do not delay the caller.
 */
static bool stop_before_search(void *context, const elman_partial *partial) {
  size_t *calls = context;
  cr_assert_eq(partial->count, 0);
  return ++*calls < 2;
}

Test(api_translate_batch, splitting_into_tokens_can_be_stopped) {
  elman_translate_options options = elman_translate_options_default();
  elman_sentence sentences[3];
  elman_translation *found[3];
  size_t calls = 0;
  for (size_t i = 0; i < 3; i++)
    sentences[i] = (elman_sentence){.text = texts[i], .length = strlen(texts[i]), .number = i + 1};
  options.partial = stop_before_search;
  options.partial_context = &calls;
  options.threads = 1;
  cr_assert_eq(elman_translate_batch(found, NULL, translator, sentences, 3, &options, NULL),
               ELMAN_INTERRUPTED);
  cr_assert_eq(calls, 2);
}

/* A list with an empty text needs a second search, which passes no tokens but can be stopped. */
Test(api_translate_batch, search_for_further_texts_can_be_stopped) {
  elman_translate_options options = elman_translate_options_default();
  elman_sentence sentences[] = {{.text = texts[0], .length = strlen(texts[0]), .number = 1}};
  elman_translation *found[1];
  size_t calls[2] = {0};
  options.beam = options.n_best = 200;
  options.max_length = 4;
  options.partial = stop_further_texts;
  options.partial_context = calls;
  cr_assert_eq(elman_translate_batch(found, NULL, translator, sentences, 1, &options, NULL),
               ELMAN_INTERRUPTED);
  cr_assert_gt(calls[0], 0);
  cr_assert_eq(calls[1], 2);
}

Test(api_translate_batch, sentences_with_too_many_tokens_are_refused) {
  elman_translate_options options = elman_translate_options_default();
  elman_sentence sentences[2] = {{.text = texts[0], .length = strlen(texts[0])},
                                 {.text = texts[2], .length = strlen(texts[2])}};
  elman_translation *found[2];
  elman_error errors[2];
  options.max_tokens = 3;
  cr_assert_eq(elman_translate_batch(found, errors, translator, sentences, 2, &options, NULL),
               ELMAN_BAD_DATA);
  cr_assert_not_null(found[0]);
  cr_assert_null(found[1]);
  cr_assert_str_eq(errors[1].message, "the text has more tokens than the limit of 3; split it");
  elman_translation_free(found[0]);
}

/* max_output bounds every other limit of the target, a reference and a prefix. */
Test(api_translate_batch, max_output_limits_target_reference_and_prefix) {
  enum { MOST = 2 };
  static const uint32_t prefix[MOST] = {3, 3};
  elman_translate_options options = elman_translate_options_default();
  elman_sentence sentences[] = {
      {.text = texts[2], .length = strlen(texts[2])},
      {.text = texts[2], .length = strlen(texts[2]), .reference = "a b c", .reference_length = 5},
      {.text = texts[2], .length = strlen(texts[2]), .prefix = prefix, .prefix_count = MOST},
      {.text = texts[2], .length = strlen(texts[2]), .prefix = prefix, .prefix_count = 1}};
  elman_translation *found[4];
  elman_error errors[4];
  options.max_output = MOST;
  options.max_length = 100;
  options.max_ratio = 100;
  cr_assert_eq(elman_translate_batch(found, errors, translator, sentences, 4, &options, NULL),
               ELMAN_BAD_DATA);
  cr_assert_not_null(found[0]);
  cr_assert_leq(found[0]->target_count, MOST);
  cr_assert_null(found[1]);
  cr_assert_str_eq(errors[1].message, "the text has more tokens than the limit of 2; split it");
  cr_assert_str_eq(errors[1].where, "reference");
  cr_assert_null(found[2]);
  cr_assert_str_eq(errors[2].message, "the prefix has 2 tokens; a translation has at most 2");
  cr_assert_not_null(found[3]);
  cr_assert_eq(found[3]->target_count, MOST);
  elman_translation_free(found[0]);
  elman_translation_free(found[3]);
}
