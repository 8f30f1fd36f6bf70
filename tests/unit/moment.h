/* Waiting for the effect of another thread. */
#ifndef ELMAN_TESTS_MOMENT_H
#define ELMAN_TESTS_MOMENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* Return whether the number reaches `least` within half a minute. */
static inline bool comes_to(const atomic_size_t *number, size_t least) {
  for (size_t i = 0; i < 30000; i++) {
    if (atomic_load(number) >= least) return true;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return false;
}

#endif
