/* BLEU and chrF2: scores of text lines against reference lines, equal to the scores of
 * sacreBLEU. */
#ifndef ELMAN_METRIC_METRIC_H
#define ELMAN_METRIC_METRIC_H

#include "base/text.h"
#include "metric/bleu.h"

/* Replace the contents of `into` by the text in lower case (Unicode's full mapping, as Python's
 * str.lower), for case-insensitive scores. `text` must be valid UTF-8 and must not point into
 * `into`. A failure is stored in `into`. */
void lowercase(struct buffer *into, struct text text);

/* Corpus chrF2 (Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015):
 * n-grams of 1 to 6 characters without white space; recall has twice the weight of precision. */

enum { CHRF_ORDERS = 6 };

/* Counts of a sentence, to be summed over a corpus: for n = 1 to 6 the n-grams of the hypothesis (0
 * if the reference has none), the n-grams of the reference, and the matches. */
enum {
  CHRF_HYPOTHESIS,
  CHRF_REFERENCE = CHRF_HYPOTHESIS + CHRF_ORDERS,
  CHRF_MATCHED = CHRF_REFERENCE + CHRF_ORDERS,
  CHRF_COUNTS = CHRF_MATCHED + CHRF_ORDERS
};

/* Maximum bytes of a line; each n-gram occupies about 100 bytes of memory. */
#define METRIC_MAX_BYTES ((size_t)1 << 24)

/* Line i of each set is a reference for hypothesis i. */
struct metric_references {
  const struct text *const *sets;
  size_t set_count; /* at least 1 */
  size_t count;     /* lines in each set, and hypotheses; at least 1 */
};

struct sentence_counts {
  uint32_t bleu[BLEU_COUNTS];
  uint32_t chrf[CHRF_COUNTS];
};

/* Compute the counts of each line; `counts` has references->count elements. Return ELMAN_BAD_DATA
 * for a line that is not valid UTF-8 or too long; `where` of the error names the line ("hypothesis,
 * line 3"). */
elman_status metric_count(struct sentence_counts *counts, const struct text *hypotheses,
                          const struct metric_references *references,
                          const elman_metric_options *options, elman_error *error) CHECKED;

/* Combine metric_count, metric_score_sum and metric_sign (without resamples). */
elman_status metric_score_all(elman_metric_scores *scores, const struct text *hypotheses,
                              const struct metric_references *references,
                              const elman_metric_options *options, elman_error *error) CHECKED;

/* Add the signatures that sacreBLEU prints beside a score, for reproducibility. The version in them
 * is "elman-" followed by the version of the library. If `resamples` is 0, the signatures mention
 * no resampling. */
elman_status metric_sign(elman_metric_scores *scores, const elman_metric_options *options,
                         const struct metric_references *references, size_t resamples,
                         elman_error *error) CHECKED;

/* ---- comparing two outputs ---- */

/* Test whether two outputs differ by more than the choice of sentences explains. The method is
 * paired bootstrap resampling: Koehn, "Statistical significance tests for machine translation
 * evaluation", EMNLP 2004. The statistics are those of sacreBLEU's --paired-bs; the random numbers
 * differ.
 *
 * a, b: counts of the same `count` sentences, at least one, in two outputs. Set all results but the
 * signatures. Only the resampling options are used; they require at least one resample. */
elman_status bootstrap(elman_comparison *result, const struct sentence_counts *a,
                       const struct sentence_counts *b, size_t count,
                       const elman_metric_options *options, elman_error *error) CHECKED;

#endif
