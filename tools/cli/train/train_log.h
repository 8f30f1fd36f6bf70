/* The log of a training run: JSON Lines with one object per event, or CSV with one row per update
 * or validation. */
#ifndef ELMAN_CLI_TRAIN_LOG_H
#define ELMAN_CLI_TRAIN_LOG_H

#include <stdbool.h>
#include <stdio.h>

#include "console/terminal.h"
#include "elman.h"

/* Must not move while it is open. */
struct train_log {
  FILE *stream; /* NULL = no log */
  const char *path;
  int descriptor;
  bool csv;
  bool guided; /* updates have a guided-alignment loss */
  int problem; /* errno of the first write that failed, or 0; nothing is written after it */
  struct progress *progress; /* erased before a message */
};

/* Return the name of the format at `index`; NULL past the last. */
const char *train_log_format(size_t index);

/* Path and format of a log. */
struct train_log_place {
  const char *path;   /* NULL = no log */
  const char *format; /* NULL = by the suffix of the path, or JSON Lines */
  bool append; /* for a resumed run: append to the existing log, which must have this format */
  bool force;  /* without `append`: overwrite any file, not only a log */
};

/* Lock the log, if it can be opened and the existing file is a log or empty; the caller releases
 * *lock. This check runs before hours of work and writes nothing. Return an exit code; print a
 * message if it is not 0. */
int train_log_claim(elman_lock **lock, const struct train_log_place *place);

/* Open the log. Return an exit code; print a message if it is not 0. A later write error is
 * reported when it happens; nothing more is written then. */
int train_log_open(struct train_log *log, const struct train_log_place *place,
                   struct progress *progress);

/* Write the settings when all are known; CSV has no place for them. */
void train_log_start(struct train_log *log, const elman_model *model,
                     const elman_train_options *options, size_t epochs);

void train_log_update(struct train_log *log, const elman_train_report *report,
                      double tokens_per_second);
void train_log_validation(struct train_log *log, const elman_validation *validation);

/* Return `code`, or the exit code of a write error (reported here or before). */
int train_log_close(struct train_log *log, int code);

#endif
