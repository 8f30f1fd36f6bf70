/* Attention summed up over a corpus. */
#ifndef ELMAN_SUMMARY_H
#define ELMAN_SUMMARY_H

#include "elman/attention.h"

ELMAN_BEGIN

/* Sums over any number of translations. */
typedef struct elman_attention_summary elman_attention_summary;

/* `style` (NULL = the default) says whether tokens or words are measured, as where matrices are
 * shown, and which links, as for pharaoh, a gold alignment is held against. */
ELMAN_CHECKED elman_status elman_attention_summary_create(elman_attention_summary **summary,
                                                          const elman_text_style *style,
                                                          elman_error *error);

/* Adds one translation (not those behind it in `next`). `alignment` is the gold alignment between
 * the units of the style, "i-j i-j ..." from 0; NULL or empty = none. One that is not
 * of that form, or names a word that is not there, is ELMAN_BAD_DATA, and nothing is added. */
ELMAN_CHECKED elman_status elman_attention_summary_add(elman_attention_summary *summary,
                                                       const elman_translation *translation,
                                                       const char *alignment, elman_error *error);
ELMAN_API void elman_attention_summary_free(elman_attention_summary *summary);

/* Means over all target tokens, source tokens or links of the corpus. a_ts is the weight of source
 * token s for target token t, the average of the heads. A mean of nothing is 0. */
typedef struct elman_attention_measures {
  size_t translations;
  size_t empty;      /* of them, without source or target tokens; they are in no number below */
  bool source_words; /* source tokens are here words, where text has such: see the units */
  bool target_words;
  bool source_mixed; /* of some translations only, as where a corpus has English and Chinese */
  bool target_mixed;
  size_t source_tokens; /* how many */
  size_t target_tokens; /* how many, </s> included */
  double entropy;       /* -sum_s a_ts ln a_ts, in nats, of the weights divided by their sum */
  double entropy_share; /* the same divided by ln S, where S > 1: 0 = one token, 1 = all alike */
  double covered;       /* share of source tokens with sum_t a_ts >= 0.5 */
  double coverage_distance; /* |sum_t a_ts - 1| of a source token */
  double sentinel;          /* weight of the sentinel; 0 if there is none */
  double end_on_last;       /* weight that </s> gives to the last source token */
  double words_on_last;     /* weight that the other target tokens give to it */
  double diagonality; /* 1 - sum_s a_ts |(t+1/2)/T - (s+1/2)/S|, t and s from 0, without </s>: 1 is
                         the diagonal, equal weights give about 2/3 */
  size_t aligned;     /* translations with a gold alignment */
  size_t links, gold_links, shared_links; /* found; in the gold alignments; in both */
  double alignment_error_rate; /* 1 - 2 shared / (found + gold): every gold link counts as sure */
} elman_attention_measures;

/* The measures of all that was added so far. */
ELMAN_API elman_attention_measures
elman_attention_summary_get(const elman_attention_summary *summary);

ELMAN_END

#endif
