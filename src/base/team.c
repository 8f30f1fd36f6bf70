/* The part of a team that does not depend on threads. team_threads.c runs a team on POSIX threads;
 * team_alone.c replaces it on a system without threads. */
#include "base/team.h"

/* ---- sharing ---- */

bool is_worth_sharing(double work) {
  return work >= 1 << 22;
}

/* A job whose pieces each cover a stretch of consecutive items. */
struct stretches {
  team_job *job;
  const void *context;
  size_t count, items;
};

static void run_stretch(const void *context, size_t i) {
  const struct stretches *all = context;
  const size_t end = all->items * (i + 1) / all->count;
  for (size_t at = all->items * i / all->count; at < end; at++) all->job(all->context, at);
}

void share_out(size_t count, double work, team_job *job, const void *context) {
  enum { STRETCHES = 8 }; /* maximum number of stretches per member */
  const size_t most = STRETCHES * team_size();
  if (count <= 1 || !is_worth_sharing(work)) {
    for (size_t i = 0; i < count; i++) job(context, i);
  } else if (count <= most || team_size() == 1) {
    team_run(job, context, count);
  } else {
    const struct stretches all = {job, context, most, count};
    team_run(run_stretch, &all, most);
  }
}
