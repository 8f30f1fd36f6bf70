/* What several heads look at, on average. */
#ifndef ELMAN_ATTENTION_MEAN_WEIGHT_H
#define ELMAN_ATTENTION_MEAN_WEIGHT_H

#include <stddef.h>

#include "tensor/real.h"

/* Of rows (N,S), one a head, at source token s. */
static inline real mean_weight(const real *rows, size_t N, size_t S, size_t s) {
  real sum = 0;
  for (size_t n = 0; n < N; n++) sum += rows[n * S + s];
  return sum / (real)N;
}

#endif
