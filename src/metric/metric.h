/* BLEU and chrF2 of lines of text against reference lines, as sacreBLEU gives them. */
#ifndef ELMAN_METRIC_METRIC_H
#define ELMAN_METRIC_METRIC_H

#include "metric/bleu.h"
#include "metric/chrf.h"

/* A line's n-grams take some hundred bytes each; beyond this a line is refused. */
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

struct corpus_counts {
  uint64_t bleu[BLEU_COUNTS];
  uint64_t chrf[CHRF_COUNTS];
};

/* Counts for each line, to counts[references->count]. A line that is not valid UTF-8 or is too long
 * is ELMAN_BAD_DATA; `where` names it ("hypothesis, line 3"). */
elman_status metric_count(struct sentence_counts *counts, const struct text *hypotheses,
                          const struct metric_references *references,
                          const elman_metric_options *options, elman_error *error) CHECKED;

void metric_add(struct corpus_counts *sums, const struct sentence_counts *counts);

elman_metric_options metric_options_default(void);

/* All but the signatures; of sums, and of the sum of `count` sentences. */
void metric_score(elman_metric_scores *scores, const struct corpus_counts *sums);
void metric_score_sum(elman_metric_scores *scores, const struct sentence_counts *counts,
                      size_t count);

/* metric_count, metric_score_sum and, as of no resamples, metric_sign in one. */
elman_status metric_score_all(elman_metric_scores *scores, const struct text *hypotheses,
                              const struct metric_references *references,
                              const elman_metric_options *options, elman_error *error) CHECKED;

/* The tokeniser that is named or, where none is, fits the first references: `zh` if they are mostly
 * Han, else `13a`. Lines must be valid UTF-8. */
elman_status metric_tokenizer(enum bleu_tokenizer *tokenizer, const elman_metric_options *options,
                              const struct metric_references *references,
                              elman_error *error) CHECKED;

/* Adds what sacreBLEU prints beside a score, so that others can repeat it; the version is "elman-"
 * and the library's. `resamples` 0 = none were drawn. */
elman_status metric_sign(elman_metric_scores *scores, const elman_metric_options *options,
                         const struct metric_references *references, size_t resamples,
                         elman_error *error) CHECKED;

#endif
