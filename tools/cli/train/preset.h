/* The preset of `train`: its options, and those that depend on the files of the run. */
#ifndef ELMAN_CLI_PRESET_H
#define ELMAN_CLI_PRESET_H

#include "options/option.h"
#include "train/train_job.h"

/* Apply the preset to the options that were not given, and report what does not apply. Refuse an
 * option that was given and has no effect. */
int preset_apply(struct train_job *job, const struct usage *usage, const struct operands *operands);

/* Fit the preset to the model and to the length of the run. */
int preset_fit(struct train_job *job, const elman_model *model, size_t pairs);

#endif
