/* Test: text. */
/* Heat maps as SVG images. */
#include "formats.h"
#include "inspect/escape.h"

Test(formats, svg) {
  const elman_translation translation = example(), heads = with_heads();
  owned char *one = written_all("svg", &translation, 1, NULL, NULL);
  check_xml(one);
  cr_assert_eq(occurrences(one, "<rect x="), 12 + 1, "12 cells and the color bar");
  cr_assert_not_null(strstr(one, "<title>茶 ← tea: 0.900</title>"));
  cr_assert_not_null(strstr(one, "fill=\"#00224E\""));
  cr_assert_not_null(strstr(one, "fill=\"#FEE838\""));
  cr_assert_eq(occurrences(one, " width=\"33\" height=\"23\" fill="), 12, "a gap between cells");
  cr_assert_not_null(strstr(one, ">attention weight</text>"));
  cr_assert_eq(occurrences(one, "<desc>"), 1);
  owned char *several = written_all("svg", &heads, 3, NULL, NULL);
  check_xml(several);
  cr_assert_eq(occurrences(several, "<svg"), 1);
  cr_assert_eq(occurrences(several, "<desc>"), 3);
  cr_assert_eq(occurrences(several, ">head 2<"), 3);
  cr_assert_eq(occurrences(several, ">average<"), 3);
  cr_assert_eq(occurrences(several, "<rect x="), 3 * 3 * 6 + 1);
  /* The panel title is above the column labels and does not overlap them. */
  cr_assert_not_null(strstr(several, "<text x=\"12\" y=\"44\">head 1<"));
  cr_assert_not_null(strstr(several, "y=\"66\" text-anchor=\"middle\">我<"));
  owned char *none = written_all("svg", &translation, 0, NULL, NULL);
  check_xml(none);
  cr_assert_not_null(strstr(none, "width=\"364\""), "room for the scale");
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

/* Text from right to left does not turn the arrows of caption and cells. */
Test(formats, svg_isolates_right_to_left_text) {
  elman_translation translation = example();
  translation.source = "أحب الكتب";
  translation.text = "I like books";
  owned char *text = written_all("svg", &translation, 1, NULL, NULL);
  check_xml(text);
  cr_assert_eq(occurrences(text, "\u2068أحب الكتب\u2069 → I like books<"), 2, "caption and title");
  cr_assert_not_null(strstr(text, "<title>茶 ← tea: 0.900</title>"));
}

/* A label is truncated between emoji, never within one, which has two columns. */
Test(formats, svg_truncates_between_emoji) {
#define FAMILY "👨\u200D👩\u200D👧\u200D👦"
#define FIVE(text) text text text text text
  static const char *const tokens[] = {FIVE(FIVE(FAMILY))};
  elman_translation translation = example();
  translation.target_tokens = tokens;
  translation.target_count = 1;
  owned char *text = written_all("svg", &translation, 1, NULL, NULL);
  check_xml(text);
  cr_assert_not_null(strstr(text, ">" FIVE(FAMILY FAMILY FAMILY FAMILY) "…<"));
}

/* A weight of 1.0000001 from rounding and a NaN still get a color. */
Test(formats, svg_handles_odd_weights) {
  static const float weights[] = {(float)1.0000001, (float)-1e-9, (float)NAN};
  elman_translation translation = example();
  translation.target_count = 1;
  translation.attention = weights;
  owned char *text = written_all("svg", &translation, 1, NULL, NULL);
  check_xml(text);
  cr_assert_eq(occurrences(text, "width=\"33\" height=\"23\" fill=\"#00224E\""), 2);
  cr_assert_eq(occurrences(text, "width=\"33\" height=\"23\" fill=\"#FEE838\""), 1);
}

/* A weight between two colors of the scale gets their mean: 1/16 is halfway to the second color. */
Test(formats, svg_colors_are_mixed) {
  static const float weights[] = {(float)0.0625, (float)0.5, (float)0.96875};
  elman_translation translation = example();
  translation.target_count = 1;
  translation.attention = weights;
  owned char *text = written_all("svg", &translation, 1, NULL, NULL);
  cr_assert_eq(occurrences(text, "width=\"33\" height=\"23\" fill=\"#092C5F\""), 1,
               "#00224E and #123570");
  cr_assert_eq(occurrences(text, "width=\"33\" height=\"23\" fill=\"#707173\""), 1);
  cr_assert_eq(occurrences(text, "width=\"33\" height=\"23\" fill=\"#EFDB44\""), 1,
               "#C3B369 and #FEE838");
}

/* Two Chinese characters fit into a cell; five letters would overlap the next label. */
Test(formats, svg_rotates_labels_that_do_not_fit) {
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
  owned char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  write_xml(stream, token, width);
  cr_assert_eq(fclose(stream), 0);
  cr_assert_str_eq(text, expected);
}

Test(formats, xml_is_truncated_by_columns) {
  expect_xml("abcd", 4, "abcd");
  expect_xml("abcde", 4, "abcd…");
  expect_xml("我爱", 4, "我爱");
  expect_xml("我爱你", 5, "我爱…");
  expect_xml("<&>\"'", 5, "&lt;&amp;&gt;&quot;&#39;");
  expect_xml("a\xCC\x81"
             "bcd",
             4,
             "a\xCC\x81"
             "bcd"); /* a combining mark takes no column */
}

Test(formats, xml_truncates_a_token_of_marks) {
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
