/* Test: text, threads, wraps pthread_create. */
/* A team of threads runs every piece of work exactly once. */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "threads.h"

enum { MOST = 300 };

struct tally {
  atomic_int times[MOST];
  size_t plain; /* written by the caller before the run and read by all */
  atomic_bool wrong;
};

static void count_piece(const void *context, size_t i) {
  struct tally *tally = *(struct tally *const *)context;
  if (i >= MOST || tally->plain != MOST) atomic_store(&tally->wrong, true);
  atomic_fetch_add(&tally->times[i < MOST ? i : 0], 1);
}

static void check_tally(const struct tally *tally, size_t count) {
  cr_assert_not(atomic_load(&tally->wrong));
  for (size_t i = 0; i < MOST; i++)
    cr_assert_eq(atomic_load(&tally->times[i]), i < count, "piece %zu of %zu", i, count);
}

static void check_runs(size_t members, size_t runs) {
  use_threads(members);
  for (size_t run = 0; run < runs; run++) {
    struct tally tally = {.plain = MOST}, *const all = &tally;
    const size_t count = run * 7 % (MOST + 1);
    if (run % 3 == 0)
      share_out(count, run % 2 == 0 ? 1e9 : 1, count_piece, &all);
    else
      team_run(count_piece, &all, count);
    tally.plain = 0; /* no thread may still be working on it */
    check_tally(&tally, count);
    /* Long enough for the other threads to fall asleep. */
    if (run % 100 == 99) nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
  }
  use_threads(1);
}

Test(team, every_piece_runs_once) {
  for (size_t members = 1; members <= 5; members++) check_runs(members, 400);
  check_runs(70, 20);
  check_runs(TEAM_MOST + 1, 2);
}

Test(team, many_short_jobs_run) {
  use_threads(3);
  for (size_t run = 0; run < 20000; run++) {
    struct tally tally = {.plain = MOST}, *const all = &tally;
    team_run(count_piece, &all, 4);
    for (size_t i = 0; i < 4; i++) cr_assert_eq(atomic_load(&tally.times[i]), 1);
  }
  use_threads(1);
}

Test(team, team_may_end_without_a_job) {
  struct team *team;
  cr_assert_eq(team_create(&team, 3, NULL), ELMAN_OK);
  team_free(team);
  team_free(NULL);
}

Test(team, team_use_returns_the_previous_team) {
  struct team *one, *other;
  cr_assert_eq(team_create(&one, 2, NULL), ELMAN_OK);
  cr_assert_eq(team_create(&other, 3, NULL), ELMAN_OK);
  cr_assert_null(team_use(one));
  cr_assert_eq(team_size(), 2);
  cr_assert_eq(team_use(other), one);
  cr_assert_eq(team_size(), 3);
  cr_assert_eq(team_use(NULL), other);
  cr_assert_eq(team_size(), 1);
  team_free(one);
  team_free(other);
}

/* Jobs started within a piece run on its thread alone, and their pieces are completed as well. */
static void run_inner(const void *context, size_t i) {
  struct tally *const *tallies = context;
  if (team_size() != 1) atomic_store(&tallies[i]->wrong, true);
  team_run(count_piece, &tallies[i], 50);
}

Test(team, nested_jobs_run_on_their_thread) {
  enum { PIECES = 20 };
  static struct tally tallies[PIECES];
  struct tally *all[PIECES];
  for (size_t i = 0; i < PIECES; i++) {
    tallies[i].plain = MOST;
    all[i] = &tallies[i];
  }
  use_threads(4);
  team_run(run_inner, all, PIECES);
  cr_assert_eq(team_size(), 4);
  for (size_t i = 0; i < PIECES; i++) check_tally(&tallies[i], 50);
  use_threads(1);
}

static void note_size(const void *context, size_t i) {
  atomic_store(*(atomic_size_t *const *)context, team_size());
  (void)i;
}

Test(team, single_piece_job_may_use_the_team) {
  atomic_size_t size = 0, *const to = &size;
  use_threads(2);
  team_run(note_size, &to, 1);
  cr_assert_eq(size, 2);
  use_threads(1);
}

/* Pieces that wait for each other: they end only if each member runs one. */
struct meeting {
  size_t members;
  atomic_size_t arrived;
  atomic_bool alone;
};

static void meet(const void *context, size_t i) {
  enum { MAX_MS = 20000 };
  struct meeting *meeting = *(struct meeting *const *)context;
  atomic_fetch_add(&meeting->arrived, 1);
  for (int ms = 0; atomic_load(&meeting->arrived) < meeting->members; ms++) {
    if (atomic_load(&meeting->alone) || ms == MAX_MS) {
      atomic_store(&meeting->alone, true);
      return;
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  (void)i;
}

/* Results alone would not reveal a team whose caller does all the work. */
Test(team, members_work_in_parallel) {
  for (size_t members = 2; members <= 5; members++) {
    use_threads(members);
    for (size_t run = 0; run < 3; run++) {
      struct meeting meeting = {.members = members}, *const all = &meeting;
      if (run == 0)
        share_out(members, 1e9, meet, &all);
      else
        team_run(meet, &all, members);
      cr_assert_not(atomic_load(&meeting.alone), "%zu members, run %zu", members, run);
    }
    use_threads(1);
  }
}

/* Models two threads of a program that call the library. */
static void *run_some(void *members) {
  check_runs(*(const size_t *)members, 300);
  return NULL;
}

Test(team, two_teams_work_at_once) {
  size_t two = 2, three = 3;
  pthread_t other;
  cr_assert_eq(pthread_create(&other, NULL, run_some, &two), 0);
  run_some(&three);
  cr_assert_eq(pthread_join(other, NULL), 0);
}

static bool fails_to_start;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument) {
  static atomic_int calls;
  if (fails_to_start && atomic_fetch_add(&calls, 1) % 3 == 2) return EAGAIN;
  return __real_pthread_create(id, attributes, run, argument);
}

/* No thread starts in the third team; one or two start in the others. */
Test(team, works_if_threads_do_not_start) {
  fails_to_start = true;
  for (size_t i = 0; i < 6; i++) check_runs(5, 50);
  fails_to_start = false;
}

Test(team, only_large_work_is_shared) {
  cr_assert(is_worth_sharing(1e9));
  cr_assert_not(is_worth_sharing(1000));
  cr_assert_geq(processors_usable(), 1);
}
