/* BLEU and chrF2 of lines of text against reference lines, as sacreBLEU gives them. */
#ifndef ELMAN_METRIC_METRIC_H
#define ELMAN_METRIC_METRIC_H

#include "base/text.h"
#include "metric/bleu.h"

/* Lower case as Unicode's full mapping has it (and Python's str.lower), for scores without case.
 * Replaces the contents of `into`, in which a failure sticks. `text` is valid, and elsewhere. */
void lowercase(struct buffer *into, struct text text);

/* chrF2 (Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015) of a
 * corpus: n-grams of 1 to 6 characters without white space, recall weighs twice as much. */

enum { CHRF_ORDERS = 6 };

/* Counts of a sentence, which are summed over a corpus: for n = 1 to 6 the n-grams of the
 * hypothesis (0 where the reference has none), those of the reference, and those that both have. */
enum {
  CHRF_HYPOTHESIS,
  CHRF_REFERENCE = CHRF_HYPOTHESIS + CHRF_ORDERS,
  CHRF_MATCHED = CHRF_REFERENCE + CHRF_ORDERS,
  CHRF_COUNTS = CHRF_MATCHED + CHRF_ORDERS
};

/* A line's n-grams occupy about a hundred bytes each; a longer line is refused. */
#define METRIC_MOST_BYTES ((size_t)1 << 24)

/* Line i of each set is a reference for hypothesis i. */
struct metric_references {
  const struct text *const *sets;
  size_t set_count; /* at least 1 */
  size_t count;     /* of lines in each set, and of hypotheses; at least 1 */
};

struct sentence_counts {
  uint32_t bleu[BLEU_COUNTS];
  uint32_t chrf[CHRF_COUNTS];
};

/* Counts for each line, to counts[references->count]. A line that is not valid UTF-8 or is too long
 * is ELMAN_BAD_DATA; `where` names it ("hypothesis, line 3"). */
elman_status metric_count(struct sentence_counts *counts, const struct text *hypotheses,
                          const struct metric_references *references,
                          const elman_metric_options *options, elman_error *error) CHECKED;
elman_metric_options metric_options_default(void);

/* metric_count, metric_score_sum and, as of no resamples, metric_sign in one. */
elman_status metric_score_all(elman_metric_scores *scores, const struct text *hypotheses,
                              const struct metric_references *references,
                              const elman_metric_options *options, elman_error *error) CHECKED;

/* Adds what sacreBLEU prints beside a score, so that others can repeat it; the version is "elman-"
 * and the library's. `resamples` 0 = none were drawn. */
elman_status metric_sign(elman_metric_scores *scores, const elman_metric_options *options,
                         const struct metric_references *references, size_t resamples,
                         elman_error *error) CHECKED;

/* ---- comparing two outputs ---- */

/* Paired bootstrap resampling (Koehn, "Statistical significance tests for machine translation
 * evaluation", EMNLP 2004): whether two outputs differ by more than the choice of sentences
 * explains. The statistics are those of sacreBLEU's --paired-bs; the random numbers are our own.
 *
 * a, b: counts of the same `count` sentences, at least one, by two outputs. Fills all but the
 * signatures. Of the options it looks at those of the resamples, of which there is at least one. */
elman_status bootstrap(elman_comparison *result, const struct sentence_counts *a,
                       const struct sentence_counts *b, size_t count,
                       const elman_metric_options *options, elman_error *error) CHECKED;

#endif
