/* Single updates with teacher forcing: gradients, clipping, Adam, schedule, moving average. The
 * training loop is in train/loop.h. */
#ifndef ELMAN_TRAIN_TRAINER_H
#define ELMAN_TRAIN_TRAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corpus/batch.h"
#include "elman/train.h"
#include "model/model.h"
#include "model/network.h"
#include "train/adam.h"
#include "train/optimizer.h"
#include "train/shards.h"

/* Schedules, in the order of their names in model/options.c. */
enum schedule_kind {
  SCHEDULE_CONSTANT,
  SCHEDULE_PLATEAU,      /* halved after each validation without a new best */
  SCHEDULE_INVERSE_SQRT, /* peak · √(warm-up / update) (Vaswani et al., NIPS 2017) */
  SCHEDULE_LINEAR,       /* peak · (1 - progress) (Bergsma et al., ICLR 2025) */
  SCHEDULE_LATE_LINEAR   /* peak · min(1, 3 (1 - progress)) (Hägele et al., NeurIPS 2024) */
};

/* The progress of a run. The rest of the run depends only on this state and on the blocks of struct
 * trainer. */
struct training_state {
  uint64_t update;        /* number of updates since the start */
  size_t epoch, position; /* current epoch, from 1; number of batches finished in it */
  size_t epoch_tokens;
  double epoch_loss;  /* sum of the losses of the first epoch_tokens tokens of the epoch */
  size_t failures;    /* number of consecutive updates, up to now, whose loss was not finite */
  size_t skipped;     /* number of all updates whose loss was not finite */
  bool has_best;      /* whether a validation has taken place */
  uint64_t validated; /* update of the last validation; 0 = none */
  double best_score, best_loss;
  size_t stale;       /* number of validations since the best one */
  bool finished;      /* all epochs are done, or patience has run out */
  double rate_factor; /* factor of the peak rate, reduced at each plateau */
  /* The update that was validated only because the run ended there; 0 = none. If a later run adds
   * epochs, the course of that run does not depend on this validation. */
  uint64_t end_validated;
  bool end_best; /* whether that validation was the best of all */
};

/* The start of a run. A run that resumes a checkpoint must have the same start. Random initial
 * weights are not compared, because another processor may round them differently. */
struct training_start {
  uint64_t weights; /* hash of the initial weights if they come from a trained or loaded model;
                       otherwise 0 */
  uint64_t written; /* hash of the weights that the last run wrote, perhaps over its initial model;
                       0 = no run has ended */
  elman_history history; /* history before the first update */
};

/* Hashes of the training corpus. */
struct corpus_hashes {
  uint64_t ids;   /* hash of the ids of both sides, in order */
  uint64_t guide; /* hash of the alignment links; 0 = no guided alignment */
};

struct trainer {
  struct model *model;                /* borrowed */
  const elman_train_options *options; /* borrowed */
  struct corpus_hashes corpus;        /* set by the training loop; compared with other runs */
  real *best; /* best weights by validation, laid out like the model's block; or NULL */
  struct optimizer optimizer;
  struct shards *shards;
  struct adam_options adam;
  enum schedule_kind schedule;
  struct training_state state;
  struct training_start start;
};

/* Return the dev pairs, or NULL. */
static inline const elman_pairs *trainer_dev(const elman_train_options *options) {
  return (const elman_pairs *)options->dev;
}

/* Validation measures, in the order of their names in model/options.c. */
enum validation_measure { MEASURE_AUTO, MEASURE_BLEU, MEASURE_CHRF, MEASURE_LOSS };

enum validation_measure trainer_measure(const elman_train_options *options);

/* Create a trainer. `options` must have passed elman_train_options_check. `options` and `model` are
 * borrowed. */
elman_status trainer_create(struct trainer *trainer, struct model *model,
                            const elman_train_options *options, elman_error *error) CHECKED;
void trainer_free(struct trainer *trainer);

/* List the blocks on which the rest of the run depends. `name` is the prefix of the block's tensors
 * in a checkpoint. */
enum { TRAINER_BLOCKS = 5 };

struct named_block {
  const char *name;
  real *block; /* NULL = not in use */
};

void trainer_list_blocks(struct named_block blocks[TRAINER_BLOCKS], const struct trainer *trainer);

/* Return the number of bytes of a block laid out like the model's block. */
size_t trainer_block_bytes(const struct trainer *trainer);

/* Return the weights that result if training ends now: the best by validation; without validation
 * the average, or the last weights if there is no average. */
const real *trainer_result(const struct trainer *trainer);

/* Return the hash of a block laid out like the model's; never 0. */
uint64_t trainer_hash(const struct trainer *trainer, const real *block);

/* Return the learning rate of the next update. `progress` is the finished fraction of the run. */
double trainer_learning_rate(const struct trainer *trainer, double progress);

/* Adjust the learning rate after a validation. The schedule "plateau" halves it if the validation
 * brought no new best. */
void trainer_adjust_rate(struct trainer *trainer, bool improved);

/* Results of an update. */
struct update_result {
  struct losses losses; /* mean losses of the batch before the update, over its target tokens and
                           over its linked tokens */
  double norm;          /* norm of the gradient, before clipping */
  double learning_rate;
};

/* Do one update: forward and backward in shards, clipping, Adam. `progress` is the finished
 * fraction of the run. If a loss or the norm is not finite, update nothing and count the failure in
 * state.failures. The caller must call trainer_flush before it reads a weight or a moment. */
elman_status trainer_step(struct update_result *result, struct trainer *trainer,
                          const struct batch *batch, double progress, elman_error *error) CHECKED;

/* Apply the deferred updates of embeddings (train/optimizer.h). */
void trainer_flush(struct trainer *trainer);

/* Swap the weights and their moving average, if there is one. */
void trainer_swap_average(struct trainer *trainer);

#endif
