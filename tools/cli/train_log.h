/* The log of a training run: JSON Lines, one object an event. */
#ifndef ELMAN_CLI_TRAIN_LOG_H
#define ELMAN_CLI_TRAIN_LOG_H

#include <stdbool.h>
#include <stdio.h>

#include "elman.h"

struct train_log {
  FILE *stream; /* NULL = no log */
  const char *path;
};

/* `path` NULL = no log. A run that is resumed appends. Gives an exit code, after a message if that
 * is not 0. */
int train_log_open(struct train_log *log, const char *path, bool append);

void train_log_update(struct train_log *log, const elman_train_report *report,
                      double tokens_per_second);
void train_log_validation(struct train_log *log, const elman_validation *validation);

/* Gives `code`, or the exit code of what failed, after a message. */
int train_log_close(struct train_log *log, int code);

#endif
