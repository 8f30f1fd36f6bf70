/* Processes that train together begin alike. */
#ifndef ELMAN_TRAIN_JOIN_H
#define ELMAN_TRAIN_JOIN_H

#include "train/same_training.h"

/* Holds version, kernels, options and corpus against those of process 0: ELMAN_INVALID_ARGUMENT in
 * all processes if any differs, and the message names the process and what differs. */
elman_status join_compare(const struct trainer *trainer, const elman_train_options *options,
                          struct corpus_hashes hashes, elman_error *error) CHECKED;

/* Gives the weights of process 0 to all, with the moments and the state of its training. */
elman_status join_spread(struct trainer *trainer, const elman_group *group,
                         elman_error *error) CHECKED;

#endif
