/* The log of a training run: JSON Lines, an object an event, or CSV, a row an update or validation.
 */
#ifndef ELMAN_CLI_TRAIN_LOG_H
#define ELMAN_CLI_TRAIN_LOG_H

#include <stdbool.h>
#include <stdio.h>

#include "console/terminal.h"
#include "elman.h"

/* Lies in one place while it is open. */
struct train_log {
  FILE *stream; /* NULL = no log */
  const char *path;
  int descriptor;
  bool csv;
  bool guided;               /* updates have a guide's loss */
  int problem;               /* errno of the first write that failed, or 0; it was the last one */
  struct progress *progress; /* whose line a message must not be mixed with */
};

/* The names of the formats. */
const char *train_log_format(size_t index);

/* Where a log goes, and how. */
struct train_log_place {
  const char *path;   /* NULL = no log */
  const char *format; /* NULL = what the suffix of the path says, or JSON Lines */
  bool append;        /* for a run that is resumed: to what its first part wrote, in that format */
  bool force;         /* without `append`: replaces whatever is there, and not only a log */
};

/* Claims the log for this training, which then releases *lock, if it can be opened and what is
 * there is a log or empty; before hours of work, and without writing. Gives an exit code, after a
 * message if that is not 0. */
int train_log_claim(elman_lock **lock, const struct train_log_place *place);

/* Likewise. A write that fails later is reported when it happens, and nothing more is written. */
int train_log_open(struct train_log *log, const struct train_log_place *place,
                   struct progress *progress);

/* The settings, once all are known; CSV has no place for them. */
void train_log_start(struct train_log *log, const elman_model *model,
                     const elman_train_options *options, size_t epochs);

void train_log_update(struct train_log *log, const elman_train_report *report,
                      double tokens_per_second);
void train_log_validation(struct train_log *log, const elman_validation *validation);

/* Gives `code`, or the exit code of what failed, now (after a message) or before. */
int train_log_close(struct train_log *log, int code);

#endif
