/* Checkpoints: everything that the rest of a training run depends on, in one safetensors file. A
 * run that goes on from one gives the same final model, bit for bit, as one that never stopped. */
#ifndef ELMAN_TRAIN_CHECKPOINT_H
#define ELMAN_TRAIN_CHECKPOINT_H

#include "train/same_training.h"
#include "train/trainer.h"

/* Writes the checkpoint of the options, which is replaced at once. After trainer_flush. */
elman_status checkpoint_save(const struct trainer *trainer, elman_error *error) CHECKED;

/* Reads the checkpoint of the options into the trainer and its model. A file that is not there
 * leaves them as they are, and *found is then false. Another corpus, or options that change the
 * result, are ELMAN_INVALID_ARGUMENT with the difference; a damaged file is ELMAN_BAD_DATA. */
elman_status checkpoint_load(struct trainer *trainer, bool *found, elman_error *error) CHECKED;

/* As elman_checkpoint_get_state. */
elman_status checkpoint_get_state(elman_checkpoint_state *checkpoint, const char *path,
                                  elman_error *error) CHECKED;

#endif
