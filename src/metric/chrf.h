/* chrF2 (Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015) of a
 * corpus: n-grams of 1 to 6 characters without white space, recall weighs twice as much. */
#ifndef ELMAN_METRIC_CHRF_H
#define ELMAN_METRIC_CHRF_H

#include "base/text.h"
#include "metric/ngrams.h"

enum { CHRF_ORDERS = 6 };

/* Counts of a sentence, which are summed over a corpus: for n = 1 to 6 the n-grams of the
 * hypothesis (0 where the reference has none), those of the reference, and those that both have. */
enum {
  CHRF_HYPOTHESIS,
  CHRF_REFERENCE = CHRF_HYPOTHESIS + CHRF_ORDERS,
  CHRF_MATCHED = CHRF_REFERENCE + CHRF_ORDERS,
  CHRF_COUNTS = CHRF_MATCHED + CHRF_ORDERS
};

struct characters {
  uint32_t *codepoints;
  size_t count, capacity;
};

/* Scratch of counting. Start from all zero. */
struct chrf_work {
  struct characters hypothesis, reference;
  struct ngrams ngrams;
};
void chrf_work_free(struct chrf_work *work);

/* One hypothesis against the best of its references, at least one. All valid UTF-8. */
elman_status chrf_count(uint32_t counts[CHRF_COUNTS], struct chrf_work *work,
                        struct text hypothesis, const struct text *references,
                        size_t reference_count, elman_error *error) CHECKED;

/* 0 to 100 */
double chrf_score(const uint64_t sums[CHRF_COUNTS]);

#endif
