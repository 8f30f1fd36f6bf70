/* Test: text. */
/* The JSON reader: it gives accepted text the same meaning as the JSON library, and rejects the
 * rest. */
#include "base/json.h"
#include "outcome.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static json_t *read_text(const char *text) {
  json_t *value;
  cr_assert_eq(read_json(&value, text_of(text), &why), ELMAN_OK, "%s: %s", text, why.message);
  return value;
}

/* The library's own parser agrees. */
static void check_accepted(const char *text) {
  json_t *value = read_text(text);
  json_t *expected = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
  cr_assert_not_null(expected, "%s", text);
  cr_assert(json_equal(value, expected), "%s", text);
  json_decref(value);
  json_decref(expected);
}

Test(json, valid_text_is_accepted) {
  static const char *const texts[] = {"{}",
                                      "[]",
                                      " [ ] ",
                                      "\t{\n}\r\n",
                                      "0",
                                      "-0",
                                      "-0.0",
                                      "1",
                                      "-17",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "1.5",
                                      "1e3",
                                      "1E-3",
                                      "1.25e+2",
                                      "0.1",
                                      "5e-324",
                                      "1.7976931348623157e308",
                                      "0.30000000000000004",
                                      "true",
                                      "false",
                                      "null",
                                      "\"\"",
                                      "\"a\"",
                                      "\"我 é 😀\"",
                                      "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                                      "\"a\\u00e9b\\u6211\\uD83D\\ude00\"",
                                      "\"\\u0001\"",
                                      "\"x\\u0041\"",
                                      "[1,2,[3,{\"a\":[]}],\"b\"]",
                                      "{\"\":0,\"a\":{\"a\":1}}",
                                      " { \"a\" : [ true , false , null ] , \"b\\n\" : -1.0 } ",
                                      "\"\x7F\""};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_accepted(texts[i]);
}

static void check_refused(const char *text, size_t length, const char *expected) {
  json_t *value = json_true();
  cr_assert_eq(read_json(&value, (struct text){text, length}, &why), ELMAN_BAD_DATA, "%s", text);
  cr_assert_null(value);
  cr_assert_str_eq(why.message, expected, "%s: \"%s\"", text, why.message);
  /* The library rejects the text as well. */
  value = json_loadb(text, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
  cr_assert_null(value, "%s", text);
}

Test(json, invalid_text_is_rejected) {
  static const struct {
    const char *text, *problem;
  } cases[] = {
      {"", "byte 1: expected a value"},
      {" ", "byte 2: expected a value"},
      {"nul", "byte 1: expected a value"},
      {"nan", "byte 1: expected a value"},
      {"True", "byte 1: expected a value"},
      {"'a'", "byte 1: expected a value"},
      {"+1", "byte 1: expected a value"},
      {".5", "byte 1: expected a value"},
      {"-", "byte 2: expected a value"},
      {"1.", "byte 3: expected a value"},
      {"1e", "byte 3: expected a value"},
      {"01", "byte 2: unexpected text after the value"},
      {"0x1", "byte 2: unexpected text after the value"},
      {"1 2", "byte 3: unexpected text after the value"},
      {"{}}", "byte 3: unexpected text after the value"},
      {"[1", "byte 3: expected a comma or a closing bracket"},
      {"[1}", "byte 3: expected a comma or a closing bracket"},
      {"[1,]", "byte 4: expected a value"},
      {"[,1]", "byte 2: expected a value"},
      {"[", "byte 2: expected a value"},
      {"{", "byte 2: expected a string"},
      {"{\"a\"}", "byte 5: expected a colon"},
      {"{\"a\":}", "byte 6: expected a value"},
      {"{\"a\":1,}", "byte 8: expected a string"},
      {"{a:1}", "byte 2: expected a string"},
      {"{\"a\":1,\"\\u0061\":2}", "byte 16: duplicate key"},
      {"\"a", "byte 3: unterminated string"},
      {"\"a\\", "byte 4: invalid escape"},
      {"\"\\x\"", "byte 3: invalid escape"},
      {"\"\\u12g4\"", "byte 6: invalid escape"},
      {"\"\\u0000\"", "byte 8: the character NUL"},
      {"\"\\ud800\"", "byte 8: half of a surrogate pair"},
      {"\"\\ud800\\u0041\"", "byte 14: half of a surrogate pair"},
      {"\"\\udc00\"", "byte 8: half of a surrogate pair"},
      {"\"a\nb\"", "byte 3: unterminated string"},
      {"\"\xFF\"", "byte 2: invalid UTF-8"},
      {"\"\xED\xA0\x80\"", "byte 2: invalid UTF-8"},
      {"1e999", "byte 6: number out of range"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_refused(cases[i].text, strlen(cases[i].text), cases[i].problem);
  check_refused("\"a\0b\"", 5, "byte 3: invalid UTF-8");
  json_t *value; /* the library takes a NUL for the end */
  cr_assert_eq(read_json(&value, (struct text){"1\0", 2}, NULL), ELMAN_BAD_DATA);
}

Test(json, large_whole_numbers_become_real) {
  static const char *const texts[] = {"9223372036854775808", "-9223372036854775809",
                                      "1000000000000000000000"};
  for (size_t i = 0; i < 3; i++) {
    json_t *value = read_text(texts[i]);
    cr_assert(json_is_real(value));
    cr_assert_eq(json_real_value(value), strtod(texts[i], NULL));
    json_decref(value);
  }
}

/* Bytes after the end are not read. */
Test(json, bytes_after_the_text_are_ignored) {
  json_t *value;
  cr_assert_eq(read_json(&value, (struct text){"123", 2}, NULL), ELMAN_OK);
  cr_assert_eq(json_integer_value(value), 12);
  json_decref(value);
  cr_assert_eq(read_json(&value, (struct text){"true", 3}, NULL), ELMAN_BAD_DATA);
  cr_assert_eq(read_json(&value, (struct text){"\"a\"", 2}, NULL), ELMAN_BAD_DATA);
  cr_assert_eq(read_json(&value, (struct text){"\"\\u0041\"", 5}, NULL), ELMAN_BAD_DATA);
}

Test(json, nesting_depth_is_limited) {
  char text[4 * 1000 + 1];
  for (size_t depth = 99; depth <= 2000; depth += depth < 102 ? 1 : 949) {
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    json_t *value;
    cr_assert_eq(read_json(&value, (struct text){text, 2 * depth}, NULL),
                 depth <= 100 ? ELMAN_OK : ELMAN_BAD_DATA, "%zu", depth);
    json_decref(value);
  }
}

Test(json, long_numbers) {
  char text[300];
  memset(text, '0', sizeof text);
  memcpy(text, "0.", 2);
  json_t *value;
  cr_assert_eq(read_json(&value, (struct text){text, 255}, NULL), ELMAN_OK);
  cr_assert_eq(json_real_value(value), 0);
  json_decref(value);
  cr_assert_eq(read_json(&value, (struct text){text, 256}, NULL), ELMAN_BAD_DATA);
}

Test(json, fields) {
  json_int_t integer;
  double number;
  bool truth;
  const char *string;
  const struct json_field fields[] = {{"i", .integer = &integer},
                                      {"n", .number = &number},
                                      {"t", .truth = &truth},
                                      {"s", .string = &string}};
  static const struct {
    const char *text, *fault;
  } cases[] = {
      {"{\"i\":1,\"n\":2.5,\"t\":true,\"s\":\"x\"}", NULL},
      {"{\"s\":\"x\",\"t\":true,\"n\":2.5,\"i\":1}", NULL},
      {"{\"i\":1,\"n\":2,\"t\":false,\"s\":\"\"}", NULL},
      {"{\"i\":1,\"n\":2.5,\"t\":true}", "lacks \"s\""},
      {"{\"i\":1,\"n\":2.5,\"t\":true,\"s\":\"x\",\"z\":1}", "has the unknown entry \"z\""},
      {"{\"i\":1.0,\"n\":2.5,\"t\":true,\"s\":\"x\"}", "has a wrong value of \"i\": 1.0"},
      {"{\"i\":1,\"n\":\"2\",\"t\":true,\"s\":\"x\"}", "has a wrong value of \"n\": \"2\""},
      {"{\"i\":1,\"n\":2.5,\"t\":1,\"s\":\"x\"}", "has a wrong value of \"t\": 1"},
      {"{\"i\":1,\"n\":2.5,\"t\":true,\"s\":null}", "has a wrong value of \"s\": null"},
      {"[]", "lacks \"i\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    json_t *object = read_text(cases[i].text);
    char fault[JSON_FAULT_SIZE] = "";
    cr_assert_eq(read_json_fields(fault, fields, 4, object), cases[i].fault == NULL, "%s",
                 cases[i].text);
    if (cases[i].fault != NULL) cr_assert_str_eq(fault, cases[i].fault);
    if (i == 0) {
      cr_assert(integer == 1 && number == 2.5 && truth);
      cr_assert_str_eq(string, "x");
    }
    json_decref(object);
  }
}

/* ---- lists ---- */

static elman_status collect(void *context, size_t index, const struct json_item *item,
                            elman_error *error) {
  (void)error;
  json_t *array = context;
  cr_assert_eq(index, json_array_size(array));
  json_array_append_new(array, item->string.bytes != NULL
                                   ? json_stringn(item->string.bytes, item->string.length)
                               : item->whole ? json_integer(item->number)
                                             : json_null());
  return ELMAN_OK;
}

/* The result of read_json, except that other values become null. */
static void check_list(const char *text, const char *expected) {
  json_t *array = json_array(), *wanted = read_text(expected);
  size_t count;
  cr_assert_eq(read_json_list(&count, text_of(text), collect, array, NULL), ELMAN_OK, "%s", text);
  cr_assert_eq(count, json_array_size(array));
  cr_assert(json_equal(array, wanted), "%s", text);
  json_decref(array);
  json_decref(wanted);
}

Test(json, lists) {
  static const char *const same[] = {"[]",
                                     "[\"a\"]",
                                     "[\"\",\"我\",\", ]\"]",
                                     "[0]",
                                     "[7,0,10,-3,9223372036854775807]",
                                     "[\"\\\"\",\"\\\\\",\"a\\tb\",\"\\u00e9\",\"\\ud83d\\ude42\"]",
                                     " [ \"a\" , 1 ]\n"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) check_list(same[i], same[i]);
  check_list("[true,1.5,[1,\"a\"],{\"a\":1},\"b\"]", "[null,null,null,null,\"b\"]");
  check_list("{\"a\":1}", "[]");
  check_list("\"a\"", "[]");
}

Test(json, invalid_lists_are_rejected) {
  static const char *const texts[] = {"",
                                      "[",
                                      "[\"a",
                                      "[\"a\\",
                                      "[\"a\"",
                                      "[\"a\",",
                                      "[\"a\",]",
                                      "[\"a\",\"b\"]]",
                                      "[\"a\" \"b\"]",
                                      "[,\"a\"]",
                                      "{\"a\",\"b\"]",
                                      "[\"\n\"]",
                                      "[\"\\x\"]",
                                      "[\"\\u0000\"]",
                                      "[\"\\ud83d\"]",
                                      "[01]",
                                      "[+2]",
                                      "[1 2]",
                                      "[nul]",
                                      "{1,2]"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    json_t *array = json_array();
    size_t count;
    cr_assert_eq(read_json_list(&count, text_of(texts[i]), collect, array, NULL), ELMAN_BAD_DATA,
                 "%s", texts[i]);
    json_decref(array);
  }
}

Test(json, locale_does_not_change_numbers) {
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (setlocale(LC_NUMERIC, names[i]) != NULL) break;
  json_t *value = read_text("2.5");
  cr_assert_eq(json_real_value(value), 2.5);
  json_decref(value);
}
