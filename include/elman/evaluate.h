/* Scores of a model on sentence pairs. */
#ifndef ELMAN_EVALUATE_H
#define ELMAN_EVALUATE_H

#include "elman/group.h"
#include "elman/metric.h"
#include "elman/translate.h"

ELMAN_BEGIN

/* How a model does on pairs. */
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
  elman_translate_options translate; /* the default, but for max_bytes, which is 0; n_best and
                                        without_scores are not looked at */
  elman_metric_options metric;       /* resamples and seed are not looked at */
  size_t threads;                    /* 0 (default) = one a core */
  bool (*progress)(void *context, size_t done, size_t total); /* false stops; may be NULL */
  void *context;
  /* The processes that share the work; NULL (default): this one is alone. All have the same model,
   * pairs and options, but for threads and progress; they get the same scores, to the last bit for
   * any number of them, or the same error. Each is told of progress as if the others were as far as
   * itself; where one is stopped the others come to the end of their shares first. */
  const elman_group *group;
} elman_evaluate_options;

ELMAN_API elman_evaluate_options elman_evaluate_options_default(void);

/* Overrides are for the translations only, not for the alignments; that of a cell that no sentence
 * has is ELMAN_INVALID_ARGUMENT. */
ELMAN_CHECKED elman_status elman_evaluate(elman_scores *scores, const elman_model *model,
                                          const elman_pairs *pairs,
                                          const elman_evaluate_options *options,
                                          elman_error *error);

ELMAN_END

#endif
