/* Paired bootstrap resampling (Koehn, "Statistical significance tests for machine translation
 * evaluation", EMNLP 2004): whether two outputs differ by more than the choice of sentences
 * explains. The statistics are those of sacreBLEU's --paired-bs; the random numbers are our own. */
#ifndef ELMAN_METRIC_BOOTSTRAP_H
#define ELMAN_METRIC_BOOTSTRAP_H

#include "metric/metric.h"

/* a, b: counts of the same `count` sentences, at least one, by two outputs. Fills all but the
 * signatures. Of the options it looks at those of the resamples, of which there is at least one. */
elman_status bootstrap(elman_comparison *result, const struct sentence_counts *a,
                       const struct sentence_counts *b, size_t count,
                       const elman_metric_options *options, elman_error *error) CHECKED;

#endif
