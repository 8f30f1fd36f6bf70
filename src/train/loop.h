/* Training over epochs: validation, schedule, checkpoints, and how it ends. */
#ifndef ELMAN_TRAIN_LOOP_H
#define ELMAN_TRAIN_LOOP_H

#include "corpus/corpus.h"
#include "train/trainer.h"

/* At least 10 epochs, and as many as give 400 updates; `updates` are those of one epoch. */
size_t trainer_default_epochs(size_t updates);

/* Trains; afterwards the model holds the best weights by validation, or else the average, or else
 * the last. ELMAN_INTERRUPTED when a report function stopped it: the model holds the same, and the
 * checkpoint is written. After a failure the next checkpoint is written when it is due. Ten updates
 * in a row with a loss that is not finite are ELMAN_INVALID_ARGUMENT. */
elman_status trainer_run(struct model *model, const struct corpus *corpus,
                         const elman_train_options *options, elman_error *error) CHECKED;

#endif
