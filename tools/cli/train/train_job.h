/* A training run of the command. */
#ifndef ELMAN_CLI_TRAIN_JOB_H
#define ELMAN_CLI_TRAIN_JOB_H

#include <stdbool.h>

#include "elman.h"
#include "input/pairs_input.h"
#include "train/train_log.h"
#include "train/train_output.h"

struct train_job {
  struct pairs_input input;
  elman_model_options model;
  elman_train_options train; /* contains the file names of the output and of the dev pairs */
  struct train_output output;
  struct train_log_place log;
  const char *guide; /* a column of the pairs, a file, or NULL */
  elman_preset preset;
  bool given[ELMAN_MAX_OPTIONS]; /* options that do not come from the preset */
  unsigned augmentation;         /* bits of the given options of augmentation, in their order */
  bool languages_of_names;       /* the names of the pairs state the languages, not options */
  bool plain; /* a new model with the default architecture and without dev pairs */
  bool dry;   /* measure some updates and write no file */
  bool alone; /* the output is not a regular file, so no other files are written next to it */
  double hours, started_at; /* 0 hours = no limit */
};

#endif
