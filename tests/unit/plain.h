/* The equations of docs/bptt.c, with which the tests compare the fast code. */
#ifndef ELMAN_TESTS_PLAIN_H
#define ELMAN_TESTS_PLAIN_H

#include "check.h"

#pragma GCC diagnostic ignored "-Wunused-function"
#define main plain_main
#include "../../docs/bptt.c"
#undef main

static inline double *doubles(const real *x, size_t n) {
  double *copy = numbers(n);
  for (size_t i = 0; i < n; i++) copy[i] = (double)x[i];
  return copy;
}

#endif
