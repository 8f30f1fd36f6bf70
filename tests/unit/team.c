/* Every piece is done once, by whomever. */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <time.h>

#include "base/team.h"

enum { MOST = 300 };

struct tally {
  atomic_int times[MOST];
  size_t plain; /* what the caller wrote before and must read the same */
  atomic_bool wrong;
};

static void count_piece(void *context, size_t i) {
  struct tally *tally = context;
  if (i >= MOST || tally->plain != MOST) atomic_store(&tally->wrong, true);
  atomic_fetch_add(&tally->times[i < MOST ? i : 0], 1);
}

static void check_runs(size_t members, size_t runs) {
  struct team *team;
  cr_assert_eq(team_create(&team, members, NULL), ELMAN_OK);
  for (size_t run = 0; run < runs; run++) {
    struct tally tally = {.plain = MOST};
    const size_t count = run * 7 % (MOST + 1);
    team_run(team, count_piece, &tally, count);
    tally.plain = 0; /* nobody may still be at it */
    cr_assert_not(atomic_load(&tally.wrong));
    for (size_t i = 0; i < MOST; i++)
      cr_assert_eq(atomic_load(&tally.times[i]), i < count, "members %zu, run %zu, piece %zu",
                   members, run, i);
    /* Long enough that the others fall asleep. */
    if (run % 100 == 99) nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
  }
  team_free(team);
}

Test(team, does_every_piece_once) {
  for (size_t members = 1; members <= 5; members++) check_runs(members, 400);
  check_runs(TEAM_MOST + 1, 20);
}

Test(team, may_be_left_without_a_job) {
  struct team *team;
  cr_assert_eq(team_create(&team, 3, NULL), ELMAN_OK);
  team_free(team);
  team_free(NULL);
}
