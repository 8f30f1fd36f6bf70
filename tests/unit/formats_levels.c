/* Test: text. */
/* Sentinel weights and segment weights in every format. */
#include <math.h>

#include "formats.h"
#include "inspect/summary.h"

/* The second of two target words attends mostly to the sentinel. */
static elman_translation with_sentinel(void) {
  static const float weights[] = {0.5f, 0.25f, 0, 0.125f, 0, 0.25f}, sentinel[] = {0.25f, 0.625f};
  elman_translation translation = known_example();
  translation.target_count = 2;
  translation.ended = false;
  translation.attention = translation.head_attention = weights;
  translation.sentinel = sentinel;
  return translation;
}

Test(formats, text_with_a_sentinel) {
  const elman_text_style numbers = {.numbers = true}, narrow = {.numbers = true, .width = 20};
  const elman_translation translation = with_sentinel();
  char *text = written_all("text", &translation, 1, &numbers, NULL);
  cr_assert_str_eq(text, "     我   喜欢 tea  no token\n"
                         "   I 0.50 0.25 0.00     0.25\n"
                         "like 0.12 0.00 0.25     0.62\n");
  free(text);
  text = written_all("text", &translation, 1, &narrow, NULL);
  cr_assert_str_eq(text, "source tokens 1 to 3 of 3\n"
                         "     我   喜欢 tea\n"
                         "   I 0.50 0.25 0.00\n"
                         "like 0.12 0.00 0.25\n"
                         "     no token\n"
                         "   I     0.25\n"
                         "like     0.62\n");
  free(text);
}

Test(formats, tsv_with_a_sentinel) {
  expect("tsv", with_sentinel(), false,
         "\t我\t喜欢\ttea\tno token\n"
         "I\t0.500000\t0.250000\t0.000000\t0.250000\n"
         "like\t0.125000\t0.000000\t0.250000\t0.625000\n");
}

Test(formats, json_with_a_sentinel) {
  const elman_translation translation = with_sentinel();
  owned char *text = written("json", &translation, false, NULL);
  json_t *json = parsed(text);
  const json_t *sentinel = json_object_get(json, "sentinel");
  cr_assert_eq(json_array_size(sentinel), 2);
  cr_assert_eq(json_number_value(json_array_get(sentinel, 0)), 0.25);
  cr_assert_eq(json_number_value(json_array_get(sentinel, 1)), 0.625);
  json_decref(json);
}

Test(formats, svg_with_a_sentinel) {
  const elman_translation translation = with_sentinel();
  owned char *text = written("svg", &translation, false, NULL);
  check_xml(text);
  cr_assert_eq(occurrences(text, ">no token</text>"), 1);
  cr_assert_not_null(strstr(text, "<title>like ← no token: 0.625</title>"));
}

/* "like" is linked to no word, except with a threshold. */
Test(formats, pharaoh_with_a_sentinel) {
  static const struct {
    elman_alignment_rule rule;
    const char *links;
  } expected[] = {{ELMAN_ALIGNMENT_ARGMAX, "0-0\n"},
                  {ELMAN_ALIGNMENT_INTERSECTION, "0-0\n"},
                  {ELMAN_ALIGNMENT_THRESHOLD, "0-0 1-0 2-1\n"}};
  const elman_translation translation = with_sentinel();
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    const elman_text_style style = {.alignment = expected[i].rule, .threshold = 0.25};
    owned char *text = written_all("pharaoh", &translation, 1, &style, NULL);
    cr_assert_str_eq(text, expected[i].links);
  }
}

Test(formats, summary_with_a_sentinel) {
  elman_attention_summary summary = {0};
  const elman_translation translation = with_sentinel();
  cr_assert_eq(elman_attention_summary_add(&summary, &translation, "", NULL), ELMAN_OK);
  cr_assert_eq(summary.sentinel, 0.25 + 0.625);
}

/* ---- segments ---- */

static elman_translation with_segments(void) {
  static const float segments[] = {1, 0, 0.75f, 0.25f};
  static const size_t ends[] = {2, 3};
  elman_translation translation = known_example();
  translation.target_count = 2;
  translation.ended = false;
  translation.segment_count = 2;
  translation.segment_ends = ends;
  translation.segments = segments;
  return translation;
}

Test(formats, text_with_segments) {
  const elman_text_style numbers = {.numbers = true};
  const elman_translation translation = with_segments();
  owned char *text = written_all("text", &translation, 1, &numbers, NULL);
  cr_assert_str_eq(text, "     我   喜欢 tea  tokens 1-2 tokens 3-3\n"
                         "   I 1.00 0.00 0.00       1.00       0.00\n"
                         "like 0.25 0.50 0.25       0.75       0.25\n");
}

Test(formats, tsv_with_segments) {
  expect("tsv", with_segments(), false,
         "\t我\t喜欢\ttea\ttokens 1-2\ttokens 3-3\n"
         "I\t1.000000\t0.000000\t0.000000\t1.000000\t0.000000\n"
         "like\t0.250000\t0.500000\t0.250000\t0.750000\t0.250000\n");
}

Test(formats, json_with_segments) {
  const elman_translation translation = with_segments();
  owned char *text = written("json", &translation, false, NULL);
  json_t *json = parsed(text);
  const json_t *ends = json_object_get(json, "segment_ends");
  cr_assert_eq(json_array_size(ends), 2);
  cr_assert_eq(json_integer_value(json_array_get(ends, 0)), 2);
  cr_assert_eq(json_integer_value(json_array_get(ends, 1)), 3);
  const json_t *row = json_array_get(json_object_get(json, "segments"), 1);
  cr_assert_eq(json_array_size(row), 2);
  cr_assert_eq(json_number_value(json_array_get(row, 0)), 0.75);
  json_decref(json);
}

Test(formats, svg_with_segments) {
  const elman_translation translation = with_segments();
  owned char *text = written("svg", &translation, false, NULL);
  check_xml(text);
  cr_assert_eq(occurrences(text, ">tokens 3-3</text>"), 1);
}
