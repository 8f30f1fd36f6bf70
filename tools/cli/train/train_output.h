/* Checks of the output files before training starts, so that no existing model and no result is
 * lost. */
#ifndef ELMAN_CLI_TRAIN_OUTPUT_H
#define ELMAN_CLI_TRAIN_OUTPUT_H

#include <stdbool.h>

#include "elman.h"

enum { TRAIN_NOTICE = 1024 };

struct train_output {
  const elman_train_options *train; /* uses output, checkpoint, keep_last and resume */
  const char *init_from;            /* file, or NULL */
  bool force;
  char notice[TRAIN_NOTICE]; /* names the model that will be overwritten; empty = none */
  bool replaces_checkpoint;  /* there is the checkpoint of a finished run */
};

/* Lock the model for this run; the caller releases *lock. Return an exit code; print a message if
 * it is not 0. */
int train_output_claim(elman_lock **lock, const struct train_output *output);

/* Refuse to overwrite a file that is neither empty nor a model, for commands without --force.
 * Return an exit code; print a message if it is not 0. */
int train_output_check_model(const char *path);

/* Refuse to lose work: an unfinished run is neither overwritten nor mistaken for a new one; a model
 * or snapshot that took long to train is not overwritten or deleted without --force; nor is a file
 * that is not a model. Return an exit code; print a message if it is not 0. */
int train_output_check(struct train_output *output);

#endif
