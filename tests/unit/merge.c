/* Test: text. */
/* Merge attention between tokens into attention between words, compared with values computed by
 * hand. */
#include "owned.h"

#include "inspect/shown.h"
#include "translation_of.h"

#include <criterion/criterion.h>
#include <string.h>

/* All values, sums and means are exact in binary. */
static void check_row(const float *row, const double *expected, size_t count) {
  for (size_t s = 0; s < count; s++) cr_assert_eq((double)row[s], expected[s], "%zu", s);
}

/* ---- values ---- */

Test(merge, columns_are_summed_and_rows_averaged) {
  static const float matrix[] = {0.5f,   0.25f, 0.25f,  0,     /* the first row alone */
                                 0.125f, 0.25f, 0.375f, 0.25f, /* two rows that are averaged */
                                 0.375f, 0.25f, 0.125f, 0.25f};
  static const struct word_range of_rows[] = {{0, 1}, {1, 2}, {1, 2}},
                                 of_columns[] = {{0, 1}, {0, 1}, {1, 2}, {2, 3}};
  const struct grouping rows = {3, 2, of_rows}, columns = {4, 3, of_columns};
  static const double expected[] = {0.75, 0.25, 0, 0.5, 0.25, 0.25};
  double merged[6];
  merge_matrix(merged, matrix, &rows, &columns);
  for (size_t i = 0; i < 6; i++) cr_assert_eq(merged[i], expected[i], "%zu", i);
}

/* Rows of local attention sum to less than 1: the sum of a merged row is the mean of its rows'
 * sums. */
Test(merge, row_sums_are_preserved) {
  static const float matrix[] = {0.25f, 0.125f, 0.5f, 0.25f, 0.25f, 0.125f};
  static const struct word_range of_rows[] = {{0, 1}, {0, 1}},
                                 of_columns[] = {{0, 1}, {1, 2}, {1, 2}};
  const struct grouping rows = {2, 1, of_rows}, columns = {3, 2, of_columns};
  double merged[2];
  merge_matrix(merged, matrix, &rows, &columns);
  cr_assert_eq(merged[0] + merged[1], (0.875 + 0.625) / 2);
}

/* Tokens in no group are ignored, an empty group gets 0, and without groups nothing changes. */
Test(merge, ungrouped_tokens_are_ignored) {
  static const float matrix[] = {0.5f, 0.5f, 0.25f, 0.75f, 1, 0};
  static const struct word_range of_rows[] = {{0, 1}, {0, 0}, {0, 1}},
                                 of_columns[] = {{1, 1}, {1, 2}};
  const struct grouping rows = {3, 1, of_rows}, columns = {2, 2, of_columns};
  const struct grouping all_rows = {3, 3, NULL}, all_columns = {2, 2, NULL};
  double merged[6];
  merge_matrix(merged, matrix, &rows, &columns);
  cr_assert_eq(merged[0], 0);
  cr_assert_eq(merged[1], 0.25);
  merge_matrix(merged, matrix, &all_rows, &all_columns);
  for (size_t i = 0; i < 6; i++) cr_assert_eq(merged[i], (double)matrix[i]);
}

/* A token of two words contributes its row to both, and half of its column to each. */
Test(merge, token_of_several_groups_is_divided) {
  static const float matrix[] = {0.5f, 0.25f, 0.25f, 0, 0.5f, 0.5f};
  static const struct word_range of_rows[] = {{0, 2}, {1, 2}},
                                 of_columns[] = {{0, 2}, {1, 2}, {2, 3}};
  const struct grouping rows = {2, 2, of_rows}, columns = {3, 3, of_columns};
  static const double expected[] = {0.25, 0.5, 0.25, 0.125, 0.5, 0.375};
  double merged[6];
  merge_matrix(merged, matrix, &rows, &columns);
  for (size_t i = 0; i < 6; i++) cr_assert_eq(merged[i], expected[i], "%zu", i);
}

/* ---- a translation ---- */

/* "uns|ound|no", in a hierarchy of two heads with a sentinel, becomes "un|we|ll" "no". The token
 * before "w" is only a mark, and so is the last but one. */
static const char *const source[] = {"uns", "ound", "no"};
static const size_t source_starts[] = {0, 3, 8}, source_ends[] = {3, 7, 10};
static const bool known[] = {true, false, true};
static const uint32_t ids[] = {3, 0, 4};
static const char *const target[] = {"un", "￭", "w", "ell", "no", "▁", "</s>"};
static const size_t target_starts[] = {0, 2, 2, 3, 7, 9, 9}, target_ends[] = {2, 2, 3, 6, 9, 9, 9};
/* Each row and its sentinel sum to 1. */
static const float heads[] = {
    0.5f,  0.25f, 0.25f, 0.25f, 0.5f,  0.25f, 0.5f,  0.5f, 0, 0.25f, 0,     0.75f, /* unwell */
    0,     0,     0.5f,  0,     0,     1,     0.25f, 0,    0,                      /* no, </s> */
    0.25f, 0.5f,  0.25f, 0.5f,  0.25f, 0.25f, 0,     1,    0, 0.5f,  0.25f, 0.25f, /* head 2 */
    0,     0,     0.5f,  0,     0,     1,     0.25f, 0,    0};
static const float sentinel[] = {0, 0, 0, 0, 0.5f, 0, 0.75f};
static const size_t segment_ends[] = {2, 3};
static const float segments[] = {0.75f, 0.25f, 0.75f, 0.25f, 1, 0,     0.5f,
                                 0.5f,  0,     0.5f,  0,     1, 0.25f, 0};
static float average[21];

static elman_translation example(void) {
  for (size_t i = 0; i < 21; i++) average[i] = (heads[i] + heads[21 + i]) / 2;
  const struct side_text from = {"unsound no", 3, source, source_starts, source_ends};
  const struct side_text to = {"unwell no", 7, target, target_starts, target_ends};
  elman_translation translation = translation_of(from, known, to, average);
  translation.heads = 2;
  translation.head_attention = heads;
  translation.source_ids = translation.target_ids = ids;
  translation.sentinel = sentinel;
  translation.segment_count = 2;
  translation.segment_ends = segment_ends;
  translation.segments = segments;
  translation.source_subwords = translation.target_subwords = true;
  return translation;
}

Test(shown, translation_is_shown_in_words) {
  const elman_translation translation = example();
  owned_by(shown_free) struct shown shown;
  cr_assert_eq(shown_create(&shown, &translation, ELMAN_UNITS_AUTO, NULL), ELMAN_OK);
  const elman_translation *view = &shown.view;
  cr_assert(shown.source_words && shown.target_words);
  cr_assert_eq(view->source_count, 2);
  cr_assert_eq(view->target_count, 3);
  cr_assert_str_eq(view->source_tokens[0], "unsound");
  cr_assert_str_eq(view->source_tokens[1], "no");
  cr_assert(!view->source_known[0] && view->source_known[1]);
  cr_assert_eq(view->source_starts[0], 0);
  cr_assert_eq(view->source_ends[0], 7);
  cr_assert_str_eq(view->target_tokens[0], "unwell");
  cr_assert_str_eq(view->target_tokens[1], "no");
  cr_assert_str_eq(view->target_tokens[2], "</s>");
  cr_assert_eq(view->target_starts[1], 7);
  cr_assert_eq(view->target_ends[1], 9);
  cr_assert_eq(view->target_starts[2], view->target_ends[2]);
  cr_assert_null(view->source_ids);
  cr_assert_null(view->target_ids);
  /* unwell: the mean of four rows; no: the mean of two, including the mark after it; </s> by
   * itself */
  check_row(view->head_attention, (const double[]){0.6875, 0.3125, 0, 0.75, 0.25, 0}, 6);
  check_row(view->head_attention + 6, (const double[]){0.8125, 0.1875, 0, 0.75, 0.25, 0}, 6);
  check_row(view->attention, (const double[]){0.75, 0.25, 0, 0.75, 0.25, 0}, 6);
  check_row(view->sentinel, (const double[]){0, 0.25, 0.75}, 3);
  check_row(view->segments, (const double[]){0.75, 0.25, 0, 0.75, 0.25, 0}, 6);
  for (size_t t = 0; t < 3; t++)
    cr_assert_eq(view->attention[2 * t] + view->attention[2 * t + 1] + view->sentinel[t], 1);
}

static void check_sides(const elman_translation *translation, elman_alignment_units units,
                        bool source_words, bool target_words) {
  owned_by(shown_free) struct shown shown;
  cr_assert_eq(shown_create(&shown, translation, units, NULL), ELMAN_OK);
  cr_assert_eq(shown.source_words, source_words);
  cr_assert_eq(shown.target_words, target_words);
  cr_assert_eq(shown.view.source_count, source_words ? 2 : 3);
  cr_assert_eq(shown.view.target_count, target_words ? 3 : 7);
  if (!source_words) cr_assert_eq(shown.view.source_ids, translation->source_ids);
  if (!source_words && !target_words) cr_assert_eq(shown.view.attention, translation->attention);
  if (!source_words && target_words)
    check_row(shown.view.attention, (const double[]){0.34375, 0.40625, 0.25}, 3);
  if (source_words && !target_words)
    check_row(shown.view.attention, (const double[]){0.75, 0.25, 0.75, 0.25}, 4);
}

/* By default a side is shown as words if its tokens are subwords. */
Test(shown, sides_are_merged_by_default_if_subwords) {
  elman_translation translation = example();
  check_sides(&translation, ELMAN_UNITS_TOKENS, false, false);
  check_sides(&translation, ELMAN_UNITS_SUBWORDS, false, false);
  check_sides(&translation, ELMAN_UNITS_WORDS, true, true);
  translation.source_subwords = false;
  check_sides(&translation, ELMAN_UNITS_AUTO, false, true);
  check_sides(&translation, ELMAN_UNITS_SUBWORDS, false, false);
  translation.source_subwords = true;
  translation.target_subwords = false;
  check_sides(&translation, ELMAN_UNITS_AUTO, true, false);
  translation.source_subwords = false;
  check_sides(&translation, ELMAN_UNITS_AUTO, false, false);
  check_sides(&translation, ELMAN_UNITS_WORDS, true, true);
  owned_by(shown_free) struct shown shown;
  fails(shown_create(&shown, &translation, ELMAN_UNITS_SUBWORDS, &why), ELMAN_INVALID_ARGUMENT,
        "no subwords");
}

/* Chinese text without spaces has no words, so its tokens are kept; if words are requested, the
 * text is one word. */
Test(shown, han_without_spaces_keeps_tokens) {
  static const char *const tokens[] = {"这本", "书"};
  static const size_t starts[] = {0, 6}, ends[] = {6, 9};
  static const bool all[] = {true, true};
  static const float weights[] = {0.25f, 0.75f, 0.5f, 0.5f};
  const struct side_text side = {"这本书", 2, tokens, starts, ends};
  elman_translation translation = translation_of(side, all, side, weights);
  translation.ended = false;
  translation.source_subwords = translation.target_subwords = true;
  struct shown shown;
  cr_assert_eq(shown_create(&shown, &translation, ELMAN_UNITS_AUTO, NULL), ELMAN_OK);
  cr_assert(!shown.source_words && !shown.target_words);
  shown_free(&shown);
  cr_assert_eq(shown_create(&shown, &translation, ELMAN_UNITS_WORDS, NULL), ELMAN_OK);
  cr_assert_eq(shown.view.source_count, 1);
  cr_assert_eq(shown.view.target_count, 1);
  cr_assert_str_eq(shown.view.target_tokens[0], "这本书");
  cr_assert_eq(shown.view.attention[0], 1);
  shown_free(&shown);
}

/* A token that spans two words belongs to both; tokens without a byte keep their names. */
Test(shown, odd_tokens_are_merged) {
  static const char *const tokens[] = {"这本", "▁"};
  static const size_t starts[] = {0, 7}, ends[] = {7, 7}, nowhere[] = {0, 0};
  static const bool all[] = {true, true};
  static const float weights[] = {0.25f, 0.75f, 0.5f, 0.5f};
  elman_translation translation =
      translation_of((struct side_text){"这 本", 2, tokens, starts, ends}, all,
                     (struct side_text){"", 2, tokens, nowhere, nowhere}, weights);
  translation.ended = false;
  struct shown shown;
  cr_assert_eq(shown_create(&shown, &translation, ELMAN_UNITS_WORDS, NULL), ELMAN_OK);
  cr_assert_eq(shown.view.source_count, 2);
  cr_assert_str_eq(shown.view.source_tokens[0], "这");
  cr_assert_str_eq(shown.view.source_tokens[1], "本");
  cr_assert_eq(shown.view.source_starts[1], 4);
  cr_assert_eq(shown.view.source_ends[1], 7);
  cr_assert_eq(shown.view.target_count, 1);
  cr_assert_str_eq(shown.view.target_tokens[0], "这本");
  check_row(shown.view.attention, (const double[]){0.1875, 0.8125}, 2);
  shown_free(&shown);
  /* The reverse case, with one of the two words unknown. */
  static const char *const parts[] = {"他爱", "喝", "茶", "</s>"};
  static const size_t part_starts[] = {0, 8, 12, 15}, part_ends[] = {7, 11, 15, 15};
  static const float rows[] = {0.25f, 0.75f, 0.5f, 0.5f, 0, 1, 1, 0};
  translation.text = "他 爱 喝 茶";
  translation.target_count = 4;
  translation.target_tokens = parts;
  translation.target_starts = part_starts;
  translation.target_ends = part_ends;
  translation.ended = true;
  translation.attention = translation.head_attention = rows;
  cr_assert_eq(shown_create(&shown, &translation, ELMAN_UNITS_WORDS, NULL), ELMAN_OK);
  cr_assert_eq(shown.view.target_count, 5);
  cr_assert_str_eq(shown.view.target_tokens[0], "他");
  cr_assert_str_eq(shown.view.target_tokens[1], "爱");
  cr_assert_str_eq(shown.view.target_tokens[2], "喝");
  cr_assert_str_eq(shown.view.target_tokens[4], "</s>");
  for (size_t i = 0; i < 4; i++) cr_assert_eq(shown.view.attention[i], shown.view.attention[i % 2]);
  cr_assert_eq(shown.view.target_starts[4], 15);
  shown_free(&shown);
  translation.ended = false;
  translation.source = translation.text = "";
  translation.source_count = translation.target_count = 0;
  cr_assert_eq(shown_create(&shown, &translation, ELMAN_UNITS_WORDS, NULL), ELMAN_OK);
  cr_assert_eq(shown.view.source_count, 0);
  cr_assert_eq(shown.view.target_count, 0);
  shown_free(&shown);
}
