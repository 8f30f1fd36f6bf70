/* One team of threads for everything that a call computes in parallel.
 *
 * The work of a job lies in pieces. Each thread does one after the other, and nobody waits for a
 * thread that has none: on a busy machine the caller does them all. Every member
 * begins with the same pieces each time, from the first to the last and the next time back, so that
 * what it read last is still in its cache. What comes out must not depend on who does what.
 *
 * The team that a thread has in use is what its jobs run on. A thread that has none does a job by
 * itself, and so does a member within a piece. */
#ifndef ELMAN_BASE_TEAM_H
#define ELMAN_BASE_TEAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct team;

/* The processors that this process may run on. */
size_t processors_usable(void);

/* `members` with the caller, at most TEAM_MOST. Their threads start with the first job, from whose
 * caller they have their floating-point mode; where the system gives no more threads, there are
 * fewer. */
enum { TEAM_MOST = 256 };

elman_status team_create(struct team **team, size_t members, elman_error *error) CHECKED;
void team_free(struct team *team);

/* The calling thread has it in use from now on (NULL: none); gives what it had before. One thread
 * at a time may use a team. */
struct team *team_use(struct team *team);

/* The members of the team in use; 1 where there is none. */
size_t team_size(void);

/* Calls job(context, i) for every i below count, in any order, and returns when all are done. */
typedef void team_job(const void *context, size_t i);

void team_run(team_job *job, const void *context, size_t count);

/* ---- what is worth sharing ---- */

/* The one cost model: work is counted in multiplications of a product of large matrices, of which
 * a core does 64 and more in a nanosecond, and is worth sharing from 65 µs on. To post a
 * job costs the caller 0.1 µs, and 1 to 3 µs where members sleep, who come some 90 µs later. */
enum {
  WORK_OF_SMALL_PRODUCTS = 8, /* for each multiplication of products of few rows */
  WORK_OF_NUMBER = 32,        /* that is read, added or multiplied, and written */
  WORK_OF_FUNCTION = 64       /* an exponential, a root, a random number */
};
bool is_worth_sharing(double work);

/* The same as team_run for many small pieces, of which a member does some at a time, if `work`,
 * that of all, is worth it. */
void share_out(size_t count, double work, team_job *job, const void *context);

/* ---- a job beside other work ---- */

/* A job for a thread of its own, while the caller goes on with other work. The job begins when
 * everything that it waits for is ready. If the system gives no thread, or the caller wants none,
 * background_task_finish does the job. */
struct background_task;

/* The thread starts with its first job and inherits the floating-point mode of the caller. It has
 * no team in use. */
elman_status background_task_create(struct background_task **background_task,
                                    elman_error *error) CHECKED;
void background_task_free(struct background_task *background_task);

/* job(context) runs once background_task_signal has been called `awaited` times, by any threads; at
 * once if that is 0. `here`: background_task_finish runs it. The previous job has ended
 * (background_task_finish). */
typedef void background_function(void *context);
void background_task_start(struct background_task *background_task, size_t awaited, bool here,
                           background_function *job, void *context);
void background_task_signal(struct background_task *background_task);

/* Returns when the job is done. All that it waits for has been brought, or will be by others. */
void background_task_finish(struct background_task *background_task);

#endif
