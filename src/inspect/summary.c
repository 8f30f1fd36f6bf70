#include "inspect/summary.h"

#include <math.h>
#include <stdlib.h>

#include "base/portable_math.h"
#include "corpus/alignment.h"
#include "vocab/invisible.h"

/* ---- measures of one matrix ---- */

/* Let Z be the sum of the weights a. Return the entropy -Σ (a/Z) log (a/Z) = log Z - (Σ a log a) /
 * Z. */
double row_entropy(const float *weights, size_t n) {
  double sum = 0, logarithms = 0;
  for (size_t i = 0; i < n; i++) {
    const double weight = (double)weights[i];
    if (weight > 0) logarithms += weight * portable_log(weight);
    sum += weight;
  }
  if (sum <= 0) return 0;
  const double entropy = portable_log(sum) - logarithms / sum;
  return entropy > 0 ? entropy : 0; /* rounding can make it negative */
}

double column_sum(const float *weights, size_t T, size_t S, size_t s) {
  double sum = 0;
  for (size_t t = 0; t < T; t++) sum += (double)weights[t * S + s];
  return sum;
}

/* ---- comparison with a gold alignment ---- */

/* Set gold (target words, source words) to whether there is a link. */
static elman_status read_links(bool *gold, const struct word_matrix *words, struct text alignment,
                               elman_error *error) {
  struct word_link link;
  for (bool found = true; found;) {
    const elman_status status =
        alignment_read(&found, &link, &alignment, words->source_count, words->target_count, error);
    if (status != ELMAN_OK) return status;
    if (found) gold[link.target * words->source_count + link.source] = true;
  }
  return ELMAN_OK;
}

static void count_links(elman_attention_summary *summary, const bool *gold,
                        const struct word_matrix *words) {
  summary->aligned++;
  for (size_t t = 0; t < words->target_count; t++) {
    for (size_t s = 0; s < words->source_count; s++) {
      const bool wanted = gold[t * words->source_count + s];
      const bool found = words_linked(words, &summary->style, s, t);
      summary->gold += wanted;
      summary->links += found;
      summary->both += wanted && found;
    }
  }
}

static elman_status add_alignment(elman_attention_summary *summary,
                                  const elman_translation *translation, struct text alignment,
                                  elman_error *error) {
  struct word_matrix words;
  elman_status status = word_matrix_create(&words, translation, summary->style.units, NULL, error);
  if (status != ELMAN_OK) return status;
  /* The arena of `words` contains an array of this size, so the product does not overflow. */
  bool *gold = calloc(words.source_count * words.target_count + 1, sizeof *gold);
  if (gold == NULL) status = fail_no_memory(error);
  if (status == ELMAN_OK) status = read_links(gold, &words, alignment, error);
  if (status == ELMAN_OK) count_links(summary, gold, &words);
  free(gold);
  word_matrix_free(&words);
  return status;
}

/* ---- rows and columns ---- */

/* Minimum column sum of a covered source token: half of the attention of one target token. */
#define COVERED 0.5

static double off_diagonal(const float *weights, size_t S, double place) {
  double sum = 0;
  for (size_t s = 0; s < S; s++)
    sum += (double)weights[s] * fabs(place - ((double)s + 0.5) / (double)S);
  return sum;
}

static void add_row(elman_attention_summary *summary, const elman_translation *translation,
                    size_t t) {
  const size_t S = translation->source_count;
  const size_t T = translation->target_count - translation->ended; /* words */
  const float *weights = translation->attention + t * S;
  const double entropy = row_entropy(weights, S);
  summary->rows++;
  summary->entropy += entropy;
  if (translation->sentinel != NULL) summary->sentinel += (double)translation->sentinel[t];
  if (S > 1) {
    summary->chosen_rows++;
    summary->entropy_share += entropy / portable_log((double)S);
  }
  if (t == T) {
    summary->end_rows++;
    summary->end_on_last += (double)weights[S - 1];
  } else {
    summary->words_on_last += (double)weights[S - 1];
    summary->off_diagonal += off_diagonal(weights, S, ((double)t + 0.5) / (double)T);
  }
}

static void add_column(elman_attention_summary *summary, const elman_translation *translation,
                       size_t s) {
  const double sum =
      column_sum(translation->attention, translation->target_count, translation->source_count, s);
  summary->columns++;
  summary->covered += sum >= COVERED;
  summary->coverage_distance += fabs(sum - 1);
}

static void add_shown(elman_attention_summary *summary, const struct shown *shown) {
  summary->source_words += shown->source_words;
  summary->target_words += shown->target_words;
  for (size_t t = 0; t < shown->view.target_count; t++) add_row(summary, &shown->view, t);
  for (size_t s = 0; s < shown->view.source_count; s++) add_column(summary, &shown->view, s);
}

elman_status elman_attention_summary_create(elman_attention_summary **summary,
                                            const elman_text_style *style, elman_error *error) {
  *summary = NULL;
  elman_text_style complete;
  const elman_status status = text_style_complete(&complete, style, error);
  if (status != ELMAN_OK) return status;
  *summary = calloc(1, sizeof **summary);
  if (*summary == NULL) return fail_no_memory(error);
  (*summary)->style = complete;
  return ELMAN_OK;
}

void elman_attention_summary_free(elman_attention_summary *summary) {
  free(summary);
}

elman_status elman_attention_summary_add(elman_attention_summary *summary,
                                         const elman_translation *translation,
                                         const char *alignment, elman_error *error) {
  const struct text gold = text_of(alignment == NULL ? "" : alignment);
  const bool empty = translation->source_count == 0 || translation->target_count == 0;
  struct shown shown;
  elman_status status = shown_create(&shown, translation, summary->style.units, error);
  if (status == ELMAN_OK && !empty && !text_is_blank(gold))
    status = add_alignment(summary, translation, gold, error);
  if (status == ELMAN_OK) {
    summary->translations++;
    summary->empty += empty;
    if (!empty) add_shown(summary, &shown);
  }
  shown_free(&shown);
  return status;
}

/* ---- the means ---- */

static double mean(double sum, size_t count) {
  return count == 0 ? 0 : sum / (double)count;
}

elman_attention_measures elman_attention_summary_get(const elman_attention_summary *sums) {
  const size_t words = sums->rows - sums->end_rows, shown = sums->translations - sums->empty;
  return (elman_attention_measures){
      .translations = sums->translations,
      .empty = sums->empty,
      .source_words = sums->source_words > 0,
      .target_words = sums->target_words > 0,
      .source_mixed = sums->source_words > 0 &&
                      sums->source_words<shown, .target_mixed = sums->target_words> 0 &&
                      sums->target_words < shown,
      .source_tokens = sums->columns,
      .target_tokens = sums->rows,
      .entropy = mean(sums->entropy, sums->rows),
      .entropy_share = mean(sums->entropy_share, sums->chosen_rows),
      .covered = mean((double)sums->covered, sums->columns),
      .coverage_distance = mean(sums->coverage_distance, sums->columns),
      .sentinel = mean(sums->sentinel, sums->rows),
      .end_on_last = mean(sums->end_on_last, sums->end_rows),
      .words_on_last = mean(sums->words_on_last, words),
      .diagonality = words == 0 ? 0 : 1 - mean(sums->off_diagonal, words),
      .aligned = sums->aligned,
      .links = sums->links,
      .gold_links = sums->gold,
      .shared_links = sums->both,
      .alignment_error_rate = sums->links + sums->gold == 0
                                  ? 0
                                  : 1 - mean(2 * (double)sums->both, sums->links + sums->gold)};
}
