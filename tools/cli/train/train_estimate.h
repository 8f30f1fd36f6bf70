/* Estimate of the time of a training run from its first updates, and the dry run, which prints it
 * without writing a file. */
#ifndef ELMAN_CLI_TRAIN_ESTIMATE_H
#define ELMAN_CLI_TRAIN_ESTIMATE_H

#include <stdbool.h>

#include "elman.h"
#include "train/train_job.h"

/* Time of updates. It counts from the end of the first one, which also reserves memory. */
struct train_speed {
  double began; /* time on the clock of now(); 0 = no update has ended */
  size_t updates;
  bool known;            /* the measurement is complete */
  double update_time;    /* mean seconds per update */
  double processor_time; /* seconds of all threads in the measured time; valid if `known` */
};

/* Count an update. Return true once: when enough updates are measured, or the run has ended. */
bool train_speed_add(struct train_speed *speed, const elman_train_report *report);

/* Print the expected time of the run if it will take longer than a minute. */
void train_speed_note(const struct train_speed *speed, const elman_train_report *report,
                      const elman_train_options *options);

/* Train for some updates, and print what the run would need. Write no file. The pairs are freed.
 * Return an exit code; print a message if it is not 0. */
int train_estimate(elman_model *model, elman_pairs **pairs, const elman_pairs *dev,
                   const struct train_job *job);

#endif
