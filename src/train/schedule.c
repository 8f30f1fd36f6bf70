#include "train/schedule.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {[SCHEDULE_CONSTANT] = "constant",
                                    [SCHEDULE_PLATEAU] = "plateau",
                                    [SCHEDULE_INVERSE_SQRT] = "inverse-sqrt"};

const char *schedule_name(enum schedule_kind kind) {
  return kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

bool schedule_parse(enum schedule_kind *kind, const char *name) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i], name) == 0) {
      *kind = (enum schedule_kind)i;
      return true;
    }
  }
  return false;
}

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
