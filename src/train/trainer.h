/* Single updates, with teacher forcing: gradients, clipping, Adam, schedule, average. The loop over
 * them is train/loop.h. */
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

/* In the order of their names, which model/hyperparameters.c has. */
enum schedule_kind {
  SCHEDULE_CONSTANT,
  SCHEDULE_PLATEAU,     /* halved after each validation that brings no new best */
  SCHEDULE_INVERSE_SQRT /* peak · √(warm-up / update) (Vaswani et al., NIPS 2017) */
};

/* The learning rate over time. */
struct schedule {
  enum schedule_kind kind;
  double peak;
  size_t warm_up; /* updates during which the rate rises in a straight line */
};

/* The progress of a training. The rest of it depends on this and on the blocks of struct trainer
 * only. */
struct training_state {
  uint64_t update;        /* done since the start */
  size_t epoch, position; /* the current epoch, from 1; finished batches in it */
  size_t epoch_tokens;
  double epoch_loss;  /* sum over these tokens */
  size_t failures;    /* updates in a row whose loss was not finite */
  size_t skipped;     /* all such updates */
  bool has_best;      /* a validation has been */
  uint64_t validated; /* the update that was validated last; 0 = none */
  double best_score, best_loss;
  size_t stale;       /* validations since the best */
  bool finished;      /* all epochs are done, or patience was over */
  double rate_factor; /* of the peak rate, that the plateaus so far have left */
  /* The update that was validated only because the training ended there; 0 = none. If the training
   * is made longer, its further course does not depend on it. */
  uint64_t end_validated;
  bool end_best; /* it was the best of all */
};

/* The start of a training; a run that resumes it must have the same. Initial values are not
 * compared: another processor may round them differently. */
struct training_start {
  uint64_t weights;      /* hash of those of a trained or loaded model; else 0 */
  uint64_t written;      /* hash of the weights that the last run left, which may have replaced that
                            file; 0 = none has ended */
  elman_history history; /* before the first update */
};

/* Hashes of the training corpus. */
struct corpus_hashes {
  uint64_t ids;   /* of both sides, in order */
  uint64_t guide; /* of the links; 0 = no guides */
};

struct trainer {
  struct model *model;                /* borrowed */
  const elman_train_options *options; /* borrowed */
  struct corpus_hashes corpus;        /* set by the loop; for comparing with other runs */
  real *best;                         /* weights by validation, laid out as the model's; or NULL */
  struct optimizer optimizer;
  struct shards *shards;
  struct adam_options adam; /* its learning rate is the schedule's peak */
  struct schedule schedule;
  struct training_state state;
  struct training_start start;
};

/* The dev pairs, or NULL. */
static inline const struct pairs *trainer_dev(const elman_train_options *options) {
  return (const struct pairs *)options->dev;
}

/* In the order of their names, which model/hyperparameters.c has. */
enum validation_measure { MEASURE_BLEU, MEASURE_CHRF, MEASURE_LOSS };

enum validation_measure trainer_measure(const elman_train_options *options);

/* ELMAN_INVALID_ARGUMENT if an option is out of its limits or options contradict each other. */
elman_status trainer_check_options(const elman_train_options *options, elman_error *error) CHECKED;

/* The options have passed trainer_check_options. They and the model are borrowed. */
elman_status trainer_create(struct trainer *trainer, struct model *model,
                            const elman_train_options *options, elman_error *error) CHECKED;
void trainer_free(struct trainer *trainer);

/* The blocks that the rest of the training depends on, by the prefix of their tensors' names in a
 * checkpoint. */
enum { TRAINER_BLOCKS = 5 };

struct named_block {
  const char *name;
  real *block; /* NULL = not in use */
};

void trainer_list_blocks(struct named_block blocks[TRAINER_BLOCKS], const struct trainer *trainer);

/* Bytes of a block laid out as the model's. */
size_t trainer_block_bytes(const struct trainer *trainer);

/* The weights that training leaves if it ends now: the best, or the average, or the last. */
const real *trainer_result(const struct trainer *trainer);

/* The hash of such a block; never 0. */
uint64_t trainer_hash(const struct trainer *trainer, const real *block);

/* The rate of the next update. */
double trainer_learning_rate(const struct trainer *trainer);

/* After a validation: a plateau is one that brings no new best. */
void trainer_adjust_rate(struct trainer *trainer, bool improved);

/* Forward and backward, in the shards of the options, clipping and one Adam update. The batch's
 * mean losses before the update, over its target tokens and over those with a guide, go to *losses,
 * the gradient's norm to *norm. When one of them is not finite, nothing is updated and
 * state.failures counts it. Call trainer_flush before reading a weight or a moment. */
elman_status trainer_step(struct trainer *trainer, const struct batch *batch, struct losses *losses,
                          double *norm, elman_error *error) CHECKED;

/* Does the deferred updates of embeddings (train/optimizer.h). */
void trainer_flush(struct trainer *trainer);

/* Exchanges the weights and their average, where there is one. */
void trainer_swap_average(struct trainer *trainer);

#endif
