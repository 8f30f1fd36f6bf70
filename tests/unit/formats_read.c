/* Test: text. */
/* Read back what the writers produce: JSON, pages and arrays. Every format is tested with empty
 * translations, hostile tokens and a decimal comma. */
#include <locale.h>
#include <stdint.h>

#include "base/text.h"
#include "formats.h"
#include "inspect/escape.h"

/* ---- json ---- */

static void check_json(const elman_translation *translation) {
  size_t length;
  owned char *text = written("json", translation, false, &length);
  cr_assert_eq(strchr(text, '\n'), text + length - 1, "one line");
  json_t *json = parsed(text);
  cr_assert_eq(json_object_size(json), translation->heads > 1 ? 17 : 16);
  check_strings(json_object_get(json, "source_tokens"), translation->source_tokens,
                translation->source_count);
  check_strings(json_object_get(json, "target_tokens"), translation->target_tokens,
                translation->target_count);
  cr_assert_str_eq(json_string_value(json_object_get(json, "text")), translation->text);
  cr_assert_float_eq(json_number_value(json_object_get(json, "log_probability")),
                     translation->log_probability, 1e-9);
  const json_t *rows = json_object_get(json, "attention");
  cr_assert_eq(json_array_size(rows), translation->target_count);
  for (size_t t = 0; t < translation->target_count; t++) {
    const json_t *row = json_array_get(rows, t);
    double sum = 0;
    cr_assert_eq(json_array_size(row), translation->source_count);
    for (size_t s = 0; s < translation->source_count; s++) {
      const double weight = json_number_value(json_array_get(row, s));
      /* Nine digits restore every float exactly. */
      cr_assert_eq((float)weight, (float)translation->attention[t * translation->source_count + s]);
      sum += weight;
    }
    cr_assert_float_eq(sum, 1, 1e-6);
  }
  cr_assert_str_eq(json_string_value(json_object_get(json, "source")), translation->source);
  cr_assert_eq(json_array_size(json_object_get(json, "head_attention")),
               translation->heads > 1 ? translation->heads : 0);
  for (const char *at = text; *at != '\0'; at++)
    cr_assert_null(strchr("<>&\033\x7F", *at), "%c in %s", *at, text);
  cr_assert_null(strstr(text, "\xE2\x80\xA8"));
  cr_assert_null(strstr(text, "\xE2\x80\xAE"));
  cr_assert_null(strstr(text, "\xC2\x9B"));
  json_decref(json);
}

Test(formats, json) {
  const elman_translation translation = example(), heads = with_heads();
  check_json(&translation);
  check_json(&heads);
}

/* JSON has no NaN and no infinity. */
Test(formats, json_never_contains_nan_or_infinity) {
  elman_translation translation = example();
  const float weights[] = {(float)NAN, (float)INFINITY, 0};
  translation.target_count = 1;
  translation.attention = weights;
  translation.log_probability = -INFINITY;
  owned char *text = written("json", &translation, false, NULL);
  json_t *json = parsed(text);
  cr_assert(json_is_null(json_object_get(json, "log_probability")));
  json_decref(json);
}

/* Numbers without a short decimal form. */
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
  expect("json", translation, false,
         "{\"sentence\":1,\"hypothesis\":1,\"source\":\"我 喜欢 tea\",\"text\":\"I like 茶\","
         "\"source_tokens\":[\"我\",\"喜欢\",\"tea\"],\"source_known\":[true,false,true],"
         "\"target_tokens\":[\"I\",\"like\"],\"ended\":false,\"forced\":true,"
         "\"log_probability\":-1.25,\"score\":-0.3125,\"attention\":[[1,0,0],[0.25,0.5,0.25]],"
         "\"source_spans\":[[0,3],[4,10],[11,14]],\"target_spans\":[[0,1],[2,6]],"
         "\"entropy\":[0,1.03972077],\"coverage\":[1.25,0.5,0.25]}\n");
  expect("json", with_heads(), false,
         "{\"sentence\":1,\"hypothesis\":1,\"source\":\"我 喜欢 tea\",\"text\":\"I like 茶\","
         "\"source_tokens\":[\"我\",\"喜欢\",\"tea\"],\"source_known\":[true,false,true],"
         "\"target_tokens\":[\"I\",\"like\"],\"ended\":false,\"forced\":false,"
         "\"log_probability\":-1.25,\"score\":-0.3125,\"attention\":[[0.5,0,0.5],[0,1,0]],"
         "\"head_attention\":[[[1,0,0],[0,1,0]],[[0,0,1],[0,1,0]]],"
         "\"source_spans\":[[0,3],[4,10],[11,14]],\"target_spans\":[[0,1],[2,6]],"
         "\"entropy\":[0.693147181,0],\"coverage\":[0.5,1,0.5]}\n");
}

/* ---- npy ---- */

static void check_npy(const elman_translation *translation) {
  size_t length;
  owned char *bytes = written("npy", translation, false, &length);
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
}

Test(formats, npy) {
  elman_translation translation = example();
  const elman_translation heads = with_heads();
  check_npy(&translation);
  check_npy(&heads);
  /* Shapes that give every length of the header. */
  owned float *many = calloc(1200, sizeof *many);
  translation.attention = many;
  for (size_t columns = 1; columns <= 1000; columns *= 10) {
    translation.target_count = 1;
    translation.source_count = columns;
    check_npy(&translation);
    translation.target_count = columns;
    translation.source_count = 1;
    check_npy(&translation);
  }
}

/* ---- empty translation ---- */

Test(formats, empty_translation_is_written) {
  const elman_translation empty = {.text = "", .source = "", .heads = 1};
  expect("text", empty, false, "\n");
  expect("text", empty, true, "\n");
  expect("tsv", empty, false, "\n");
  expect("pharaoh", empty, false, "\n");
  expect("softalignments", empty, false, "0 ||| ∅ ||| 0 ||| ∅ ||| 2 2\n1 0\n0 0\n\n");
  expect("json", empty, false,
         "{\"sentence\":1,\"hypothesis\":1,\"source\":\"\",\"text\":\"\",\"source_tokens\":[],"
         "\"source_ids\":[],\"source_known\":[],\"target_tokens\":[],\"target_ids\":[],"
         "\"ended\":false,\"forced\":false,\"log_probability\":0,\"score\":0,"
         "\"log_probabilities\":[],\"attention\":[],\"source_spans\":[],\"target_spans\":[],"
         "\"entropy\":[],\"coverage\":[]}\n");
  check_npy(&empty);
  owned char *svg = written("svg", &empty, false, NULL);
  check_xml(svg);
}

/* ---- sentences without a translation ---- */

/* Write a translation, a refused sentence, and the translation again. */
__attribute__((noinline)) static char *with_refused(const char *format,
                                                    const elman_text_style *style, size_t *length) {
  const elman_translation translation = example();
  const elman_error reason = {.code = ELMAN_BAD_DATA, .message = "\"it\" is <no> text"};
  char *bytes = NULL;
  FILE *stream = open_memstream(&bytes, length);
  elman_attention_writer *writing;
  cr_assert_not_null(stream);
  succeeds(elman_attention_writer_create(&writing, stream, format, style, &why));
  succeeds(
      elman_attention_writer_add(writing, &translation, (elman_attention_place){1, 1, NULL}, &why));
  succeeds(elman_attention_writer_add_refused(writing, (elman_attention_place){2, 1, NULL}, &reason,
                                              &why));
  succeeds(
      elman_attention_writer_add(writing, &translation, (elman_attention_place){3, 1, NULL}, &why));
  cr_assert_eq(elman_attention_writer_finish(writing, &why), ELMAN_OK);
  elman_attention_writer_free(writing);
  cr_assert_eq(fclose(stream), 0);
  return bytes;
}

/* The text between the first and the last record belongs to the refused sentence. */
static void check_refused(const char *format, const elman_text_style *style, const char *parting,
                          const char *expected) {
  const elman_translation translation = example();
  size_t length;
  owned char *whole = with_refused(format, style, &length);
  owned char *one = written_all(format, &translation, 1, style, NULL);
  cr_assert_eq(strncmp(whole, one, strlen(one)), 0, "%s", whole);
  const char *rest = whole + strlen(one);
  cr_assert_eq(strncmp(rest, parting, strlen(parting)), 0, "%s", whole);
  rest += strlen(parting);
  cr_assert_eq(strncmp(rest, expected, strlen(expected)), 0, "%s: %s", format, whole);
}

Test(formats, refused_sentence_keeps_its_position) {
  const elman_text_style numbered = {.numbered = true};
  size_t length;
  check_refused("tsv", NULL, "\n", "\n\n\t");
  check_refused("tsv", &numbered, "\n", "2.1\n\n\n3.1\n\t");
  check_refused("pharaoh", NULL, "", "\n0-0 ");
  check_refused("pharaoh", &numbered, "", "1 ||| \n2 ||| 0-0 ");
  check_refused("softalignments", NULL, "",
                "1 ||| ∅ ||| 0 ||| ∅ ||| 2 2\n1 0\n0 0\n\n2 ||| I like ");
  check_refused(
      "json", NULL, "",
      "{\"sentence\":2,\"hypothesis\":1,\"source\":\"\",\"text\":\"\",\"source_tokens\":[],"
      "\"source_ids\":[],\"source_known\":[],\"target_tokens\":[],\"target_ids\":[],"
      "\"ended\":false,\"forced\":false,\"log_probability\":null,\"score\":null,"
      "\"log_probabilities\":[],\"attention\":[],\"source_spans\":[],\"target_spans\":[],"
      "\"entropy\":[],\"coverage\":[],\"error\":\"\\\"it\\\" is \\u003cno\\u003e text\"}\n"
      "{\"sentence\":3,");
  owned char *npy = with_refused("npy", NULL, &length);
  const char *second = memmem(npy + 1, length - 1, "\x93NUMPY", 6);
  cr_assert_not_null(strstr(second + 10, "'shape': (0, 0), }"));
  char *text = with_refused("text", &numbered, &length);
  cr_assert_not_null(strstr(text, "\n\n2.1\n\n\n3.1\n "), "%s", text);
  free(text);
  owned char *svg = with_refused("svg", NULL, &length);
  check_xml(svg);
  cr_assert_not_null(strstr(svg, ">2.1: no translation: &quot;it&quot; is &lt;no&gt; text</text>"),
                     "%s", svg);
}

/* ---- characters ---- */

/* Terminals, tables, pages and JSON share one rule. */
Test(formats, every_writer_escapes_the_same_characters) {
  size_t unsafe = 0;
  for (int codepoint = 1; codepoint <= 0x10FFFF; codepoint++) {
    owned_by(buffer_free) struct buffer text = {0};
    owned char *shown = NULL, *json = NULL;
    size_t shown_length, json_length;
    if (codepoint == 0xD800) codepoint = 0xE000; /* UTF-8 does not encode surrogates */
    buffer_append_character(&text, codepoint);
    const bool is_unsafe = character_is_unsafe(codepoint);
    FILE *streams[] = {open_memstream(&shown, &shown_length), open_memstream(&json, &json_length)};
    write_visible(streams[0], text.bytes);
    write_json_text(streams[1], text.bytes, true);
    for (size_t i = 0; i < 2; i++) fclose(streams[i]);
    const bool is_markup = codepoint < 0x80 && strchr("<>&\"\\", codepoint) != NULL;
    cr_assert_eq(is_unsafe, strcmp(shown, text.bytes) != 0, "U+%04X", (unsigned)codepoint);
    cr_assert_eq(is_unsafe || is_markup, strlen(json) != text.length + 2, "U+%04X",
                 (unsigned)codepoint);
    unsafe += is_unsafe;
  }
  cr_assert_gt(unsafe, 65 + 66 + 100); /* controls, noncharacters, format characters */
}

/* ---- html ---- */

/* The page contains the JSON records in an element that no record can close. */
static void check_page(const elman_translation *translation, size_t count) {
  owned char *page = written_all("html", translation, count, NULL, NULL);
  owned char *records = written_all("json", translation, count, NULL, NULL);
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
}

Test(formats, html) {
  const elman_translation translation = example(), heads = with_heads();
  check_page(&translation, 1);
  check_page(&heads, 3);
  check_page(&translation, 0);
}

static const char LONG_LETTER[] = "\xE5\xAD\xA6";
enum { LONG_TOKEN = 100000 };

/* `expected` is the text for a terminal or table, `width` its number of columns. */
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
     "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x94\xAC", 2},
    {"<script>alert(1)</script>", "<script>alert(1)</script>", 25},
    {"]]></title><script>", "]]></title><script>", 19},
    {"' onload='x", "' onload='x", 11},
    {"=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0", 18},
    {"+1", "+1", 2},
    {"-1", "-1", 2},
    {"@x", "@x", 2},
    {"|||", "|||", 3},
    {"a ||| b", "a ||| b", 7},
    {"\xEF\xBF\xBF", "\\u{FFFF}", 8}, /* noncharacter, forbidden in XML */
    {"\xE2\x80\x8F", "\\u{200F}", 8}, /* right-to-left mark */
    {"", "", 0},
};

Test(formats, write_visible_shows_every_token_safely) {
  for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
    owned char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    write_visible(stream, tokens[i].token);
    fclose(stream);
    cr_assert_str_eq(text, tokens[i].expected);
    cr_assert_eq(visible_width(tokens[i].token), tokens[i].width, "%s", text);
  }
}

static size_t count_of(const char *text, char c) {
  size_t count = 0;
  for (; *text != '\0'; text++) count += *text == c;
  return count;
}

/* The reader splits lines at " ||| " and tokens at white space. */
static void check_hostile_softalignments(const elman_translation *translation) {
  owned char *text = written("softalignments", translation, false, NULL);
  cr_assert_eq(count_of(text, '\n'), 5);
  cr_assert_eq(occurrences(text, " ||| "), 4);
  cr_assert_eq(occurrences(text, "|||"), 4);
  const size_t head = strcspn(text, "\n");
  text[head] = '\0';
  cr_assert_eq(count_of(text, ' '), 1 + 2 + 2 + 2 + 2 + 2, "two tokens a side");
}

static void check_hostile(const char *token) {
  const char *const pair[] = {token, "x"};
  static const bool known[] = {false, true};
  static const float weights[] = {0.75, 0.25, 0.5, 0.5};
  const size_t length = strlen(token);
  const size_t starts[] = {0, length}, ends[] = {length, length};
  const struct side_text side = {token, 2, pair, starts, ends};
  elman_translation translation = translation_of(side, known, side, weights);
  translation.log_probability = -0.5;
  translation.ended = false;
  owned char *tsv = written("tsv", &translation, false, NULL);
  cr_assert_eq(count_of(tsv, '\n'), 3);
  cr_assert_eq(count_of(tsv, '\t'), 6);
  cr_assert_null(strchr(tsv, '\033'));
  for (const char *at = tsv; *at != '\0'; at++)
    cr_assert(at > tsv && strchr("\t\n", at[-1]) == NULL ? true : strchr("=+-@\"", *at) == NULL,
              "a cell begins with %c", *at);
  char *text = written("text", &translation, false, NULL);
  cr_assert_eq(count_of(text, '\n'), 5, "head, two rows, two lines of what they mean");
  cr_assert_null(strchr(text, '\033'));
  cr_assert_null(strchr(text, '\t'));
  cr_assert_null(strstr(text, "\xE2\x80\xAE"));
  free(text);
  owned char *color = written("text", &translation, true, NULL);
  cr_assert_eq(count_of(color, '\033'), 8 + 10, "two a cell or shade, and none of the token's");
  owned char *svg = written("svg", &translation, false, NULL);
  check_xml(svg);
  cr_assert_null(strstr(svg, "<script"));
  cr_assert_null(strstr(svg, "\xE2\x80\xAE"));
  cr_assert_lt(strlen(svg), 20000, "long tokens are cut");
  check_page(&translation, 1);
  owned char *pharaoh = written("pharaoh", &translation, false, NULL);
  cr_assert_eq(strspn(pharaoh, "0123456789- "), strlen(pharaoh) - 1);
  check_hostile_softalignments(&translation);
  check_json(&translation);
  check_npy(&translation);
}

Test(formats, hostile_tokens_do_no_harm) {
  for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) check_hostile(tokens[i].token);
  owned char *long_token = malloc(LONG_TOKEN * 3 + 1);
  for (size_t i = 0; i < LONG_TOKEN; i++) memcpy(long_token + i * 3, LONG_LETTER, 4);
  cr_assert_eq(visible_width(long_token), 2 * LONG_TOKEN);
  check_hostile(long_token);
}

/* ---- a locale with a decimal comma ---- */

Test(formats, locale_does_not_change_numbers) {
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
  owned char *ali = written("softalignments", &translation, false, NULL);
  cr_assert_null(strchr(ali, ','));
  owned char *svg = written("svg", &translation, false, NULL);
  cr_assert_not_null(strstr(svg, "offset=\"0.500\""));
}
