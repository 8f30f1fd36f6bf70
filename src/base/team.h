/* A team of threads for the parallel loops of a call.
 *
 * A job is divided into pieces, and any thread may run any piece, so the result must not depend on
 * the assignment. Each thread first runs its own range of pieces. The order alternates between
 * ascending and descending from job to job, so that data read last is still in the cache. The
 * thread then runs pieces that other threads have not started. On a busy machine the caller may run
 * all pieces.
 *
 * A thread runs its jobs on the team that it selected with team_use. Without a team, and within a
 * piece, a job runs on the calling thread alone. */
#ifndef ELMAN_BASE_TEAM_H
#define ELMAN_BASE_TEAM_H

#ifndef __wasi__
#include <pthread.h>
#endif
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct team;

/* Return the number of processors that this process may run on. */
size_t processors_usable(void);

/* Create a team of `members` threads, including the caller; at most TEAM_MOST. The threads start
 * with the first job and inherit the floating-point mode of its caller. If the system cannot start
 * all of them, the team works with fewer. */
enum { TEAM_MOST = 256 };

elman_status team_create(struct team **team, size_t members, elman_error *error) CHECKED;
void team_free(struct team *team);

/* Make `team` (NULL = none) the team of the calling thread. Return its previous team. Only one
 * thread at a time may use a team. */
struct team *team_use(struct team *team);

/* Return the number of members of the team in use; 1 without a team. */
size_t team_size(void);

/* ---- jobs ---- */

/* Call job(context, i) for every i < count, in any order. Return when all calls are done. */
typedef void team_job(const void *context, size_t i);

void team_run(team_job *job, const void *context, size_t count);

/* ---- cost model ---- */

/* The cost model. The unit of work is one multiplication of a large matrix product; a core does at
 * least 64 of them per nanosecond. Sharing pays off from 65 µs of work. Posting a job costs the
 * caller 0.1 µs, or 1 to 3 µs if members sleep. Sleeping members start about 90 µs later. */
enum {
  WORK_OF_SMALL_PRODUCTS = 8, /* for each multiplication in products with few rows */
  WORK_OF_NUMBER = 32,        /* for each number that is read, added or multiplied, and written */
  WORK_OF_FUNCTION = 64       /* for each exponential, root or random number */
};
bool is_worth_sharing(double work);

/* Like team_run, for many small pieces, which members run in groups. `work` is the work of all
 * pieces together. If it is too little to share, the calling thread runs all pieces. */
void share_out(size_t count, double work, team_job *job, const void *context);

/* ---- locks ---- */

/* A lock for data that several pieces of a job share. Initialize it with TEAM_LOCK_INITIALIZER. */
#ifdef __wasi__
struct team_lock {
  char unused;
};
#define TEAM_LOCK_INITIALIZER                                                                      \
  { 0 }
#else
struct team_lock {
  pthread_mutex_t mutex;
};
#define TEAM_LOCK_INITIALIZER                                                                      \
  { PTHREAD_MUTEX_INITIALIZER }
#endif

void team_lock(struct team_lock *lock);
void team_unlock(struct team_lock *lock);

/* ---- background tasks ---- */

/* A job that runs on a separate thread while the caller does other work. It starts as soon as its
 * inputs are ready. If no thread can be started, or the caller prefers none, background_task_finish
 * runs the job. */
struct background_task;

/* Create a background task. Its thread starts with its first job, inherits the floating-point
 * mode of the caller and uses no team. */
elman_status background_task_create(struct background_task **background_task,
                                    elman_error *error) CHECKED;
void background_task_free(struct background_task *background_task);

/* Schedule job(context) to run after `awaited` calls of background_task_signal from any threads. If
 * `here`, background_task_finish runs the job on the thread that calls it. The previous job must be
 * finished. */
typedef void background_function(void *context);
void background_task_start(struct background_task *background_task, size_t awaited, bool here,
                           background_function *job, void *context);
void background_task_signal(struct background_task *background_task);

/* Wait until the job is done. The awaited signals must already have been sent, or other threads
 * must send them. */
void background_task_finish(struct background_task *background_task);

#endif
