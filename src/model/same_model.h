/* Processes that translate together need one model. */
#ifndef ELMAN_MODEL_SAME_MODEL_H
#define ELMAN_MODEL_SAME_MODEL_H

#include "base/group.h"
#include "elman/translate.h"
#include "model/model.h"

/* ELMAN_INVALID_ARGUMENT in all, with the number of the first process whose program, kernels, model
 * or options are not those of process 0. */
elman_status same_model(const elman_group *group, const struct model *model,
                        const elman_translate_options *options, elman_error *error) CHECKED;

#endif
