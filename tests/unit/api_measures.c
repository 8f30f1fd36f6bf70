/* Compare measures with the same values computed another way: an evaluation with its single
 * translations, an attention summary with values computed by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elman.h"
#include "folder.h"
#include "forced.h"
#include "owned_public.h"
#include "toy.h"
#include "translation_of.h"

/* ---- an evaluation ---- */

static elman_model *model;
static elman_translator *translator;

static const char *const sources[] = {"我 爱 学习",         "他 在 喝 茶", "我们 去 学校", "茶",
                                      "她 爱 学习 学习 茶", "我 喝 茶",    "学校"};
static const char *const targets[] = {"I love studying",
                                      "he is drinking tea",
                                      "we go to school",
                                      "studying",
                                      "I",
                                      "love love love love we tea",
                                      "is drinking school"};
enum { PAIRS = sizeof sources / sizeof *sources };

static elman_pairs *pairs_of(FILE *file, size_t alignment_column) {
  cr_assert_eq(fclose(file), 0);
  return read_aligned_pairs("pairs", alignment_column);
}

static elman_pairs *all_pairs(void) {
  FILE *file = fopen("pairs", "wb");
  for (size_t i = 0; i < PAIRS; i++) fprintf(file, "%s\t%s\n", sources[i], targets[i]);
  return pairs_of(file, 0);
}

/* Train for a few updates, so that translations differ and end. */
static void set_up(void) {
  enter_folder();
  owned_pairs *pairs = all_pairs();
  elman_model_options options = elman_model_options_default();
  elman_train_options training = elman_train_options_default();
  options.embedding_size = 12;
  options.hidden_size = 16;
  options.source_tokens = options.target_tokens = ELMAN_TOKENS_SPACE;
  training.epochs = 30;
  training.learning_rate = 0.01;
  cr_assert_eq(elman_model_create(&model, pairs, &options, NULL, NULL), ELMAN_OK);
  cr_assert_eq(elman_train(model, pairs, &training, NULL), ELMAN_OK);
  cr_assert_eq(elman_translator_create(&translator, model, NULL), ELMAN_OK);
}

static void tear_down(void) {
  elman_translator_free(translator);
  elman_model_free(model);
  leave_folder();
}

TestSuite(api_measures, .init = set_up, .fini = tear_down);

static elman_translation *translated(const char *text, const char *reference) {
  return force(translator, text, reference, NULL);
}

static elman_scores scores_of(const elman_pairs *pairs, size_t batch_size) {
  elman_evaluate_options options = elman_evaluate_options_default();
  elman_scores scores;
  options.batch_size = batch_size;
  succeeds(elman_evaluate(&scores, model, pairs, &options, &why));
  return scores;
}

/* Forced decoding of a reference returns its log-probability. */
Test(api_measures, loss_matches_forced_references) {
  owned_pairs *pairs = all_pairs();
  double sum = 0;
  size_t tokens = 0;
  for (size_t i = 0; i < PAIRS; i++) {
    owned_translation *forced = translated(sources[i], targets[i]);
    sum -= forced->log_probability;
    tokens += forced->target_count;
  }
  for (size_t size = 1; size <= PAIRS + 1; size++) {
    const elman_scores scores = scores_of(pairs, size);
    cr_assert_eq(scores.sentences, PAIRS);
    cr_assert_eq(scores.tokens, tokens);
    cr_assert_float_eq(scores.loss, sum / (double)tokens, 1e-5, "batches of %zu: %g, not %g", size,
                       scores.loss, sum / (double)tokens);
    cr_assert_float_eq(scores.perplexity, exp(sum / (double)tokens), 1e-4);
  }
}

/* Some references are the model's own translations, one of them with different white space. */
Test(api_measures, exact_match_compares_normalized_text) {
  for (size_t matching = 0; matching <= PAIRS; matching++) {
    FILE *file = fopen("pairs", "wb");
    for (size_t i = 0; i < PAIRS; i++) {
      owned_translation *own = translated(sources[i], NULL);
      cr_assert_gt(strlen(own->text), 0);
      fprintf(file, i == 1 ? "%s\t  %s \n" : "%s\t%s\n", sources[i],
              i < matching ? own->text : "school we school");
      cr_assert_str_neq(own->text, "school we school");
    }
    owned_pairs *pairs = pairs_of(file, 0);
    for (size_t size = 1; size <= PAIRS; size += 2) {
      const elman_scores scores = scores_of(pairs, size);
      cr_assert_float_eq(scores.exact_match, (double)matching / PAIRS, 1e-12, "%zu: %g", matching,
                         scores.exact_match);
    }
  }
}

static size_t largest(const float *row, size_t n) {
  size_t best = 0;
  for (size_t i = 1; i < n; i++) best = row[i] > row[best] ? i : best;
  return best;
}

/* The gold links of some words are at their largest weights, so all agree. Moved by one position,
 * no link agrees. */
Test(api_measures, agreement_uses_the_largest_weight) {
  for (size_t off = 0; off < 2; off++) {
    FILE *file = fopen("pairs", "wb");
    size_t words = 0, agreeing = 0;
    for (size_t i = 0; i < 3; i++) {
      elman_translation *forced = translated(sources[i], targets[i]);
      const size_t S = forced->source_count, T = forced->target_count - 1;
      fprintf(file, "%s\t%s\t", sources[i], targets[i]);
      for (size_t t = 0; t < T; t++) {
        if (t == 1) continue;
        const size_t looked_at = largest(forced->attention + t * S, S);
        fprintf(file, "%zu-%zu ", t == 0 ? (looked_at + off) % S : looked_at, t);
        words++;
        agreeing += t > 0 || off == 0;
      }
      fprintf(file, "\n");
      elman_translation_free(forced);
    }
    owned_pairs *pairs = pairs_of(file, 3);
    const elman_scores scores = scores_of(pairs, 2);
    cr_assert_eq(scores.aligned_words, words);
    cr_assert_float_eq(scores.alignment_agreement, (double)agreeing / (double)words, 1e-12);
  }
}

/* ---- a summary of attention ---- */

static const char *const source_tokens[] = {"a", "b", "c"};
static const char *const target_tokens[] = {"x", "y", "</s>"};
static const bool known[] = {true, true, true};
static const size_t source_starts[] = {0, 2, 4}, source_ends[] = {1, 3, 5};
static const size_t target_starts[] = {0, 2, 3}, target_ends[] = {1, 3, 3};

static elman_translation attending(const float *weights, size_t S, const char *source) {
  const struct side_text from = {source, S, source_tokens, source_starts, source_ends};
  const struct side_text to = {"x y", 3, target_tokens, target_starts, target_ends};
  return translation_of(from, known, to, weights);
}

/* Rows: x attends to a and b, y to c, </s> to all tokens equally. */
static const float three[] = {0.5F, 0.5F, 0, 0, 0, 1, 0.25F, 0.25F, 0.5F};
/* x attends to a, y to b, </s> to b. */
static const float two[] = {1, 0, 0.25F, 0.75F, 0, 1};

static elman_attention_measures measures_of(elman_alignment_rule rule, double threshold,
                                            const char *first, const char *second) {
  const elman_translation translations[] = {attending(three, 3, "a b c"), attending(two, 2, "a b")};
  elman_attention_summary *summary;
  const elman_text_style style = {.alignment = rule, .threshold = threshold};
  cr_assert_eq(elman_attention_summary_create(&summary, &style, NULL), ELMAN_OK);
  cr_assert_eq(elman_attention_summary_add(summary, &translations[0], first, NULL), ELMAN_OK);
  cr_assert_eq(elman_attention_summary_add(summary, &translations[1], second, NULL), ELMAN_OK);
  const elman_attention_measures measures = elman_attention_summary_get(summary);
  elman_attention_summary_free(summary);
  return measures;
}

Test(api_measures, summary_averages_over_a_corpus) {
  const elman_attention_measures found = measures_of(ELMAN_ALIGNMENT_ARGMAX, 0, NULL, NULL);
  cr_assert_eq(found.translations, 2);
  cr_assert_eq(found.source_tokens, 5);
  cr_assert_eq(found.target_tokens, 6);
  /* Entropies: ln 2, 0, 3/2 ln 2; 0, 2 ln 2 - 3/4 ln 3, 0. */
  const double quarter = 2 * log(2) - 0.75 * log(3);
  cr_assert_float_eq(found.entropy, (2.5 * log(2) + quarter) / 6, 1e-7);
  cr_assert_float_eq(found.entropy_share, (2.5 * log(2) / log(3) + quarter / log(2)) / 6, 1e-7);
  /* Column sums: 3/4, 3/4, 3/2; 5/4, 7/4. */
  cr_assert_eq(found.covered, 1);
  cr_assert_float_eq(found.coverage_distance, (0.25 + 0.25 + 0.5 + 0.25 + 0.75) / 5, 1e-7);
  cr_assert_float_eq(found.end_on_last, (0.5 + 1) / 2, 1e-7);
  cr_assert_float_eq(found.words_on_last, (0 + 1 + 0 + 0.75) / 4, 1e-7);
  /* Target words are at 1/4 and 3/4. With three source words at 1/6, 1/2 and 5/6, the distances are
   * 1/12 and 1/4, then 1/12. With two, the first word is on the diagonal; of the second, a quarter
   * of the weight is at distance one half. */
  cr_assert_float_eq(found.diagonality,
                     1 - (0.5 * (1.0 / 12 + 1.0 / 4) + 1.0 / 12 + 0 + 0.25 * 0.5) / 4, 1e-6);
  cr_assert_eq(found.aligned, 0);
}

/* Och and Ney, Computational Linguistics 2003, with sure links only:
 * AER = 1 - (|A ∩ S| + |A ∩ S|) / (|A| + |S|). */
Test(api_measures, alignment_error_rate_follows_its_definition) {
  /* Found: 0-0 2-1; 0-0 1-1. */
  elman_attention_measures found =
      measures_of(ELMAN_ALIGNMENT_ARGMAX, 0, "0-0 1-0 2-0 1-1 2-1", "0-0");
  cr_assert_eq(found.aligned, 2);
  cr_assert_eq(found.links, 4);
  cr_assert_eq(found.gold_links, 6);
  cr_assert_eq(found.shared_links, 3);
  cr_assert_float_eq(found.alignment_error_rate, 1 - (3.0 + 3.0) / (4 + 6), 1e-12);
  found = measures_of(ELMAN_ALIGNMENT_ARGMAX, 0, "0-0 2-1", "0-0 1-1");
  cr_assert_eq(found.alignment_error_rate, 0);
  found = measures_of(ELMAN_ALIGNMENT_ARGMAX, 0, "1-1", NULL);
  cr_assert_eq(found.aligned, 1);
  cr_assert_eq(found.alignment_error_rate, 1);
  /* Found: 0-0 1-0 2-1; 0-0 1-1 and, because a quarter reaches the threshold, 0-1. */
  found = measures_of(ELMAN_ALIGNMENT_THRESHOLD, 0.25, "1-0", "0-1");
  cr_assert_eq(found.links, 6);
  cr_assert_float_eq(found.alignment_error_rate, 1 - 4.0 / 8, 1e-12);
}
