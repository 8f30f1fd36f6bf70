/* NFKC with unified punctuation, narrow and full-width, and the positions of tokens in the original
 * text. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "vocab/locate.h"
#include "vocab/normalize.h"

static void normalize(struct buffer *into, struct text text, elman_normalization form) {
  cr_assert_eq(text_normalize(into, text, form, NULL), ELMAN_OK);
}

/* `narrow` and `wide` are the two normalized forms of the input, and of themselves and each
 * other. */
static void assert_forms(const char *input, const char *narrow, const char *wide) {
  const char *const given[] = {input, narrow, wide};
  struct buffer normal = {0};
  for (int i = 0; i < 3; i++) {
    normalize(&normal, text_of(given[i]), ELMAN_NFKC);
    cr_assert(text_equal(buffer_text(&normal), text_of(narrow)), "narrow: %s became %s", given[i],
              normal.bytes);
    normalize(&normal, text_of(given[i]), ELMAN_NFKC_WIDE);
    cr_assert(text_equal(buffer_text(&normal), text_of(wide)), "wide: %s became %s", given[i],
              normal.bytes);
  }
  buffer_free(&normal);
}

Test(normalize, names) {
  const char *const names[] = {"nfc", "nfkc", "nfkc-wide"};
  size_t form;
  for (size_t i = 0; i < 3; i++) {
    cr_assert(choice_parse(&form, normalization_name, names[i]));
    cr_assert_eq(form, i);
    cr_assert_str_eq(normalization_name(form), names[i]);
  }
  cr_assert_not(choice_parse(&form, normalization_name, "nfd"));
  cr_assert_null(normalization_name((elman_normalization)17));
}

Test(normalize, full_width_letters_become_narrow) {
  assert_forms("Ｔｏｍ　１２", "Tom 12", "Tom 12");
  assert_forms("ｶﾞ㍻①", "ガ平成1", "ガ平成1");
  assert_forms("ﬁne e\u0301", "fine é", "fine é");
  assert_forms("Straße", "Straße", "Straße"); /* no case folding */
  assert_forms("《书》「本」、", "《书》「本」、", "《书》「本」、");
}

Test(normalize, similar_punctuation_is_unified) {
  assert_forms("你喜欢雨吗?", "你喜欢雨吗?", "你喜欢雨吗？");
  assert_forms("你好！他(汤姆)说:是;好,好.", "你好!他(汤姆)说:是;好,好.",
               "你好！他（汤姆）说：是；好，好。");
  assert_forms("好．好｡好~好〜", "好.好.好~好~", "好。好。好～好～");
  assert_forms("他说“好”", "他说\"好\"", "他说“好”");
  assert_forms("\"好\",\"不\"", "\"好\",\"不\"", "“好”，“不”");
  assert_forms("‘好’ 'b' '", "'好' 'b' '", "‘好’ ‘b’ ‘");
  assert_forms("Tom’s", "Tom's", "Tom's");
  assert_forms("don´t `a`", "don't 'a'", "don't ‘a’");
  assert_forms("10–20 −3 a‐b a\u2011b", "10-20 -3 a-b a-b", "10-20 -3 a-b a-b");
  assert_forms("汤姆•索亚‧a", "汤姆·索亚·a", "汤姆·索亚·a");
}

/* Numbers, times and names stay narrow, even among full-width punctuation. */
Test(normalize, punctuation_within_words_stays_narrow) {
  assert_forms("３．５，1,000,3:30.", "3.5,1,000,3:30.", "3.5,1,000,3:30。");
  assert_forms("a.b.", "a.b.", "a.b。");
  assert_forms("好...", "好...", "好...");
}

/* The ellipsis is the only mark that becomes several; in Chinese it is a separate mark. */
Test(normalize, ellipsis_is_kept_in_wide_form) {
  struct buffer normal = {0};
  normalize(&normal, text_of("好……"), ELMAN_NFKC);
  cr_assert_str_eq(normal.bytes, "好......");
  normalize(&normal, text_of("好……"), ELMAN_NFKC_WIDE);
  cr_assert_str_eq(normal.bytes, "好……");
  buffer_free(&normal);
}

/* A curly quotation mark keeps its direction even if its partner is missing. */
Test(normalize, curly_marks_keep_their_direction) {
  struct buffer normal = {0};
  normalize(&normal, text_of("好”他说\"好\""), ELMAN_NFKC_WIDE);
  cr_assert_str_eq(normal.bytes, "好”他说“好”");
  buffer_free(&normal);
}

Test(normalize, general_path_collapses_white_space) {
  assert_forms("a\u00A8b  c \u00B8", "a \u0308b c \u0327", "a \u0308b c \u0327");
  assert_forms(" \u00A8", "\u0308", "\u0308");
}

static const elman_normalization forms[] = {ELMAN_NFC, ELMAN_NFKC, ELMAN_NFKC_WIDE};
static const elman_token_mode modes[] = {ELMAN_TOKENS_SPACE, ELMAN_TOKENS_WORDS,
                                         ELMAN_TOKENS_CHARS};

/* Normalizing twice changes nothing. The ranges of tokens follow each other through the text: the
 * characters between the a's and the z's at its ends are found between them. */
static void check_text(struct text text, elman_normalization form) {
  struct buffer normal = {0}, again = {0};
  struct tokens tokens = {0};
  normalize(&normal, text, form);
  normalize(&again, buffer_text(&normal), form);
  cr_assert(text_equal(buffer_text(&normal), buffer_text(&again)), "%s: \"%.*s\" is not settled",
            normalization_name(form), (int)text.length, text.bytes);
  for (size_t m = 0; m < 3; m++) {
    cr_assert_eq(tokens_split(&tokens, buffer_text(&normal), modes[m], NULL), ELMAN_OK);
    struct spans places = {malloc(tokens.count * sizeof(size_t)),
                           malloc(tokens.count * sizeof(size_t))};
    cr_assert_eq(locate_tokens(places, &tokens, text, modes[m], form, NULL), ELMAN_OK);
    cr_assert_eq(places.starts[0], 0);
    for (size_t i = 0; i < tokens.count; i++) {
      cr_assert_lt(places.starts[i], places.ends[i], "%s: \"%.*s\", token %zu of %s",
                   normalization_name(form), (int)text.length, text.bytes, i, normal.bytes);
      cr_assert(i == 0 || places.starts[i] >= places.starts[i - 1]);
      const bool last = i + 1 == tokens.count;
      cr_assert(last ? places.ends[i] == text.length : places.ends[i] <= text.length);
      if (last && modes[m] == ELMAN_TOKENS_CHARS)
        cr_assert_eq(places.starts[i], text.length - 1, "%s: \"%.*s\"", normalization_name(form),
                     (int)text.length, text.bytes);
    }
    free(places.starts);
    free(places.ends);
  }
  buffer_free(&normal);
  buffer_free(&again);
  tokens_free(&tokens);
}

static size_t put(char *bytes, int codepoint) {
  return (size_t)utf8proc_encode_char(codepoint, (utf8proc_uint8_t *)bytes);
}

/* Every character that NFKC changes, after characters that it may combine with. */
Test(normalize, every_compatibility_character_is_stable, .timeout = 120) {
  static const int before[] = {'a', '.', 0x304B, 0x1100, 0xAC00, 0x3131, 0x6211};
  for (int c = 0x80; c < 0x30000; c++) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    if (utf8proc_get_property(c)->decomp_seqindex == UINT16_MAX && !(c >= 0x2010 && c < 0x3040))
      continue;
    for (size_t b = 0; b < sizeof before / sizeof *before; b++) {
      char bytes[16] = "a";
      size_t length = 1;
      length += put(bytes + length, before[b]);
      length += put(bytes + length, c);
      bytes[length++] = 'z';
      for (size_t f = 0; f < 3; f++) check_text((struct text){bytes, length}, forms[f]);
    }
  }
}

/* Adjacent punctuation marks, decomposed Hangul, and spaces of all kinds. */
Test(normalize, random_texts_are_stable, .timeout = 120) {
  static const int pool[] = {'a',    '1',    ' ',    '.',    ',',    ':',    '\'',   '"',
                             '?',    '(',    0x301,  0x338,  0xB4,   0xA8,   0x2018, 0x2019,
                             0x201C, 0x201D, 0x2026, 0x2011, 0x3002, 0x3001, 0xFF0E, 0xFF1F,
                             0xFF1D, 0xFF11, 0xFF76, 0xFF9E, 0x3131, 0x314F, 0x1100, 0x1161,
                             0x11A8, 0xAC00, 0xFFA1, 0xFFC2, 0x6211, 0xFB01, 0x2474, 0x249C,
                             0x2488, 0xFDFA, 0xFE12, 0x3000, 0xFFED, 0x2581, 0x200D, 0x1F468};
  unsigned state = 1;
  for (int round = 0; round < 20000; round++) {
    char bytes[128] = "a";
    size_t length = 1;
    for (int i = 0; i < 12; i++) {
      state = state * 1664525u + 1013904223u;
      length += put(bytes + length, pool[(state >> 16) % (sizeof pool / sizeof *pool)]);
    }
    bytes[length++] = 'z';
    for (size_t f = 0; f < 3; f++) check_text((struct text){bytes, length}, forms[f]);
  }
}

/* `expected` contains the bytes of each token's range, separated by "|". */
static void assert_places(const char *text, elman_normalization form, const char *expected) {
  struct buffer normal = {0}, shown = {0};
  struct tokens tokens = {0};
  normalize(&normal, text_of(text), form);
  cr_assert_eq(tokens_split(&tokens, buffer_text(&normal), ELMAN_TOKENS_CHARS, NULL), ELMAN_OK);
  struct spans places = {malloc(tokens.count * sizeof(size_t)),
                         malloc(tokens.count * sizeof(size_t))};
  cr_assert_eq(locate_tokens(places, &tokens, text_of(text), ELMAN_TOKENS_CHARS, form, NULL),
               ELMAN_OK);
  for (size_t i = 0; i < tokens.count; i++) {
    if (i > 0) buffer_append(&shown, "|", 1);
    buffer_append(&shown, text + places.starts[i], places.ends[i] - places.starts[i]);
  }
  cr_assert(text_equal(buffer_text(&shown), text_of(expected)), "%s became %s", text, shown.bytes);
  free(places.starts);
  free(places.ends);
  buffer_free(&normal);
  buffer_free(&shown);
  tokens_free(&tokens);
}

Test(normalize, ranges_refer_to_the_original_text) {
  assert_places("Ｔom 爱 ３.5?", ELMAN_NFKC_WIDE, "Ｔ|o|m|爱|３|.|5|?");
  assert_places("“是”…", ELMAN_NFKC, "“|是|”|…|…|…");
  assert_places("ㄱㅏ나", ELMAN_NFKC, "ㄱㅏ|나");
}
