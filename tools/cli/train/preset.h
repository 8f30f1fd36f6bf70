/* The presets of `train`, and how they fit the other options, the pairs and the model. */
#ifndef ELMAN_CLI_PRESET_H
#define ELMAN_CLI_PRESET_H

#include "options/option.h"
#include "train/train_job.h"

/* Return the name of the preset at `index`, from 0; NULL past the last. A preset is a named set of
 * defaults. Other options on the command line override single defaults. */
const char *preset_name(size_t index);

/* Return the settings of the preset at `index`, in the format of `settings` in struct option. */
const char *preset_settings(size_t index);

/* Switch off settings that come from the preset and that other options exclude, and report each.
 * Refuse such settings if they were given themselves. */
int preset_fit_options(struct train_job *job, const struct usage *usage,
                       const struct operands *operands);

/* Switch off the preset's subword dropout if the model splits no side into subwords. */
void preset_fit_model(struct train_job *job, const elman_model *model);

/* Fit learning rate, warm-up, moving average and dropout of the preset to the length of the run, as
 * far as they were not given themselves, and report them. A run that resumes keeps its settings. */
int preset_fit_length(struct train_job *job, size_t pairs);

/* Estimate the number of updates of a run with this number of pairs. */
double expected_updates(const struct train_job *job, size_t pairs);

#endif
