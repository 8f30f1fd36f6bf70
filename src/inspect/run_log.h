/* The numbers in the log of a training run, and the points of a curve. */
#ifndef ELMAN_INSPECT_RUN_LOG_H
#define ELMAN_INSPECT_RUN_LOG_H

#include <stddef.h>

#include "base/status.h"
#include "elman/plot.h"

/* Events that have curves. */
enum run_event { RUN_UPDATE, RUN_VALIDATION, RUN_EVENTS };

/* The numbers of a curve are at most FARTHEST, so that differences and squares of axes are
 * finite. */
#define FARTHEST 1e100

struct point {
  double x, y;
};

/* A growing list of points. */
struct points {
  struct point *points;
  size_t count, capacity;
};

/* Set `points`, an empty list, to the curve of a key over the key `x_axis`. The caller frees the
 * points, also after an error. */
elman_status run_log_curve(struct points *points, const elman_run_log *log, enum run_event event,
                           const char *key, const char *x_axis, elman_error *error) CHECKED;

/* Return the path of the log. */
const char *run_log_path(const elman_run_log *log);

/* Return the key at `index`, in the order of the log; NULL past the last. */
const char *run_log_key(const elman_run_log *log, size_t index);

#endif
