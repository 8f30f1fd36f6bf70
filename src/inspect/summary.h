/* Numbers that tell what attention did over a corpus. */
#ifndef ELMAN_INSPECT_SUMMARY_H
#define ELMAN_INSPECT_SUMMARY_H

#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "elman/summary.h"
#include "inspect/shown.h"

/* Measures of a matrix of attention weights. */

/* Entropy in nats of the n weights of a row divided by their sum Z, since those of local attention
 * and beside a sentinel do not sum to 1: -sum (w/Z) ln (w/Z), 0 for one position, ln n for all
 * alike, 0 where all are 0. */
double row_entropy(const float *weights, size_t n);

/* Keys 0 to n - 1 in segments of `length`, the last of which may be shorter: how many segments,
 * none where there is no length, and the key behind the last of each, unless `ends` is NULL. */
size_t segments_of_length(size_t *ends, size_t n, size_t length);

/* The sums of a row's weights in segments that end there. */
void row_segments(float *segments, const float *weights, const size_t *ends, size_t count);

/* The sum of column s of `weights` (T,S): how often, in all, source token s was looked at. */
double column_sum(const float *weights, size_t T, size_t S, size_t s);

/* Sums over all translations; a_ts is the average over the heads. Start from all zero, but for the
 * style. A translation without source or target tokens is counted in `empty` only. */
struct elman_attention_summary {
  elman_text_style style; /* complete, see text_style_complete */
  size_t translations, empty;
  size_t source_words, target_words; /* of those that are not empty: in words, which are then the
                                        "tokens" below */
  size_t rows;                       /* target tokens, </s> included */
  size_t end_rows;                   /* of them, </s> */
  size_t chosen_rows;                /* of all, those with more than one source token to look at */
  size_t columns;                    /* source tokens */
  size_t covered;                    /* of them, with a column sum of at least COVERED */
  double entropy;                    /* of the rows, in nats */
  double entropy_share;              /* of the chosen rows: entropy / ln S */
  double coverage_distance;          /* of the columns: |column sum - 1| */
  double sentinel;                   /* of the rows: weight of the sentinel */
  double end_on_last;                /* of the </s> rows: weight of the last source token */
  double words_on_last;              /* of the other rows: likewise */
  double off_diagonal; /* of the other rows: sum_s a_ts |(t+1/2)/T - (s+1/2)/S|, T without </s> */
  size_t aligned;      /* translations with a gold alignment */
  size_t links, gold, both; /* links found, gold links, and those that are both, between words */
};

/* `alignment` is the gold alignment "i-j i-j ..." between the units of the style, or empty. One
 * that is none, or of a word that is not there, is ELMAN_BAD_DATA, and nothing is added. */
elman_status summary_add(elman_attention_summary *summary, const elman_translation *translation,
                         struct text alignment, elman_error *error) CHECKED;

elman_attention_measures summary_measures(const elman_attention_summary *summary);

#endif
