/* Checkpoints: the whole state of a training run in one safetensors file. A run that continues from
 * a checkpoint produces the same final model, bit for bit, as an uninterrupted run. */
#ifndef ELMAN_TRAIN_CHECKPOINT_H
#define ELMAN_TRAIN_CHECKPOINT_H

#include "train/same_training.h"
#include "train/trainer.h"

/* Write the checkpoint that the options name. Replace an existing one atomically. The caller must
 * first call trainer_flush. */
elman_status checkpoint_save(const struct trainer *trainer, elman_error *error) CHECKED;

/* Before the first update, check that there is room for the model and the checkpoint that the
 * options name, and for another checkpoint if the run may replace the first. For this, allocate the
 * room in temporary files and release it. Without an output, check nothing. */
elman_status checkpoint_try(const struct trainer *trainer, elman_error *error) CHECKED;

/* Read the checkpoint that the options name into the trainer and its model. If the file does not
 * exist, leave both unchanged and set *found to false. For another corpus, or options that change
 * the result, return ELMAN_INVALID_ARGUMENT and name the difference. For a damaged file return
 * ELMAN_BAD_DATA. */
elman_status checkpoint_load(struct trainer *trainer, bool *found, elman_error *error) CHECKED;

#endif
