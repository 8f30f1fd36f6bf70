/* Statistics of attention over a corpus. */
#ifndef ELMAN_SUMMARY_H
#define ELMAN_SUMMARY_H

#include "elman/attention.h"

ELMAN_BEGIN

/* Sums over any number of translations. */
typedef struct elman_attention_summary elman_attention_summary;

/* Create a summary. `style` (NULL = the default) selects words or tokens as units, by the rules for
 * matrices. It also selects, by the rules of the format pharaoh, the links that are compared with
 * gold alignments. */
ELMAN_CHECKED elman_status elman_attention_summary_create(elman_attention_summary **summary,
                                                          const elman_text_style *style,
                                                          elman_error *error);

/* Add one translation. Ignore the translations linked by `next`. `alignment` is the gold alignment
 * between the units of the style, "i-j i-j ..." from 0; NULL or blank = none. If the alignment is
 * malformed or out of range, return ELMAN_BAD_DATA and add nothing. */
ELMAN_CHECKED elman_status elman_attention_summary_add(elman_attention_summary *summary,
                                                       const elman_translation *translation,
                                                       const char *alignment, elman_error *error);
ELMAN_API void elman_attention_summary_free(elman_attention_summary *summary);

/* Means over all target tokens, source tokens or links of the corpus. a_ts is the weight of source
 * token s for target token t, averaged over the heads. The mean of an empty set is 0. */
typedef struct elman_attention_measures {
  size_t translations;
  size_t empty; /* translations without source or target tokens; excluded from all values below */
  bool source_words; /* whether source units are words, as described for elman_alignment_units */
  bool target_words;
  bool source_mixed; /* whether the units differ between translations, for instance in a mixed
                        Chinese and English corpus */
  bool target_mixed;
  size_t source_tokens; /* number of source units */
  size_t target_tokens; /* number of target units, </s> included */
  double entropy;       /* -sum_s a_ts ln a_ts in nats, after dividing the weights by their sum */
  double entropy_share; /* entropy divided by ln S, if S > 1: 0 = one token, 1 = uniform */
  double covered;       /* fraction of source tokens with sum_t a_ts >= 0.5 */
  double coverage_distance; /* mean of |sum_t a_ts - 1| over source tokens */
  double sentinel;          /* weight of the sentinel; 0 if there is none */
  double end_on_last;       /* weight of the last source token in rows of </s> */
  double words_on_last;     /* weight of the last source token in other rows */
  double diagonality; /* 1 - sum_s a_ts |(t+1/2)/T - (s+1/2)/S|, t and s from 0, without </s>: 1 is
                         the diagonal; uniform weights give about 2/3 */
  size_t aligned;     /* translations with a gold alignment */
  size_t links, gold_links, shared_links; /* predicted links; gold links; links in both */
  double alignment_error_rate; /* 1 - 2 shared / (predicted + gold): all gold links count as sure */
} elman_attention_measures;

/* Return the statistics of all translations added so far. */
ELMAN_API elman_attention_measures
elman_attention_summary_get(const elman_attention_summary *summary);

ELMAN_END

#endif
