/* The training loop: epochs, validation, learning-rate schedule, checkpoints and the end of a run.
 */
#ifndef ELMAN_TRAIN_LOOP_H
#define ELMAN_TRAIN_LOOP_H

#include "corpus/corpus.h"
#include "train/trainer.h"

/* Return the default number of epochs. It is at least 10, and large enough for at least 400
 * updates. `updates` is the number of updates in one epoch. */
size_t trainer_default_epochs(size_t updates);

/* A training run that the caller advances. */
struct run;

/* Prepare a run, and resume it from the checkpoint if the options require that. Model, corpus and
 * options are borrowed until run_free. */
elman_status run_create(struct run **run, struct model *model, const struct corpus *corpus,
                        const elman_train_options *options, elman_error *error) CHECKED;

/* Do at most `updates` updates, with the validations, snapshots and checkpoints that are due. Then
 * the model has the weights and the history of the last update. Set *finished to whether no update
 * remains; a finished run stays unchanged.
 *
 * If a callback stops the run, return ELMAN_INTERRUPTED before the next update; the run can
 * continue. Any other error ends the run, such as ELMAN_INVALID_ARGUMENT after ten updates in a row
 * whose loss is not finite. After an error, and after run_finish, return ELMAN_INVALID_ARGUMENT and
 * change nothing. If writing a checkpoint fails, and a callback receives the failure, the next
 * checkpoint is written when it is due. */
elman_status run_advance(struct run *run, size_t updates, bool *finished,
                         elman_error *error) CHECKED;

/* Write the checkpoint between two calls of run_advance. A run that starts with the weights which
 * the model has now can resume from it, too. */
elman_status run_save(struct run *run, elman_error *error) CHECKED;

/* End the run, also after a stop or an error, and write the checkpoint. It is written even after
 * the last epoch, because a later run may add epochs. Afterwards the model contains the best
 * weights by validation; without validation the average, if there is one; otherwise the last
 * weights. Return only errors of this call. */
elman_status run_finish(struct run *run, elman_error *error) CHECKED;

/* Without run_finish, the model keeps the weights and the history of the last update. */
void run_free(struct run *run);

#endif
