/* Test: text. */
/* Normalization and the token modes, which must lose no text. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "words_of.h"

#include "vocab/normalize.h"
#include "vocab/tokens.h"

static const elman_token_mode modes[] = {ELMAN_TOKENS_SPACE, ELMAN_TOKENS_WORDS,
                                         ELMAN_TOKENS_CHARS};
enum { MODES = sizeof modes / sizeof modes[0] };

static struct text bytes_of(const struct buffer *buffer) {
  return buffer_text(buffer);
}

static void assert_normal(const char *input, const char *expected) {
  owned_by(buffer_free) struct buffer normal = {0};
  cr_assert_eq(text_normalize(&normal, text_of(input), ELMAN_NFC, NULL), ELMAN_OK);
  cr_assert(text_equal(bytes_of(&normal), text_of(expected)), "\"%s\" became \"%s\", not \"%s\"",
            input, normal.bytes, expected);
}

/* `expected` contains the tokens, separated by "|". */
static void assert_tokens(elman_token_mode mode, const char *input, const char *expected) {
  owned_by(tokens_free) struct tokens tokens = {0};
  cr_assert_eq(tokens_split(&tokens, text_of(input), mode, NULL), ELMAN_OK);
  check_tokens(&tokens, input, expected);
}

/* Normalize `input`, then split and join it in every mode. */
static void assert_lossless(struct text input) {
  owned_by(buffer_free) struct buffer normal = {0}, again = {0}, joined = {0};
  owned_by(tokens_free) struct tokens tokens = {0};
  cr_assert_eq(text_normalize(&normal, input, ELMAN_NFC, NULL), ELMAN_OK);
  cr_assert_eq(text_normalize(&again, bytes_of(&normal), ELMAN_NFC, NULL), ELMAN_OK);
  cr_assert(text_equal(bytes_of(&normal), bytes_of(&again)), "normalizing \"%s\" twice differs",
            normal.bytes);
  for (int i = 0; i < MODES; i++) {
    cr_assert_eq(tokens_split(&tokens, bytes_of(&normal), modes[i], NULL), ELMAN_OK);
    buffer_clear(&joined);
    cr_assert_eq(tokens_join(&joined, &tokens, modes[i], NULL), ELMAN_OK);
    cr_assert(text_equal(bytes_of(&normal), bytes_of(&joined)), "%s: \"%s\" became \"%s\"",
              elman_token_mode_name(modes[i]), normal.bytes, joined.bytes);
    for (size_t t = 0; t < tokens.count; t++) {
      const struct text surface = token_surface(tokens_get(&tokens, t));
      cr_assert(surface.length > 0 && memchr(surface.bytes, ' ', surface.length) == NULL);
    }
  }
}

Test(normalize, white_space_becomes_one_space) {
  assert_normal("", "");
  assert_normal(" \t\n ", "");
  assert_normal("  a\t\tb \r\n c  ", "a b c");
  assert_normal("a\302\205b\u00A0c\u1680d\u2003e\u2028f\u2029g\u202Fh\u205Fi\u3000j",
                "a b c d e f g h i j");
  assert_normal("\u3000我\u3000", "我");
  /* These characters resemble white space but are not, and have no meaning. */
  assert_normal("a\u200Bb\uFEFFc\u180Ed\x1F", "abcd");
}

Test(normalize, characters_are_composed) {
  assert_normal("cafe\u0301", "caf\u00E9");
  assert_normal("a\u0300", "\u00E0");              /* the first of all marks */
  assert_normal("\u212B", "\u212B");               /* Angstrom sign is kept */
  assert_normal("\u1112\u1161\u11AB", "\uD55C");   /* jamo to Hangul */
  assert_normal("q\u0307\u0323", "q\u0307\u0323"); /* marks as typed */
  assert_normal("a\u0315\u0300\u05AE", "\u00E0\u05AE\u0315");
  assert_normal("\u304B\u3099", "\u304C");
  assert_normal("\uF900", "\uF900"); /* compatibility ideograph is kept */
  assert_normal("\u0958", "\u0958"); /* composition exclusion: both spellings are kept */
  assert_normal("\u0915\u093C", "\u0915\u093C");
  assert_normal("\u0300a", "\u0300a");
  assert_normal(" \u0301a", "\u0301a");
  assert_normal("\uFF21\u00BD", "\uFF21\u00BD"); /* NFC, not NFKC */
}

Test(normalize, output_is_replaced) {
  owned_by(buffer_free) struct buffer into = {0};
  buffer_append(&into, "old", 3);
  cr_assert_eq(text_normalize(&into, text_of("e\u0301"), ELMAN_NFC, NULL), ELMAN_OK);
  cr_assert_str_eq(into.bytes, "\u00E9");
  cr_assert_eq(into.length, 2);
}

/* Two megabytes of unordered marks would take an hour with a quadratic sort. */
Test(normalize, long_runs_of_marks_take_linear_time, .timeout = 120) {
  owned_by(buffer_free) struct buffer text = {0};
  buffer_append(&text, "a", 1);
  while (text.length < 2000000) buffer_append(&text, "\u0301\u0323", 4);
  owned_by(buffer_free) struct buffer normal = {0};
  cr_assert_eq(text_normalize(&normal, buffer_text(&text), ELMAN_NFC, NULL), ELMAN_OK);
  /* All dots below come first; the first one combines with the letter. */
  cr_assert_eq(memcmp(normal.bytes, "\u1EA1\u0323\u0323", 7), 0);
  cr_assert_eq(memcmp(normal.bytes + normal.length - 4, "\u0301\u0301", 4), 0);
  assert_lossless(buffer_text(&text));
}

static void assert_dropped(elman_token_mode mode, const char *input, const char *expected) {
  owned_by(buffer_free) struct buffer text = {0};
  for (int i = 0; i < 2; i++) { /* the second pass must change nothing */
    if (i == 0) buffer_append_text(&text, text_of(input));
    text_drop_spaces(&text, mode);
    cr_assert(text_equal(buffer_text(&text), text_of(expected)), "\"%s\" became \"%s\"", input,
              text.bytes);
  }
}

Test(spaces, chars_drop_spaces_beside_chinese_and_japanese) {
  assert_dropped(ELMAN_TOKENS_CHARS, "你 喜欢 雨 吗 ？", "你喜欢雨吗？");
  assert_dropped(ELMAN_TOKENS_CHARS, "我 在 New York 住 3 年 .", "我在New York住3年.");
  assert_dropped(ELMAN_TOKENS_CHARS, "これ は ペン です 。", "これはペンです。");
  assert_dropped(ELMAN_TOKENS_CHARS, "“ 好 ！ ” Tom",
                 "“好！” Tom"); /* curly marks are English punctuation as well */
  assert_dropped(ELMAN_TOKENS_CHARS, "葛\U000E0100 城 か\u3099 a", "葛\U000E0100城か\u3099a");
  assert_dropped(ELMAN_TOKENS_CHARS, "I don't know .", "I don't know .");
  assert_dropped(ELMAN_TOKENS_CHARS, "한국어 문장", "한국어 문장");
  assert_dropped(ELMAN_TOKENS_CHARS, "我 \u0301 \u200D",
                 "我 \u0301 \u200D"); /* would combine with 我 */
  assert_dropped(ELMAN_TOKENS_CHARS, "", "");
}

/* Words of other languages keep their spaces. */
Test(spaces, words_drop_spaces_within_chinese) {
  assert_dropped(ELMAN_TOKENS_WORDS, "你 喜欢 雨 吗 ？", "你喜欢雨吗？");
  assert_dropped(ELMAN_TOKENS_WORDS, "我 在 New York 住 3 年 。", "我在 New York 住 3 年。");
  assert_dropped(ELMAN_TOKENS_WORDS, "The character 爱 means love .",
                 "The character 爱 means love .");
  assert_dropped(ELMAN_TOKENS_WORDS, "葛\U000E0100 城 か\u3099 が", "葛\U000E0100城か\u3099が");
  assert_dropped(ELMAN_TOKENS_WORDS, "我 \u0301 爱", "我 \u0301 爱"); /* would combine with 我 */
  assert_dropped(ELMAN_TOKENS_SPACE, "你 喜欢 雨", "你 喜欢 雨");
}

Test(modes, names) {
  static const char *const names[] = {"space", "words", "chars", "auto", "bpe", "auto-bpe"};
  for (int i = 0; i < 6; i++) {
    size_t mode;
    cr_assert(choice_parse(&mode, elman_token_mode_name, names[i]));
    cr_assert_str_eq(elman_token_mode_name(mode), names[i]);
  }
  size_t mode;
  cr_assert_not(choice_parse(&mode, elman_token_mode_name, "word"));
  cr_assert_not(choice_parse(&mode, elman_token_mode_name, ""));
  cr_assert_null(elman_token_mode_name((elman_token_mode)17));
}

Test(modes, space_mode_splits_at_spaces) {
  assert_tokens(ELMAN_TOKENS_SPACE, "", "");
  assert_tokens(ELMAN_TOKENS_SPACE, "我 爱 学习 。", "我|爱|学习|。");
  assert_tokens(ELMAN_TOKENS_SPACE, "don't stop.", "don't|stop.");
  assert_tokens(ELMAN_TOKENS_SPACE, "▁a ￭ b￭", "▁▁a|▁￭|b￭");
}

/* In ordinary writing, punctuation between two words needs no mark. */
static void assert_usual(const char *const *signs, size_t count, const char *before,
                         const char *behind) {
  for (size_t i = 0; i < count; i++) {
    char text[64], expected[64];
    snprintf(text, sizeof text, "word%s%s%sword", before, signs[i], behind);
    snprintf(expected, sizeof expected, "word|%s|word", signs[i]);
    assert_tokens(ELMAN_TOKENS_WORDS, text, expected);
  }
}

Test(modes, usual_punctuation_needs_no_mark) {
  static const char *const left[] = {".", ",", "!", "?", ";", ":", "%", ")",
                                     "]", "}", "°", "»", "”", "…", "‰"};
  static const char *const right[] = {"(", "[", "{", "$", "#", "¡", "£",
                                      "¥", "«", "¿", "‘", "“", "€"};
  static const char *const both[] = {"'", "-", "/", "_", "·", "\u2010", "\u2011", "–", "—", "’"};
  static const char *const unspaced[] = {"、", "〃", "〈", "】", "〔", "〟", "︰", "﹏", "！",
                                         "／", "：", "＠", "［", "｀", "｛", "｠", "￠", "￦"};
  static const char *const apart[] = {"=", "+", "&", "*", "<", "|", "\"", "@"};
  assert_usual(left, sizeof left / sizeof *left, "", " ");
  assert_usual(right, sizeof right / sizeof *right, " ", "");
  assert_usual(both, sizeof both / sizeof *both, "", "");
  assert_usual(unspaced, sizeof unspaced / sizeof *unspaced, "", "");
  assert_usual(apart, sizeof apart / sizeof *apart, " ", " ");
}

/* A joiner or combining mark after a punctuation sign is part of it. */
Test(modes, combining_marks_stay_with_punctuation) {
  assert_tokens(ELMAN_TOKENS_WORDS, "word (\u200Dword", "word|(\u200D|word");
  assert_tokens(ELMAN_TOKENS_WORDS, "word (\u0301word", "word|(\u0301|word");
}

Test(modes, words_mode_splits_words_and_punctuation) {
  assert_tokens(ELMAN_TOKENS_WORDS, "Hello, world!", "Hello|,|world|!");
  assert_tokens(ELMAN_TOKENS_WORDS, "I don't know.", "I|don|'|t|know|.");
  assert_tokens(ELMAN_TOKENS_WORDS, "well-known (yes) [no]", "well|-|known|(|yes|)|[|no|]");
  assert_tokens(ELMAN_TOKENS_WORDS, "He said: \u201CNo.\u201D", "He|said|:|\u201C|No|.|\u201D");
  assert_tokens(ELMAN_TOKENS_WORDS, "It costs $5 , ok", "It|costs|$|5|▁,|ok");
  assert_tokens(ELMAN_TOKENS_WORDS, "x² ½ Ⅷ ٣", "x²|½|Ⅷ|٣"); /* numbers of all kinds */
  assert_tokens(ELMAN_TOKENS_WORDS, "3.14", "3|.|￭14");
  assert_tokens(ELMAN_TOKENS_WORDS, "a - b", "a|▁-|▁b");
  assert_tokens(ELMAN_TOKENS_WORDS, "\"a\"", "\"|￭a|￭\"");
  assert_tokens(ELMAN_TOKENS_WORDS, "我爱C语言。", "我|爱|C|语|言|。");
  assert_tokens(ELMAN_TOKENS_WORDS, "我 爱，你", "我|▁爱|，|你");
  assert_tokens(ELMAN_TOKENS_WORDS, "カタカナと漢字", "カタカナと|漢|字");
  assert_tokens(ELMAN_TOKENS_WORDS, "nai\u0308ve \u0301x", "nai\u0308ve|\u0301x");
  assert_tokens(ELMAN_TOKENS_WORDS, "ok！yes", "ok|！|yes");
  assert_tokens(ELMAN_TOKENS_WORDS, "(\u0301a",
                "(\u0301|a"); /* the mark does not hide the bracket */
  assert_tokens(ELMAN_TOKENS_WORDS, "Привет, мир", "Привет|,|мир");
  assert_tokens(ELMAN_TOKENS_WORDS, "￭a", "▁￭|￭a");
  assert_tokens(ELMAN_TOKENS_WORDS, "b▁", "b|￭▁");
}

Test(modes, chars_mode_splits_han_characters) {
  assert_tokens(ELMAN_TOKENS_CHARS, "我爱你。", "我|爱|你|。");
  assert_tokens(ELMAN_TOKENS_CHARS, "a b", "a|▁b");
  assert_tokens(ELMAN_TOKENS_CHARS, "e\u0301\u0323x", "e\u0301\u0323|x");
  assert_tokens(ELMAN_TOKENS_CHARS, "👨‍👩‍👧👍🏽", "👨‍👩‍👧|👍🏽");
  assert_tokens(ELMAN_TOKENS_CHARS, "🇨🇳🇬🇧", "🇨🇳|🇬🇧");
  assert_tokens(ELMAN_TOKENS_CHARS, "a \u0301", "a|▁\u0301"); /* no token contains a space */
  assert_tokens(ELMAN_TOKENS_CHARS, "￭", "￭￭");
  assert_tokens(ELMAN_TOKENS_CHARS, "a ￭▁", "a|▁￭|￭▁");
}

Test(modes, surface_removes_one_mark) {
  cr_assert(text_equal(token_surface(text_of("a")), text_of("a")));
  cr_assert(text_equal(token_surface(text_of("￭a")), text_of("a")));
  cr_assert(text_equal(token_surface(text_of("▁￭a")), text_of("￭a")));
  cr_assert(text_equal(token_surface(text_of("a￭")), text_of("a￭")));
  cr_assert(text_equal(token_surface(text_of("￭")), text_of("")));
  cr_assert(token_has_mark(text_of("▁")));
  cr_assert_not(token_has_mark(text_of("a▁")));
}

/* A model may produce tokens that the tokenizer never would. */
Test(modes, join_accepts_any_tokens) {
  const char *const said[] = {"￭", "▁", "a", "￭", "b", "(", "￭"};
  owned_by(tokens_free) struct tokens tokens = tokens_of(said, sizeof said / sizeof *said);
  owned_by(buffer_free) struct buffer joined = {0};
  buffer_append(&joined, "> ", 2);
  cr_assert_eq(tokens_join(&joined, &tokens, ELMAN_TOKENS_WORDS, NULL), ELMAN_OK);
  cr_assert_str_eq(joined.bytes, ">   a b (");
}

static bool parted(elman_token_mode mode, const char *left, const char *right, bool left_foreign,
                   bool right_foreign) {
  const struct foreign_neighbors neighbors = {.left = text_of(left),
                                              .right = text_of(right),
                                              .left_foreign = left_foreign,
                                              .right_foreign = right_foreign};
  return space_beside_foreign(mode, &neighbors);
}

Test(modes, foreign_words_are_separated_by_spaces) {
  const elman_token_mode words = ELMAN_TOKENS_WORDS, chars = ELMAN_TOKENS_CHARS;
  cr_assert(parted(words, "The", "辆", false, true));
  cr_assert(parted(words, "辆", "is", true, false));
  cr_assert(parted(words, "辆", "is", true, true));
  cr_assert_not(parted(words, "这", "辆", true, true)); /* in the usual spacing of Chinese */
  cr_assert_not(parted(words, "辆", ".", true, false));
  cr_assert_not(parted(words, "(", "辆", false, true));
  /* In text without spaces, two adjacent words of letters need a space; one word does not. */
  cr_assert_not(parted(words, "喜欢", "zebras", false, true));
  cr_assert_not(parted(chars, "欢", "zebras", false, true));
  cr_assert(parted(chars, "zebras", "horses", true, true));
  cr_assert_not(parted(chars, "zebras", "。", true, false));
  cr_assert(parted(ELMAN_TOKENS_SPACE, "这", "辆", true, true));
  /* Consecutive single letters make up a word. */
  const struct foreign_neighbors letters = {text_of("a"), text_of("b"), true, true, true};
  cr_assert_not(space_beside_foreign(chars, &letters));
}

Test(modes, token_list_is_reused) {
  owned_by(tokens_free) struct tokens tokens = {0};
  cr_assert_eq(tokens_split(&tokens, text_of("a b c"), ELMAN_TOKENS_SPACE, NULL), ELMAN_OK);
  cr_assert_eq(tokens_split(&tokens, text_of("dd"), ELMAN_TOKENS_SPACE, NULL), ELMAN_OK);
  cr_assert_eq(tokens.count, 1);
  cr_assert(text_equal(tokens_get(&tokens, 0), text_of("dd")));
  cr_assert_eq(tokens_add(&tokens, text_of("eee"), NULL), ELMAN_OK);
  cr_assert_eq(tokens_add(&tokens, text_of(""), NULL), ELMAN_OK);
  cr_assert_eq(tokens.count, 3);
  cr_assert(text_equal(tokens_get(&tokens, 0), text_of("dd")));
  cr_assert(text_equal(tokens_get(&tokens, 1), text_of("eee")));
  cr_assert_eq(tokens_get(&tokens, 2).length, 0);
}

Test(modes, out_of_memory_is_a_status) {
  owned_by(tokens_free) struct tokens tokens = {0};
  cr_assert_eq(tokens_add(&tokens, text_of("a"), NULL), ELMAN_OK);
  tokens.bytes.failed = true;
  cr_assert_eq(tokens_add(&tokens, text_of("b"), &why), ELMAN_NO_MEMORY);
  cr_assert_eq(why.code, ELMAN_NO_MEMORY);
  cr_assert_eq(tokens.count, 1);
  struct buffer full = {.failed = true};
  cr_assert_eq(tokens_join(&full, &tokens, ELMAN_TOKENS_CHARS, NULL), ELMAN_NO_MEMORY);
}

static const char *const tricky[] = {
    "",
    "￭",
    "▁",
    "￭￭ ▁▁ ￭▁",
    "a￭ ￭b▁ ▁c",
    "▁我￭爱▁",
    "\u0301",
    "a \u0301 \u0301b",
    "￭\u0301 ▁\u0301",
    "我\u0301爱 \u20E3",
    "葛\U000E0100城",
    "👨‍👩‍👧‍👦 👩🏽‍🚀x",
    "\u200D\u200D 👩\u200D",
    "🇨🇳🇬🇧🇫 🇷🇩🇪",
    "한국어 \u1112\u1161\u11AB\u11AB",
    "שלום, עולם!",
    "مرحبا (بالعالم)؟",
    "\u202Eabc\u202C",
    "a\u200Bb \u200B c",
    "a\uFEFFb",
    "\x1B[31mred\x1B[0m \x01\x7F",
    "\302\205\u2028",
    "  ( \"a\" ) [b] {c} ' d ' - e / f _ g",
    "''--//__..,,",
    "don't can 't O' Neil",
    "“你好”，他说。 \"Hi\" - ok… 50 % $ 5",
    "ｶﾀｶﾅ カタカナ、ひらがな 漢字",
    "เขากินข้าว हिन्दी में",
    "<unk> <s> </s>",
    "x\u0903\u094Dक",
    "\U0001F1E8",
    "\U0010FFFF\uFFFF\uFDD0",
    "\U00020000\U000323AF々〇",
    "a\u0338=\u0338 \u0338",
};

Test(modes, tricky_strings_are_preserved) {
  for (size_t i = 0; i < sizeof tricky / sizeof tricky[0]; i++) assert_lossless(text_of(tricky[i]));
}

static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

Test(modes, random_strings_are_preserved, .timeout = 120) {
  static const char *const alphabet[] = {
      " ",      " ",      " ",      "a",      "Z",      "7",      ".",          ",",
      "(",      ")",      "'",      "-",      "_",      "\"",     "$",          "￭",
      "▁",      "我",     "习",     "々",     "。",     "，",     "（",         "）",
      "ア",     "ｱ",      "゛",     "\u3099", "\u0301", "\u0323", "\u0338",     "\u20E3",
      "\uFE0F", "\u200D", "\u200B", "\uFEFF", "👩",      "🏽",   "🇨",          "🇳",
      "\u1112", "\u1161", "\u11AB", "한",     "א",      "\u05B0", "ع",          "\u202E",
      "\x1B",   "\u00AD", "\u0915", "\u094D", "\u0903", "\u0600", "\U000E0100", "\u2003",
      "“",      "”",      "\u2019", "…",      "é",      "Å",      "\302\205",   "\U0001F468",
  };
  const size_t letters = sizeof alphabet / sizeof alphabet[0];
  uint64_t state = 20240501;
  owned_by(buffer_free) struct buffer text = {0};
  for (int round = 0; round < 6000; round++) {
    buffer_clear(&text);
    const uint32_t length = next_random(&state) % 24;
    for (uint32_t i = 0; i < length; i++)
      buffer_append_text(&text, text_of(alphabet[next_random(&state) % letters]));
    assert_lossless(buffer_text(&text));
  }
}

Test(modes, two_megabytes_in_one_token_are_preserved, .timeout = 120) {
  static const char *const units[] = {"a", "我", "￭", "👩\u200D", ".", "\u0915\u094D"};
  owned_by(buffer_free) struct buffer text = {0};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    buffer_clear(&text);
    while (text.length < 2000000) buffer_append_text(&text, text_of(units[i]));
    assert_lossless(buffer_text(&text));
  }
}
