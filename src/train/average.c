#include "train/average.h"

#include <math.h>

#include "base/team.h"

enum { CHUNK = 1 << 14 }; /* numbers a work item */

real average_share(double decay, uint64_t update) {
  return (real)(1 - fmin(decay, (1 + (double)update) / (10 + (double)update)));
}

struct update {
  real *average;
  const real *weights;
  size_t n;
  real share;
};

static void update_chunk(const void *context, size_t chunk) {
  const struct update *update = context;
  const size_t start = chunk * CHUNK;
  const size_t end = update->n - start < CHUNK ? update->n : start + CHUNK;
  real *restrict average = update->average;
  for (size_t i = start; i < end; i++)
    average[i] += update->share * (update->weights[i] - average[i]);
}

void average_update(real *average, const real *weights, size_t n, real share) {
  const struct update update = {average, weights, n, share};
  share_out((n + CHUNK - 1) / CHUNK, (double)WORK_OF_NUMBER * (double)n, update_chunk, &update);
}
