/* Helpers for the tests of the formats: translations, their text in a format, and parsers of it. */
#ifndef ELMAN_TESTS_FORMATS_H
#define ELMAN_TESTS_FORMATS_H

#include <jansson.h>
#include <string.h>

#include "check.h"
#include "inspect/format.h"
#include "translation_of.h"

static const char *const source_tokens[] = {"我", "喜欢", "tea"};
static const bool source_known[] = {true, false, true};
static const size_t source_starts[] = {0, 4, 11}, source_ends[] = {3, 10, 14};
static const char *const target_tokens[] = {"I", "like", "茶", "</s>"};
static const size_t target_starts[] = {0, 2, 7, 10}, target_ends[] = {1, 6, 10, 10};
static const float attention[] = {1,    0,    0,    /* I */
                                  0.25, 0.5,  0.25, /* like */
                                  0,    0.1f, 0.9f, /* 茶 */
                                  0.4f, 0.4f, 0.2f};

static inline elman_translation example(void) {
  const struct side_text source = {"我 喜欢 tea", 3, source_tokens, source_starts, source_ends};
  const struct side_text target = {"I like 茶", 4, target_tokens, target_starts, target_ends};
  elman_translation translation = translation_of(source, source_known, target, attention);
  translation.log_probability = -1.25;
  translation.score = -0.3125;
  return translation;
}

/* Two heads for two target tokens. */
static const float two_heads[] = {1, 0, 0, 0, 1, 0, /* head 1 */
                                  0, 0, 1, 0, 1, 0};
static const float average[] = {0.5, 0, 0.5, 0, 1, 0};

static inline elman_translation with_heads(void) {
  elman_translation translation = example();
  translation.target_count = 2;
  translation.ended = false;
  translation.heads = 2;
  translation.attention = average;
  translation.head_attention = two_heads;
  return translation;
}

static inline elman_translation known_example(void) {
  static const bool all[] = {true, true, true};
  elman_translation translation = example();
  translation.source_known = all;
  return translation;
}

/* Return the bytes that a format writes for `count` copies of the translation, followed by a NUL;
 * release them with free(). If inlined, gcc 12 warns about a dangling address that the stream
 * stores. */
__attribute__((noinline)) static char *written_all(const char *format,
                                                   const elman_translation *translation,
                                                   size_t count, const elman_text_style *style,
                                                   size_t *length) {
  char *bytes = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&bytes, &size);
  elman_attention_writer *writing;
  cr_assert_not_null(stream);
  succeeds(elman_attention_writer_create(&writing, stream, format, style, &why));
  for (size_t i = 0; i < count; i++) {
    const elman_attention_place place = {i + 1, 1, NULL};
    cr_assert_eq(elman_attention_writer_add(writing, translation, place, &why), ELMAN_OK);
  }
  cr_assert_eq(elman_attention_writer_finish(writing, &why), ELMAN_OK);
  elman_attention_writer_free(writing);
  cr_assert_eq(fclose(stream), 0);
  if (length != NULL) *length = size;
  return bytes;
}

static inline char *written(const char *format, const elman_translation *translation, bool color,
                            size_t *length) {
  const elman_text_style style = {.color = color};
  return written_all(format, translation, 1, &style, length);
}

static inline void expect(const char *format, elman_translation translation, bool color,
                          const char *expected) {
  owned char *text = written(format, &translation, color, NULL);
  cr_assert_str_eq(text, expected);
}

static inline void expect_twice(const char *format, elman_translation translation,
                                const char *expected) {
  owned char *text = written_all(format, &translation, 2, NULL, NULL);
  cr_assert_str_eq(text, expected);
}

static inline json_t *parsed(const char *text) {
  json_error_t problem;
  json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &problem);
  cr_assert_not_null(json, "%s: %s", problem.text, text);
  return json;
}

static inline void check_strings(const json_t *array, const char *const *expected, size_t count) {
  cr_assert_eq(json_array_size(array), count);
  for (size_t i = 0; i < count; i++)
    cr_assert_str_eq(json_string_value(json_array_get(array, i)), expected[i]);
}

static inline size_t occurrences(const char *text, const char *what) {
  size_t count = 0;
  for (const char *at = text; (at = strstr(at, what)) != NULL; at++) count++;
  return count;
}

/* Check basic well-formedness: every element is closed in order, text contains no unescaped markup,
 * and no character is forbidden in XML. */
static inline void check_xml(const char *text) {
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

#endif
