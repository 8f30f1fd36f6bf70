/* Test: text. */
/* Links between words and SoftAlignments files, compared byte by byte. */
#include "formats.h"
#include "inspect/shown.h"

/* ---- pharaoh ---- */

static void expect_rule(const elman_translation *translation, elman_text_style style,
                        const char *expected) {
  owned char *text = written_all("pharaoh", translation, 1, &style, NULL);
  cr_assert_str_eq(text, expected);
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
  expect_links(&translation, ELMAN_ALIGNMENT_THRESHOLD, 0, "0-0 0-1 1-1 2-1 2-2\n");
  expect_links(&translation, ELMAN_ALIGNMENT_THRESHOLD, 0.25, "0-0 0-1 1-1 2-1 2-2\n");
  expect_links(&translation, ELMAN_ALIGNMENT_THRESHOLD, 1e-4, "0-0 0-1 1-1 1-2 2-1 2-2\n");
  expect_links(&translation, ELMAN_ALIGNMENT_THRESHOLD, 0.26, "0-0 1-1 2-2\n");
  expect_links(&translation, ELMAN_ALIGNMENT_THRESHOLD, 1, "0-0\n");
  expect_links(&translation, ELMAN_ALIGNMENT_INTERSECTION, 0, "0-0 1-1 2-2\n");
  cr_assert_str_eq(elman_alignment_rule_name(ELMAN_ALIGNMENT_INTERSECTION), "intersection");
  cr_assert_null(elman_alignment_rule_name(ELMAN_ALIGNMENT_INTERSECTION + 1));
}

/* Two target words attend to one source word: the intersection keeps the stronger link. */
Test(formats, pharaoh_intersection) {
  static const float weights[] = {0.6f, 0.4f, 0, 0.9f, 0.1f, 0, 0, 0.2f, 0.8f};
  elman_translation translation = example();
  translation.target_count = 3;
  translation.ended = false;
  translation.attention = weights;
  expect_links(&translation, ELMAN_ALIGNMENT_ARGMAX, 0, "0-0 0-1 2-2\n");
  expect_links(&translation, ELMAN_ALIGNMENT_INTERSECTION, 0, "0-1 2-2\n");
}

/* Tokens are characters and links are between words: a source word gets the sum of its tokens'
 * weights, a target word the mean over its tokens. */
Test(formats, pharaoh_of_characters) {
  static const char *const source[] = {"a", "b", "c"}, *const target[] = {"x", "y", "z", "</s>"};
  static const size_t starts[] = {0, 1, 3}, ends[] = {1, 2, 4};
  static const size_t target_from[] = {0, 1, 3, 4}, target_to[] = {1, 2, 4, 4};
  static const float weights[] = {0.3f, 0.3f, 0.4f,           /* x: the word "ab" with 0.6 */
                                  0,    0.1f, 0.9f,           /* y: with 0.1, on average 0.35 */
                                  0.4f, 0.3f, 0.3f, 0, 0, 1}; /* z: with 0.7 */
  const elman_translation translation =
      translation_of((struct side_text){"ab c", 3, source, starts, ends}, NULL,
                     (struct side_text){"xy z", 4, target, target_from, target_to}, weights);
  expect_links(&translation, ELMAN_ALIGNMENT_ARGMAX, 0, "0-1 1-0\n");
  expect_links(&translation, ELMAN_ALIGNMENT_THRESHOLD, 0.34, "0-0 0-1 1-0\n");
  expect_links(&translation, ELMAN_ALIGNMENT_THRESHOLD, 0.36, "0-1 1-0\n");
  expect_units(&translation, ELMAN_UNITS_WORDS, "0-1 1-0\n");
  expect_units(&translation, ELMAN_UNITS_TOKENS, "0-2 2-0 2-1\n");
}

/* Chinese text without spaces is one word, so its tokens are linked; </s> is still excluded. */
Test(formats, pharaoh_without_spaces) {
  static const char *const source[] = {"我", "爱", "猫"}, *const target[] = {"I", "do", "!",
                                                                             "</s>"};
  static const size_t starts[] = {0, 3, 6}, ends[] = {3, 6, 9};
  static const size_t target_from[] = {0, 2, 4, 5}, target_to[] = {1, 4, 5, 5};
  static const float weights[] = {1, 0, 0, 0, 0.4f, 0.6f, 0, 0.8f, 0.2f, 0, 0, 1};
  elman_translation translation =
      translation_of((struct side_text){"我爱猫", 3, source, starts, ends}, NULL,
                     (struct side_text){"I do!", 4, target, target_from, target_to}, weights);
  expect_units(&translation, ELMAN_UNITS_AUTO, "0-0 1-1\n");
  expect_units(&translation, ELMAN_UNITS_TOKENS, "0-0 1-2 2-1\n");
  expect_units(&translation, ELMAN_UNITS_WORDS, "0-0 0-1\n");
  /* Segmented Chinese has words. */
  static const size_t apart[] = {0, 4, 7}, apart_ends[] = {3, 7, 10};
  translation.source = "我 爱猫";
  translation.source_starts = apart;
  translation.source_ends = apart_ends;
  expect_units(&translation, ELMAN_UNITS_AUTO, "0-0 1-1\n");
  cr_assert_str_eq(elman_alignment_units_name(ELMAN_UNITS_TOKENS), "tokens");
  cr_assert_str_eq(elman_alignment_units_name(ELMAN_UNITS_SUBWORDS), "subwords");
  cr_assert_null(elman_alignment_units_name(ELMAN_UNITS_SUBWORDS + 1));
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
  /* A translation that did not end has no weights for </s>. */
  translation.target_count = 1;
  translation.ended = false;
  expect("softalignments", translation, false,
         "0 ||| I ||| -1.250000 ||| 我 喜欢 tea ||| 4 2\n"
         "1.000000 0.000000 0.000000 0\n"
         "0.000000 0.000000 0.000000 0\n"
         "\n");
}
