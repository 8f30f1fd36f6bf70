/* Threads that lend a hand with jobs of some microseconds, many times a sentence.
 *
 * OpenMP waits for every thread at the end of every job, also for one that the system runs
 * something else on instead. Here each takes a piece after the other, and nobody waits for a thread
 * that has not taken one: on a busy machine the caller does it all alone. Every member begins with
 * the same pieces each time, from the first to the last and the next time back, so that what it
 * read last is still in its cache. What comes out must not depend on who does what. */
#ifndef ELMAN_BASE_TEAM_H
#define ELMAN_BASE_TEAM_H

#include <stddef.h>

#include "base/status.h"

struct team;

/* `members` with the caller, at most TEAM_MOST; fewer where the system gives no more threads. */
enum { TEAM_MOST = 64 };
elman_status team_create(struct team **team, size_t members, elman_error *error) CHECKED;
void team_free(struct team *team);

/* Calls job(context, i) for every i below count, and returns when all are done. One thread at a
 * time may call it. */
typedef void team_job(void *context, size_t i);
void team_run(struct team *team, team_job *job, void *context, size_t count);

#endif
