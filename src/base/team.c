#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Looks at an empty board, of some ten nanoseconds each, before a member goes to sleep: longer than
 * what lies between two steps of a sentence, shorter than anybody would notice. */
enum { PATIENCE = 4000 };

/* A member's pieces, in a cache line of its own. */
struct share {
  _Alignas(64) atomic_long left; /* the next piece is number left - 1 of them, if above 0 */
};

struct team {
  struct share shares[TEAM_MOST];
  _Alignas(64) atomic_size_t done;
  _Alignas(64) atomic_size_t asleep;
  atomic_bool over;
  /* Of the job: written while no piece is left, read by those who have taken one. */
  team_job *job;
  void *context;
  size_t count;
  bool backwards;
  size_t members;
  size_t threads; /* that run: members - 1 unless one could not be started */
  pthread_t ids[TEAM_MOST];
  struct seat {
    struct team *team;
    size_t member;
  } seats[TEAM_MOST];
  pthread_mutex_t mutex;
  pthread_cond_t wake;
};

static void pause_a_moment(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb"); /* `yield` is over at once on most processors */
#endif
}

static size_t share_start(const struct team *team, size_t member) {
  return team->count * member / team->members;
}

/* One piece of a member's share. Whoever takes one keeps the job from ending: what it then reads of
 * the job is the job's of that piece. */
static bool take_piece(struct team *team, size_t member) {
  atomic_long *left = &team->shares[member].left;
  if (atomic_load(left) <= 0) return false;
  const long number = atomic_fetch_sub(left, 1) - 1;
  if (number < 0) return false;
  const size_t first = share_start(team, member), end = share_start(team, member + 1);
  team->job(team->context, team->backwards ? first + (size_t)number : end - 1 - (size_t)number);
  atomic_fetch_add(&team->done, 1);
  return true;
}

/* First the member's own pieces, then what the others have not come to. */
static bool work(struct team *team, size_t member) {
  bool any = false;
  for (size_t i = 0; i < team->members; i++) {
    while (take_piece(team, (member + i) % team->members)) any = true;
  }
  return any;
}

static bool is_idle(struct team *team) {
  for (size_t i = 0; i < team->members; i++) {
    if (atomic_load(&team->shares[i].left) > 0) return false;
  }
  return !atomic_load(&team->over);
}

static void sleep_until_wanted(struct team *team) {
  pthread_mutex_lock(&team->mutex);
  atomic_fetch_add(&team->asleep, 1); /* before looking once more: team_run looks after posting */
  while (is_idle(team)) pthread_cond_wait(&team->wake, &team->mutex);
  atomic_fetch_sub(&team->asleep, 1);
  pthread_mutex_unlock(&team->mutex);
}

static void *serve(void *argument) {
  const struct seat *seat = argument;
  struct team *team = seat->team;
  while (!atomic_load(&team->over)) {
    size_t looks = 0;
    while (looks < PATIENCE && is_idle(team)) {
      pause_a_moment();
      looks++;
    }
    if (looks == PATIENCE) sleep_until_wanted(team);
    (void)work(team, seat->member);
  }
  return NULL;
}

static void wake_all(struct team *team) {
  pthread_mutex_lock(&team->mutex);
  pthread_cond_broadcast(&team->wake);
  pthread_mutex_unlock(&team->mutex);
}

elman_status team_create(struct team **out, size_t members, elman_error *error) {
  struct team *team = aligned_alloc(_Alignof(struct team), sizeof *team);
  *out = team;
  if (team == NULL) return fail_no_memory(error);
  *team = (struct team){.members = members < TEAM_MOST ? members : TEAM_MOST};
  pthread_mutex_init(&team->mutex, NULL);
  pthread_cond_init(&team->wake, NULL);
  sigset_t all, before; /* signals are the caller's */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (size_t i = 1; i < team->members; i++) {
    team->seats[i] = (struct seat){team, i};
    if (pthread_create(&team->ids[i], NULL, serve, &team->seats[i]) != 0) break;
    team->threads++; /* the pieces of a member that is not there are taken by the others */
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return ELMAN_OK;
}

void team_free(struct team *team) {
  if (team == NULL) return;
  atomic_store(&team->over, true);
  wake_all(team);
  for (size_t i = 1; i <= team->threads; i++) pthread_join(team->ids[i], NULL);
  pthread_cond_destroy(&team->wake);
  pthread_mutex_destroy(&team->mutex);
  free(team);
}

void team_run(struct team *team, team_job *job, void *context, size_t count) {
  team->job = job;
  team->context = context;
  team->count = count;
  team->backwards = !team->backwards;
  atomic_store(&team->done, 0);
  for (size_t i = 0; i < team->members; i++)
    atomic_store(&team->shares[i].left, (long)(share_start(team, i + 1) - share_start(team, i)));
  if (atomic_load(&team->asleep) > 0) wake_all(team);
  (void)work(team, 0);
  for (size_t looks = 0; atomic_load(&team->done) < count; looks++) {
    if (looks < PATIENCE)
      pause_a_moment();
    else
      sched_yield(); /* to whoever has taken a piece and lost the processor */
  }
}
