/* Warnings of translations that are probably wrong, through the public API. */
#include <math.h>

#include "small_translator.h"

TestSuite(api_warning, .init = set_up, .fini = tear_down);

static elman_warning warning_of(const char *text) {
  owned_translation *translation = translate(translator, text, NULL);
  return elman_translation_warning(model, translation);
}

static void expect(const char *text, elman_warning_kind kind, const char *words) {
  const elman_warning warning = warning_of(text);
  cr_assert_eq(warning.kind, kind, "%s: %s", text, warning.message);
  cr_assert_not_null(strstr(warning.message, words), "%s: %s", text, warning.message);
  cr_assert_lt(strlen(warning.message), (size_t)ELMAN_WARNING_SIZE - 1);
}

Test(api_warning, another_script_is_named) {
  expect("How are you?", ELMAN_WARNING_SCRIPT,
         "This model translates Chinese (Han script); the text is mostly in Latin script. Use a "
         "model of the opposite direction.");
  expect("Как дела?", ELMAN_WARNING_SCRIPT,
         "mostly in Cyrillic script. Use a model for the language of the text.");
  expect("これはペンです", ELMAN_WARNING_SCRIPT, "the text is mostly in Japanese.");
  cr_assert_neq(warning_of("我 爱 Tom").kind, ELMAN_WARNING_SCRIPT, "a third of the letters");
  cr_assert_neq(warning_of("123").kind, ELMAN_WARNING_SCRIPT, "no letters");
  cr_assert_neq(warning_of("！").kind, ELMAN_WARNING_SCRIPT);
}

Test(api_warning, many_unknown_tokens_are_counted) {
  expect("我 鼬 鼯", ELMAN_WARNING_UNKNOWN, "2 of 3 words of the text are not in the vocabulary");
  expect("我 鼬", ELMAN_WARNING_UNKNOWN, "1 of 2 words of the text is not in the vocabulary");
  expect("鼬", ELMAN_WARNING_UNKNOWN, "1 of 1 word of the text is not in the vocabulary");
  cr_assert_neq(warning_of("我 爱 鼬").kind, ELMAN_WARNING_UNKNOWN, "a third is not more");
}

Test(api_warning, traditional_characters_are_recognized) {
  expect("學習", ELMAN_WARNING_VARIANTS, "The text has traditional characters");
  expect("我 愛 學習", ELMAN_WARNING_VARIANTS, "'opencc -c t2s'");
  cr_assert_neq(warning_of("我 爱 学习").kind, ELMAN_WARNING_VARIANTS);
}

/* The translation with a mean log-probability per token, in `sentences` sentences. */
static elman_warning warning_at(double mean, size_t sentences, bool forced) {
  enum { MOST = 3, T = 4 };
  owned_translation *translation = translate(translator, "我 爱 学习", NULL);
  elman_translated_sentence parts[MOST];
  elman_translation changed = *translation;
  for (size_t k = 0; k < sentences; k++)
    parts[k] = (elman_translated_sentence){.target_count = T,
                                           .log_probability = k == 0 ? mean * T : -0.1 * T};
  changed.sentences = parts;
  changed.sentence_count = sentences;
  changed.forced = forced;
  return elman_translation_warning(model, &changed);
}

Test(api_warning, improbable_translations_are_below_a_bound) {
  cr_assert_eq(warning_at(ELMAN_PROBABLE + 0.01, 1, false).kind, ELMAN_WARNING_NONE);
  cr_assert_str_eq(warning_at(ELMAN_PROBABLE + 0.01, 1, false).message, "");
  const elman_warning one = warning_at(-1.5, 1, false), several = warning_at(-1.5, 3, false);
  cr_assert_eq(one.kind, ELMAN_WARNING_IMPROBABLE);
  cr_assert_not_null(strstr(one.message, "The translation is improbable (22 % per token)"));
  cr_assert_not_null(strstr(several.message, "The translation of 1 of 3 sentences is improbable"));
  cr_assert_eq(warning_at(-9, 1, true).kind, ELMAN_WARNING_NONE, "a reference");
  cr_assert_eq(warning_at(NAN, 1, false).kind, ELMAN_WARNING_NONE, "without scores");
}

/* The warning of a source and its translation by another model. */
static elman_warning warning_of_pair(const char *source, const char *text, bool forced) {
  owned_translation *translation = translate(translator, "我 爱 学习", NULL);
  elman_translation changed = *translation;
  changed.source = source;
  changed.text = text;
  changed.forced = forced;
  return elman_translation_warning(model, &changed);
}

Test(api_warning, a_lost_number_is_named) {
  const elman_warning one = warning_of_pair("爱 3,500 学习", "love 300", false);
  cr_assert_eq(one.kind, ELMAN_WARNING_NUMBER);
  cr_assert_str_eq(
      one.message,
      "The number 3,500 of the text is not in the translation, which is probably wrong.");
  cr_assert_neq(warning_of_pair("爱 3,500", "love 3500", false).kind, ELMAN_WARNING_NUMBER);
  cr_assert_neq(warning_of_pair("爱 3,500", "love 300", true).kind, ELMAN_WARNING_NUMBER);
  char digits[1000] = "爱 ";
  memset(digits + strlen(digits), '7', 900);
  const elman_warning cut = warning_of_pair(digits, "love", false);
  cr_assert_eq(cut.kind, ELMAN_WARNING_NUMBER);
  cr_assert_not_null(strstr(cut.message, "7... of the text"), "%s", cut.message);
}

Test(api_warning, kinds_have_names) {
  cr_assert_str_eq(elman_warning_kind_name(ELMAN_WARNING_NONE), "none");
  cr_assert_str_eq(elman_warning_kind_name(ELMAN_WARNING_IMPROBABLE), "improbable");
  cr_assert_null(elman_warning_kind_name(ELMAN_WARNING_IMPROBABLE + 1));
}
