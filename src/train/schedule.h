/* The learning rate of each update. */
#ifndef ELMAN_TRAIN_SCHEDULE_H
#define ELMAN_TRAIN_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of their names, which model/hyperparameters.c has. */
enum schedule_kind {
  SCHEDULE_CONSTANT,
  SCHEDULE_PLATEAU,     /* halved after each validation that brings no new best */
  SCHEDULE_INVERSE_SQRT /* peak · √(warm-up / update) (Vaswani et al., NIPS 2017) */
};

struct schedule {
  enum schedule_kind kind;
  double peak;
  size_t warm_up; /* updates during which the rate rises in a straight line */
};

/* `update` counts from 1; `factor` is what the plateaus so far have left of the rate. */
double schedule_rate(const struct schedule *schedule, uint64_t update, double factor);

/* The factor after a validation. */
double schedule_factor(const struct schedule *schedule, double factor, bool improved);

#endif
