/* Helpers for the tests of the public API, which include elman.h and nothing else of the project: a
 * folder per test, and checks of results and errors. */
#ifndef ELMAN_TESTS_API_H
#define ELMAN_TESTS_API_H

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "elman.h"
#include "folder.h"
#include "toy.h"

static const char MODEL[] = "model.safetensors";

/* Check that the error `why` has a message of one line and the returned code. */
static inline void check_error(elman_status status, elman_status expected, const char *message,
                               const char *where) {
  cr_assert_eq(status, expected, "status %d: %s", status, why.message);
  cr_assert_eq(why.code, expected);
  cr_assert_not_null(strstr(why.message, message), "\"%s\" lacks \"%s\"", why.message, message);
  cr_assert_null(strchr(why.message, '\n'));
  cr_assert_str_eq(why.where, where);
  why = (elman_error){0};
}

struct seen {
  size_t updates, stop_after; /* 0 = never */
  elman_train_report last;
};

static inline bool keep_report(void *context, const elman_train_report *report) {
  struct seen *seen = context;
  seen->last = *report;
  return ++seen->updates != seen->stop_after;
}

static inline void check_translation(const elman_translation *translation) {
  for (size_t t = 0; t < translation->target_count; t++) {
    double sum = 0;
    for (size_t s = 0; s < translation->source_count; s++)
      sum += (double)translation->attention[t * translation->source_count + s];
    cr_assert_float_eq(sum, 1, 1e-5);
  }
  cr_assert(isfinite(translation->log_probability));
  cr_assert_leq(translation->log_probability, 0);
}

#endif
