/* The formats of attention matrices, to the byte. */
#include "check.h"

#include <jansson.h>
#include <locale.h>
#include <stdint.h>
#include <string.h>

#include "inspect/format.h"

static const char *const source_tokens[] = {"我", "喜欢", "tea"};
static const bool source_known[] = {true, false, true};
static const char *const target_tokens[] = {"I", "like", "茶", "</s>"};
static const real attention[] = {1,    0,    0,    /* I */
                                 0.25, 0.5,  0.25, /* like */
                                 0,    0.1f, 0.9f, /* 茶 */
                                 0.4f, 0.4f, 0.2f};

static struct translation example(void) {
  return (struct translation){.text = "I like 茶",
                              .log_probability = -1.25,
                              .source_count = 3,
                              .target_count = 4,
                              .source_tokens = source_tokens,
                              .source_known = source_known,
                              .target_tokens = target_tokens,
                              .attention = attention};
}

/* What a format writes, with a NUL behind it; free() it. */
static char *written(const char *format, const struct translation *translation, bool color,
                     size_t *length) {
  char *bytes = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&bytes, &size);
  cr_assert_not_null(stream);
  const struct text_style style = {color};
  struct error error;
  cr_assert_eq(format_named(format)->write(stream, translation, &style, &error), STATUS_OK);
  cr_assert_eq(fclose(stream), 0);
  if (length != NULL) *length = size;
  return bytes;
}

static void expect(const char *format, struct translation translation, bool color,
                   const char *expected) {
  char *text = written(format, &translation, color, NULL);
  cr_assert_str_eq(text, expected);
  free(text);
}

/* ---- which formats there are ---- */

Test(formats, names_and_suffixes) {
  static const char *const names[] = {"text", "json", "tsv", "npy"};
  for (size_t i = 0; i < 4; i++) {
    cr_assert_str_eq(format_at(i)->name, names[i]);
    cr_assert_eq(format_named(names[i]), format_at(i));
  }
  cr_assert_null(format_at(4));
  cr_assert_null(format_at(SIZE_MAX));
  cr_assert_null(format_named("svg"));
  cr_assert_null(format_named(""));
  cr_assert_str_eq(format_of_path("a.txt")->name, "text");
  cr_assert_str_eq(format_of_path("a/b.tar.json")->name, "json");
  cr_assert_str_eq(format_of_path("x.tsv")->name, "tsv");
  cr_assert_str_eq(format_of_path("x.npy")->name, "npy");
  static const char *const none[] = {"", ".npy", "npy", "a.npy.gz", "a.NPY", "a.npy/"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    cr_assert_null(format_of_path(none[i]), "%s", none[i]);
}

/* ---- text ---- */

/* A Han character fills two columns, so the cells below it are as wide. */
Test(formats, text_without_color) {
  expect("text", example(), false,
         "     我  喜欢 tea\n"
         "   I ███ ···· ···\n"
         "like ░░░ ▒▒▒▒ ░░░\n"
         "  茶 ··· ···· ███\n"
         "</s> ▒▒▒ ▒▒▒▒ ░░░\n");
}

Test(formats, text_with_color) {
  struct translation translation = example();
  translation.target_count = 2;
  expect("text", translation, true,
         "     我  喜欢 tea\n"
         "   I \033[48;5;255m   \033[0m \033[48;5;232m    \033[0m \033[48;5;232m   \033[0m\n"
         "like \033[48;5;238m   \033[0m \033[48;5;244m    \033[0m \033[48;5;238m   \033[0m\n");
}

/* No colour unless it was asked for. */
Test(formats, text_without_style) {
  const struct translation translation = example();
  char *bytes = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&bytes, &size);
  cr_assert_eq(format_named("text")->write(stream, &translation, NULL, NULL), STATUS_OK);
  fclose(stream);
  cr_assert_null(strchr(bytes, '\033'));
  free(bytes);
}

/* Each shade begins where its fifth begins, and a weight of rounding's 1.0000001 stays a shade. */
Test(formats, text_shades) {
  static const struct {
    double weight;
    const char *shade;
  } cases[] = {{0, "···"},    {0.19, "···"}, {0.21, "░░░"}, {0.39, "░░░"}, {0.41, "▒▒▒"},
               {0.59, "▒▒▒"}, {0.61, "▓▓▓"}, {0.79, "▓▓▓"}, {0.81, "███"}, {1.0000001, "███"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const real weight = (real)cases[i].weight;
    struct translation translation = example();
    translation.source_count = translation.target_count = 1;
    translation.attention = &weight;
    char expected[64];
    snprintf(expected, sizeof expected, "  我\nI %s\n", cases[i].shade);
    expect("text", translation, false, expected);
  }
}

/* ---- tsv ---- */

Test(formats, tsv) {
  expect("tsv", example(), false,
         "\t我\t喜欢\ttea\n"
         "I\t1.000000\t0.000000\t0.000000\n"
         "like\t0.250000\t0.500000\t0.250000\n"
         "茶\t0.000000\t0.100000\t0.900000\n"
         "</s>\t0.400000\t0.400000\t0.200000\n");
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

static void check_json(const struct translation *translation) {
  size_t length;
  char *text = written("json", translation, false, &length);
  cr_assert_eq(strchr(text, '\n'), text + length - 1, "one line");
  json_t *json = parsed(text);
  cr_assert_eq(json_object_size(json), 5);
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
  json_decref(json);
  free(text);
}

Test(formats, json) {
  const struct translation translation = example();
  check_json(&translation);
}

/* Numbers with no short decimal form. */
Test(formats, json_keeps_every_bit_of_a_weight) {
  const float third = 1.0f / 3, rest = 1 - third;
  const real weights[] = {(real)third, (real)rest, (real)0.123456789f, (real)(1 - 0.123456789f)};
  struct translation translation = example();
  translation.source_count = translation.target_count = 2;
  translation.attention = weights;
  check_json(&translation);
}

Test(formats, json_bytes) {
  struct translation translation = example();
  translation.target_count = 2;
  expect("json", translation, false,
         "{\"source_tokens\":[\"我\",\"喜欢\",\"tea\"],\"target_tokens\":[\"I\",\"like\"],"
         "\"attention\":[[1.0,0.0,0.0],[0.25,0.5,0.25]],\"translation\":\"I like 茶\","
         "\"log_probability\":-1.25}\n");
}

/* ---- npy ---- */

static void check_npy(const struct translation *translation) {
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
  const int used = snprintf(expected, sizeof expected,
                            "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu), }",
                            translation->target_count, translation->source_count);
  cr_assert_arr_eq(bytes + 10, expected, (size_t)used);
  for (size_t i = 10 + (size_t)used; i < start - 1; i++) cr_assert_eq(bytes[i], ' ');
  const size_t count = translation->target_count * translation->source_count;
  cr_assert_eq(length, start + count * sizeof(float));
  for (size_t i = 0; i < count; i++) {
    float value;
    memcpy(&value, bytes + start + i * sizeof value, sizeof value);
    cr_assert_eq(value, (float)translation->attention[i]);
  }
  free(bytes);
}

Test(formats, npy) {
  struct translation translation = example();
  check_npy(&translation);
  /* Shapes of every length of the header. */
  real *many = reals(1200);
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

/* ---- nothing at all, one after the other ---- */

Test(formats, empty_translation) {
  const struct translation empty = {.text = ""};
  expect("text", empty, false, "\n");
  expect("text", empty, true, "\n");
  expect("tsv", empty, false, "\n");
  expect("json", empty, false,
         "{\"source_tokens\":[],\"target_tokens\":[],\"attention\":[],\"translation\":\"\","
         "\"log_probability\":0.0}\n");
  check_npy(&empty);
}

/* ---- tokens that want to do harm ---- */

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

static void check_hostile(const char *token) {
  const char *const pair[] = {token, "x"};
  static const bool known[] = {false, true};
  static const real weights[] = {0.75, 0.25, 0.5, 0.5};
  const struct translation translation = {.text = token,
                                          .log_probability = -0.5,
                                          .source_count = 2,
                                          .target_count = 2,
                                          .source_tokens = pair,
                                          .source_known = known,
                                          .target_tokens = pair,
                                          .attention = weights};
  char *tsv = written("tsv", &translation, false, NULL);
  cr_assert_eq(count_of(tsv, '\n'), 3);
  cr_assert_eq(count_of(tsv, '\t'), 6);
  cr_assert_null(strchr(tsv, '\033'));
  free(tsv);
  char *text = written("text", &translation, false, NULL);
  cr_assert_eq(count_of(text, '\n'), 3);
  cr_assert_null(strchr(text, '\033'));
  cr_assert_null(strchr(text, '\t'));
  cr_assert_null(strstr(text, "\xE2\x80\xAE"));
  free(text);
  char *color = written("text", &translation, true, NULL);
  cr_assert_eq(count_of(color, '\033'), 8, "two a cell, and none of the token's");
  free(color);
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
  struct translation translation = example();
  translation.target_count = 2;
  expect("tsv", translation, false,
         "\t我\t喜欢\ttea\n"
         "I\t1.000000\t0.000000\t0.000000\n"
         "like\t0.250000\t0.500000\t0.250000\n");
  check_json(&translation);
}
