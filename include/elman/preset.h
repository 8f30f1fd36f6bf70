/* Presets: named settings of a model and its training, tuned for real corpora.
 *
 *   elman_preset preset = {.name = "small"};
 *   elman_preset_apply(&model_options, &train_options, &preset, &error);
 *   elman_model_create(&model, pairs, &model_options, &train_options, &error);
 *   elman_preset_fit(&train_options, model, elman_pairs_count(pairs), &preset, &error);
 *   elman_train(model, pairs, &train_options, &error);
 *   if (elman_preset_tunes_search(preset.name)) elman_tune_search(trials, model, dev, NULL,
 * &error);
 */
#ifndef ELMAN_PRESET_H
#define ELMAN_PRESET_H

#include "elman/options.h"
#include "elman/train.h"

ELMAN_BEGIN

/* Return the name of a preset, from index 0; NULL after the last. The first one, "plain", sets
 * nothing. */
ELMAN_API const char *elman_preset_name(size_t index);

/* Return the settings of the preset at `index`, separated by spaces: "layer_norm epochs=20". The
 * names are rows of elman/options.h, `epochs`, and `tune_search` (elman_preset_tunes_search). */
ELMAN_API const char *elman_preset_settings(size_t index);

/* Return whether the preset with this `name` tunes the search of the trained model on dev pairs:
 * elman_tune_search. */
ELMAN_API bool elman_preset_tunes_search(const char *name);

/* Use of a preset. */
typedef struct elman_preset {
  const char *name;  /* from elman_preset_name; NULL = "plain" */
  const bool *given; /* given[row->index] states whether a user gave the option; the preset does not
                        change a given option; NULL = none was given */
  /* Called for each change that the name of the preset does not imply; may be NULL. Names of
   * options in the message are marked as in a message of elman_error. */
  void (*note)(void *context, const char *message);
  void *context;
  uint64_t reserved[4];
} elman_preset;

/* Set the options of the preset, except those that other options exclude. `epochs` is set if it is
 * ELMAN_EPOCHS_AUTO. Set the dev pairs (or their name) and guide_weight before this call. `model`
 * or `train` may be NULL. */
ELMAN_CHECKED elman_status elman_preset_apply(elman_model_options *model,
                                              elman_train_options *train,
                                              const elman_preset *preset, elman_error *error);

/* Fit learning rate, warm-up, moving average and dropout to the length of a run; `pairs` is the
 * number of training pairs. Fit subword dropout to the model. If the checkpoint is resumed, take
 * these values from it. In a group, all processes make this call. */
ELMAN_CHECKED elman_status elman_preset_fit(elman_train_options *options, const elman_model *model,
                                            size_t pairs, const elman_preset *preset,
                                            elman_error *error);

/* Return the expected number of updates of a run; `pairs` is the number of training pairs. The
 * result is an estimate if batches are limited in tokens. */
ELMAN_API double elman_expected_updates(const elman_train_options *options, size_t pairs);

ELMAN_END

#endif
