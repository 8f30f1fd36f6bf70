/* Evaluation of a model on sentence pairs. */
#ifndef ELMAN_EVALUATE_H
#define ELMAN_EVALUATE_H

#include "elman/group.h"
#include "elman/metric.h"
#include "elman/translate.h"

ELMAN_BEGIN

/* Scores of a model. */
typedef struct elman_scores {
  double loss;       /* mean cross-entropy per target token, </s> included */
  double perplexity; /* exp(loss) */
  size_t tokens;     /* target tokens, </s> included */
  size_t sentences;
  size_t left_out; /* number of pairs skipped because a side has more than 5,000 tokens */
  size_t unknown_source, unknown_target; /* unknown tokens */
  double exact_match;         /* fraction of translations that equal the reference after the model's
                                 normalization, 0 to 1 */
  size_t aligned_words;       /* target words with a gold alignment; 0 without alignments */
  double alignment_agreement; /* fraction of these words for which the gold alignment contains the
                                 source word with the largest attention weight; 0 to 1 */
  elman_metric_scores
      metrics; /* BLEU and chrF of the translations against the unnormalized references */
  uint64_t reserved[8];
} elman_scores;

/* A pair whose source was translated. The texts are valid during the call. */
typedef struct elman_evaluated {
  size_t number; /* index of the pair, from 0 */
  const char *translation, *reference;
  elman_sentence_metrics scores;
} elman_evaluated;

typedef struct elman_evaluate_options {
  size_t batch_size; /* sentences per batch; default 32; results do not depend on it (up to
                        rounding) */
  /* Options of translation, with their defaults, except that max_bytes defaults to 0. n_best and
   * without_scores are ignored. */
  elman_translate_options translate;
  elman_metric_options metric; /* resamples and seed are ignored */
  size_t threads;              /* 0 (default) = one per core */
  /* Called with `done` 0 while the loss is computed, and then after each translation. Return false
   * to stop. May be NULL. */
  bool (*progress)(void *context, size_t done, size_t total);
  /* Called for each pair that is not skipped, in the order of the pairs, after all are translated.
   * Every process calls it. NULL (default) = no scores of sentences. */
  void (*sentence)(void *context, const elman_evaluated *sentence);
  void *context;
  /* Processes that share the work; NULL (default) = this process alone. All processes have the same
   * model, pairs and options, except threads and progress. All processes return the same error or
   * the same scores; the scores are identical, bit for bit, for any number of processes. Each
   * process reports progress as if all processes had progressed equally. If one process stops, the
   * others first finish their parts. */
  const elman_group *group;
  uint64_t reserved[8];
} elman_evaluate_options;

ELMAN_API elman_evaluate_options elman_evaluate_options_default(void);

/* Evaluate a model on pairs. Overrides apply only to the translations, not to the alignments.
 * Return ELMAN_INVALID_ARGUMENT for an ELMAN_OVERRIDE_CELL outside every sentence. */
ELMAN_CHECKED elman_status elman_evaluate(elman_scores *scores, const elman_model *model,
                                          const elman_pairs *pairs,
                                          const elman_evaluate_options *options,
                                          elman_error *error);

/* A search and its scores. */
typedef struct elman_search_trial {
  elman_search search;
  double bleu, chrf; /* 0 to 100 */
  bool by_chrf;      /* true: trials are compared by chrF2, because most references are shorter than
                        4 words; false: trials are compared by BLEU */
} elman_search_trial;

/* The number of searches that elman_tune_search tries. */
#define ELMAN_SEARCH_TRIALS 5

/* Try searches on the pairs, and store the best one in the model (elman_model_set_search); if
 * several are equally good, store the first of them. The trials are beam size 1, beam size 5 with
 * the length penalties 0.6, 1 and 1.4, and beam size 10 with the best of these penalties. Beam size
 * and length penalty of a trial replace those of options->translate. `trials` receives
 * ELMAN_SEARCH_TRIALS results in this order. Other parameters are as for elman_evaluate; progress
 * restarts at each trial. After an error, the model is unchanged. */
ELMAN_CHECKED elman_status elman_tune_search(elman_search_trial *trials, elman_model *model,
                                             const elman_pairs *pairs,
                                             const elman_evaluate_options *options,
                                             elman_error *error);

ELMAN_END

#endif
