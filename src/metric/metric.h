/* BLEU and chrF2 of lines of text against reference lines, as sacreBLEU gives them. */
#ifndef ELMAN_METRIC_METRIC_H
#define ELMAN_METRIC_METRIC_H

#include "metric/bleu.h"
#include "metric/chrf.h"

/* A line's n-grams take some hundred bytes each; beyond this a line is refused. */
#define METRIC_MOST_BYTES ((size_t)1 << 24)

struct metric_options {
  enum bleu_tokenizer tokenizer; /* of BLEU */
  bool lowercase;                /* for BLEU */
  bool chrf_lowercase;
};

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
                          const struct metric_options *options, elman_error *error) CHECKED;

void metric_add(struct corpus_counts *sums, const struct sentence_counts *counts);

struct metric_scores {
  struct bleu_score bleu;
  uint64_t hypothesis_length, reference_length; /* words, by BLEU's tokeniser */
  double chrf;
};
struct metric_scores metric_score(const struct corpus_counts *sums);

/* metric_count, metric_add and metric_score in one. */
elman_status metric_score_all(struct metric_scores *scores, const struct text *hypotheses,
                              const struct metric_references *references,
                              const struct metric_options *options, elman_error *error) CHECKED;

/* `zh` for lines that are mostly Han, else `13a`. Lines must be valid UTF-8. */
enum bleu_tokenizer metric_tokenizer_for(const struct text *lines, size_t count);

/* What sacreBLEU prints beside a score, so that others can repeat it; the version is "elman-" and
 * the library's. `resamples` 0 = none were drawn. */
enum { METRIC_SIGNATURE = 160 };
struct metric_signatures {
  char bleu[METRIC_SIGNATURE], chrf[METRIC_SIGNATURE];
};
struct metric_signatures metric_signatures(const struct metric_options *options,
                                           size_t reference_sets, size_t resamples, uint64_t seed);

#endif
