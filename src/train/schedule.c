#include "train/schedule.h"

#include <math.h>
double schedule_rate(const struct schedule *schedule, uint64_t update, double factor) {
  const double warm_up = (double)schedule->warm_up, now = (double)update;
  double rate = schedule->peak * factor;
  if (update < schedule->warm_up) return rate * now / warm_up;
  if (schedule->kind == SCHEDULE_INVERSE_SQRT) rate *= sqrt(fmax(warm_up, 1) / now);
  return rate;
}

double schedule_factor(const struct schedule *schedule, double factor, bool improved) {
  return schedule->kind == SCHEDULE_PLATEAU && !improved ? factor / 2 : factor;
}
