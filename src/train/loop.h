/* The training loop: epochs, validation, learning-rate schedule, checkpoints and the end of a run.
 */
#ifndef ELMAN_TRAIN_LOOP_H
#define ELMAN_TRAIN_LOOP_H

#include "corpus/corpus.h"
#include "train/trainer.h"

/* Return the number of epochs that make at least 400 updates, but at least 10. `updates` is the
 * number of updates in one epoch. */
size_t trainer_default_epochs(size_t updates);

/* Train the model. Afterwards it contains the best weights by validation, otherwise the average,
 * otherwise the last weights. Return ELMAN_INTERRUPTED when a callback stopped the run, with the
 * same weights in the model and the checkpoint written. If writing a checkpoint fails, the next one
 * is written when it is due. Ten updates in a row whose loss is not finite are
 * ELMAN_INVALID_ARGUMENT. */
elman_status trainer_run(struct model *model, const struct corpus *corpus,
                         const elman_train_options *options, elman_error *error) CHECKED;

#endif
