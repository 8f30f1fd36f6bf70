/* Test: text. */
/* Attention sums over a corpus, compared with values computed by hand. */
#include "check.h"

#include "inspect/summary.h"
#include "translation_of.h"

static const size_t starts[] = {0, 2, 4, 6}, ends[] = {1, 3, 5, 7};
/* The position of "</s>" after a text of two tokens. */
static const size_t target_starts[] = {0, 2, 3}, target_ends[] = {1, 3, 3};

static elman_translation of(const float *weights, size_t T, size_t S, bool ended) {
  const char *const text = S == 4 ? "a b c d" : S == 2 ? "a b" : "a";
  const struct side_text source = {text, S, NULL, starts, ends};
  const struct side_text target = {"x y", T, NULL, target_starts, target_ends};
  elman_translation translation = translation_of(source, NULL, target, weights);
  translation.ended = ended;
  return translation;
}

static const float sharp[] = {1, 0, 0, 1, 0.25, 0.75}; /* the diagonal, then </s> */
static const float even[] = {0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25};

static void add(elman_attention_summary *summary, elman_translation translation,
                const char *alignment) {
  succeeds(elman_attention_summary_add(summary, &translation, alignment, &why));
}

Test(summary, entropy_matches_hand_computation) {
  const float one[] = {1, 0, 0}, half[] = {0.5, 0.5};
  cr_assert_eq(row_entropy(one, 3), 0);
  cr_assert_eq(row_entropy(NULL, 0), 0);
  cr_assert_float_eq(row_entropy(half, 2), log(2), 1e-12);
  cr_assert_float_eq(row_entropy(even, 4), log(4), 1e-12);
  const float above[] = {(float)1.0000001};
  cr_assert_eq(row_entropy(above, 1), 0, "rounding must not make entropy negative");
}

/* Weights of local attention sum to less than 1; the entropy is computed after normalization. */
Test(summary, entropy_normalizes_the_weights) {
  const float two[] = {0, (float)0.2, (float)0.2, 0}, one[] = {0, (float)0.3, 0};
  const float shares[] = {(float)0.125, (float)0.25, (float)0.0625};
  const float doubled[] = {(float)0.25, (float)0.5, (float)0.125}, none[] = {0, 0};
  cr_assert_eq(row_entropy(none, 2), 0);
  cr_assert_float_eq(row_entropy(two, 4), log(2), 1e-7);
  cr_assert_float_eq(row_entropy(one, 3), 0, 1e-7);
  cr_assert_float_eq(row_entropy(shares, 3), row_entropy(doubled, 3), 1e-12);
  const double hand = -(2 * log(2.0 / 7) + 4 * log(4.0 / 7) + log(1.0 / 7)) / 7;
  cr_assert_float_eq(row_entropy(shares, 3), hand, 1e-12);
}

Test(summary, equal_weights_match_hand_computation) {
  elman_attention_summary summary = {0};
  add(&summary, of(even, 2, 4, false), "");
  cr_assert_eq(summary.end_rows, 0);
  cr_assert_float_eq(summary.entropy, 2 * log(4), 1e-6);
  cr_assert_float_eq(summary.entropy_share, 2, 1e-6);
  cr_assert_eq(summary.covered, 4, "a sum of just one half covers");
  cr_assert_float_eq(summary.coverage_distance, 4 * 0.5, 1e-6);
  /* Rows at 1/4 and 3/4, columns at 1/8, 3/8, 5/8 and 7/8: the distances are 1/8, 1/8, 3/8 and
   * 5/8. */
  cr_assert_float_eq(summary.off_diagonal, 2 * 0.25 * (1 + 1 + 3 + 5) / 8, 1e-6);
}

/* With other weights, the first and the last word could be confused. */
Test(summary, last_word_is_the_last_column) {
  static const float weights[] = {0.25, 0.75};
  elman_attention_summary summary = {0};
  add(&summary, of(weights, 1, 2, false), "");
  cr_assert_eq(summary.words_on_last, 0.75);
}

/* With one source token there is no choice, so its rows do not count in the relative entropy. */
Test(summary, one_source_token_has_no_relative_entropy) {
  static const float weights[] = {1, 1, 1};
  elman_attention_summary summary = {0};
  add(&summary, of(weights, 3, 1, true), "");
  cr_assert_eq(summary.rows, 3);
  cr_assert_eq(summary.chosen_rows, 0);
  cr_assert_eq(summary.entropy_share, 0);
  cr_assert_float_eq(summary.coverage_distance, 2, 1e-6);
}

Test(summary, empty_translations_are_counted) {
  elman_attention_summary summary = {0};
  add(&summary, (elman_translation){.text = "", .source = "", .heads = 1}, "");
  add(&summary, (elman_translation){.text = "", .source = "", .heads = 1}, "0-0");
  cr_assert_eq(summary.translations, 2);
  cr_assert_eq(summary.empty, 2);
  cr_assert_eq(summary.rows + summary.columns + summary.aligned, 0);
}

Test(summary, gold_alignments_are_compared) {
  elman_attention_summary summary = {0};
  add(&summary, of(sharp, 3, 2, true), "0-0 1-1");
  cr_assert_eq(summary.aligned, 1);
  cr_assert_eq(summary.links, 2);
  cr_assert_eq(summary.gold, 2);
  cr_assert_eq(summary.both, 2);
  add(&summary, of(sharp, 3, 2, true), "0-1 1-1 1-1");
  cr_assert_eq(summary.aligned, 2);
  cr_assert_eq(summary.links, 4);
  cr_assert_eq(summary.gold, 4, "a link that is given twice counts once");
  cr_assert_eq(summary.both, 3);
  add(&summary, of(sharp, 3, 2, true), " ");
  cr_assert_eq(summary.aligned, 2, "a blank alignment is none");
  cr_assert_eq(summary.links, 4);
}

static void check_refused(const char *alignment, const char *message) {
  elman_attention_summary summary = {0};
  const elman_translation translation = of(sharp, 3, 2, true);
  cr_assert_eq(elman_attention_summary_add(&summary, &translation, alignment, &why),
               ELMAN_BAD_DATA);
  cr_assert_str_eq(why.message, message);
  cr_assert_eq(summary.translations + summary.rows + summary.links, 0,
               "an invalid alignment adds nothing");
}

Test(summary, invalid_alignments_are_rejected) {
  check_refused("0-0 2-0", "alignment 2-0 is out of range: i-j counts from 0, and the "
                           "sides have 2 and 2 words");
  check_refused("0-2", "alignment 0-2 is out of range: i-j counts from 0, and the "
                       "sides have 2 and 2 words");
  check_refused("0-0 x", "\"x\" is not an alignment of the form i-j; check the column or file");
  check_refused("0", "\"0\" is not an alignment of the form i-j; check the column or file");
}
