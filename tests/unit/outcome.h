/* Outcomes of calls that describe their error in `why`. Each test runs in a process of its own. */
#ifndef ELMAN_TESTS_OUTCOME_H
#define ELMAN_TESTS_OUTCOME_H

#include <criterion/criterion.h>
#include <string.h>

#include "elman/status.h"

__attribute__((unused)) static _Thread_local elman_error why;

#define succeeds(call) cr_assert_eq(call, ELMAN_OK, "%s", why.message)

/* Check the status of a call and that its error contains these words. */
#define fails(call, status, words)                                                                 \
  do {                                                                                             \
    why.message[0] = '\0';                                                                         \
    cr_assert_eq(call, status, "%s", why.message);                                                 \
    cr_assert_not_null(strstr(why.message, words), "\"%s\" lacks \"%s\"", why.message, words);     \
  } while (0)

#endif
