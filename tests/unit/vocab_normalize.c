/* Test: text. */
/* NFKC with unified punctuation, narrow and full-width, and the positions of tokens in the original
 * text. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "words_of.h"

#include "vocab/locate.h"
#include "vocab/normalize.h"

static void normalize(struct buffer *into, struct text text, elman_normalization form) {
  cr_assert_eq(text_normalize(into, text, form, NULL), ELMAN_OK);
}

/* `narrow` and `wide` are the two normalized forms of the input, and of themselves and each
 * other. */
static void assert_forms(const char *input, const char *narrow, const char *wide) {
  const char *const given[] = {input, narrow, wide};
  owned_by(buffer_free) struct buffer normal = {0};
  for (int i = 0; i < 3; i++) {
    normalize(&normal, text_of(given[i]), ELMAN_NFKC);
    cr_assert(text_equal(buffer_text(&normal), text_of(narrow)), "narrow: %s became %s", given[i],
              normal.bytes);
    normalize(&normal, text_of(given[i]), ELMAN_NFKC_WIDE);
    cr_assert(text_equal(buffer_text(&normal), text_of(wide)), "wide: %s became %s", given[i],
              normal.bytes);
  }
}

Test(normalize, names) {
  const char *const names[] = {"nfc",        "nfkc",      "none",      "auto",
                               "auto-lower", "nfkc-wide", "nfkc-lower"};
  size_t form;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    cr_assert(choice_parse(&form, elman_normalization_name, names[i]));
    cr_assert_eq(form, i);
    cr_assert_str_eq(elman_normalization_name(form), names[i]);
  }
  cr_assert_not(choice_parse(&form, elman_normalization_name, "nfd"));
  cr_assert_null(elman_normalization_name((elman_normalization)17));
}

/* Text in capital letters equals text in small ones, also where only one of them has a composed
 * form (h with a line below), and for both forms of sigma. */
Test(normalize, lower_case) {
  static const char *const pairs[][2] = {{"WHERE Is Émile’s Ｔom?", "where is émile's tom?"},
                                         {"H\u0331", "\u1E96"},
                                         {"\u210B\u0331", "\u1E96"},
                                         {"ΟΔΟΣ", "οδοσ"},
                                         {"οδος", "οδοσ"},
                                         {"ЁЛКА", "ёлка"},
                                         {"Straße", "straße"},
                                         {"我爱C语言", "我爱c语言"}};
  owned_by(buffer_free) struct buffer lower = {0}, again = {0};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    normalize(&lower, text_of(pairs[i][0]), ELMAN_NFKC_LOWER);
    cr_assert(text_equal(buffer_text(&lower), text_of(pairs[i][1])), "%s", pairs[i][0]);
    normalize(&again, buffer_text(&lower), ELMAN_NFKC_LOWER);
    cr_assert(text_equal(buffer_text(&lower), buffer_text(&again)), "%s", pairs[i][0]);
  }
}

Test(normalize, full_width_letters_become_narrow) {
  assert_forms("Ｔｏｍ　１２", "Tom 12", "Tom 12");
  assert_forms("ｶﾞ㍻①", "ガ平成1", "ガ平成1");
  assert_forms("ﬁne e\u0301", "fine é", "fine é");
  assert_forms("Straße", "Straße", "Straße"); /* no case folding */
  assert_forms("《书》「本」、", "《书》「本」、", "《书》「本」、");
}

/* NFKC puts marks into canonical order, and takes composition exclusions apart. */
Test(normalize, marks_are_in_canonical_order) {
  assert_forms("q\u0307\u0323", "q\u0323\u0307", "q\u0323\u0307");
  assert_forms("q\u0307\u0301\u0323", "q\u0323\u0307\u0301", "q\u0323\u0307\u0301");
  assert_forms("q\U0001E000\u0323", "q\u0323\U0001E000", "q\u0323\U0001E000"); /* 17 bits */
  assert_forms("\uF900\u212B\u0958", "\u8C48\u00C5\u0915\u093C", "\u8C48\u00C5\u0915\u093C");
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
  owned_by(buffer_free) struct buffer normal = {0};
  normalize(&normal, text_of("好……"), ELMAN_NFKC);
  cr_assert_str_eq(normal.bytes, "好......");
  normalize(&normal, text_of("好……"), ELMAN_NFKC_WIDE);
  cr_assert_str_eq(normal.bytes, "好……");
}

/* A curly quotation mark keeps its direction even if its partner is missing. */
Test(normalize, curly_marks_keep_their_direction) {
  owned_by(buffer_free) struct buffer normal = {0};
  normalize(&normal, text_of("好”他说\"好\""), ELMAN_NFKC_WIDE);
  cr_assert_str_eq(normal.bytes, "好”他说“好”");
}

Test(normalize, general_path_collapses_white_space) {
  assert_forms("a\u00A8b  c \u00B8", "a \u0308b c \u0327", "a \u0308b c \u0327");
  assert_forms(" \u00A8", "\u0308", "\u0308");
}

enum { FORMS = 4 };
static const elman_normalization forms[FORMS] = {ELMAN_NO_NORMALIZATION, ELMAN_NFC, ELMAN_NFKC,
                                                 ELMAN_NFKC_WIDE};
static const elman_token_mode modes[] = {ELMAN_TOKENS_SPACE, ELMAN_TOKENS_WORDS,
                                         ELMAN_TOKENS_CHARS};

/* NFC composes, and otherwise leaves text as its users write it. */
Test(normalize, nfc_only_composes) {
  static const char *const kept[] = {
      "„Guten Tag“, »so« – Tom’s … x² ½ №5",
      "« Bonjour ! »",
      "ভাড়া \u09AD\u09BE\u09DC\u09BE",         /* both spellings of a letter that NFC takes apart */
      "\uFB2A \u05E9\u05BC\u05C1",             /* Hebrew: the same, and marks in typed order */
      "\u0645\u0651\u064E \u0645\u064E\u0651", /* Arabic: both orders of marks */
      "น้ำ ນ້ຳ և",                               /* NFKC takes them apart */
      "\u212B \u2126 \uF900",                  /* NFC replaces them by other letters */
      "ＡＢＣ，。！？ｶﾞ",
  };
  static const char *const composed[][2] = {
      {"e\u0301tude", "étude"}, {"vie\u0323\u0302t", "việt"}, {"\u1112\u1161\u11AB", "한"},
      {"か\u3099", "が"},       {"\u09C7\u09BE", "\u09CB"},
  };
  owned_by(buffer_free) struct buffer normal = {0};
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    normalize(&normal, text_of(kept[i]), ELMAN_NFC);
    cr_assert_str_eq(normal.bytes, kept[i]);
  }
  for (size_t i = 0; i < sizeof composed / sizeof *composed; i++) {
    normalize(&normal, text_of(composed[i][0]), ELMAN_NFC);
    cr_assert_str_eq(normal.bytes, composed[i][1]);
    normalize(&normal, text_of(composed[i][0]), ELMAN_NO_NORMALIZATION);
    cr_assert_str_eq(normal.bytes, composed[i][0]);
  }
}

/* Normalizing twice changes nothing. The ranges of tokens follow each other in the text: the
 * characters between the a's and the z's at its ends have ranges between theirs. */
static void check_text(struct text text, elman_normalization form) {
  owned_by(buffer_free) struct buffer normal = {0}, again = {0};
  owned_by(tokens_free) struct tokens tokens = {0};
  normalize(&normal, text, form);
  normalize(&again, buffer_text(&normal), form);
  cr_assert(text_equal(buffer_text(&normal), buffer_text(&again)), "%s: \"%.*s\" is not settled",
            elman_normalization_name(form), (int)text.length, text.bytes);
  for (size_t m = 0; m < 3; m++) {
    cr_assert_eq(tokens_split(&tokens, buffer_text(&normal), modes[m], NULL), ELMAN_OK);
    struct spans places = {malloc(tokens.count * sizeof(size_t)),
                           malloc(tokens.count * sizeof(size_t))};
    cr_assert_eq(locate_tokens(places, &tokens, text, modes[m], form, NULL), ELMAN_OK);
    cr_assert_eq(places.starts[0], 0);
    for (size_t i = 0; i < tokens.count; i++) {
      cr_assert_lt(places.starts[i], places.ends[i], "%s: \"%.*s\", token %zu of %s",
                   elman_normalization_name(form), (int)text.length, text.bytes, i, normal.bytes);
      cr_assert(i == 0 || places.starts[i] >= places.starts[i - 1]);
      const bool last = i + 1 == tokens.count;
      cr_assert(last ? places.ends[i] == text.length : places.ends[i] <= text.length);
      if (last && modes[m] == ELMAN_TOKENS_CHARS)
        cr_assert_eq(places.starts[i], text.length - 1, "%s: \"%.*s\"",
                     elman_normalization_name(form), (int)text.length, text.bytes);
    }
    free(places.starts);
    free(places.ends);
  }
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
      for (size_t f = 0; f < FORMS; f++) check_text((struct text){bytes, length}, forms[f]);
    }
  }
}

static void check_random_texts(const int *pool, size_t size, int rounds) {
  unsigned state = 1;
  for (int round = 0; round < rounds; round++) {
    char bytes[128] = "a";
    size_t length = 1;
    for (int i = 0; i < 12; i++) {
      state = state * 1664525u + 1013904223u;
      length += put(bytes + length, pool[(state >> 16) % size]);
    }
    bytes[length++] = 'z';
    for (size_t f = 0; f < FORMS; f++) check_text((struct text){bytes, length}, forms[f]);
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
  check_random_texts(pool, sizeof pool / sizeof *pool, 20000);
}

/* Invisible characters beside letters, marks and emoji of many scripts. */
Test(normalize, random_invisible_characters_are_stable, .timeout = 120) {
  static const int pool[] = {
      'a',    '1',    ' ',     0x301,   0x323,   0x6211, 0x3042, 0x3131,  0x314F,  0xAC00,
      0x628,  0x64B,  0xFE8F,  0xFDFA,  0x5D0,   0x5B4,  0xFB2A, 0x915,   0x94D,   0x93C,
      0x1000, 0x1820, 0x1F468, 0x1F469, 0x1F3FD, 0x2764, 0x2122, 0x1F3F4, 0xE0067, 0xE007F,
      0x20E3, 0xFE0E, 0xFE0F,  0x200B,  0x200C,  0x200C, 0x200D, 0x200D,  0x200E,  0xAD,
      0x34F,  0x61C,  0x180B,  0x180E,  0x1160,  0x3164, 0xFFA0, 0x2060,  0xFEFF,  0xE0100,
      0xFFFE, 0x17B4, 0x1B,    0x85,    0xE33,   0xE01,  0xE48,  0x1780,  0x17D2};
  check_random_texts(pool, sizeof pool / sizeof *pool, 50000);
}

static void assert_visible(const char *text, const char *expected) {
  static const elman_normalization both[] = {ELMAN_NFC, ELMAN_NFKC};
  for (size_t f = 0; f < 2; f++) {
    owned_by(buffer_free) struct buffer normal = {0};
    normalize(&normal, text_of(text), both[f]);
    cr_assert(text_equal(buffer_text(&normal), text_of(expected)), "'%s' became '%s'", text,
              normal.bytes);
  }
}

Test(normalize, invisible_characters_without_meaning_are_removed) {
  assert_visible("so\u00ADft", "soft");
  assert_visible("Hello\u200B world", "Hello world");
  assert_visible("a \u200B\u2060 b", "a b");
  assert_visible("\uFEFF你\u200E好", "你好");
  assert_visible("\u202Aa\u202Bb\u202Cc\u202Dd\u202Ee\u2066f\u2067g\u2068h\u2069", "abcdefgh");
  assert_visible("a\u061Cb\u2063c\u206Fd\uFFF9e\uFFFEf\U000E0001g\U0001D173h", "abcdefgh");
  assert_visible("a\x1B[1mb\x7F\xC2\x93", "a[1mb");
  assert_visible("\u3164a\u115F\u1160b\uFFA0", "ab");
  assert_visible("e\u00AD\u0301", "\u00E9"); /* composes across it */
  assert_visible("\u200B\u200C\u200D\uFE0F", "");
}

Test(normalize, joiners_are_kept_where_they_join) {
  assert_visible("Good\u200Dbye Auf\u200Clage 你\u200D好\u200C", "Goodbye Auflage 你好");
  assert_visible("می\u200Cخواهم", "می\u200Cخواهم");
  assert_visible("\u200Cمی\u200C \u200Cخواهم\u200C", "می خواهم");
  assert_visible("می\u200C\u200Cخواهم", "می\u200Cخواهم");
  assert_visible("ه\u200D.", "ه\u200D.");               /* joined at the end of a word */
  assert_visible("क\u094D\u200Dष", "क\u094D\u200Dष");   /* half form */
  assert_visible("क\u094D\u200Cष", "क\u094D\u200Cष");   /* no conjunct */
  assert_visible("അവന\u0D4D\u200D", "അവന\u0D4D\u200D"); /* chillu */
  assert_visible("👨\u200D👩\u200D👧", "👨\u200D👩\u200D👧"); /* family */
  assert_visible("👩🏽\u200D🚀 ❤\uFE0F\u200D🔥",
                 "👩🏽\u200D🚀 ❤\uFE0F\u200D🔥");
  assert_visible("👨\u200D a \u200D👩", "👨 a 👩");
}

/* In these scripts they separate words. */
Test(normalize, zero_width_spaces_are_kept_between_words) {
  assert_visible("ខ្ញុំ\u200Bស្រឡាញ់\u200B\u200Bអ្នក \u200Bក\u200B", "ខ្ញុំ\u200Bស្រឡាញ់\u200Bអ្នក ក");
  assert_visible("ฉัน\u200Bรัก\u200B ok\u200Bคุณ", "ฉัน\u200Bรัก okคุณ");
}

Test(normalize, variation_selectors_and_tags_are_kept_within_emoji) {
  assert_visible("❤\uFE0F 1\uFE0F\u20E3", "❤\uFE0F 1\uFE0F\u20E3");
  assert_visible("葛\U000E0100 字\uFE00 a\uFE0F", "葛 字 a");
  assert_visible("❤\uFE0F\uFE0F", "❤\uFE0F\uFE0F");
  assert_visible("🏴\U000E0067\U000E0062\U000E007F a\U000E0067",
                 "🏴\U000E0067\U000E0062\U000E007F a");
}

/* `expected` contains the bytes of each token's range, separated by "|". */
static void assert_places(const char *text, elman_normalization form, const char *expected) {
  owned_by(buffer_free) struct buffer normal = {0};
  owned_by(tokens_free) struct tokens tokens = {0};
  normalize(&normal, text_of(text), form);
  cr_assert_eq(tokens_split(&tokens, buffer_text(&normal), ELMAN_TOKENS_CHARS, NULL), ELMAN_OK);
  const struct spans places = places_for(tokens.count);
  succeeds(locate_tokens(places, &tokens, text_of(text), ELMAN_TOKENS_CHARS, form, &why));
  check_ranges(places, tokens.count, text_of(text), expected);
  free_places(places);
}

Test(normalize, ranges_refer_to_the_original_text) {
  assert_places("Ｔom 爱 ３.5?", ELMAN_NFKC_WIDE, "Ｔ|o|m|爱|３|.|5|?");
  assert_places("“是”…", ELMAN_NFKC, "“|是|”|…|…|…");
  assert_places("ㄱㅏ나", ELMAN_NFKC, "ㄱㅏ|나");
}

/* A range excludes invisible characters at its ends. */
Test(normalize, ranges_skip_invisible_characters) {
  assert_places("\uFEFF你\u200B好", ELMAN_NFKC_WIDE, "你|好");
  assert_places("\u200B \u200Ba\u200B", ELMAN_NFC, "a");
  assert_places("e\u00AD\u0301\u00ADf", ELMAN_NFC, "e\u00AD\u0301|f");
  assert_places("می\u200C\u200Cخ\u200C", ELMAN_NFC, "م|ی\u200C\u200C|خ");
  assert_places("ﬁ\u2060ﬁ", ELMAN_NFKC, "ﬁ|ﬁ|ﬁ|ﬁ");
  assert_places("👨\u200E\u200D👩b", ELMAN_NFC, "👨\u200E\u200D👩|b");
}
