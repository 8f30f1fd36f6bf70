/* Test: text. */
/* Changes of the text of a pair for augmentation. */
#include "corpus/modifiers.h"

#include <criterion/criterion.h>

#include "owned.h"

static struct buffer buffer_of(const char *text) {
  struct buffer buffer = {0};
  buffer_append(&buffer, text, strlen(text));
  return buffer;
}

static void check_text(const struct buffer *buffer, const char *given, const char *expected) {
  cr_assert(text_equal(buffer_text(buffer), text_of(expected)), "\"%s\" became \"%s\", not \"%s\"",
            given, buffer_text(buffer).bytes, expected);
}

static void free_buffers(struct buffer (*texts)[2]) {
  buffer_free(&(*texts)[0]);
  buffer_free(&(*texts)[1]);
}

/* ---- final marks, joining ---- */

static void check_dropped(const char *text, const char *expected) {
  owned_by(buffer_free) struct buffer buffer = buffer_of(text);
  cr_assert_eq(drop_final_marks(&buffer), strcmp(text, expected) != 0);
  check_text(&buffer, text, expected);
}

Test(modifiers, final_marks_are_dropped) {
  check_dropped("你好。", "你好");
  check_dropped("他说:“你好!”", "他说:“你好”");
  check_dropped("Are you there ?", "Are you there");
  check_dropped("Это хорошая книга!", "Это хорошая книга");
  check_dropped("هل أنت هنا؟", "هل أنت هنا");
  check_dropped("ฉันชอบกาแฟ", "ฉันชอบกาแฟ");
  check_dropped("...", "...");
}

static void check_joined(const char *left, const char *right, elman_token_mode mode,
                         const char *expected) {
  owned_by(buffer_free) struct buffer buffer = buffer_of(left);
  append_space_before(&buffer, text_of(right), mode);
  buffer_append(&buffer, right, strlen(right));
  check_text(&buffer, left, expected);
}

Test(modifiers, sentences_are_joined_as_their_script_requires) {
  check_joined("你好。", "我饿了", ELMAN_TOKENS_CHARS, "你好。我饿了");
  check_joined("你好.", "我饿了.", ELMAN_TOKENS_CHARS, "你好.我饿了.");
  check_joined("I am.", "You are.", ELMAN_TOKENS_BPE, "I am. You are.");
  check_joined("ฉันชอบ", "กาแฟ", ELMAN_TOKENS_BPE, "ฉันชอบ กาแฟ");
  check_joined("你 好 。", "我 饿 了", ELMAN_TOKENS_SPACE, "你 好 。 我 饿 了");
  check_joined("", "I am.", ELMAN_TOKENS_BPE, "I am.");
}

/* ---- case ---- */

static void check_case(enum letter_case letter_case, const char *source, const char *target,
                       const char *new_source, const char *new_target) {
  owned_by(free_buffers) struct buffer texts[2] = {buffer_of(source), buffer_of(target)};
  owned_by(buffer_free) struct buffer scratch = {0};
  cr_assert_eq(change_case(texts, letter_case, &scratch), strcmp(source, new_source) != 0);
  check_text(&texts[0], source, new_source);
  check_text(&texts[1], target, new_target);
}

Test(modifiers, both_sides_become_upper_case) {
  check_case(UPPER_CASE, "Die Straße ist naß.", "The street is wet.", "DIE STRASSE IST NASS.",
             "THE STREET IS WET.");
  check_case(UPPER_CASE, "Это ёлка.", "It is a fir.", "ЭТО ЁЛКА.", "IT IS A FIR.");
  check_case(UPPER_CASE, "Είναι ωραία, Μαΐου", "It is nice", "ΕΙΝΑΙ ΩΡΑΙΑ, ΜΑΪΟΥ", "IT IS NICE");
  check_case(UPPER_CASE, "I have an iPhone.", "我有iPhone。", "I HAVE AN IPHONE.", "我有IPHONE。");
}

/* The rule does not depend on the language, so that Turkish i loses its dot. */
Test(modifiers, dotted_i_follows_the_usual_rule) {
  check_case(UPPER_CASE, "şehir ışık İz", "city", "ŞEHIR IŞIK İZ", "CITY");
}

Test(modifiers, without_case_in_the_source_only_common_words_change) {
  check_case(UPPER_CASE, "我有iPhone和Tom的书。", "I have an iPhone and his book.",
             "我有IPHONE和Tom的书。", "I have an IPHONE and his book.");
  check_case(UPPER_CASE, "你好吗？", "How are you?", "你好吗？", "How are you?");
  check_case(TITLE_CASE, "我有ebay。", "I use ebay.", "我有Ebay。", "I use Ebay.");
  check_case(UPPER_CASE, "أنا هنا", "I am here", "أنا هنا", "I am here");
  check_case(UPPER_CASE, "ฉันชอบกาแฟ", "I like coffee", "ฉันชอบกาแฟ", "I like coffee");
}

Test(modifiers, words_begin_with_capital_letters) {
  check_case(TITLE_CASE, "I don't (really) like 3rd \"class\" ice-cream.", "我不喜欢。",
             "I Don't (Really) Like 3rd \"Class\" Ice-cream.", "我不喜欢。");
  check_case(TITLE_CASE, "это очень хорошо", "it is very good", "Это Очень Хорошо",
             "It Is Very Good");
}

/* ---- typing errors ---- */

/* Return the number of characters by which the texts differ in length, as an absolute value. */
static size_t distance(struct text a, struct text b) {
  return a.length > b.length ? a.length - b.length : b.length - a.length;
}

Test(modifiers, typing_errors_change_words_of_letters) {
  static const char *const texts[] = {"They wanted to see it", "Они хотели это увидеть",
                                      "Ήθελαν να το δουν", "הם רצו לראות", "أرادوا رؤية ذلك"};
  owned_by(buffer_free) struct buffer scratch = {0};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    size_t changed = 0, longer = 0, shorter = 0, equal = 0;
    for (uint64_t k = 0; k < 100; k++) {
      owned_by(buffer_free) struct buffer text = buffer_of(texts[i]);
      struct draws draws = {{1, RANDOM_AUGMENTATION, 1}, k << 16};
      cr_assert(add_typos(&text, &draws, &scratch));
      const struct text given = text_of(texts[i]), result = buffer_text(&text);
      cr_assert_leq(distance(given, result), 2);
      cr_assert_eq(text_valid_prefix(result), result.length);
      changed += !text_equal(given, result);
      longer += result.length > given.length;
      shorter += result.length < given.length;
      equal += result.length == given.length && !text_equal(given, result);
    }
    cr_assert_geq(changed, 60, "%s", texts[i]);
    cr_assert(longer > 5 && shorter > 5 && equal > 5, "%s", texts[i]);
  }
}

Test(modifiers, typing_errors_need_a_word_of_three_letters_in_an_alphabet) {
  static const char *const texts[] = {"我要去iPhone商店买东西", "我饿了。", "ฉันชอบกาแฟ", "मुझे पसंद है",
                                      "I am on it 12345",       ""};
  owned_by(buffer_free) struct buffer scratch = {0};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    owned_by(buffer_free) struct buffer text = buffer_of(texts[i]);
    struct draws draws = {{1, RANDOM_AUGMENTATION, 1}, 0};
    cr_assert(!add_typos(&text, &draws, &scratch), "%s", texts[i]);
    check_text(&text, texts[i], texts[i]);
  }
}

/* A long text gets several errors. */
Test(modifiers, typing_errors_grow_with_the_text) {
  enum { WORDS = 40 };
  owned_by(buffer_free) struct buffer text = {0}, scratch = {0};
  for (size_t i = 0; i < WORDS; i++) buffer_append(&text, "abcdefgh ", 9);
  struct draws draws = {{1, RANDOM_AUGMENTATION, 1}, 0};
  cr_assert(add_typos(&text, &draws, &scratch));
  struct text rest = buffer_text(&text);
  size_t wrong = 0;
  while (rest.length > 0) wrong += !text_equal(text_cut(&rest, ' '), text_of("abcdefgh"));
  cr_assert(wrong >= 4 && wrong <= 6, "%zu", wrong);
}

/* ---- words ---- */

Test(modifiers, words_are_runs_of_letters_or_digits) {
  const struct text text = text_of("Tom在2008年，有 iPhone12");
  size_t at = 0;
  cr_assert(text_equal(next_word(text, &at, false), text_of("Tom")));
  cr_assert(text_equal(next_word(text, &at, false), text_of("iPhone")));
  cr_assert_eq(next_word(text, &at, false).length, 0);
  at = 0;
  cr_assert(text_equal(next_word(text, &at, true), text_of("2008")));
  cr_assert(contains_word(text, text_of("12"), true));
  cr_assert(!contains_word(text, text_of("Phone"), false));
}
