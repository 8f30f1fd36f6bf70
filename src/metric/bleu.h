/* BLEU (Papineni et al., "BLEU: a method for automatic evaluation of machine translation", ACL
 * 2002) of a corpus, with n-grams of 1 to 4 words and the exponential smoothing of mteval-v13a. */
#ifndef ELMAN_METRIC_BLEU_H
#define ELMAN_METRIC_BLEU_H

#include "elman/metric.h"
#include "metric/bleu_tokens.h"
#include "metric/ngrams.h"

enum { BLEU_ORDERS = 4 };

/* Counts of a sentence, which are summed over a corpus: two lengths in words, and for n = 1 to 4
 * the n-grams of the hypothesis that a reference has too, and all n-grams of the hypothesis. */
enum {
  BLEU_HYPOTHESIS_LENGTH,
  BLEU_REFERENCE_LENGTH, /* of the reference whose length is closest, the shorter of two */
  BLEU_MATCHED,
  BLEU_TOTAL = BLEU_MATCHED + BLEU_ORDERS,
  BLEU_COUNTS = BLEU_TOTAL + BLEU_ORDERS
};

/* A sentence's words as numbers, the same for equal words of all sentences that are compared. */
struct bleu_words {
  struct tokens words;
  uint32_t *numbers; /* words.count of them */
  size_t capacity;
};

/* Scratch of counting. Start from all zero. */
struct bleu_work {
  struct bleu_passes passes;
  struct bleu_words hypothesis, reference;
  struct table index; /* of the hypothesis' words */
  struct ngrams ngrams;
};
void bleu_work_free(struct bleu_work *work);

/* One hypothesis against its references, at least one. All valid UTF-8. */
elman_status bleu_count(uint32_t counts[BLEU_COUNTS], struct bleu_work *work,
                        struct text hypothesis, const struct text *references,
                        size_t reference_count, enum bleu_tokenizer tokenizer,
                        elman_error *error) CHECKED;

/* Sets what BLEU and its parts are for these sums. */
void bleu_score(elman_metric_scores *scores, const uint64_t sums[BLEU_COUNTS]);

#endif
