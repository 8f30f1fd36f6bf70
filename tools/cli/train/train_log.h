/* Log of a training run: JSON Lines with one object per event, or CSV with one row per update or
 * validation. */
#ifndef ELMAN_CLI_TRAIN_LOG_H
#define ELMAN_CLI_TRAIN_LOG_H

#include <stdbool.h>
#include <stdio.h>

#include "console/terminal.h"
#include "elman.h"

/* An open log must not move in memory. */
struct train_log {
  FILE *stream; /* NULL = no log */
  const char *path;
  const char *run;   /* name of the run; NULL = the name of the model */
  double started_at; /* time on the clock of now() */
  int descriptor;
  bool csv;
  bool begun;    /* the first event is written, or the run ends without one */
  bool replaces; /* the old content is deleted when the run begins */
  bool headed;   /* rows are appended to a log that has content */
  bool torn;     /* the last line of this log has no end */
  bool guided;   /* updates have a guided-alignment loss */
  int problem;   /* errno of the first failed write; 0 = none. After a failure, nothing more is
                    written */
  struct progress *progress; /* line that is erased before a message is printed */
};

/* Return the name of the format at `index`; NULL past the last. */
const char *train_log_format(size_t index);

/* Path and format of a log. */
struct train_log_place {
  const char *path;   /* NULL = no log */
  const char *run;    /* name of the run; NULL = the name of the model */
  const char *format; /* NULL = the format of the path's suffix, or JSON Lines */
  bool append;        /* append to the existing log of a resumed run, which must have this format */
};

/* Return whether the log is written as CSV. `place` must name a path. */
bool train_log_is_csv(const struct train_log_place *place);

/* Check that the log can be opened and that an existing file is a log or empty; lock the log. Write
 * nothing: this check runs before hours of work. The caller releases *lock. If `lock` is NULL,
 * check only. Return an exit code; print a message if it is not 0. */
int train_log_claim(elman_lock **lock, const struct train_log_place *place);

/* Open the log of a run of about `updates` updates, and check that there is room for it. Return an
 * exit code; print a message if it is not 0. A later write error is
 * reported when it happens; after that, nothing is written to the log. */
int train_log_open(struct train_log *log, const struct train_log_place *place, double updates,
                   struct progress *progress);

/* Delete the content that the log replaces. Events do this themselves; call this function if a run
 * without events succeeds. */
void train_log_begin(struct train_log *log);

/* Write the settings, all of which must be known. CSV does not contain settings. */
void train_log_start(struct train_log *log, const elman_model *model,
                     const elman_train_options *options, const elman_train_report *report);

void train_log_update(struct train_log *log, const elman_train_report *report,
                      double tokens_per_second);
void train_log_validation(struct train_log *log, const elman_validation *validation);

/* Close the log. Return `code`, or the exit code of a write error, which is reported once. */
int train_log_close(struct train_log *log, int code);

#endif
