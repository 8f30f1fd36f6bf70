/* The training loop: epochs, validation, learning-rate schedule, checkpoints and the end of a run.
 */
#ifndef ELMAN_TRAIN_LOOP_H
#define ELMAN_TRAIN_LOOP_H

#include "base/team.h"
#include "corpus/augment.h"
#include "corpus/corpus.h"
#include "train/order.h"
#include "train/snapshots.h"
#include "train/trainer.h"

/* Return the default number of epochs. It is at least 10, and large enough for at least 400
 * updates. `updates` is the number of updates in one epoch. */
size_t trainer_default_epochs(size_t updates);

/* A training run that the caller advances. */
struct elman_training {
  struct trainer trainer;
  elman_train_options options; /* their pointers are borrowed */
  const struct corpus *corpus; /* borrowed, or `encoded` */
  struct corpus dev;           /* the dev pairs encoded as ids; empty without dev pairs */
  struct epoch_order order;
  struct batch batch;
  struct augmentation augmentation; /* used only with options of the group Augmentation */
  struct resplit resplit;           /* used only with subword dropout */
  size_t epochs;
  size_t unguided;                       /* number of pairs without an alignment link */
  double unknown_source, unknown_target; /* fractions of tokens that are not in the vocabulary */
  struct model_past before;              /* past of the model before the first update */
  struct snapshots snapshots;
  double saved_at;  /* time of the last checkpoint, in seconds */
  double took;      /* seconds that writing this checkpoint took */
  bool best_waits;  /* the best weights by validation have not been written yet */
  bool best_is_new; /* no attempt to write these weights has been made yet */
  bool saved;       /* whether a checkpoint of this or an earlier run exists and must be replaced */
  /* The status of this process: ELMAN_OK, or the stop or error that ends the run. All processes end
   * the run before the next update. */
  elman_status pending;
  elman_error problem;
  bool diverged; /* the weights are useless, so no checkpoint may be written */
  bool in_epoch; /* the epoch has begun; a validation that an earlier run left due is done first */
  bool finished; /* no update remains */
  bool ended;    /* run_finish was called */
  elman_status status; /* status of the last call of run_advance */
  /* Fields that only src/api uses: */
  struct corpus encoded; /* owned */
  struct team *team;     /* owned; NULL = a single thread */
  size_t changes;        /* value of model->changes after the last call */
};

/* Create a run with a copy of the options, which must have passed elman_train_options_check. */
elman_status run_create(elman_training **run, const elman_train_options *options,
                        elman_error *error) CHECKED;

/* Return whether the options change pairs at random. If so, the corpus must keep its texts. */
bool run_augments(const elman_training *run);

/* Begin the run, or resume it from the checkpoint if the options require that. Model and corpus are
 * borrowed until elman_training_free. */
elman_status run_begin(elman_training *run, struct model *model, const struct corpus *corpus,
                       elman_error *error) CHECKED;

/* Do at most `updates` updates, with the validations, snapshots and checkpoints that are due. Then
 * the model has the weights and the history of the last update. A finished run stays unchanged.
 *
 * If a callback stops the run, return ELMAN_INTERRUPTED before the next update; the run can
 * continue. Any other error ends the run, such as ELMAN_INVALID_ARGUMENT after ten updates in a row
 * whose loss is not finite. After an error, and after run_finish, return ELMAN_INVALID_ARGUMENT and
 * change nothing. If writing a checkpoint fails, and a callback receives the failure, the next
 * checkpoint is written when it is due. */
elman_status run_advance(elman_training *run, size_t updates, elman_error *error) CHECKED;

/* Write the checkpoint between two calls of run_advance. Another run can also resume from this
 * checkpoint if it starts with the weights that the model has now. */
elman_status run_save(elman_training *run, elman_error *error) CHECKED;

/* End the run, also after a stop or an error, and write the checkpoint. It is written even after
 * the last epoch, because a later run may add epochs. Afterwards the model contains the best
 * weights by validation. Without validation it contains the average, or the last weights if there
 * is no average. Return only errors of this call. */
elman_status run_finish(elman_training *run, elman_error *error) CHECKED;

#endif
