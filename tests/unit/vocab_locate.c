/* Test: text. */
/* Positions of tokens in the original text. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "words_of.h"

#include "base/random.h"
#include "vocab/codec.h"
#include "vocab/locate.h"
#include "vocab/normalize.h"

static void split(struct tokens *tokens, const char *text, elman_token_mode mode) {
  owned_by(buffer_free) struct buffer normalized = {0};
  cr_assert_eq(text_normalize(&normalized, text_of(text), ELMAN_NFC, NULL), ELMAN_OK);
  cr_assert_eq(tokens_split(tokens, buffer_text(&normalized), mode, NULL), ELMAN_OK);
}

/* `expected` contains the bytes of each token's range, separated by "|". */
static void assert_located(const struct tokens *tokens, const char *text, const char *expected) {
  const struct spans places = places_for(tokens->count);
  succeeds(locate_tokens(places, tokens, text_of(text), ELMAN_TOKENS_WORDS, ELMAN_NFC, &why));
  check_ranges(places, tokens->count, text_of(text), expected);
  free_places(places);
}

static void assert_split_located(const char *text, elman_token_mode mode, const char *expected) {
  owned_by(tokens_free) struct tokens tokens = {0};
  split(&tokens, text, mode);
  assert_located(&tokens, text, expected);
}

#define ACUTE "\xCC\x81"                              /* U+0301 */
#define CEDILLA "\xCC\xA7"                            /* U+0327, sorted before U+0301 */
#define IDEOGRAPHIC_SPACE "\xE3\x80\x80"              /* U+3000 */
#define HANGUL "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB" /* ᄒ ᅡ ᆫ, composed to 한 */
#define OHM "\xE2\x84\xA6"                            /* U+2126, which becomes U+03A9 */

Test(locate, tokens_are_located_in_each_mode) {
  assert_split_located("", ELMAN_TOKENS_WORDS, "");
  assert_split_located(" \t\r\n", ELMAN_TOKENS_CHARS, "");
  assert_split_located("I'm here, Bob.", ELMAN_TOKENS_WORDS, "I|'|m|here|,|Bob|.");
  assert_split_located("I'm here, Bob.", ELMAN_TOKENS_SPACE, "I'm|here,|Bob.");
  assert_split_located("我爱 tea", ELMAN_TOKENS_CHARS, "我|爱|t|e|a");
  assert_split_located("我爱 tea", ELMAN_TOKENS_WORDS, "我|爱|tea");
  /* Full-width characters are not changed here. */
  assert_split_located("ＡＢ，１", ELMAN_TOKENS_WORDS, "ＡＢ|，|１");
}

Test(locate, white_space_belongs_to_no_token) {
  assert_split_located("  a \t b\r\n", ELMAN_TOKENS_SPACE, "a|b");
  assert_split_located(IDEOGRAPHIC_SPACE "我" IDEOGRAPHIC_SPACE IDEOGRAPHIC_SPACE "爱 ",
                       ELMAN_TOKENS_SPACE, "我|爱");
  assert_split_located("a " ACUTE "b", ELMAN_TOKENS_CHARS, "a|" ACUTE "|b");
  assert_split_located("a\xE2\x80\xA8"
                       "b\xC2\x85"
                       "c",
                       ELMAN_TOKENS_WORDS, "a|b|c");
}

Test(locate, normalized_text_is_located) {
  assert_split_located("cafe" ACUTE " noir", ELMAN_TOKENS_WORDS, "cafe" ACUTE "|noir");
  assert_split_located("cafe" ACUTE " noir", ELMAN_TOKENS_CHARS, "c|a|f|e" ACUTE "|n|o|i|r");
  assert_split_located("c" ACUTE CEDILLA "x", ELMAN_TOKENS_CHARS, "c" ACUTE CEDILLA "|x");
  assert_split_located(HANGUL "a" HANGUL, ELMAN_TOKENS_CHARS, HANGUL "|a|" HANGUL);
  assert_split_located(OHM "1 " OHM, ELMAN_TOKENS_SPACE, OHM "1|" OHM);
}

/* A mark character that belongs to the token, and one that only says how the token is joined. */
Test(locate, mark_characters_are_located) {
  assert_split_located(MARK_SPACED " a" MARK_SPACED, ELMAN_TOKENS_SPACE,
                       MARK_SPACED "|a" MARK_SPACED);
  assert_split_located("a -b", ELMAN_TOKENS_WORDS, "a|-|b");
  assert_split_located(MARK_JOINED MARK_JOINED, ELMAN_TOKENS_CHARS, MARK_JOINED "|" MARK_JOINED);
}

Test(locate, segmented_chinese_is_located) {
  owned_token_counter *counter;
  owned_vocabulary *vocabulary;
  owned_by(tokens_free) struct tokens in = {0}, out = {0};
  cr_assert_eq(token_counter_create(&counter, NULL), ELMAN_OK);
  split(&in, "我 爱 学习 <unk>", ELMAN_TOKENS_SPACE);
  cr_assert_eq(token_counter_add(counter, &in, NULL), ELMAN_OK);
  cr_assert_eq(vocabulary_from_counts(&vocabulary, counter, ELMAN_SOURCE, 1, 0, NULL), ELMAN_OK);
  static const char typed[] = "我爱学习" IDEOGRAPHIC_SPACE "C语言 <unk> 我" ACUTE "爱";
  split(&in, typed, ELMAN_TOKENS_SPACE);
  cr_assert_eq(segment_unspaced(&out, &in, vocabulary, NULL), ELMAN_OK);
  assert_located(&out, typed, "我|爱|学习|C|语言|<unk>|我|" ACUTE "|爱");
}

/* A boundary inside a sequence that normalization changed has no exact position: both tokens get
 * the whole sequence. */
Test(locate, boundary_inside_changed_cluster_covers_it) {
  owned_by(tokens_free) struct tokens tokens = {0};
  cr_assert_eq(tokens_add(&tokens, text_of("x"), NULL), ELMAN_OK);
  cr_assert_eq(tokens_add(&tokens, text_of("\xC3\xA7"), NULL), ELMAN_OK); /* c with a cedilla */
  cr_assert_eq(tokens_add(&tokens, text_of(ACUTE), NULL), ELMAN_OK);
  assert_located(&tokens, "xc" ACUTE CEDILLA, "x|c" ACUTE CEDILLA "|c" ACUTE CEDILLA);
}

/* Tokens of another text still get ranges inside this text. */
Test(locate, tokens_of_another_text_stay_inside) {
  owned_by(tokens_free) struct tokens tokens = {0};
  split(&tokens, "one two three four", ELMAN_TOKENS_SPACE);
  assert_located(&tokens, "o n", "o n|||");
  assert_located(&tokens, "", "|||");
}

static void append_codepoint(char *text, size_t *length, unsigned code) {
  if (code < 0x80) {
    text[(*length)++] = (char)code;
  } else if (code < 0x800) {
    text[(*length)++] = (char)(0xC0 | code >> 6);
    text[(*length)++] = (char)(0x80 | (code & 0x3F));
  } else {
    text[(*length)++] = (char)(0xE0 | code >> 12);
    text[(*length)++] = (char)(0x80 | (code >> 6 & 0x3F));
    text[(*length)++] = (char)(0x80 | (code & 0x3F));
  }
}

/* The normalized text at a token's range equals the token or contains it. Normalizing the token
 * again drops zero-width spaces that need the characters beside the range. */
static void check_places(const struct tokens *tokens, const char *text) {
  const struct spans places = places_for(tokens->count);
  owned_by(buffer_free) struct buffer normalized = {0}, token = {0};
  size_t before = 0;
  succeeds(locate_tokens(places, tokens, text_of(text), ELMAN_TOKENS_WORDS, ELMAN_NFC, &why));
  for (size_t i = 0; i < tokens->count; i++) {
    const struct text surface = token_surface(tokens_get(tokens, i));
    cr_assert_lt(places.starts[i], places.ends[i]);
    cr_assert_geq(places.starts[i], before, "places follow each other");
    before = places.starts[i];
    const struct text place = {text + places.starts[i], places.ends[i] - places.starts[i]};
    cr_assert_eq(text_normalize(&normalized, place, ELMAN_NFC, NULL), ELMAN_OK);
    cr_assert_eq(text_normalize(&token, surface, ELMAN_NFC, NULL), ELMAN_OK);
    cr_assert_not_null(memmem(normalized.bytes, normalized.length, token.bytes, token.length),
                       "\"%s\": token %zu is not at its place", text, i);
  }
  free_places(places);
}

/* Random texts of characters that compose, decompose, reorder and separate. */
Test(locate, random_texts_are_located) {
  static const unsigned pool[] = {'a',    'e',    ' ',    '\t',   '-',    '\'',   0x301,  0x327,
                                  0x323,  0x302,  0x1100, 0x1161, 0x11A8, 0xAC00, 0x3000, 0x6211,
                                  0xF900, 0x2126, 0x212B, 0x958,  0x9C7,  0x9BE,  0x200D, 0xFF21,
                                  0xFFED, 0x2581, 0x1E9B, 0x344,  0x7F,   0x200B, 0x1025, 0x102E,
                                  0x915,  0x93C,  0x6D5,  0x654,  0x30AB, 0x3099, 0xFB1D};
  static const elman_token_mode modes[] = {ELMAN_TOKENS_SPACE, ELMAN_TOKENS_WORDS,
                                           ELMAN_TOKENS_CHARS};
  const struct random_stream stream = {.seed = 4, .purpose = RANDOM_RESAMPLES};
  uint64_t drawn = 0;
  for (int round = 0; round < 20000; round++) {
    char text[64];
    size_t length = 0;
    for (uint64_t n = 1 + random_below(stream, drawn++, 12); n > 0; n--)
      append_codepoint(text, &length,
                       pool[random_below(stream, drawn++, sizeof pool / sizeof *pool)]);
    text[length] = '\0';
    owned_by(tokens_free) struct tokens tokens = {0};
    split(&tokens, text, modes[round % 3]);
    check_places(&tokens, text);
  }
}

/* ---- joined text ---- */

static void assert_joined(const char *const *list, size_t count, size_t joined_count,
                          elman_token_mode mode, const char *expected) {
  owned_by(tokens_free) struct tokens tokens = tokens_of(list, count);
  owned_by(buffer_free) struct buffer text = {0};
  struct tokens words = tokens;
  words.count = joined_count;
  cr_assert_eq(tokens_join(&text, &words, mode, NULL), ELMAN_OK);
  const struct spans places = places_for(count);
  locate_joined(places, &tokens, joined_count, mode, buffer_text(&text));
  check_ranges(places, count, buffer_text(&text), expected);
  free_places(places);
}

Test(locate, joined_text_is_located) {
  static const char *const words[] = {"I", "don", "'", "t", "know", ".", "</s>"};
  assert_joined(words, 7, 6, ELMAN_TOKENS_WORDS, "I|don|'|t|know|.|");
  assert_joined(words, 7, 7, ELMAN_TOKENS_SPACE, "I|don|'|t|know|.|</s>");
  static const char *const chars[] = {"我", MARK_SPACED "爱", "e", ACUTE, "</s>"};
  assert_joined(chars, 5, 4, ELMAN_TOKENS_CHARS, "我|爱|e|" ACUTE "|");
  /* No text has such tokens, but a file may; their ranges must stay inside the text. */
  static const char *const odd[] = {" ", "a b", MARK_SPACED, " ", "</s>"};
  assert_joined(odd, 5, 4, ELMAN_TOKENS_SPACE, " |a b|| |");
  assert_joined(NULL, 0, 0, ELMAN_TOKENS_SPACE, "");
}

/* ---- words ---- */

static void assert_word_ranges(const char *text, const size_t *starts, const size_t *ends,
                               size_t count, const struct word_range *expected) {
  struct word_range words[8];
  units_locate(words, &(struct unit_side){text_of(text), starts, ends, count, false});
  for (size_t i = 0; i < count; i++) {
    cr_assert_eq(words[i].first, expected[i].first, "%s: %zu", text, i);
    cr_assert_eq(words[i].end, expected[i].end, "%s: %zu", text, i);
  }
}

static void assert_words(const char *text, elman_token_mode mode, size_t count,
                         const size_t *expected) {
  owned_by(tokens_free) struct tokens tokens = {0};
  split(&tokens, text, mode);
  const struct spans places = places_for(tokens.count);
  struct word_range words[16];
  succeeds(locate_tokens(places, &tokens, text_of(text), ELMAN_TOKENS_WORDS, ELMAN_NFC, &why));
  cr_assert_eq(words_count(text_of(text)), count, "%s", text);
  units_locate(words,
               &(struct unit_side){text_of(text), places.starts, places.ends, tokens.count, false});
  for (size_t i = 0; i < tokens.count; i++) {
    cr_assert_eq(words[i].first, expected[i], "%s: %zu", text, i);
    cr_assert_eq(words[i].end, expected[i] + 1, "%s: %zu", text, i);
  }
  free_places(places);
}

Test(locate, words_of_tokens_are_found) {
  assert_words("", ELMAN_TOKENS_WORDS, 0, NULL);
  assert_words(" \t", ELMAN_TOKENS_WORDS, 0, NULL);
  assert_words("I'm here", ELMAN_TOKENS_WORDS, 2, (const size_t[]){0, 0, 0, 1});
  assert_words(" 我爱" IDEOGRAPHIC_SPACE "茶 ", ELMAN_TOKENS_CHARS, 2, (const size_t[]){0, 0, 1});
  assert_words("e" ACUTE "a b", ELMAN_TOKENS_CHARS, 2, (const size_t[]){0, 0, 1});
}

/* A token that is only a mark, which some modes put before a token, belongs to that token. */
Test(locate, lone_mark_belongs_to_next_token) {
  assert_word_ranges("a  b", (const size_t[]){0, 1, 2, 3, 3}, (const size_t[]){1, 1, 2, 3, 4}, 5,
                     (const struct word_range[]){{0, 1}, {1, 2}, {1, 2}, {1, 2}, {1, 2}});
}

/* "</s>" is at the end and has no bytes: it belongs to no word, even if no space precedes it. */
Test(locate, empty_token_belongs_to_no_word) {
  assert_word_ranges("a b", (const size_t[]){0, 2, 3}, (const size_t[]){1, 3, 3}, 3,
                     (const struct word_range[]){{0, 1}, {1, 2}, {0, 0}});
}

Test(locate, white_space_belongs_to_no_word) {
  assert_word_ranges("a  b", (const size_t[]){0, 1, 3}, (const size_t[]){1, 3, 4}, 3,
                     (const struct word_range[]){{0, 1}, {0, 0}, {1, 2}});
}

/* The case of dropped spaces between Chinese characters, with a token inside, a mark inside, and
 * two tokens that both contain the sequence cut by a boundary. */
Test(locate, token_belongs_to_every_overlapping_word) {
  assert_word_ranges("a b c d", (const size_t[]){0, 1, 4, 6}, (const size_t[]){3, 5, 5, 7}, 4,
                     (const struct word_range[]){{0, 2}, {1, 3}, {2, 3}, {3, 4}});
  assert_word_ranges("a b c d", (const size_t[]){0, 3, 4, 4}, (const size_t[]){7, 3, 5, 7}, 4,
                     (const struct word_range[]){{0, 4}, {2, 3}, {2, 3}, {2, 4}});
  assert_word_ranges(" a b ", (const size_t[]){0}, (const size_t[]){5}, 1,
                     (const struct word_range[]){{0, 2}});
}

/* ---- units ---- */

/* A Han line alone has words if it has a space between two Han characters, however long its words
 * are. In a corpus, most Han lines decide. Lines that are not mostly Han always have words. */
Test(units, spaces_of_the_corpus_determine_them) {
  static const struct {
    const char *text;
    bool alone, segmented, unsegmented; /* whether the units are tokens */
  } cases[] = {{"中华人民共和国 成立", false, false, true},
               {"我爱学习", true, false, true},
               {"谢谢", true, false, true},
               {"中国\u3000人民", false, false, true},
               {"中国 \t 人民 ", false, false, true},
               {"他说很好 OK", true, false, true},
               {"我用 a", true, false, true},
               {"好", false, false, true},
               {"hello world", false, false, false},
               {"Python 很好", false, false, false},
               {"", false, false, false}};
  struct unit_lines segmented = {0}, unsegmented = {0}, even = {1, 1};
  for (size_t i = 0; i < 3; i++) {
    unit_lines_add(&segmented, text_of(i == 1 ? "谢谢" : "中华人民共和国 成立"));
    unit_lines_add(&unsegmented, text_of(i == 1 ? "我 爱" : "我爱学习"));
  }
  unit_lines_add(&segmented, text_of("hello"));
  cr_assert(segmented.spaced == 2 && segmented.unspaced == 1);
  cr_assert(unsegmented.spaced == 1 && unsegmented.unspaced == 2);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct text text = text_of(cases[i].text);
    cr_assert_eq(units_are_tokens(text, ELMAN_UNITS_AUTO, NULL), cases[i].alone, "%s", text.bytes);
    cr_assert_eq(units_are_tokens(text, ELMAN_UNITS_AUTO, &segmented), cases[i].segmented, "%s",
                 text.bytes);
    cr_assert_eq(units_are_tokens(text, ELMAN_UNITS_AUTO, &unsegmented), cases[i].unsegmented, "%s",
                 text.bytes);
    cr_assert_not(units_are_tokens(text, ELMAN_UNITS_AUTO, &even), "%s", text.bytes);
    cr_assert_not(units_are_tokens(text, ELMAN_UNITS_WORDS, &unsegmented), "%s", text.bytes);
    cr_assert(units_are_tokens(text, ELMAN_UNITS_TOKENS, &segmented), "%s", text.bytes);
  }
}
