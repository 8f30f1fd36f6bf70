/* Checks of a training's output files before the work begins, so that neither an existing model
 * nor, at the end, the result is lost. */
#ifndef ELMAN_CLI_TRAIN_OUTPUT_H
#define ELMAN_CLI_TRAIN_OUTPUT_H

#include <stdbool.h>

#include "elman.h"

struct train_output {
  const char *model;      /* file */
  const char *checkpoint; /* likewise */
  const char *init_from;  /* file, or NULL */
  bool resume, force;
  char *notice; /* of TRAIN_NOTICE bytes: names the model that will be replaced */
};

enum { TRAIN_NOTICE = 1024 };

/* Claims the model for this training, which then releases *lock. Gives an exit code, after a
 * message if that is not 0. */
int train_output_claim(elman_lock **lock, const struct train_output *output);

/* A training that was stopped is neither lost nor taken for one that was never begun, and a model
 * that took long is not replaced by a slip. Gives an exit code, after a message if that is not 0.
 */
int train_output_check(const struct train_output *output);

#endif
