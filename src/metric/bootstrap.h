/* Paired bootstrap resampling (Koehn, "Statistical significance tests for machine translation
 * evaluation", EMNLP 2004): whether two outputs differ by more than the choice of sentences
 * explains. The statistics are those of sacreBLEU's --paired-bs; the random numbers are our own. */
#ifndef ELMAN_METRIC_BOOTSTRAP_H
#define ELMAN_METRIC_BOOTSTRAP_H

#include "metric/metric.h"

/* A score over all resamples. */
struct bootstrap_estimate {
  double mean;
  double interval; /* half the width of what holds 95 % of the resamples */
};

struct bootstrap {
  struct metric_scores scores[2];             /* of either output, on the sentences as they are */
  struct bootstrap_estimate bleu[2], chrf[2]; /* of either output */
  /* How likely a difference as large as that of the scores would be if there were none. Two equal
   * outputs get the smallest possible value: nothing is left to chance. */
  double bleu_p_value, chrf_p_value;
};

struct bootstrap_options {
  size_t resamples; /* at least 1 */
  uint64_t seed;
};

/* a, b: counts of the same `count` sentences, at least one, by two outputs. */
elman_status bootstrap(struct bootstrap *result, const struct sentence_counts *a,
                       const struct sentence_counts *b, size_t count,
                       const struct bootstrap_options *options, elman_error *error) CHECKED;

#endif
