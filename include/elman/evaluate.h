/* Scores of a model on sentence pairs. */
#ifndef ELMAN_EVALUATE_H
#define ELMAN_EVALUATE_H

#include "elman/metric.h"
#include "elman/translate.h"

ELMAN_BEGIN

typedef struct elman_scores {
  double loss;       /* mean cross-entropy per target token, </s> included */
  double perplexity; /* exp(loss) */
  size_t tokens;     /* target tokens, </s> included */
  size_t sentences;
  size_t left_out;                       /* pairs with a side of more than 5,000 tokens */
  size_t unknown_source, unknown_target; /* tokens that the vocabularies lack */
  double exact_match;          /* share of sentences translated exactly as the reference, 0 to 1;
                                  both normalised as the model does */
  size_t aligned_words;        /* target words with a gold alignment; 0 without such a column */
  double alignment_agreement;  /* share of them where the largest attention weight lies on a source
                                  word that the gold alignment names; 0 to 1 */
  elman_metric_scores metrics; /* BLEU and chrF of the translations, against the references as they
                                  were written */
} elman_scores;

typedef struct elman_evaluate_options {
  size_t batch_size; /* sentences; default 32; the result does not depend on it (to rounding) */
  size_t max_length; /* of a translation, as in elman_translate_options; likewise: */
  double max_ratio;
  size_t beam;                     /* default 1: greedy search */
  double length_penalty;           /* default 1 */
  const elman_override *overrides; /* as in elman_translate_options; for the translations only. A
                                      cell that no sentence has is ELMAN_INVALID_ARGUMENT */
  size_t override_count;
  uint64_t override_seed;
  size_t threads;                                             /* 0 (default) = one a core */
  const char *bleu_tokens;                                    /* as in elman_metric_options */
  bool lowercase;                                             /* for BLEU */
  bool chrf_lowercase;                                        /* for chrF */
  bool (*progress)(void *context, size_t done, size_t total); /* false stops; may be NULL */
  void *context;
} elman_evaluate_options;

ELMAN_API elman_evaluate_options elman_evaluate_options_default(void);

ELMAN_CHECKED elman_status elman_evaluate(elman_scores *scores, const elman_model *model,
                                          const elman_pairs *pairs,
                                          const elman_evaluate_options *options,
                                          elman_error *error);

ELMAN_END

#endif
