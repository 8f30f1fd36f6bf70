/* Checks of a training's output files before the work begins, so that neither an existing model
 * nor, at the end, the result is lost. */
#ifndef ELMAN_CLI_TRAIN_OUTPUT_H
#define ELMAN_CLI_TRAIN_OUTPUT_H

#include <stdbool.h>

#include "elman.h"

enum { TRAIN_NOTICE = 1024 };

struct train_output {
  const elman_train_options *train; /* with output, checkpoint, keep_last and resume */
  const char *init_from;            /* file, or NULL */
  bool force;
  char notice[TRAIN_NOTICE]; /* names the model that will be replaced; empty = none will */
  bool replaces_checkpoint;  /* there is one, of a training that has ended */
};

/* Claims the model for this training, which then releases *lock. Gives an exit code, after a
 * message if that is not 0. */
int train_output_claim(elman_lock **lock, const struct train_output *output);

/* Whether a file that is neither empty nor a model would be replaced by one, for commands that have
 * no --force. Gives an exit code, after a message if that is not 0. */
int train_output_check_model(const char *path);

/* A training that was stopped is neither lost nor mistaken for one that was never begun, and a
 * model that took long is not replaced by a slip, nor removed where it was kept beside the output.
 * A file that is no model is not replaced either. Gives an exit code, after a message if that is
 * not 0. */
int train_output_check(struct train_output *output);

#endif
