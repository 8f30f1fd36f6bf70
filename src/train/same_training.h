/* Two runs belong to one training if corpus, model, options and start are the same. A checkpoint
 * holds these, and a run that resumes it must agree; so must processes that train together. */
#ifndef ELMAN_TRAIN_SAME_TRAINING_H
#define ELMAN_TRAIN_SAME_TRAINING_H

#include "base/json.h"
#include "model/safetensors.h"
#include "train/trainer.h"

struct corpus_hashes corpus_hashes_of(const struct corpus *corpus);

/* ---- in the metadata of a checkpoint ---- */

/* ELMAN_BAD_DATA: `what` of the file has this problem. */
elman_status checkpoint_bad(const struct safetensors *file, elman_error *error, const char *problem,
                            const char *what) CHECKED;

/* The object with this key; anything else is ELMAN_BAD_DATA. */
elman_status checkpoint_json(json_t **value, const struct safetensors *file, const char *key,
                             elman_error *error) CHECKED;

/* These return nonzero when memory runs out. */
int training_set_options(json_t *metadata, const struct trainer *trainer);
int training_set_start(json_t *metadata, const struct training_start *start);

/* ELMAN_INVALID_ARGUMENT, with the difference, unless corpus, model, options and start are those of
 * the checkpoint, whose start the trainer then has. */
elman_status training_check(struct trainer *trainer, const struct safetensors *file,
                            elman_error *error) CHECKED;

/* ---- between processes ---- */

/* Compares version, kernels, options and corpus with those of process 0: ELMAN_INVALID_ARGUMENT in
 * all processes if any differs, and the message names the process and the difference. */
elman_status training_compare(const struct trainer *trainer, elman_error *error) CHECKED;

/* Copies the weights of process 0 to all, with the moments and the state of its training. */
elman_status training_broadcast(struct trainer *trainer, const elman_group *group,
                                elman_error *error) CHECKED;

#endif
