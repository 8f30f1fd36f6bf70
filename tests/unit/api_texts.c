/* Texts of several sentences, through the public API. */
#include <math.h>
#include <stdio.h>

#include "small_translator.h"

TestSuite(api_texts, .init = set_up, .fini = tear_down);

static const char *const sentences[] = {"我 爱 学习。", "他 喝 水。", "你 好！"};
enum { SENTENCES = sizeof sentences / sizeof *sentences };
static const char text[] = " 我 爱 学习。 他 喝 水。\n\n你 好！ ";

static elman_translate_options beam_options(size_t beam) {
  elman_translate_options options = elman_translate_options_default();
  options.beam = options.n_best = beam;
  options.self_attention = true;
  return options;
}

static elman_translate_options whole(elman_translate_options options) {
  options.split_sentences = ELMAN_SPLIT_OFF;
  return options;
}

/* Check that sentence k of `all` is the translation `one`, and weights elsewhere are 0. */
static void check_sentence(const elman_translation *all, size_t k, const elman_translation *one) {
  const elman_translated_sentence *at = &all->sentences[k];
  const size_t S = all->source_count, first = at->first_source;
  cr_assert_eq(at->source_count, one->source_count);
  cr_assert_eq(at->target_count, one->target_count);
  cr_assert_eq(at->ended, one->ended);
  cr_assert_float_eq(at->log_probability, one->log_probability, 1e-4);
  cr_assert_float_eq(at->score, one->score, 1e-4);
  cr_assert_eq(at->text.end - at->text.start, strlen(one->text));
  cr_assert(memcmp(all->text + at->text.start, one->text, strlen(one->text)) == 0);
  cr_assert(memcmp(all->source + at->source.start, one->source, strlen(one->source)) == 0);
  for (size_t s = 0; s < one->source_count; s++) {
    cr_assert_str_eq(all->source_tokens[first + s], one->source_tokens[s]);
    cr_assert_eq(all->source_ids[first + s], one->source_ids[s]);
    cr_assert_eq(all->source_known[first + s], one->source_known[s]);
    cr_assert_eq(all->source_starts[first + s], at->source.start + one->source_starts[s]);
    cr_assert_eq(all->source_ends[first + s], at->source.start + one->source_ends[s]);
  }
  for (size_t t = 0; t < one->target_count; t++) {
    const size_t row = at->first_target + t;
    cr_assert_str_eq(all->target_tokens[row], one->target_tokens[t]);
    cr_assert_eq(all->target_ids[row], one->target_ids[t]);
    cr_assert_float_eq(all->log_probabilities[row], one->log_probabilities[t], 1e-4);
    cr_assert_eq(all->target_starts[row], at->text.start + one->target_starts[t]);
    cr_assert_eq(all->target_ends[row], at->text.start + one->target_ends[t]);
    for (size_t s = 0; s < S; s++) {
      const bool inside = s >= first && s < first + one->source_count;
      const float expected = inside ? one->attention[t * one->source_count + s - first] : 0;
      cr_assert_float_eq((double)all->attention[row * S + s], (double)expected, 1e-5);
    }
  }
}

Test(api_texts, sentences_are_translated_by_themselves) {
  const elman_translate_options options = beam_options(1);
  owned_translation *all = translate(translator, text, &options);
  cr_assert_eq(all->sentence_count, SENTENCES);
  double sum = 0, scores = 0;
  char expected[512];
  cr_assert_eq(all->sentence_count, SENTENCES);
  cr_assert_str_eq(all->source, text);
  elman_translation *one[SENTENCES];
  for (size_t k = 0; k < SENTENCES; k++) {
    one[k] = translate(translator, sentences[k], &options);
    cr_assert_eq(one[k]->sentence_count, 1);
    check_sentence(all, k, one[k]);
    sum += one[k]->log_probability;
    scores += one[k]->score;
  }
  snprintf(expected, sizeof expected, "%s %s\n\n%s", one[0]->text, one[1]->text, one[2]->text);
  cr_assert_str_eq(all->text, expected);
  cr_assert_float_eq(all->log_probability, sum, 1e-3);
  cr_assert_float_eq(all->score, scores, 1e-3);
  for (size_t k = 0; k < SENTENCES; k++) elman_translation_free(one[k]);
}

Test(api_texts, one_sentence_is_translated_as_before) {
  const elman_translate_options options = beam_options(3);
  const elman_translate_options off = whole(options);
  owned_translation *split = translate(translator, " 我 爱 学习。 ", &options);
  owned_translation *plain = translate(translator, " 我 爱 学习。 ", &off);
  cr_assert_eq(list_length(split), list_length(plain));
  same_translation(split, plain);
  cr_assert_eq(split->log_probability, plain->log_probability);
  cr_assert_eq(split->sentences[0].source.start, 0);
  cr_assert_eq(split->sentences[0].source.end, strlen(" 我 爱 学习。 "));
}

/* Translate one element of a batch. */
static elman_status translate_one(elman_translation **found, elman_sentence sentence,
                                  elman_split_sentences when) {
  elman_translate_options options = elman_translate_options_default();
  options.split_sentences = when;
  sentence.text = text;
  sentence.length = strlen(text);
  return elman_translate_batch(found, NULL, translator, &sentence, 1, &options, &why);
}

static size_t count_of(elman_sentence sentence, elman_split_sentences when) {
  elman_translation *found;
  succeeds(translate_one(&found, sentence, when));
  const size_t count = found->sentence_count;
  elman_translation_free(found);
  return count;
}

Test(api_texts, auto_splits_texts_but_not_sentences) {
  const elman_sentence sentence = {.number = 1}, own = {.number = 1, .is_text = true};
  const elman_sentence forced = {.is_text = true, .reference = "I love", .reference_length = 6};
  cr_assert_eq(count_of(own, ELMAN_SPLIT_AUTO), SENTENCES);
  cr_assert_eq(count_of(sentence, ELMAN_SPLIT_AUTO), 1);
  cr_assert_eq(count_of(forced, ELMAN_SPLIT_AUTO), 1);
  cr_assert_eq(count_of(sentence, ELMAN_SPLIT_ON), SENTENCES);
  cr_assert_eq(count_of(own, ELMAN_SPLIT_OFF), 1);
  elman_translation *found;
  cr_assert_eq(translate_one(&found, forced, ELMAN_SPLIT_ON), ELMAN_INVALID_ARGUMENT);
  cr_assert_not_null(strstr(why.message, "a reference is the translation of one sentence"));
}

Test(api_texts, overrides_of_places_belong_to_one_sentence) {
  const elman_override place = {.kind = ELMAN_OVERRIDE_POSITION, .column = 0};
  const elman_override uniform = {.kind = ELMAN_OVERRIDE_UNIFORM};
  elman_translate_options options = elman_translate_options_default();
  options.overrides = &uniform;
  options.override_count = 1;
  owned_translation *all = translate(translator, text, &options);
  cr_assert_eq(all->sentence_count, SENTENCES);
  cr_assert_eq(all->sentence_count, SENTENCES);
  options.overrides = &place;
  owned_translation *one = translate(translator, text, &options);
  cr_assert_eq(one->sentence_count, 1);
  options.split_sentences = ELMAN_SPLIT_ON;
  check_refused(&options,
                "split_sentences on cannot be combined with an override of a position or cell");
}

/* Return the best translations of each sentence. */
static size_t list_sums(double *sums, const elman_translate_options *options) {
  elman_translation *one[SENTENCES];
  size_t count = 0;
  for (size_t k = 0; k < SENTENCES; k++) one[k] = translate(translator, sentences[k], options);
  for (const elman_translation *a = one[0]; a != NULL; a = a->next)
    for (const elman_translation *b = one[1]; b != NULL; b = b->next)
      for (const elman_translation *c = one[2]; c != NULL; c = c->next)
        sums[count++] = a->score + b->score + c->score;
  for (size_t k = 0; k < SENTENCES; k++) elman_translation_free(one[k]);
  return count;
}

static int descending(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a < b) - (a > b);
}

Test(api_texts, the_best_combinations_form_the_list) {
  enum { BEST = 6 };
  const elman_translate_options options = beam_options(BEST);
  owned_translation *all = translate(translator, text, &options);
  cr_assert_eq(all->sentence_count, SENTENCES);
  double sums[BEST * BEST * BEST];
  const size_t count = list_sums(sums, &options);
  cr_assert_geq(count, BEST);
  qsort(sums, count, sizeof *sums, descending);
  cr_assert_eq(list_length(all), BEST);
  size_t n = 0;
  for (const elman_translation *one = all; one != NULL; one = one->next, n++) {
    cr_assert_float_eq(one->score, sums[n], 1e-3);
    cr_assert_eq(one->sentence_count, SENTENCES);
    for (const elman_translation *other = one->next; other != NULL; other = other->next)
      cr_assert_str_neq(one->text, other->text);
  }
  elman_translate_options best = options;
  best.n_best = 1;
  owned_translation *first = translate(translator, text, &best);
  same_translation(all, first);
}

Test(api_texts, a_prefix_divides_at_the_ends_of_sentences) {
  owned_pairs *pairs = toy();
  train_epochs(model, pairs, 200); /* so that the translations end */
  owned_translation *all = translate(translator, text, NULL);
  for (size_t k = 0; k < SENTENCES; k++) cr_assert(all->sentences[k].ended);
  for (size_t count = 1; count < all->target_count; count++) {
    const elman_sentence sentence = {.text = text,
                                     .length = strlen(text),
                                     .is_text = true,
                                     .prefix = all->target_ids,
                                     .prefix_count = count};
    elman_translation *found;
    succeeds(elman_translate_batch(&found, NULL, translator, &sentence, 1, NULL, &why));
    cr_assert_str_eq(found->text, all->text);
    cr_assert_eq(found->target_count, all->target_count);
    elman_translation_free(found);
  }
}

Test(api_texts, a_prefix_that_ends_every_sentence_is_refused) {
  const uint32_t ends[SENTENCES] = {2, 2, 2};
  elman_translation *found;
  elman_sentence sentence = {.is_text = true, .prefix = ends, .prefix_count = SENTENCES - 1};
  succeeds(translate_one(&found, sentence, ELMAN_SPLIT_AUTO));
  cr_assert_eq(found->sentences[0].target_count, 1, "</s> alone");
  elman_translation_free(found);
  sentence.prefix_count = SENTENCES;
  cr_assert_eq(translate_one(&found, sentence, ELMAN_SPLIT_AUTO), ELMAN_INVALID_ARGUMENT);
  cr_assert_not_null(strstr(why.message, "the text has only 3 sentences"), "%s", why.message);
  sentence.prefix_count = 1;
  cr_assert_eq(translate_one(&found, sentence, ELMAN_SPLIT_OFF), ELMAN_INVALID_ARGUMENT);
}

Test(api_texts, limits_count_the_whole_text) {
  elman_translate_options options = elman_translate_options_default();
  elman_translation *found;
  owned_translation *all = translate(translator, text, &options);
  cr_assert_eq(all->sentence_count, SENTENCES);
  options.max_tokens = all->source_count - 1;
  cr_assert_eq(elman_translate(&found, translator, text, strlen(text), &options, &why),
               ELMAN_BAD_DATA);
  options.max_tokens = all->source_count;
  succeeds(elman_translate(&found, translator, text, strlen(text), &options, &why));
  elman_translation_free(found);
  options.max_bytes = strlen(text) - 1;
  cr_assert_eq(elman_translate(&found, translator, text, strlen(text), &options, &why),
               ELMAN_BAD_DATA);
  cr_assert_eq(elman_translate(&found, translator, "我。\xff 我。", 9, NULL, &why), ELMAN_BAD_DATA);
}

Test(api_texts, without_attention_a_text_has_no_matrices_and_max_tokens_limits_each_sentence) {
  elman_translate_options options = elman_translate_options_default();
  elman_translation *found;
  owned_translation *all = translate(translator, text, &options);
  options.without_attention = true;
  for (size_t k = 0; k < SENTENCES; k++)
    if (all->sentences[k].source_count > options.max_tokens || k == 0)
      options.max_tokens = all->sentences[k].source_count;
  cr_assert_lt(options.max_tokens, all->source_count);
  succeeds(elman_translate(&found, translator, text, strlen(text), &options, &why));
  cr_assert_str_eq(found->text, all->text);
  cr_assert_eq(found->score, all->score);
  cr_assert_eq(found->sentence_count, SENTENCES);
  cr_assert_eq(found->heads, 1);
  cr_assert(found->attention == NULL && found->head_attention == NULL);
  elman_translation_free(found);
  options.max_tokens--;
  cr_assert_eq(elman_translate(&found, translator, text, strlen(text), &options, &why),
               ELMAN_BAD_DATA);
  options.self_attention = true;
  cr_assert_eq(elman_translate(&found, translator, text, strlen(text), &options, &why),
               ELMAN_INVALID_ARGUMENT);
}

Test(api_texts, max_length_limits_each_sentence) {
  elman_translate_options options = elman_translate_options_default();
  options.max_length = 2;
  owned_translation *all = translate(translator, text, &options);
  cr_assert_eq(all->sentence_count, SENTENCES);
  for (size_t k = 0; k < SENTENCES; k++) cr_assert_leq(all->sentences[k].target_count, 2);
  cr_assert_gt(all->target_count, 2);
}

Test(api_texts, samples_differ_between_equal_sentences) {
  elman_translate_options options = elman_translate_options_default();
  options.sample = true;
  options.max_length = 20;
  owned_translation *all = translate(translator, "我 爱 学习。 我 爱 学习。", &options);
  owned_translation *one = translate(translator, "我 爱 学习。", &options);
  const elman_translated_sentence *first = &all->sentences[0], *second = &all->sentences[1];
  cr_assert_eq(all->sentence_count, 2);
  cr_assert_eq(first->target_count, one->target_count, "the first sentence has the text's number");
  bool equal = second->target_count == first->target_count;
  for (size_t t = 0; t < first->target_count && equal; t++)
    equal = all->target_ids[t] == all->target_ids[second->first_target + t];
  cr_assert_not(equal);
}

static bool see_parts(void *context, const elman_partial *partial) {
  bool *seen = context;
  cr_assert_eq(partial->number, 1);
  cr_assert_lt(partial->part, SENTENCES);
  seen[partial->part] |= partial->count > 0;
  return true;
}

Test(api_texts, the_callback_names_the_sentence) {
  bool seen[SENTENCES] = {false};
  elman_translate_options options = elman_translate_options_default();
  options.partial = see_parts;
  options.partial_context = seen;
  owned_translation *all = translate(translator, text, &options);
  cr_assert_eq(all->sentence_count, SENTENCES);
  for (size_t k = 0; k < SENTENCES; k++) cr_assert(seen[k]);
}

/* Texts and sentences in one batch. */
Test(api_texts, a_batch_may_mix_texts_and_sentences) {
  const elman_sentence batch[] = {
      {.text = text, .length = strlen(text), .number = 1, .is_text = true},
      {.text = "我", .length = 3, .number = 2},
      {.text = "我。\xff", .length = 7, .number = 3, .is_text = true},
      {.text = "", .length = 0, .number = 4, .is_text = true},
      {.text = text, .length = strlen(text), .number = 5}};
  enum { COUNT = sizeof batch / sizeof *batch, BAD = 2 };
  const size_t counts[COUNT] = {SENTENCES, 1, 0, 1, 1};
  elman_translation *found[COUNT];
  elman_error errors[COUNT];
  cr_assert_eq(elman_translate_batch(found, errors, translator, batch, COUNT, NULL, &why),
               ELMAN_BAD_DATA);
  cr_assert_not_null(strstr(why.message, "sentence 3: "), "%s", why.message);
  for (size_t i = 0; i < COUNT; i++) {
    cr_assert_eq(found[i] == NULL, i == BAD);
    cr_assert_eq(errors[i].code, i == BAD ? ELMAN_BAD_DATA : ELMAN_OK);
    if (found[i] != NULL) cr_assert_eq(found[i]->sentence_count, counts[i]);
    elman_translation_free(found[i]);
  }
}

Test(api_texts, matrices_have_a_largest_size) {
  enum { LONG = 2499 };
  static const char sentence[] = "我 。\n";
  const size_t size = sizeof sentence - 1;
  char *many = malloc(size * LONG + 1);
  elman_translate_options options = elman_translate_options_default();
  elman_translation *found;
  for (size_t k = 0; k < LONG; k++) memcpy(many + size * k, sentence, size + 1);
  options.max_length = 30; /* the untrained model reaches this limit */
  const elman_status status =
      elman_translate(&found, translator, many, strlen(many), &options, &why);
  free(many);
  cr_assert_eq(status, ELMAN_BAD_DATA);
  cr_assert_not_null(strstr(why.message, "too long for one matrix"), "%s", why.message);
}

Test(api_texts, scores_of_pairs_refuse_to_split) {
  owned_pairs *pairs = toy();
  elman_evaluate_options options = elman_evaluate_options_default();
  elman_scores scores;
  options.translate.split_sentences = ELMAN_SPLIT_ON;
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &options, &why), ELMAN_INVALID_ARGUMENT);
  cr_assert_not_null(strstr(why.message, "`split_sentences` must not be `on`: each side"));
}

Test(api_texts, spans_of_sentences_can_be_counted_first) {
  elman_span spans[2];
  cr_assert_eq(elman_find_sentences(NULL, 0, text, strlen(text)), SENTENCES);
  cr_assert_eq(elman_find_sentences(spans, 2, text, strlen(text)), SENTENCES);
  cr_assert_eq(spans[0].start, 1);
  cr_assert_eq(spans[1].start, spans[0].end + 1);
  cr_assert_str_eq(elman_split_sentences_name(ELMAN_SPLIT_AUTO), "auto");
  cr_assert_null(elman_split_sentences_name(3));
}
