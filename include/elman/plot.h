/* Curves of training runs, drawn from their logs. */
#ifndef ELMAN_PLOT_H
#define ELMAN_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "elman/status.h"

ELMAN_BEGIN

/* The numbers in the log of a training run (`elman train --log`). */
typedef struct elman_run_log elman_run_log;

/* Read a log at `path`, JSON Lines or CSV, plain or gzip-compressed; "-" is standard input. Skip
 * lines that are no events, such as an incomplete last line, which a killed run leaves. Return
 * ELMAN_BAD_DATA if no line is an event. */
ELMAN_CHECKED elman_status elman_run_log_read(elman_run_log **log, const char *path,
                                              elman_error *error);
ELMAN_API void elman_run_log_free(elman_run_log *log);

/* Return the number of lines that were skipped. */
ELMAN_API size_t elman_run_log_skipped(const elman_run_log *log);

/* Contents and scales of a picture. */
typedef struct elman_plot_options {
  const char *title;         /* text above the panels; NULL (default) or "" = none */
  const char *const *panels; /* keys of the log, a panel for each; NULL (default) = "loss" and
                                "bleu", if the logs contain them */
  size_t panel_count;        /* number of keys, up to 16; 0 for the default */
  const char *x_axis;        /* key of the horizontal axis; default "update" */
  bool log_x, log_y;         /* logarithmic axes; points that are not positive are omitted */
  const char *const *labels; /* one per log, for the legend; NULL (default) = names of files */
  uint64_t reserved[4];
} elman_plot_options;

ELMAN_API elman_plot_options elman_plot_options_default(void);

/* Draw the curves of `count` logs, at least 1, as SVG. The panels lie one below another and have
 * the same horizontal axis. A panel has two curves for each log: a thin one of the updates, and one
 * with dots of the validations. A long curve is drawn as means of neighboring points. Points at the
 * same place are drawn as their mean, too. An update that a resumed run repeated is drawn once. A
 * validation that lacks the value of the horizontal axis is drawn at the value of the preceding
 * update. Return ELMAN_INVALID_ARGUMENT if a key is in no log, and ELMAN_BAD_DATA if a log has no
 * curve. A write error sets the stream's error flag. */
ELMAN_CHECKED elman_status elman_plot_draw(FILE *stream, const elman_run_log *const *logs,
                                           size_t count, const elman_plot_options *options,
                                           elman_error *error);

ELMAN_END

#endif
