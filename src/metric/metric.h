/* Parts of the scores of elman/metric.h. */
#ifndef ELMAN_METRIC_METRIC_H
#define ELMAN_METRIC_METRIC_H

#include "base/text.h"
#include "metric/bleu.h"

/* Replace the contents of `into` by the text in lower case (Unicode's full mapping, as Python's
 * str.lower), for case-insensitive scores. `text` must be valid UTF-8 and must not point into
 * `into`. A failure is stored in `into`. */
void lowercase(struct buffer *into, struct text text);

/* Maximum bytes of a line; each n-gram occupies about 100 bytes of memory. */
#define METRIC_MAX_BYTES ((size_t)1 << 24)

/* Return whether chrF2 compares outputs better than BLEU: most of the `count` references are too
 * short for BLEU's longest n-grams. */
static inline bool metrics_prefer_chrf(const elman_metric_scores *scores, size_t count) {
  return 2 * scores->short_references > count;
}

#endif
