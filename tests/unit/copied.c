/* Test: float. */
/* Source text that is copied into a translation. */
#include "translate/copied.h"

#include <criterion/criterion.h>

#include "words_of.h"

static void release_places(const struct spans *places) {
  free_places(*places);
}

/* Check what is copied for the token that contains byte `at` of a text. */
static void check_copied(const char *text, elman_token_mode mode, bool whole, const char *at,
                         const char *expected) {
  owned_by(tokens_free) struct tokens tokens = {0};
  owned_by(buffer_free) struct buffer copied = {0};
  const size_t place = (size_t)(strstr(text, at) - text);
  succeeds(tokens_split(&tokens, text_of(text), mode, &why));
  owned_by(release_places) struct spans spans = places_for(tokens.count);
  succeeds(locate_tokens(spans, &tokens, text_of(text), mode, ELMAN_NFC, &why));
  const struct copied_source source = {text_of(text), &tokens, spans, mode, false};
  for (size_t s = 0; s < tokens.count; s++) {
    if (place < spans.starts[s] || place >= spans.ends[s]) continue;
    copy_source_word(&copied, &source, s, ELMAN_TOKENS_WORDS, whole);
    cr_assert(text_equal(buffer_text(&copied), text_of(expected)), "\"%s\" at \"%s\": \"%s\"", text,
              at, buffer_text(&copied).bytes);
    return;
  }
  cr_assert_fail("no token at %s", at);
}

Test(copied, whole_addresses_and_names_are_copied) {
  static const char *const texts[][3] = {
      {"我在https://a.org/b?c=1。", "org", "https://a.org/b?c=1"},
      {"我叫Tom。", "m", "Tom"},
      {"我的邮箱是me@a-b.com，谢谢", "@", "me@a-b.com"},
      {"{{name}}你好", "name", "{{name}}"},
      {"(see f(x)).", "f", "f(x)"},
      {"He said \"Kadiro\".", "ro", "Kadiro"},
      {"12:30见", "30", "12:30"},
      {"12：30见", "30", "12：30"},
      {"我用Café。", "é", "Café"},
      {"Я из Кадиро.", "ди", "Кадиро"},
      {"张三丰", "三", "三"},
      {"wait, what?", "?", "?"},
      {"我45%确定", "5", "45%"},
      {"好👍👍", "👍", "👍"},
      {"👨‍👩‍👧好", "👨", "👨‍👩‍👧"}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    check_copied(texts[i][0], ELMAN_TOKENS_CHARS, true, texts[i][1], texts[i][2]);
    check_copied(texts[i][0], ELMAN_TOKENS_WORDS, true, texts[i][1], texts[i][2]);
  }
}

Test(copied, scripts_are_not_mixed) {
  check_copied("Яzyx", ELMAN_TOKENS_CHARS, true, "y", "zyx");
  check_copied("Яzyx", ELMAN_TOKENS_CHARS, true, "Я", "Я");
  check_copied("Яzyx", ELMAN_TOKENS_WORDS, true, "Я", "Яzyx");
}

Test(copied, without_noise_only_divided_words_are_completed) {
  check_copied("我在https://a.org。", ELMAN_TOKENS_CHARS, false, "org", "org");
  check_copied("我在https://a.org。", ELMAN_TOKENS_WORDS, false, "org", "org");
  check_copied("mother-in-law", ELMAN_TOKENS_CHARS, false, "th", "mother");
  check_copied("mother-in-law", ELMAN_TOKENS_WORDS, false, "th", "mother");
  check_copied("Tom.", ELMAN_TOKENS_SPACE, false, "o", "Tom.");
  check_copied("Tom.", ELMAN_TOKENS_SPACE, true, "o", "Tom");
}

/* A text that begins with the character of a mark gets the mark that it would have as a token. */
Test(copied, characters_of_marks_are_no_marks) {
  check_copied("a ￭ b", ELMAN_TOKENS_CHARS, true, "￭", "▁￭");
  check_copied("我￭", ELMAN_TOKENS_CHARS, true, "￭", "￭￭");
  check_copied("a ▁x", ELMAN_TOKENS_CHARS, true, "▁", "▁▁");
}

/* ---- words of several tokens ---- */

/* Check the first tokens of the words of a text: a letter per token, from a; - for a token that is
 * not copied. */
static void check_firsts(const char *text, elman_token_mode mode, bool whole,
                         const char *expected) {
  owned_by(tokens_free) struct tokens tokens = {0};
  succeeds(tokens_split(&tokens, text_of(text), mode, &why));
  owned_by(release_places) struct spans spans = places_for(tokens.count);
  succeeds(locate_tokens(spans, &tokens, text_of(text), mode, ELMAN_NFC, &why));
  const struct copied_source source = {text_of(text), &tokens, spans, mode, false};
  size_t firsts[64];
  char found[64] = "";
  cr_assert_lt(tokens.count, 64);
  copied_firsts(firsts, &source, ELMAN_TOKENS_WORDS, whole);
  for (size_t s = 0; s < tokens.count; s++)
    found[s] = firsts[s] == NOT_COPIED ? '-' : (char)('a' + (char)firsts[s]);
  cr_assert_str_eq(found, expected, "%s", text);
}

Test(copied, tokens_of_a_word_have_one_first) {
  check_firsts("我有3,500元。", ELMAN_TOKENS_CHARS, true, "--ccccc--");
  check_firsts("(12 ab), !", ELMAN_TOKENS_CHARS, true, "-bbdd---");
  check_firsts("{{a}}我", ELMAN_TOKENS_CHARS, true, "aaaaa-");
  check_firsts("我👍👍", ELMAN_TOKENS_CHARS, true, "-bc");
  check_firsts("我们。", ELMAN_TOKENS_CHARS, true, "abc"); /* nothing else can be copied */
  check_firsts("$20 a.org", ELMAN_TOKENS_WORDS, true, "aaccc");
  check_firsts("a-b, c", ELMAN_TOKENS_WORDS, false, "abcde");
  check_firsts("ab-c。", ELMAN_TOKENS_CHARS, false, "aacde");
}
