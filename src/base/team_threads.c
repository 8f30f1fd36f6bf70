#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Time for which an idle member polls before it sleeps. It is longer than the gap between two time
 * steps of a sentence, but short enough to take little processor time from other programs. */
enum { PATIENCE_NS = 100000 };

/* The pieces assigned to one member. Each counter has a separate cache line. */
struct share {
  _Alignas(64) atomic_long left; /* number of pieces not started; the next piece is left - 1 */
};

struct team {
  struct share shares[TEAM_MOST];
  _Alignas(64) atomic_size_t unfinished; /* number of pieces not done */
  _Alignas(64) atomic_size_t asleep;
  atomic_bool over;
  atomic_bool waiting; /* the caller sleeps until the last piece is done */
  /* The job. The caller writes these fields only while no piece is left; members that run a piece
   * read them. */
  team_job *job;
  const void *context;
  size_t count;
  bool backwards;
  size_t members;
  bool started;
  size_t threads; /* number of running threads: members - 1 unless one could not be started */
  pthread_t ids[TEAM_MOST];
  struct seat {
    struct team *team;
    size_t member;
  } seats[TEAM_MOST];
  pthread_mutex_t mutex;
  pthread_cond_t wake, finished;
};

static _Thread_local struct team *in_use;

static _Thread_local bool backwards; /* whether the next job runs its pieces backward */

size_t processors_usable(void) {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) return (size_t)CPU_COUNT(&usable);
  const long online = sysconf(_SC_NPROCESSORS_ONLN); /* use this count if there are more processors
                                                        than the set can represent */
  return online < 1 ? 1 : (size_t)online;
}

/* ---- waiting ---- */

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb"); /* on most processors `yield` does not wait */
#endif
}

static long long nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Poll until condition() is false. Return true if PATIENCE_NS passes first. Measure wall-clock
 * time, so that time without the processor counts as waiting. Read the clock only every POLLS
 * polls, because reading it is expensive. */
static bool timed_out(struct team *team, bool (*condition)(struct team *)) {
  enum { POLLS = 16 };
  const long long end = nanoseconds() + PATIENCE_NS;
  for (size_t polls = 1; condition(team); polls++) {
    relax();
    if (polls % POLLS == 0 && nanoseconds() >= end) return true;
  }
  return false;
}

static bool is_idle(struct team *team) {
  for (size_t i = 0; i < team->members; i++) {
    if (atomic_load(&team->shares[i].left) > 0) return false;
  }
  return !atomic_load(&team->over);
}

static bool is_unfinished(struct team *team) {
  return atomic_load(&team->unfinished) > 0;
}

static void sleep_until_wanted(struct team *team) {
  pthread_mutex_lock(&team->mutex);
  /* Increase `asleep` before the check, because `post` reads it after posting. */
  atomic_fetch_add(&team->asleep, 1);
  while (is_idle(team)) pthread_cond_wait(&team->wake, &team->mutex);
  atomic_fetch_sub(&team->asleep, 1);
  pthread_mutex_unlock(&team->mutex);
}

static void sleep_until_finished(struct team *team) {
  pthread_mutex_lock(&team->mutex);
  /* Set `waiting` before the check, because run_piece reads it last. */
  atomic_store(&team->waiting, true);
  while (is_unfinished(team)) pthread_cond_wait(&team->finished, &team->mutex);
  atomic_store(&team->waiting, false);
  pthread_mutex_unlock(&team->mutex);
}

static void signal_all(struct team *team, pthread_cond_t *condition) {
  pthread_mutex_lock(&team->mutex);
  pthread_cond_broadcast(condition);
  pthread_mutex_unlock(&team->mutex);
}

/* ---- pieces ---- */

static size_t share_start(const struct team *team, size_t member) {
  return team->count * member / team->members;
}

/* Run one piece of the share of `member`. Return false if none is left. The job cannot end before
 * the piece is done, so the fields of `team` stay valid. */
static bool run_piece(struct team *team, size_t member) {
  atomic_long *left = &team->shares[member].left;
  if (atomic_load(left) <= 0) return false;
  const long number = atomic_fetch_sub(left, 1) - 1;
  if (number < 0) return false;
  const size_t first = share_start(team, member), end = share_start(team, member + 1);
  team->job(team->context, team->backwards ? first + (size_t)number : end - 1 - (size_t)number);
  const bool last = atomic_fetch_sub(&team->unfinished, 1) == 1;
  if (last && atomic_load(&team->waiting)) signal_all(team, &team->finished);
  return true;
}

/* Run the member's own pieces, then pieces that other members have not started. */
static void work(struct team *team, size_t member) {
  for (size_t i = 0; i < team->members; i++) {
    while (run_piece(team, (member + i) % team->members)) continue;
  }
}

static void *serve(void *argument) {
  const struct seat *seat = argument;
  struct team *team = seat->team;
  while (!atomic_load(&team->over)) {
    if (timed_out(team, is_idle)) sleep_until_wanted(team);
    work(team, seat->member);
  }
  return NULL;
}

/* ---- a team ---- */

/* Start a thread that handles no signals: the caller's thread handles them. */
static bool start_thread(pthread_t *thread, void *(*run)(void *), void *argument) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = pthread_create(thread, NULL, run, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

elman_status team_create(struct team **out, size_t members, elman_error *error) {
  struct team *team = aligned_alloc(_Alignof(struct team), sizeof *team);
  *out = team;
  if (team == NULL) return fail_no_memory(error);
  *team = (struct team){.members = members < TEAM_MOST ? members : TEAM_MOST};
  pthread_mutex_init(&team->mutex, NULL);
  pthread_cond_init(&team->wake, NULL);
  pthread_cond_init(&team->finished, NULL);
  return ELMAN_OK;
}

static void start(struct team *team) {
  for (size_t i = 1; i < team->members; i++) {
    team->seats[i] = (struct seat){team, i};
    if (!start_thread(&team->ids[i], serve, &team->seats[i])) break;
    team->threads++; /* if a thread cannot be started, others run its pieces */
  }
  team->started = true;
}

void team_free(struct team *team) {
  if (team == NULL) return;
  atomic_store(&team->over, true);
  signal_all(team, &team->wake);
  for (size_t i = 1; i <= team->threads; i++) pthread_join(team->ids[i], NULL);
  pthread_cond_destroy(&team->finished);
  pthread_cond_destroy(&team->wake);
  pthread_mutex_destroy(&team->mutex);
  free(team);
}

struct team *team_use(struct team *team) {
  struct team *before = in_use;
  in_use = team;
  return before;
}

size_t team_size(void) {
  return in_use == NULL ? 1 : in_use->members;
}

/* ---- jobs ---- */

static void post(struct team *team, team_job *job, const void *context, size_t count) {
  team->job = job;
  team->context = context;
  team->count = count;
  atomic_store(&team->unfinished, count);
  for (size_t i = 0; i < team->members; i++)
    atomic_store(&team->shares[i].left, (long)(share_start(team, i + 1) - share_start(team, i)));
  if (atomic_load(&team->asleep) > 0) signal_all(team, &team->wake);
}

/* A job of a single piece leaves the team unoccupied, so the piece can run jobs on the team. */
void team_run(team_job *job, const void *context, size_t count) {
  struct team *team = in_use;
  const bool back = backwards; /* a copy, because a nested job toggles the order */
  backwards = !backwards;
  if (team == NULL || team->members == 1 || count <= 1) {
    for (size_t i = 0; i < count; i++) job(context, back ? count - 1 - i : i);
    return;
  }
  if (!team->started) start(team);
  in_use = NULL;
  team->backwards = back;
  post(team, job, context, count);
  work(team, 0);
  if (timed_out(team, is_unfinished)) sleep_until_finished(team);
  in_use = team;
}

/* ---- locks ---- */

void team_lock(struct team_lock *lock) {
  pthread_mutex_lock(&lock->mutex);
}

void team_unlock(struct team_lock *lock) {
  pthread_mutex_unlock(&lock->mutex);
}

/* ---- background tasks ---- */

struct background_task {
  background_function *job; /* NULL = no job is scheduled */
  void *context;
  size_t awaited;
  bool here; /* no thread runs the job; background_task_finish does */
  bool started, over;
  pthread_t thread;
  pthread_mutex_t mutex; /* protects the fields above */
  pthread_cond_t changed;
};

elman_status background_task_create(struct background_task **out, elman_error *error) {
  struct background_task *background_task = malloc(sizeof *background_task);
  *out = background_task;
  if (background_task == NULL) return fail_no_memory(error);
  *background_task = (struct background_task){0};
  pthread_mutex_init(&background_task->mutex, NULL);
  pthread_cond_init(&background_task->changed, NULL);
  return ELMAN_OK;
}

/* Run the job. The mutex is locked on entry and exit, but not during the job. */
static void do_job(struct background_task *background_task) {
  pthread_mutex_unlock(&background_task->mutex);
  background_task->job(background_task->context);
  pthread_mutex_lock(&background_task->mutex);
  background_task->job = NULL;
  pthread_cond_broadcast(&background_task->changed);
}

static bool is_ready(const struct background_task *background_task) {
  return background_task->job != NULL && background_task->awaited == 0;
}

static void *serve_background_task(void *argument) {
  struct background_task *background_task = argument;
  pthread_mutex_lock(&background_task->mutex);
  while (!background_task->over) {
    if (is_ready(background_task) && !background_task->here)
      do_job(background_task);
    else
      pthread_cond_wait(&background_task->changed, &background_task->mutex);
  }
  pthread_mutex_unlock(&background_task->mutex);
  return NULL;
}

void background_task_free(struct background_task *background_task) {
  if (background_task == NULL) return;
  pthread_mutex_lock(&background_task->mutex);
  background_task->over = true;
  pthread_cond_broadcast(&background_task->changed);
  pthread_mutex_unlock(&background_task->mutex);
  if (background_task->started) pthread_join(background_task->thread, NULL);
  pthread_cond_destroy(&background_task->changed);
  pthread_mutex_destroy(&background_task->mutex);
  free(background_task);
}

void background_task_start(struct background_task *background_task, size_t awaited, bool here,
                           background_function *job, void *context) {
  pthread_mutex_lock(&background_task->mutex);
  background_task->job = job;
  background_task->context = context;
  background_task->awaited = awaited;
  if (!background_task->started && !here)
    background_task->started =
        start_thread(&background_task->thread, serve_background_task, background_task);
  background_task->here = !background_task->started || here;
  pthread_cond_broadcast(&background_task->changed);
  pthread_mutex_unlock(&background_task->mutex);
}

void background_task_signal(struct background_task *background_task) {
  pthread_mutex_lock(&background_task->mutex);
  if (--background_task->awaited == 0) pthread_cond_broadcast(&background_task->changed);
  pthread_mutex_unlock(&background_task->mutex);
}

void background_task_finish(struct background_task *background_task) {
  pthread_mutex_lock(&background_task->mutex);
  while (background_task->job != NULL) {
    if (background_task->here && is_ready(background_task))
      do_job(background_task);
    else
      pthread_cond_wait(&background_task->changed, &background_task->mutex);
  }
  pthread_mutex_unlock(&background_task->mutex);
}
