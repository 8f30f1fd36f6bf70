/* Test: threads. */
/* Translation of single sentences through the public API. */
#include "api.h"
#include "small_translator.h"

TestSuite(api_sentence, .init = set_up_in_folder, .fini = tear_down_in_folder);

/* ---- translating ---- */

static void check_not_translated(const char *text, size_t length,
                                 const elman_translate_options *options, const char *message) {
  elman_translation *translation = (elman_translation *)&translation;
  check_error(elman_translate(&translation, translator, text, length, options, &why),
              ELMAN_BAD_DATA, message, "");
  cr_assert_null(translation);
  cr_assert_eq(elman_translate(&translation, translator, text, length, options, NULL),
               ELMAN_BAD_DATA);
}

static void check_not_forced(const char *reference, const char *message) {
  const elman_sentence sentence = {
      .text = "我", .length = 3, .reference = reference, .reference_length = strlen(reference)};
  elman_translation *translation = (elman_translation *)&translation;
  elman_error own;
  check_error(elman_translate_batch(&translation, &own, translator, &sentence, 1, NULL, &why),
              ELMAN_BAD_DATA, message, "");
  cr_assert_null(translation);
  cr_assert_eq(own.code, ELMAN_BAD_DATA);
}

Test(api_sentence, untranslatable_text_is_rejected) {
  check_not_translated("\xFF", 1, NULL, "byte 1 is not valid UTF-8");
  check_not_translated("我 \xE6\x88", 6, NULL, "byte 5 is not valid UTF-8");
  check_not_translated("a\0b", 3, NULL, "byte 2 is NUL");
  check_not_forced("", "the reference is empty");
  check_not_forced(" \t", "the reference is empty");
  check_not_forced("\xC0\xAF", "byte 1 is not valid UTF-8");

  /* 5,000 tokens are translated and one more is rejected. The translator stays usable. */
  enum { LIMIT = 5000, STRIDE = 4 };
  owned char *text = malloc((LIMIT + 1) * STRIDE);
  for (size_t i = 0; i <= LIMIT; i++) memcpy(text + i * STRIDE, "我 ", STRIDE);
  check_not_translated(text, (LIMIT + 1) * STRIDE, NULL, "more tokens than the limit of 5000");
  owned_translation *translation;
  elman_translate_options options = elman_translate_options_default();
  options.max_length = 2;
  succeeds(elman_translate(&translation, translator, text, LIMIT * STRIDE, &options, &why));
  cr_assert_eq(translation->source_count, LIMIT);
  cr_assert_leq(translation->target_count, 2);
  check_translation(translation);
}

static void check_empty(const elman_translation *translation) {
  cr_assert_str_eq(translation->text, "");
  cr_assert_eq(translation->source_count, 0);
  cr_assert_eq(translation->target_count, 0);
  cr_assert_eq(translation->log_probability, 0);
}

Test(api_sentence, empty_text_has_empty_translation) {
  static const char *const texts[] = {"", " ", "\t\r\n", "\xE3\x80\x80"}; /* ideographic space */
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    owned_translation *translation = translate(translator, texts[i], NULL);
    check_empty(translation);
    for (size_t format = 0; elman_format_name(format) != NULL; format++)
      succeeds(elman_attention_save("empty", translation, elman_format_name(format), NULL, &why));
  }
  elman_translation *translation;
  cr_assert_eq(elman_translate(&translation, translator, NULL, 0, NULL, NULL), ELMAN_OK);
  check_empty(translation);
  elman_translation_free(translation);
}

Test(api_sentence, only_length_bytes_are_read) {
  owned char *exact = malloc(3); /* no NUL after it: a sanitizer reports any read past the end */
  memcpy(exact, "我", 3);
  owned_translation *translation;
  cr_assert_eq(elman_translate(&translation, translator, exact, 3, NULL, NULL), ELMAN_OK);
  cr_assert_eq(translation->source_count, 1);
  cr_assert_str_eq(translation->source_tokens[0], "我");
}

Test(api_sentence, unknown_words_are_kept_and_marked) {
  owned_translation *translation = translate(translator, "我 爱 Schmetterlinge <unk>", NULL);
  static const char *const tokens[] = {"我", "爱", "Schmetterlinge", "<unk>"};
  cr_assert_eq(translation->source_count, 4);
  for (size_t s = 0; s < 4; s++) {
    cr_assert_str_eq(translation->source_tokens[s], tokens[s]);
    cr_assert_eq(translation->source_known[s], s < 2);
    cr_assert_eq(translation->source_ids[s] > 0, s < 2);
  }
  check_translation(translation);
}

Test(api_sentence, forced_reference_is_returned) {
  elman_translate_options options = elman_translate_options_default();
  options.max_length = 1; /* ignored here */
  elman_translation *translation =
      force(translator, "我 爱 学习", "  I  love butterflies", &options);
  cr_assert(translation->forced && translation->ended);
  cr_assert_str_eq(translation->text, "  I  love butterflies");
  cr_assert_eq(translation->target_starts[1], 5);
  cr_assert_eq(translation->target_ends[1], 9);
  cr_assert_eq(translation->target_starts[3], translation->target_ends[3]);
  static const char *const tokens[] = {"I", "love", "butterflies", "</s>"};
  cr_assert_eq(translation->target_count, 4);
  for (size_t t = 0; t < 4; t++) cr_assert_str_eq(translation->target_tokens[t], tokens[t]);
  check_translation(translation);
  elman_translation_free(translation);
}

Test(api_sentence, token_of_two_megabytes_is_translated, .timeout = 120) {
  enum { SIZE = 2000000 };
  owned char *token = malloc(SIZE + 1);
  memset(token, 'a', SIZE);
  token[SIZE] = '\0';
  elman_translate_options unlimited = elman_translate_options_default();
  unlimited.max_bytes = 0;
  owned_translation *translation = translate(translator, token, &unlimited);
  cr_assert_eq(translation->source_count, 1);
  cr_assert_eq(strlen(translation->source_tokens[0]), SIZE);
  cr_assert_not(translation->source_known[0]);
  check_translation(translation);
  cr_assert_eq(elman_attention_save("long.json", translation, "json", NULL, NULL), ELMAN_OK);

  /* In training data it is a word like any other. */
  FILE *file = fopen("long.tsv", "wb");
  fprintf(file, "%s x\ty %s\n", token, token);
  fclose(file);
  owned_pairs *pairs = read_pairs("long.tsv");
  elman_model_options options = elman_model_options_default();
  options.embedding_size = options.hidden_size = 4;
  owned_model *with_long_word = create(pairs, &options);
  cr_assert_eq(elman_model_get_info(with_long_word).source_vocabulary, 3);
}

/* A second translation neither needs nor changes the first. */
Test(api_sentence, translations_belong_to_the_caller) {
  elman_translator *own = translator_of(model);
  elman_translation *first = translate(own, "我 爱 学习", NULL);
  owned char *text = strdup(first->text);
  owned_translation *second = translate(own, "今天 天气 很 好 今天 天气 很 好", NULL);
  elman_translator_free(own);
  cr_assert_str_eq(first->text, text);
  cr_assert_str_eq(first->source_tokens[2], "学习");
  check_translation(first);
  elman_translation_free(first);
  check_translation(second);
}
