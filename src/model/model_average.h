/* The mean of the weights of several models. */
#ifndef ELMAN_MODEL_MODEL_AVERAGE_H
#define ELMAN_MODEL_MODEL_AVERAGE_H

#include "model/model.h"

/* As elman_model_average. No more than two models are in memory at a time, and the sums. */
elman_status model_average(struct model **average, const char *const *paths, size_t count,
                           elman_error *error) CHECKED;

#endif
