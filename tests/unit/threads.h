/* The number of threads that compute in a test. */
#ifndef ELMAN_TESTS_THREADS_H
#define ELMAN_TESTS_THREADS_H

#include <criterion/criterion.h>

#include "base/team.h"

/* Use n threads from now on; tests restore 1 at the end. */
static inline void use_threads(size_t members) {
  struct team *team = NULL;
  team_free(team_use(NULL));
  if (members > 1) cr_assert_eq(team_create(&team, members, NULL), ELMAN_OK);
  (void)team_use(team);
}

#endif
