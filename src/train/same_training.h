/* Checks that two runs belong together: corpus, model, options and initial weights must agree. A
 * checkpoint records these four. A run that resumes a checkpoint must agree with it, and all
 * processes of one run must agree with each other. */
#ifndef ELMAN_TRAIN_SAME_TRAINING_H
#define ELMAN_TRAIN_SAME_TRAINING_H

#include "base/json.h"
#include "model/safetensors.h"
#include "train/trainer.h"

struct corpus_hashes corpus_hashes_of(const struct corpus *corpus);

/* ---- in the metadata of a checkpoint ---- */

/* Return ELMAN_BAD_DATA, and report that the part `what` of the file has this problem. */
elman_status checkpoint_bad(const struct safetensors *file, elman_error *error, const char *problem,
                            const char *what) CHECKED;

/* Read the JSON object with this key. Return ELMAN_BAD_DATA if there is no such object. The caller
 * frees *value. */
elman_status checkpoint_json(json_t **value, const struct safetensors *file, const char *key,
                             elman_error *error) CHECKED;

/* Add the options, or the start, to the metadata. Return nonzero when memory runs out. */
int training_set_options(json_t *metadata, const struct trainer *trainer);
int training_set_start(json_t *metadata, const struct training_start *start);

/* Read the options of scope ELMAN_SCOPE_TRAINING from the checkpoint. */
elman_status training_get_options(elman_train_options *options, const struct safetensors *file,
                                  elman_error *error) CHECKED;

/* Compare corpus, model, options and initial weights with those of the checkpoint. If they differ,
 * return ELMAN_INVALID_ARGUMENT and name the difference. Otherwise copy the start recorded in the
 * checkpoint to the trainer. */
elman_status training_check(struct trainer *trainer, const struct safetensors *file,
                            elman_error *error) CHECKED;

/* ---- between processes ---- */

/* Compare version, kernels, options and corpus with those of process 0. If any differs, return
 * ELMAN_INVALID_ARGUMENT in all processes and name the process and the difference. */
elman_status training_compare(const struct trainer *trainer, elman_error *error) CHECKED;

/* Copy weights, moments and training state from process 0 to all processes. */
elman_status training_broadcast(struct trainer *trainer, const elman_group *group,
                                elman_error *error) CHECKED;

#endif
