/* Test: text. */
/* Heat maps for a terminal, compared byte by byte. */
#include "formats.h"

/* ---- text ---- */

#define TEXT_LEGEND "weight: 0 · 0.1 ░ 0.3 ▒ 0.5 ▓ 0.7 █ 1\n"
#define UNKNOWN_LEGEND "* not in the vocabulary\n"

/* A Chinese character fills two columns, so the cells below it are two columns wide; so is the
 * marker. */
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

/* Zero weights get no background: black on white, or white on black. */
Test(formats, text_with_color) {
  elman_translation translation = known_example();
  translation.target_count = 1;
  expect("text", translation, true,
         "  我  喜欢 tea\n"
         "I \033[38;5;33m███\033[0m \033[2m····\033[0m \033[2m···\033[0m\n"
         "weight: 0 \033[2m·\033[0m 0.1 \033[38;5;33m░\033[0m 0.3 \033[38;5;33m▒\033[0m 0.5 "
         "\033[38;5;33m▓\033[0m 0.7 \033[38;5;33m█\033[0m 1\n");
}

/* Labels from right to left are isolated, because a terminal would otherwise reverse their order
 * but not that of the cells. */
Test(formats, text_isolates_right_to_left_labels) {
  static const char *const source[] = {"أحب", "كتاب"}, *const target[] = {"I", "ספר"};
  elman_translation translation = known_example();
  translation.source_tokens = source;
  translation.target_tokens = target;
  translation.source_count = translation.target_count = 2;
  owned char *text = written_all("text", &translation, 1, NULL, NULL);
  cr_assert_not_null(strstr(text, "    \u2068أحب\u2069 \u2068كتاب\u2069\n"), "%s", text);
  cr_assert_not_null(strstr(text, "\n\u2068ספר\u2069 "), "%s", text);
  cr_assert_not_null(strstr(text, "\n  I "), "%s", text);
}

static void expect_style(elman_translation translation, elman_text_style style,
                         const char *expected) {
  owned char *text = written_all("text", &translation, 1, &style, NULL);
  cr_assert_str_eq(text, expected);
}

Test(formats, text_shows_numbers) {
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

/* An emoji fills two columns, however many characters it has. */
Test(formats, text_aligns_emoji) {
  static const char *const targets[] = {"👨\u200D👩\u200D👧", "👩🏽\u200D🚀", "❤\uFE0F",
                                        "1\uFE0F\u20E3"};
  elman_translation one = known_example();
  one.source_count = one.target_count = 1;
  one.target_tokens = targets;
  expect_style(one, (elman_text_style){.numbers = true}, "   我\n👨\u200D👩\u200D👧 1.00\n");
  for (size_t i = 1; i < 4; i++) {
    char expected[64];
    snprintf(expected, sizeof expected, "   我\n%s 1.00\n", targets[i]);
    one.target_tokens = targets + i;
    expect_style(one, (elman_text_style){.numbers = true}, expected);
  }
}

/* A spacing mark fills a column, other marks and the parts of a decomposed syllable do not. */
Test(formats, text_aligns_clusters) {
  static const struct {
    const char *label;
    size_t columns;
  } cases[] = {{"क्या", 3}, {"समय", 3},  {"น้ำ", 2},     {"บิล", 2},
               {"সূর্য", 3}, {"日本", 4}, {"시예요", 6}, {"\u1112\u1161\u11ab", 2}};
  elman_translation one = known_example();
  one.source_count = one.target_count = 1;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char expected[64];
    snprintf(expected, sizeof expected, "%*s我\n%s 1.00\n", (int)cases[i].columns + 1, "",
             cases[i].label);
    one.target_tokens = &cases[i].label;
    expect_style(one, (elman_text_style){.numbers = true}, expected);
  }
}

/* A line is at most as wide as the terminal, unless a single word is wider. */
Test(formats, text_is_wrapped_at_the_terminal_width) {
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

/* Color is used only on request. */
Test(formats, text_without_style) {
  const elman_translation translation = example();
  owned char *bytes = written_all("text", &translation, 1, NULL, NULL);
  cr_assert_null(strchr(bytes, '\033'));
}

Test(formats, text_of_several_translations) {
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

/* A weight of 1/6 is visible. A weight of 1.0000001 from rounding and a NaN get shades as well. */
Test(formats, text_shades_follow_weights) {
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
