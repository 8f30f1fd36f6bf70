/* The training loop: epochs, validation, learning-rate schedule, checkpoints and the end of a run.
 */
#ifndef ELMAN_TRAIN_LOOP_H
#define ELMAN_TRAIN_LOOP_H

#include "corpus/corpus.h"
#include "train/trainer.h"

/* Return the default number of epochs. It is at least 10, and large enough for at least 400
 * updates. `updates` is the number of updates in one epoch. */
size_t trainer_default_epochs(size_t updates);

/* Train the model. Afterwards it contains the best weights by validation; without validation the
 * average, if there is one; otherwise the last weights. If a callback stops the run, choose the
 * weights in the same way, write the checkpoint and return ELMAN_INTERRUPTED. If writing a
 * checkpoint fails, the next one is written when it is due. After ten updates in a row whose loss
 * is not finite, return ELMAN_INVALID_ARGUMENT. */
elman_status trainer_run(struct model *model, const struct corpus *corpus,
                         const elman_train_options *options, elman_error *error) CHECKED;

#endif
