/* Single updates with teacher forcing: gradients, clipping, Adam, schedule, moving average. The
 * loop over them is train/loop.h. */
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

/* In the order of their names in model/hyperparameters.c. */
enum schedule_kind {
  SCHEDULE_CONSTANT,
  SCHEDULE_PLATEAU,     /* halved after each validation without a new best */
  SCHEDULE_INVERSE_SQRT /* peak · √(warm-up / update) (Vaswani et al., NIPS 2017) */
};

/* The learning rate over time. */
struct schedule {
  enum schedule_kind kind;
  double peak;
  size_t warm_up; /* updates during which the rate rises linearly */
};

/* The progress of a run. Its continuation depends only on this and on the blocks of struct trainer.
 */
struct training_state {
  uint64_t update;        /* updates done since the start */
  size_t epoch, position; /* the current epoch, from 1; batches finished in it */
  size_t epoch_tokens;
  double epoch_loss;  /* sum over the epoch_tokens tokens */
  size_t failures;    /* consecutive updates whose loss was not finite */
  size_t skipped;     /* all such updates */
  bool has_best;      /* a validation has taken place */
  uint64_t validated; /* update of the last validation; 0 = none */
  double best_score, best_loss;
  size_t stale;       /* validations since the best */
  bool finished;      /* all epochs are done, or patience was over */
  double rate_factor; /* factor of the peak rate after the plateaus so far */
  /* The update that was validated only because the run ended there; 0 = none. If a later run adds
   * epochs, its course does not depend on this validation. */
  uint64_t end_validated;
  bool end_best; /* that validation was the best of all */
};

/* The start of a run; a run that resumes it must have the same start. Random initial weights are
 * not compared: another processor may round them differently. */
struct training_start {
  uint64_t weights; /* hash of the weights of a trained or loaded model; otherwise 0 */
  uint64_t written; /* hash of the weights that the last run wrote, perhaps over the file it started
                       from; 0 = no run has ended */
  elman_history history; /* before the first update */
};

/* Hashes of the training corpus. */
struct corpus_hashes {
  uint64_t ids;   /* hash of the ids of both sides, in order */
  uint64_t guide; /* hash of the links; 0 = no guided alignment */
};

struct trainer {
  struct model *model;                /* borrowed */
  const elman_train_options *options; /* borrowed */
  struct corpus_hashes corpus;        /* set by the loop; compared with other runs */
  real *best; /* best weights by validation, laid out as the model's; or NULL */
  struct optimizer optimizer;
  struct shards *shards;
  struct adam_options adam; /* its learning rate is the peak of the schedule */
  struct schedule schedule;
  struct training_state state;
  struct training_start start;
};

/* Return the dev pairs, or NULL. */
static inline const struct pairs *trainer_dev(const elman_train_options *options) {
  return (const struct pairs *)options->dev;
}

/* In the order of their names in model/hyperparameters.c. */
enum validation_measure { MEASURE_BLEU, MEASURE_CHRF, MEASURE_LOSS };

enum validation_measure trainer_measure(const elman_train_options *options);

/* Return ELMAN_INVALID_ARGUMENT if an option is outside its limits or options contradict each
 * other. */
elman_status trainer_check_options(const elman_train_options *options, elman_error *error) CHECKED;

/* `options` must have passed trainer_check_options. `options` and `model` are borrowed. */
elman_status trainer_create(struct trainer *trainer, struct model *model,
                            const elman_train_options *options, elman_error *error) CHECKED;
void trainer_free(struct trainer *trainer);

/* List the blocks that the rest of the run depends on. `name` is the prefix of their tensors in a
 * checkpoint. */
enum { TRAINER_BLOCKS = 5 };

struct named_block {
  const char *name;
  real *block; /* NULL = not in use */
};

void trainer_list_blocks(struct named_block blocks[TRAINER_BLOCKS], const struct trainer *trainer);

/* Return the bytes of a block laid out as the model's. */
size_t trainer_block_bytes(const struct trainer *trainer);

/* Return the weights that result if training ends now: the best, the average, or the last. */
const real *trainer_result(const struct trainer *trainer);

/* Return the hash of such a block; never 0. */
uint64_t trainer_hash(const struct trainer *trainer, const real *block);

/* Return the learning rate of the next update. */
double trainer_learning_rate(const struct trainer *trainer);

/* Adjust the rate after a validation. With the schedule "plateau" it is halved if the validation
 * brought no new best. */
void trainer_adjust_rate(struct trainer *trainer, bool improved);

/* Do one update: forward and backward in shards, clipping, Adam. Set *losses to the batch's mean
 * losses before the update, over its target tokens and over its linked tokens, and *norm to the
 * norm of the gradient. If one of them is not finite, update nothing and count it in
 * state.failures. Call trainer_flush before reading a weight or a moment. */
elman_status trainer_step(struct trainer *trainer, const struct batch *batch, struct losses *losses,
                          double *norm, elman_error *error) CHECKED;

/* Do the deferred updates of embeddings (train/optimizer.h). */
void trainer_flush(struct trainer *trainer);

/* Swap the weights and their moving average, if there is one. */
void trainer_swap_average(struct trainer *trainer);

#endif
