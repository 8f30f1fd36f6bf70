/* Checks of the output files before training starts. They prevent the loss of existing models and
 * of the result. */
#ifndef ELMAN_CLI_TRAIN_OUTPUT_H
#define ELMAN_CLI_TRAIN_OUTPUT_H

#include <stdbool.h>

#include "elman.h"

enum { TRAIN_NOTICE = 1024 };

struct train_output {
  const elman_train_options
      *train; /* options for training; only output, checkpoint, keep_last and resume are used */
  const char *init_from;     /* file of the initial model, or NULL */
  bool tunes_search;         /* the run stores a search in the model */
  char notice[TRAIN_NOTICE]; /* message that names the model to overwrite; empty = none */
  bool replaces_checkpoint;  /* a checkpoint of a finished run exists and will be replaced */
};

/* Check that the output model can be written, and lock it for this run; the caller releases *lock.
 * NULL = check only. Return an exit code; print a message if it is not 0. */
int train_output_claim(elman_lock **lock, const struct train_output *output);

/* Refuse to lose work. Refuse to overwrite an unfinished run, or, if --resume finds no checkpoint,
 * an existing model. Without --force, refuse to overwrite or delete a model or snapshot that took
 * long to train, or a file that is not a model. Refuse to resume a run without --tune-search if the
 * model has a tuned search. Return an exit code; print a message if it is not 0. */
int train_output_check(struct train_output *output);

/* Save the model to `path`. If this fails, save it to a new folder below the temporary folder,
 * because the training may have taken days, and report the name of the file. If this fails, too,
 * report whether the model is lost or `in_checkpoint`. Return the exit code of the first attempt;
 * print a message if it is not 0. */
int train_output_save(const elman_model *model, const char *path, bool in_checkpoint);

#endif
