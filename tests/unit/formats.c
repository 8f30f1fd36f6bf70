/* The formats of attention matrices, to the byte. */
#include "check.h"

#include <jansson.h>
#include <locale.h>
#include <stdint.h>
#include <string.h>

#include "inspect/escape.h"
#include "inspect/format.h"
#include "inspect/hard_alignment.h"

static const char *const source_tokens[] = {"我", "喜欢", "tea"};
static const bool source_known[] = {true, false, true};
static const size_t source_starts[] = {0, 4, 11}, source_ends[] = {3, 10, 14};
static const char *const target_tokens[] = {"I", "like", "茶", "</s>"};
static const size_t target_starts[] = {0, 2, 7, 10}, target_ends[] = {1, 6, 10, 10};
static const float attention[] = {1,    0,    0,    /* I */
                                  0.25, 0.5,  0.25, /* like */
                                  0,    0.1f, 0.9f, /* 茶 */
                                  0.4f, 0.4f, 0.2f};

static elman_translation example(void) {
  return (elman_translation){.text = "I like 茶",
                             .source = "我 喜欢 tea",
                             .log_probability = -1.25,
                             .score = -0.3125,
                             .source_count = 3,
                             .target_count = 4,
                             .heads = 1,
                             .source_tokens = source_tokens,
                             .source_known = source_known,
                             .source_starts = source_starts,
                             .source_ends = source_ends,
                             .target_tokens = target_tokens,
                             .target_starts = target_starts,
                             .target_ends = target_ends,
                             .ended = true,
                             .attention = attention,
                             .head_attention = attention};
}

/* Two heads for two of its target tokens. */
static const float two_heads[] = {1, 0, 0, 0, 1, 0, /* head 1 */
                                  0, 0, 1, 0, 1, 0};
static const float average[] = {0.5, 0, 0.5, 0, 1, 0};

static elman_translation with_heads(void) {
  elman_translation translation = example();
  translation.target_count = 2;
  translation.ended = false;
  translation.heads = 2;
  translation.attention = average;
  translation.head_attention = two_heads;
  return translation;
}

/* What a format writes for `count` times the translation, with a NUL behind it; free() it. */
static char *written_all(const char *format, const elman_translation *translation, size_t count,
                         const elman_text_style *style, size_t *length) {
  char *bytes = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&bytes, &size);
  elman_attention_writer writing;
  elman_error error;
  cr_assert_not_null(stream);
  cr_assert_eq(writing_start(&writing, stream, format_named(format), style, &error), ELMAN_OK);
  for (size_t i = 0; i < count; i++) {
    const elman_attention_place place = {i + 1, 1};
    cr_assert_eq(writing_add(&writing, translation, place, &error), ELMAN_OK);
  }
  cr_assert_eq(writing_finish(&writing, &error), ELMAN_OK);
  writing_free(&writing);
  cr_assert_eq(fclose(stream), 0);
  if (length != NULL) *length = size;
  return bytes;
}

static char *written(const char *format, const elman_translation *translation, bool color,
                     size_t *length) {
  const elman_text_style style = {.color = color};
  return written_all(format, translation, 1, &style, length);
}

static void expect(const char *format, elman_translation translation, bool color,
                   const char *expected) {
  char *text = written(format, &translation, color, NULL);
  cr_assert_str_eq(text, expected);
  free(text);
}

static void expect_twice(const char *format, elman_translation translation, const char *expected) {
  char *text = written_all(format, &translation, 2, NULL, NULL);
  cr_assert_str_eq(text, expected);
  free(text);
}

/* ---- which formats there are ---- */

Test(formats, names_and_suffixes) {
  static const char *const names[] = {"text", "json", "tsv",     "npy",
                                      "svg",  "html", "pharaoh", "softalignments"};
  enum { NAMES = sizeof names / sizeof *names };
  for (size_t i = 0; i < NAMES; i++) {
    cr_assert_str_eq(format_at(i)->name, names[i]);
    cr_assert_eq(format_named(names[i]), format_at(i));
  }
  cr_assert_null(format_at(NAMES));
  cr_assert_null(format_at(SIZE_MAX));
  cr_assert_null(format_named("gif"));
  cr_assert_null(format_named(""));
  cr_assert_str_eq(format_of_path("a.txt")->name, "text");
  cr_assert_str_eq(format_of_path("a/b.tar.json")->name, "json");
  cr_assert_str_eq(format_of_path("x.tsv")->name, "tsv");
  cr_assert_str_eq(format_of_path("x.npy")->name, "npy");
  cr_assert_str_eq(format_of_path("x.svg")->name, "svg");
  cr_assert_str_eq(format_of_path("x.html")->name, "html");
  cr_assert_str_eq(format_of_path("x.pharaoh")->name, "pharaoh");
  cr_assert_str_eq(format_of_path("x.ali")->name, "softalignments");
  static const char *const none[] = {"", ".npy", "npy", "a.npy.gz", "a.NPY", "a.npy/"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    cr_assert_null(format_of_path(none[i]), "%s", none[i]);
}

/* ---- text ---- */

#define TEXT_LEGEND "weight: 0 · 0.1 ░ 0.3 ▒ 0.5 ▓ 0.7 █ 1\n"
#define UNKNOWN_LEGEND "* not in the vocabulary\n"

static elman_translation known_example(void) {
  static const bool all[] = {true, true, true};
  elman_translation translation = example();
  translation.source_known = all;
  return translation;
}

/* A Han character fills two columns, so the cells below it are as wide; so does the mark. */
Test(formats, text_without_color) {
  expect("text", example(), false,
         "     我  喜欢* tea\n"
         "   I ███ ····· ···\n"
         "like ░░░ ▓▓▓▓▓ ░░░\n"
         "  茶 ··· ░░░░░ ███\n"
         "</s> ▒▒▒ ▒▒▒▒▒ ░░░\n" TEXT_LEGEND UNKNOWN_LEGEND);
  elman_translation translation = known_example();
  translation.target_count = 2;
  expect("text", translation, false,
         "     我  喜欢 tea\n"
         "   I ███ ···· ···\n"
         "like ░░░ ▓▓▓▓ ░░░\n" TEXT_LEGEND);
}

/* No background, which would be strong where nothing is: black on white, or white on black. */
Test(formats, text_with_color) {
  elman_translation translation = known_example();
  translation.target_count = 1;
  expect("text", translation, true,
         "  我  喜欢 tea\n"
         "I \033[38;5;33m███\033[0m \033[2m····\033[0m \033[2m···\033[0m\n"
         "weight: 0 \033[2m·\033[0m 0.1 \033[38;5;33m░\033[0m 0.3 \033[38;5;33m▒\033[0m 0.5 "
         "\033[38;5;33m▓\033[0m 0.7 \033[38;5;33m█\033[0m 1\n");
}

static void expect_style(elman_translation translation, elman_text_style style,
                         const char *expected) {
  char *text = written_all("text", &translation, 1, &style, NULL);
  cr_assert_str_eq(text, expected);
  free(text);
}

Test(formats, text_of_numbers) {
  expect_style(example(), (elman_text_style){.numbers = true},
               "     我   喜欢* tea\n"
               "   I 1.00  0.00 0.00\n"
               "like 0.25  0.50 0.25\n"
               "  茶 0.00  0.10 0.90\n"
               "</s> 0.40  0.40 0.20\n" UNKNOWN_LEGEND);
  elman_translation one = known_example();
  one.source_count = one.target_count = 1;
  expect_style(one, (elman_text_style){.numbers = true, .color = true},
               "  我\nI \033[38;5;33m1.00\033[0m\n");
}

/* A line is as wide as the terminal at most, unless one word alone is wider. */
Test(formats, text_is_folded) {
  elman_translation translation = known_example();
  translation.target_count = 2;
  static const char whole[] = "     我  喜欢 tea\n"
                              "   I ███ ···· ···\n"
                              "like ░░░ ▓▓▓▓ ░░░\n" TEXT_LEGEND;
  expect_style(translation, (elman_text_style){.width = 17}, whole);
  static const char parts[] = "source tokens 1 to 2 of 3\n"
                              "     我  喜欢\n"
                              "   I ███ ····\n"
                              "like ░░░ ▓▓▓▓\n"
                              "source tokens 3 to 3 of 3\n"
                              "     tea\n"
                              "   I ···\n"
                              "like ░░░\n" TEXT_LEGEND;
  expect_style(translation, (elman_text_style){.width = 16}, parts);
  expect_style(translation, (elman_text_style){.width = 13}, parts);
  translation.target_count = 1;
  expect_style(translation, (elman_text_style){.width = 1},
               "source tokens 1 to 1 of 3\n  我\nI ███\n"
               "source tokens 2 to 2 of 3\n  喜欢\nI ····\n"
               "source tokens 3 to 3 of 3\n  tea\nI ···\n" TEXT_LEGEND);
}

/* No colour unless it was asked for. */
Test(formats, text_without_style) {
  const elman_translation translation = example();
  char *bytes = written_all("text", &translation, 1, NULL, NULL);
  cr_assert_null(strchr(bytes, '\033'));
  free(bytes);
}

Test(formats, text_of_several) {
  elman_translation heads = with_heads();
  heads.source_known = known_example().source_known;
  expect("text", heads, false,
         "head 1\n"
         "     我  喜欢 tea\n"
         "   I ███ ···· ···\n"
         "like ··· ████ ···\n"
         "head 2\n"
         "     我  喜欢 tea\n"
         "   I ··· ···· ███\n"
         "like ··· ████ ···\n"
         "average\n"
         "     我  喜欢 tea\n"
         "   I ▓▓▓ ···· ▓▓▓\n"
         "like ··· ████ ···\n" TEXT_LEGEND);
  elman_translation one = known_example();
  one.target_count = 1;
  expect_twice("text", one,
               "  我  喜欢 tea\nI ███ ···· ···\n\n  我  喜欢 tea\nI ███ ···· ···\n" TEXT_LEGEND);
}

/* A sixth is not nothing; rounding's 1.0000001, and what is no number, are shades too. */
Test(formats, text_shades) {
  static const struct {
    double weight;
    const char *shade;
  } cases[] = {{0, "···"},     {0.099, "···"}, {0.101, "░░░"}, {0.167, "░░░"},    {0.299, "░░░"},
               {0.301, "▒▒▒"}, {0.499, "▒▒▒"}, {0.5, "▓▓▓"},   {0.699, "▓▓▓"},    {0.701, "███"},
               {1, "███"},     {-1e-9, "···"}, {NAN, "···"},   {1.0000001, "███"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const float weight = (float)cases[i].weight;
    elman_translation translation = example();
    translation.source_count = translation.target_count = 1;
    translation.attention = &weight;
    char expected[128];
    snprintf(expected, sizeof expected, "  我\nI %s\n" TEXT_LEGEND, cases[i].shade);
    expect("text", translation, false, expected);
  }
}

/* ---- tsv ---- */

Test(formats, tsv) {
  expect("tsv", example(), false,
         "\t我\t喜欢 (unknown)\ttea\n"
         "I\t1.000000\t0.000000\t0.000000\n"
         "like\t0.250000\t0.500000\t0.250000\n"
         "茶\t0.000000\t0.100000\t0.900000\n"
         "</s>\t0.400000\t0.400000\t0.200000\n");
}

Test(formats, tsv_of_several) {
  expect("tsv", with_heads(), false,
         "head 1\n"
         "\t我\t喜欢 (unknown)\ttea\n"
         "I\t1.000000\t0.000000\t0.000000\n"
         "like\t0.000000\t1.000000\t0.000000\n"
         "head 2\n"
         "\t我\t喜欢 (unknown)\ttea\n"
         "I\t0.000000\t0.000000\t1.000000\n"
         "like\t0.000000\t1.000000\t0.000000\n"
         "average\n"
         "\t我\t喜欢 (unknown)\ttea\n"
         "I\t0.500000\t0.000000\t0.500000\n"
         "like\t0.000000\t1.000000\t0.000000\n");
  elman_translation one = example();
  one.target_count = 1;
  expect_twice("tsv", one,
               "\t我\t喜欢 (unknown)\ttea\nI\t1.000000\t0.000000\t0.000000\n\n"
               "\t我\t喜欢 (unknown)\ttea\nI\t1.000000\t0.000000\t0.000000\n");
}

/* Cells that a spreadsheet would reckon, or read on to the next quotation mark. */
Test(formats, tsv_cells_are_text) {
  static const char *const pairs[][2] = {{"=1+1", "'=1+1"},
                                         {"+1", "'+1"},
                                         {"-", "'-"},
                                         {"@SUM(1)", "'@SUM(1)"},
                                         {"\"open", "'\"open"},
                                         {"＝1", "'＝1"},
                                         {"＠", "'＠"},
                                         {"a=b", "a=b"},
                                         {"'", "'"},
                                         {"\t=1", "\\u{9}=1"},
                                         {"", ""}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    write_cell(stream, pairs[i][0]);
    fclose(stream);
    cr_assert_str_eq(text, pairs[i][1]);
    free(text);
  }
}

/* ---- json ---- */

static json_t *parsed(const char *text) {
  json_error_t problem;
  json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &problem);
  cr_assert_not_null(json, "%s: %s", problem.text, text);
  return json;
}

static void check_strings(const json_t *array, const char *const *expected, size_t count) {
  cr_assert_eq(json_array_size(array), count);
  for (size_t i = 0; i < count; i++)
    cr_assert_str_eq(json_string_value(json_array_get(array, i)), expected[i]);
}

static void check_json(const elman_translation *translation) {
  size_t length;
  char *text = written("json", translation, false, &length);
  cr_assert_eq(strchr(text, '\n'), text + length - 1, "one line");
  json_t *json = parsed(text);
  cr_assert_eq(json_object_size(json), translation->heads > 1 ? 16 : 15);
  check_strings(json_object_get(json, "source_tokens"), translation->source_tokens,
                translation->source_count);
  check_strings(json_object_get(json, "target_tokens"), translation->target_tokens,
                translation->target_count);
  cr_assert_str_eq(json_string_value(json_object_get(json, "translation")), translation->text);
  cr_assert_float_eq(json_real_value(json_object_get(json, "log_probability")),
                     translation->log_probability, 1e-9);
  const json_t *rows = json_object_get(json, "attention");
  cr_assert_eq(json_array_size(rows), translation->target_count);
  for (size_t t = 0; t < translation->target_count; t++) {
    const json_t *row = json_array_get(rows, t);
    double sum = 0;
    cr_assert_eq(json_array_size(row), translation->source_count);
    for (size_t s = 0; s < translation->source_count; s++) {
      const double weight = json_real_value(json_array_get(row, s));
      /* Nine digits bring every float back. */
      cr_assert_eq((float)weight, (float)translation->attention[t * translation->source_count + s]);
      sum += weight;
    }
    cr_assert_float_eq(sum, 1, 1e-6);
  }
  cr_assert_str_eq(json_string_value(json_object_get(json, "source")), translation->source);
  cr_assert_eq(json_array_size(json_object_get(json, "heads")),
               translation->heads > 1 ? translation->heads : 0);
  for (const char *at = text; *at != '\0'; at++)
    cr_assert_null(strchr("<>&\033\x7F", *at), "%c in %s", *at, text);
  cr_assert_null(strstr(text, "\xE2\x80\xA8"));
  cr_assert_null(strstr(text, "\xE2\x80\xAE"));
  cr_assert_null(strstr(text, "\xC2\x9B"));
  json_decref(json);
  free(text);
}

Test(formats, json) {
  const elman_translation translation = example(), heads = with_heads();
  check_json(&translation);
  check_json(&heads);
}

/* JSON has no such numbers. */
Test(formats, json_without_numbers_that_are_none) {
  elman_translation translation = example();
  const float weights[] = {(float)NAN, (float)INFINITY, 0};
  translation.target_count = 1;
  translation.attention = weights;
  translation.log_probability = -INFINITY;
  char *text = written("json", &translation, false, NULL);
  json_t *json = parsed(text);
  cr_assert(json_is_null(json_object_get(json, "log_probability")));
  json_decref(json);
  free(text);
}

/* Numbers with no short decimal form. */
Test(formats, json_keeps_every_bit_of_a_weight) {
  const float third = 1.0f / 3, rest = 1 - third;
  const float weights[] = {(float)third, (float)rest, (float)0.123456789f,
                           (float)(1 - 0.123456789f)};
  elman_translation translation = example();
  translation.source_count = translation.target_count = 2;
  translation.attention = weights;
  check_json(&translation);
}

Test(formats, json_bytes) {
  elman_translation translation = example();
  translation.target_count = 2;
  translation.ended = false;
  translation.forced = true;
  expect(
      "json", translation, false,
      "{\"sentence\":1,\"hypothesis\":1,\"source\":\"我 喜欢 tea\",\"translation\":\"I like 茶\","
      "\"source_tokens\":[\"我\",\"喜欢\",\"tea\"],\"source_known\":[true,false,true],"
      "\"source_offsets\":[[0,3],[4,10],[11,14]],\"target_tokens\":[\"I\",\"like\"],"
      "\"ended\":false,\"forced\":true,\"log_probability\":-1.25,\"score\":-0.3125,"
      "\"entropy\":[0.0,1.03972077],\"coverage\":[1.25,0.5,0.25],"
      "\"attention\":[[1.0,0.0,0.0],[0.25,0.5,0.25]]}\n");
  expect(
      "json", with_heads(), false,
      "{\"sentence\":1,\"hypothesis\":1,\"source\":\"我 喜欢 tea\",\"translation\":\"I like 茶\","
      "\"source_tokens\":[\"我\",\"喜欢\",\"tea\"],\"source_known\":[true,false,true],"
      "\"source_offsets\":[[0,3],[4,10],[11,14]],\"target_tokens\":[\"I\",\"like\"],"
      "\"ended\":false,\"forced\":false,\"log_probability\":-1.25,\"score\":-0.3125,"
      "\"entropy\":[0.693147181,0.0],\"coverage\":[0.5,1.0,0.5],"
      "\"attention\":[[0.5,0.0,0.5],[0.0,1.0,0.0]],"
      "\"heads\":[[[1.0,0.0,0.0],[0.0,1.0,0.0]],[[0.0,0.0,1.0],[0.0,1.0,0.0]]]}\n");
}

/* ---- npy ---- */

static void check_npy(const elman_translation *translation) {
  size_t length;
  char *bytes = written("npy", translation, false, &length);
  cr_assert_geq(length, 10);
  cr_assert_eq(memcmp(bytes, "\x93NUMPY\x01\x00", 8), 0);
  uint16_t header;
  memcpy(&header, bytes + 8, sizeof header);
  const size_t start = 10 + (size_t)header;
  cr_assert_eq(start % 64, 0);
  cr_assert_eq(bytes[start - 1], '\n');
  char expected[160];
  const bool several = translation->heads > 1;
  const int used =
      snprintf(expected, sizeof expected,
               "{'descr': '<f4', 'fortran_order': False, 'shape': (%s%zu, %zu), }",
               several ? "2, " : "", translation->target_count, translation->source_count);
  cr_assert_arr_eq(bytes + 10, expected, (size_t)used);
  for (size_t i = 10 + (size_t)used; i < start - 1; i++) cr_assert_eq(bytes[i], ' ');
  const size_t count = (several ? 2 : 1) * translation->target_count * translation->source_count;
  const float *weights = several ? translation->head_attention : translation->attention;
  cr_assert_eq(length, start + count * sizeof(float));
  for (size_t i = 0; i < count; i++) {
    float value;
    memcpy(&value, bytes + start + i * sizeof value, sizeof value);
    cr_assert_eq(value, (float)weights[i]);
  }
  free(bytes);
}

Test(formats, npy) {
  elman_translation translation = example();
  const elman_translation heads = with_heads();
  check_npy(&translation);
  check_npy(&heads);
  /* Shapes of every length of the header. */
  float *many = calloc(1200, sizeof *many);
  translation.attention = many;
  for (size_t columns = 1; columns <= 1000; columns *= 10) {
    translation.target_count = 1;
    translation.source_count = columns;
    check_npy(&translation);
    translation.target_count = columns;
    translation.source_count = 1;
    check_npy(&translation);
  }
  free(many);
}

/* ---- pharaoh ---- */

static void expect_rule(const elman_translation *translation, elman_text_style style,
                        const char *expected) {
  char *text = written_all("pharaoh", translation, 1, &style, NULL);
  cr_assert_str_eq(text, expected);
  free(text);
}

static void expect_links(const elman_translation *translation, elman_alignment_rule kind,
                         double threshold, const char *expected) {
  expect_rule(translation, (elman_text_style){.alignment = kind, .threshold = threshold}, expected);
}

static void expect_units(const elman_translation *translation, elman_alignment_units units,
                         const char *expected) {
  expect_rule(translation, (elman_text_style){.units = units}, expected);
}

/* </s> has no links. */
Test(formats, pharaoh_rules) {
  const elman_translation translation = example();
  expect_links(&translation, ELMAN_ALIGNMENT_ARGMAX, 0, "0-0 1-1 2-2\n");
  expect_links(&translation, ELMAN_ALIGNMENT_THRESHOLD, 0.25, "0-0 0-1 1-1 2-1 2-2\n");
  expect_links(&translation, ELMAN_ALIGNMENT_THRESHOLD, 1e-4, "0-0 0-1 1-1 1-2 2-1 2-2\n");
  expect_links(&translation, ELMAN_ALIGNMENT_THRESHOLD, 0.26, "0-0 1-1 2-2\n");
  expect_links(&translation, ELMAN_ALIGNMENT_THRESHOLD, 1, "0-0\n");
  expect_links(&translation, ELMAN_ALIGNMENT_INTERSECTION, 0, "0-0 1-1 2-2\n");
  cr_assert_str_eq(alignment_rule_name(ELMAN_ALIGNMENT_INTERSECTION), "intersection");
  cr_assert_null(alignment_rule_name(ELMAN_ALIGNMENT_INTERSECTION + 1));
}

/* Two target words look at one source word: the intersection keeps the stronger link. */
Test(formats, pharaoh_intersection) {
  static const float weights[] = {0.6f, 0.4f, 0, 0.9f, 0.1f, 0, 0, 0.2f, 0.8f};
  elman_translation translation = example();
  translation.target_count = 3;
  translation.ended = false;
  translation.attention = weights;
  expect_links(&translation, ELMAN_ALIGNMENT_ARGMAX, 0, "0-0 0-1 2-2\n");
  expect_links(&translation, ELMAN_ALIGNMENT_INTERSECTION, 0, "0-1 2-2\n");
}

/* Tokens are characters, links are between words: a source word has the sum of its tokens, a target
 * word the mean of its own. */
Test(formats, pharaoh_of_characters) {
  static const char *const source[] = {"a", "b", "c"}, *const target[] = {"x", "y", "z", "</s>"};
  static const size_t starts[] = {0, 1, 3}, ends[] = {1, 2, 4};
  static const size_t target_from[] = {0, 1, 3, 4}, target_to[] = {1, 2, 4, 4};
  static const float weights[] = {0.3f, 0.3f, 0.4f,           /* x: the word "ab" with 0.6 */
                                  0,    0.1f, 0.9f,           /* y: with 0.1, on average 0.35 */
                                  0.4f, 0.3f, 0.3f, 0, 0, 1}; /* z: with 0.7 */
  const elman_translation translation = {.text = "xy z",
                                         .source = "ab c",
                                         .source_count = 3,
                                         .target_count = 4,
                                         .heads = 1,
                                         .source_tokens = source,
                                         .source_starts = starts,
                                         .source_ends = ends,
                                         .target_tokens = target,
                                         .target_starts = target_from,
                                         .target_ends = target_to,
                                         .ended = true,
                                         .attention = weights,
                                         .head_attention = weights};
  expect_links(&translation, ELMAN_ALIGNMENT_ARGMAX, 0, "0-1 1-0\n");
  expect_links(&translation, ELMAN_ALIGNMENT_THRESHOLD, 0.34, "0-0 0-1 1-0\n");
  expect_links(&translation, ELMAN_ALIGNMENT_THRESHOLD, 0.36, "0-1 1-0\n");
  expect_units(&translation, ELMAN_UNITS_WORDS, "0-1 1-0\n");
  expect_units(&translation, ELMAN_UNITS_TOKENS, "0-2 2-0 2-1\n");
}

/* Chinese without spaces is one word, so that its tokens are linked; </s> is still left out. */
Test(formats, pharaoh_without_spaces) {
  static const char *const source[] = {"我", "爱", "猫"}, *const target[] = {"I", "do", "!",
                                                                             "</s>"};
  static const size_t starts[] = {0, 3, 6}, ends[] = {3, 6, 9};
  static const size_t target_from[] = {0, 2, 4, 5}, target_to[] = {1, 4, 5, 5};
  static const float weights[] = {1, 0, 0, 0, 0.4f, 0.6f, 0, 0.8f, 0.2f, 0, 0, 1};
  elman_translation translation = {.text = "I do!",
                                   .source = "我爱猫",
                                   .source_count = 3,
                                   .target_count = 4,
                                   .heads = 1,
                                   .source_tokens = source,
                                   .source_starts = starts,
                                   .source_ends = ends,
                                   .target_tokens = target,
                                   .target_starts = target_from,
                                   .target_ends = target_to,
                                   .ended = true,
                                   .attention = weights,
                                   .head_attention = weights};
  expect_units(&translation, ELMAN_UNITS_AUTO, "0-0 1-1\n");
  expect_units(&translation, ELMAN_UNITS_TOKENS, "0-0 1-2 2-1\n");
  expect_units(&translation, ELMAN_UNITS_WORDS, "0-0 0-1\n");
  /* Segmented Chinese has words. */
  static const size_t apart[] = {0, 4, 7}, apart_ends[] = {3, 7, 10};
  translation.source = "我 爱猫";
  translation.source_starts = apart;
  translation.source_ends = apart_ends;
  expect_units(&translation, ELMAN_UNITS_AUTO, "0-0 1-1\n");
  cr_assert_str_eq(alignment_units_name(ELMAN_UNITS_TOKENS), "tokens");
  cr_assert_null(alignment_units_name(ELMAN_UNITS_TOKENS + 1));
}

/* ---- softalignments ---- */

Test(formats, softalignments) {
  elman_translation translation = example();
  expect_twice("softalignments", translation,
               "0 ||| I like 茶 ||| -1.250000 ||| 我 喜欢 tea ||| 4 4\n"
               "1.000000 0.000000 0.000000 0\n"
               "0.250000 0.500000 0.250000 0\n"
               "0.000000 0.100000 0.900000 0\n"
               "0.400000 0.400000 0.200000 0\n"
               "\n"
               "1 ||| I like 茶 ||| -1.250000 ||| 我 喜欢 tea ||| 4 4\n"
               "1.000000 0.000000 0.000000 0\n"
               "0.250000 0.500000 0.250000 0\n"
               "0.000000 0.100000 0.900000 0\n"
               "0.400000 0.400000 0.200000 0\n"
               "\n");
  /* One that did not end has no weights for it. */
  translation.target_count = 1;
  translation.ended = false;
  expect("softalignments", translation, false,
         "0 ||| I ||| -1.250000 ||| 我 喜欢 tea ||| 4 2\n"
         "1.000000 0.000000 0.000000 0\n"
         "0.000000 0.000000 0.000000 0\n"
         "\n");
}

/* ---- svg ---- */

static size_t occurrences(const char *text, const char *what) {
  size_t count = 0;
  for (const char *at = text; (at = strstr(at, what)) != NULL; at++) count++;
  return count;
}

/* Well-formed as far as this goes: every element is closed, in order, and text holds no bare sign.
 * Characters that XML forbids were escaped before. */
static void check_xml(const char *text) {
  const char *open[64];
  size_t depth = 0;
  cr_assert_eq(strncmp(text, "<?xml", 5), 0);
  for (const char *at = strchr(text + 1, '<'); at != NULL; at = strchr(at + 1, '<')) {
    const char *end = strchr(at, '>');
    cr_assert_not_null(end);
    cr_assert_null(memchr(at + 1, '<', (size_t)(end - at - 1)));
    const size_t name = strcspn(at + 1, " />");
    if (at[1] == '/') {
      cr_assert_gt(depth, 0);
      depth--;
      cr_assert_eq(strncmp(open[depth], at + 2, (size_t)(end - at - 2)), 0);
    } else if (end[-1] != '/') {
      cr_assert_lt(depth, 64);
      cr_assert_gt(name, 0);
      open[depth++] = at + 1;
    }
  }
  cr_assert_eq(depth, 0);
  for (const char *at = text; (at = strchr(at, '&')) != NULL; at++)
    cr_assert(strncmp(at, "&lt;", 4) == 0 || strncmp(at, "&gt;", 4) == 0 ||
                  strncmp(at, "&amp;", 5) == 0 || strncmp(at, "&quot;", 6) == 0 ||
                  strncmp(at, "&#39;", 5) == 0,
              "%.20s", at);
  for (const char *at = text; *at != '\0'; at++)
    cr_assert((unsigned char)*at >= 0x20 || *at == '\n');
}

Test(formats, svg) {
  const elman_translation translation = example(), heads = with_heads();
  char *one = written_all("svg", &translation, 1, NULL, NULL);
  check_xml(one);
  cr_assert_eq(occurrences(one, "<rect x="), 13, "12 cells and the scale");
  cr_assert_not_null(strstr(one, "<title>茶 ← tea: 0.900</title>"));
  cr_assert_not_null(strstr(one, "fill=\"#00224E\""));
  cr_assert_not_null(strstr(one, "fill=\"#FEE838\""));
  cr_assert_eq(occurrences(one, "<desc>"), 1);
  free(one);
  char *several = written_all("svg", &heads, 3, NULL, NULL);
  check_xml(several);
  cr_assert_eq(occurrences(several, "<svg"), 1);
  cr_assert_eq(occurrences(several, "<desc>"), 3);
  cr_assert_eq(occurrences(several, ">head 2<"), 3);
  cr_assert_eq(occurrences(several, ">average<"), 3);
  cr_assert_eq(occurrences(several, "<rect x="), 3 * 3 * 6 + 1);
  /* The name of a panel stands above the labels of its columns, not among them. */
  cr_assert_not_null(strstr(several, "<text x=\"12\" y=\"44\">head 1<"));
  cr_assert_not_null(strstr(several, "y=\"66\" text-anchor=\"middle\">我<"));
  free(several);
  char *none = written_all("svg", &translation, 0, NULL, NULL);
  check_xml(none);
  free(none);
}

Test(formats, svg_marks_unknown_words) {
  const elman_translation translation = example(), known = known_example();
  char *text = written_all("svg", &translation, 1, NULL, NULL);
  check_xml(text);
  cr_assert_eq(occurrences(text, "<text class=\"unknown\""), 2, "a word and the legend");
  cr_assert_not_null(strstr(text, "<title>not in the vocabulary</title>喜欢<"));
  free(text);
  text = written_all("svg", &known, 1, NULL, NULL);
  cr_assert_eq(occurrences(text, "not in the vocabulary"), 0);
  free(text);
}

/* A weight of rounding's 1.0000001, and what is no number, still have a colour. */
Test(formats, svg_of_odd_weights) {
  static const float weights[] = {(float)1.0000001, (float)-1e-9, (float)NAN};
  elman_translation translation = example();
  translation.target_count = 1;
  translation.attention = weights;
  char *text = written_all("svg", &translation, 1, NULL, NULL);
  check_xml(text);
  cr_assert_eq(occurrences(text, "height=\"23\" fill=\"#00224E\""), 2);
  cr_assert_eq(occurrences(text, "height=\"23\" fill=\"#FEE838\""), 1);
  free(text);
}

/* Between two colours of the scale a weight has their mean: a 16th lies halfway to the second. */
Test(formats, svg_colors_are_mixed) {
  static const float weights[] = {(float)0.0625, (float)0.5, (float)0.96875};
  elman_translation translation = example();
  translation.target_count = 1;
  translation.attention = weights;
  char *text = written_all("svg", &translation, 1, NULL, NULL);
  cr_assert_eq(occurrences(text, "height=\"23\" fill=\"#092C5F\""), 1, "#00224E and #123570");
  cr_assert_eq(occurrences(text, "height=\"23\" fill=\"#707173\""), 1);
  cr_assert_eq(occurrences(text, "height=\"23\" fill=\"#EFDB44\""), 1, "#C3B369 and #FEE838");
  free(text);
}

/* Two Han characters fit into a cell; five letters would run into the next label. */
Test(formats, svg_turns_labels_that_do_not_fit) {
  static const char *const tokens[] = {"我", "abcd", "tea"};
  elman_translation translation = example();
  translation.source_tokens = tokens;
  char *text = written_all("svg", &translation, 1, NULL, NULL);
  cr_assert_eq(occurrences(text, "rotate(-45)"), 0);
  free(text);
  static const char *const longer[] = {"我", "abcde", "tea"};
  translation.source_tokens = longer;
  text = written_all("svg", &translation, 1, NULL, NULL);
  cr_assert_eq(occurrences(text, "rotate(-45)"), 3);
  free(text);
}

static void expect_xml(const char *token, size_t width, const char *expected) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  write_xml(stream, token, width);
  cr_assert_eq(fclose(stream), 0);
  cr_assert_str_eq(text, expected);
  free(text);
}

Test(formats, xml_is_cut_behind_its_columns) {
  expect_xml("abcd", 4, "abcd");
  expect_xml("abcde", 4, "abcd…");
  expect_xml("我爱", 4, "我爱");
  expect_xml("我爱你", 5, "我爱…");
  expect_xml("<&>\"'", 5, "&lt;&amp;&gt;&quot;&#39;");
  expect_xml("a\xCC\x81"
             "bcd",
             4,
             "a\xCC\x81"
             "bcd"); /* a mark fills no column */
}

Test(formats, xml_cuts_a_token_of_marks) {
  enum { MARKS = 1000, WIDTH = 4 };
  char token[2 * MARKS + 2] = "a", *text = NULL;
  size_t size = 0;
  for (size_t i = 0; i < MARKS; i++) strcat(token, "\xCC\x81");
  FILE *stream = open_memstream(&text, &size);
  write_xml(stream, token, WIDTH);
  cr_assert_eq(fclose(stream), 0);
  cr_assert_leq(size, 16 * WIDTH + 8);
  cr_assert_str_eq(text + size - 3, "…");
  free(text);
}

/* A session that is given up leaks nothing. */
Test(formats, writing_that_is_given_up) {
  const elman_translation translation = example();
  elman_attention_writer writing;
  FILE *stream = fopen("/dev/null", "w");
  cr_assert_eq(writing_start(&writing, stream, format_named("svg"), NULL, NULL), ELMAN_OK);
  cr_assert_eq(writing_add(&writing, &translation, (elman_attention_place){1, 1}, NULL), ELMAN_OK);
  writing_free(&writing);
  fclose(stream);
}

/* ---- nothing at all ---- */

Test(formats, empty_translation) {
  const elman_translation empty = {.text = "", .source = "", .heads = 1};
  expect("text", empty, false, "\n");
  expect("text", empty, true, "\n");
  expect("tsv", empty, false, "\n");
  expect("pharaoh", empty, false, "\n");
  expect("softalignments", empty, false, "");
  expect("json", empty, false,
         "{\"sentence\":1,\"hypothesis\":1,\"source\":\"\",\"translation\":\"\","
         "\"source_tokens\":[],\"source_known\":[],\"source_offsets\":[],\"target_tokens\":[],"
         "\"ended\":false,\"forced\":false,\"log_probability\":0.0,\"score\":0.0,\"entropy\":[],"
         "\"coverage\":[],\"attention\":[]}\n");
  check_npy(&empty);
  char *svg = written("svg", &empty, false, NULL);
  check_xml(svg);
  free(svg);
}

/* ---- tokens that want to do harm ---- */

/* ---- html ---- */

/* The records are the lines of json, in an element that no record can end. */
static void check_page(const elman_translation *translation, size_t count) {
  char *page = written_all("html", translation, count, NULL, NULL);
  char *records = written_all("json", translation, count, NULL, NULL);
  static const char opening[] = "<script type=\"application/json\" id=\"records\">\n";
  const char *at = strstr(page, opening);
  cr_assert_not_null(at);
  at += strlen(opening);
  cr_assert_eq(strncmp(at, records, strlen(records)), 0);
  at += strlen(records);
  cr_assert_eq(strncmp(at, "</script>\n<script>", strlen("</script>\n<script>")), 0);
  cr_assert_eq(strncmp(page, "<!doctype html>", strlen("<!doctype html>")), 0);
  cr_assert_str_eq(page + strlen(page) - strlen("</html>\n"), "</html>\n");
  cr_assert_eq(occurrences(page, "</script>"), 2);
  cr_assert_eq(occurrences(page, "<!--"), 0);
  free(records);
  free(page);
}

Test(formats, html) {
  const elman_translation translation = example(), heads = with_heads();
  check_page(&translation, 1);
  check_page(&heads, 3);
  check_page(&translation, 0);
}

static const char LONG_LETTER[] = "\xE5\xAD\xA6";
enum { LONG_TOKEN = 100000 };

/* `expected` is what a terminal or a table gets, `width` the columns that it fills. */
static const struct {
  const char *token, *expected;
  size_t width;
} tokens[] = {
    {"plain", "plain", 5},
    {"a\tb", "a\\u{9}b", 7},
    {"a\nb", "a\\u{A}b", 7},
    {"\r", "\\u{D}", 5},
    {"\033[2J", "\\u{1B}[2J", 9},
    {"\x7F", "\\u{7F}", 6},
    {"\xC2\x9B"
     "2J",
     "\\u{9B}2J", 8}, /* U+009B: ESC [ in one character */
    {"\xE2\x80\xAE"
     "abc",
     "\\u{202E}abc", 11}, /* right-to-left override */
    {"\xE2\x81\xA6"
     "abc",
     "\\u{2066}abc", 11},                  /* left-to-right isolate */
    {"\xE2\x80\xA8", "\\u{2028}", 8},      /* line separator */
    {"\xE2\x80\xA9", "\\u{2029}", 8},      /* paragraph separator */
    {"\xC2\x85", "\\u{85}", 6},            /* next line */
    {"\xEF\xBB\xBF", "\\u{FEFF}", 8},      /* zero-width no-break space */
    {"\xF3\xA0\x81\x81", "\\u{E0041}", 9}, /* invisible tag */
    {"\"quoted\"", "\"quoted\"", 8},
    {"back\\slash", "back\\slash", 10},
    {"<b>&amp;", "<b>&amp;", 8},
    {"e\xCC\x81", "e\xCC\x81", 1}, /* e and a combining acute accent */
    {"\xCC\x81", "\xCC\x81", 0},   /* the accent alone */
    {"\xE5\xAD\xA6\xE4\xB9\xA0", "\xE5\xAD\xA6\xE4\xB9\xA0", 4},
    {"\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x94\xAC", /* woman, joiner, microscope */
     "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x94\xAC", 4},
    {"<script>alert(1)</script>", "<script>alert(1)</script>", 25},
    {"]]></title><script>", "]]></title><script>", 19},
    {"' onload='x", "' onload='x", 11},
    {"=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0", 18},
    {"+1", "+1", 2},
    {"-1", "-1", 2},
    {"@x", "@x", 2},
    {"|||", "|||", 3},
    {"a ||| b", "a ||| b", 7},
    {"\xEF\xBF\xBF", "\\u{FFFF}", 8}, /* no character, and forbidden in XML */
    {"\xE2\x80\x8F", "\\u{200F}", 8}, /* right-to-left mark */
    {"", "", 0},
};

Test(formats, write_visible_shows_every_token_safely) {
  for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    write_visible(stream, tokens[i].token);
    fclose(stream);
    cr_assert_str_eq(text, tokens[i].expected);
    cr_assert_eq(visible_width(tokens[i].token), tokens[i].width, "%s", text);
    free(text);
  }
}

static size_t count_of(const char *text, char c) {
  size_t count = 0;
  for (; *text != '\0'; text++) count += *text == c;
  return count;
}

/* The reader takes lines apart at " ||| " and tokens at white space. */
static void check_hostile_softalignments(const elman_translation *translation) {
  char *text = written("softalignments", translation, false, NULL);
  cr_assert_eq(count_of(text, '\n'), 5);
  cr_assert_eq(occurrences(text, " ||| "), 4);
  cr_assert_eq(occurrences(text, "|||"), 4);
  const size_t head = strcspn(text, "\n");
  text[head] = '\0';
  cr_assert_eq(count_of(text, ' '), 1 + 2 + 2 + 2 + 2 + 2, "two tokens a side");
  free(text);
}

static void check_hostile(const char *token) {
  const char *const pair[] = {token, "x"};
  static const bool known[] = {false, true};
  static const float weights[] = {0.75, 0.25, 0.5, 0.5};
  const size_t length = strlen(token);
  const size_t starts[] = {0, length}, ends[] = {length, length};
  const elman_translation translation = {.text = token,
                                         .source = token,
                                         .log_probability = -0.5,
                                         .source_count = 2,
                                         .target_count = 2,
                                         .heads = 1,
                                         .source_tokens = pair,
                                         .source_known = known,
                                         .source_starts = starts,
                                         .source_ends = ends,
                                         .target_tokens = pair,
                                         .target_starts = starts,
                                         .target_ends = ends,
                                         .attention = weights,
                                         .head_attention = weights};
  char *tsv = written("tsv", &translation, false, NULL);
  cr_assert_eq(count_of(tsv, '\n'), 3);
  cr_assert_eq(count_of(tsv, '\t'), 6);
  cr_assert_null(strchr(tsv, '\033'));
  for (const char *at = tsv; *at != '\0'; at++)
    cr_assert(at > tsv && strchr("\t\n", at[-1]) == NULL ? true : strchr("=+-@\"", *at) == NULL,
              "a cell begins with %c", *at);
  free(tsv);
  char *text = written("text", &translation, false, NULL);
  cr_assert_eq(count_of(text, '\n'), 5, "head, two rows, two lines of what they mean");
  cr_assert_null(strchr(text, '\033'));
  cr_assert_null(strchr(text, '\t'));
  cr_assert_null(strstr(text, "\xE2\x80\xAE"));
  free(text);
  char *color = written("text", &translation, true, NULL);
  cr_assert_eq(count_of(color, '\033'), 8 + 10, "two a cell or shade, and none of the token's");
  free(color);
  char *svg = written("svg", &translation, false, NULL);
  check_xml(svg);
  cr_assert_null(strstr(svg, "<script"));
  cr_assert_null(strstr(svg, "\xE2\x80\xAE"));
  cr_assert_lt(strlen(svg), 20000, "long tokens are cut");
  free(svg);
  check_page(&translation, 1);
  char *pharaoh = written("pharaoh", &translation, false, NULL);
  cr_assert_eq(strspn(pharaoh, "0123456789- "), strlen(pharaoh) - 1);
  free(pharaoh);
  check_hostile_softalignments(&translation);
  check_json(&translation);
  check_npy(&translation);
}

Test(formats, hostile_tokens_do_no_harm) {
  for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) check_hostile(tokens[i].token);
  char *long_token = malloc(LONG_TOKEN * 3 + 1);
  for (size_t i = 0; i < LONG_TOKEN; i++) memcpy(long_token + i * 3, LONG_LETTER, 4);
  cr_assert_eq(visible_width(long_token), 2 * LONG_TOKEN);
  check_hostile(long_token);
  free(long_token);
}

/* ---- a locale with a decimal comma ---- */

Test(formats, decimal_comma) {
  static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8"};
  const char *found = NULL;
  for (size_t i = 0; i < sizeof locales / sizeof *locales && found == NULL; i++)
    found = setlocale(LC_NUMERIC, locales[i]);
  if (found == NULL) cr_skip_test("no locale with a decimal comma here");
  char number[16];
  snprintf(number, sizeof number, "%.1f", 0.5);
  cr_assert_str_eq(number, "0,5", "the locale does what it is chosen for");
  elman_translation translation = example();
  translation.target_count = 2;
  expect("tsv", translation, false,
         "\t我\t喜欢 (unknown)\ttea\n"
         "I\t1.000000\t0.000000\t0.000000\n"
         "like\t0.250000\t0.500000\t0.250000\n");
  check_json(&translation);
  char *ali = written("softalignments", &translation, false, NULL);
  cr_assert_null(strchr(ali, ','));
  free(ali);
  char *svg = written("svg", &translation, false, NULL);
  cr_assert_not_null(strstr(svg, "offset=\"0.500\""));
  free(svg);
}
