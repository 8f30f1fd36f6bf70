/* Statistics of attention over a corpus. */
#ifndef ELMAN_INSPECT_SUMMARY_H
#define ELMAN_INSPECT_SUMMARY_H

#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "elman/summary.h"
#include "inspect/shown.h"

/* Measures of a matrix of attention weights. */

/* Return the entropy in nats of a row of n weights, -sum (w/Z) ln (w/Z). The weights are divided by
 * their sum Z, because with local attention or a sentinel they do not sum to 1. The entropy is 0
 * for one position and for all zeros, and ln n for equal weights. */
double row_entropy(const float *weights, size_t n);

/* Return the sum of column s of `weights` (T,S): the total attention to source token s. */
double column_sum(const float *weights, size_t T, size_t S, size_t s);

/* Sums over all translations; a_ts is the average over the heads. The caller initializes the struct
 * to zero, except the style. A translation without source or target tokens only counts in
 * `empty`. */
struct elman_attention_summary {
  elman_text_style style; /* complete, see text_style_complete */
  size_t translations, empty;
  size_t source_words, target_words; /* number of non-empty translations whose source or target is
                                        shown in words. For them, "tokens" below means words */
  size_t rows;                       /* target tokens, </s> included */
  size_t end_rows;                   /* </s> rows */
  size_t chosen_rows;                /* number of rows with more than one source token */
  size_t columns;                    /* source tokens */
  size_t covered;                    /* number of columns with a sum of at least COVERED */
  double entropy;                    /* sum over rows, in nats */
  double entropy_share;              /* sum over chosen rows: entropy / ln S */
  double coverage_distance;          /* sum over columns: |column sum - 1| */
  double sentinel;                   /* sum over rows: weight of the sentinel */
  double end_on_last;                /* sum over </s> rows: weight of the last source token */
  double words_on_last;              /* sum over other rows: weight of the last source token */
  /* Sum over other rows: sum_s a_ts |(t+1/2)/T - (s+1/2)/S|; T excludes </s>. */
  double off_diagonal;
  size_t aligned;           /* translations with a gold alignment */
  size_t links, gold, both; /* between words: links found, gold links, and common links */
};

#endif
