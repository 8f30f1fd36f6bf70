/* Checkpoints: the whole state of a training run in one safetensors file. A run that continues from
 * it produces the same final model, bit for bit, as an uninterrupted run. */
#ifndef ELMAN_TRAIN_CHECKPOINT_H
#define ELMAN_TRAIN_CHECKPOINT_H

#include "train/same_training.h"
#include "train/trainer.h"

/* Write the checkpoint that the options name, replacing an existing one atomically. Call
 * trainer_flush first. */
elman_status checkpoint_save(const struct trainer *trainer, elman_error *error) CHECKED;

/* Read the checkpoint that the options name into the trainer and its model. If the file does not
 * exist, leave them unchanged and set *found to false. Return ELMAN_INVALID_ARGUMENT, naming the
 * difference, for another corpus or options that change the result, and ELMAN_BAD_DATA for a
 * damaged file. */
elman_status checkpoint_load(struct trainer *trainer, bool *found, elman_error *error) CHECKED;

/* See elman_checkpoint_get_state. */
elman_status checkpoint_get_state(elman_checkpoint_state *checkpoint, const char *path,
                                  elman_error *error) CHECKED;

#endif
