/* Figures of the service for Prometheus. */
#ifndef ELMAN_CLI_METRICS_H
#define ELMAN_CLI_METRICS_H

#include <stdint.h>

#include "serve/jobs.h"

enum { STATUS_CLASSES = 6, TIME_BUCKETS = 12 };

/* Counts of requests since the start. */
struct http_counts {
  uint64_t by_class[STATUS_CLASSES]; /* answers by the first digit of the status */
  uint64_t refused[3];               /* 413, 429, 503 */
  uint64_t times[TIME_BUCKETS + 1];  /* translated requests by duration; see time_bounds */
  double seconds;                    /* sum of the durations */
  uint64_t connections, evicted, slow;
  uint64_t reloads, failed_reloads;
};

/* Upper bounds of the buckets of durations, in seconds. */
extern const double time_bounds[TIME_BUCKETS];

/* Return the figures in the text format of Prometheus; text NULL if memory runs out. `open` and
 * `models` are the numbers of open connections and of models. */
struct answer metrics_text(const struct http_counts *counts, const struct job_counts *jobs,
                           size_t open, size_t models);

#endif
