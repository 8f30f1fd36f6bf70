#include "train/norm.h"

#include "base/team.h"
#include "tensor/lanes.h"

enum { CHUNK = 1 << 14 }; /* numbers a work item; fixed, so that sums do not depend on threads */

static double chunk_sum_of_squares(const real *values, size_t n) {
  struct lanes sum = {0};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t l = 0; l < LANES; l++)
      sum.of[l] += (double)values[i + l] * (double)values[i + l];
  }
  for (size_t l = 0; i < n; i++, l++) sum.of[l] += (double)values[i] * (double)values[i];
  return sum_of_lanes(&sum);
}

struct chunks {
  double *sums; /* one a chunk */
  const real *values;
  size_t n;
};

static void sum_chunk(const void *context, size_t i) {
  const struct chunks *all = context;
  const size_t start = i * CHUNK;
  const size_t count = all->n - start < CHUNK ? all->n - start : CHUNK;
  all->sums[i] = chunk_sum_of_squares(all->values + start, count);
}

double sum_of_squares(const real *values, size_t n) {
  enum { PLACES = 64 }; /* few enough to be added by one thread */
  double sum = 0;
  for (size_t at = 0; at < n; at += PLACES * CHUNK) {
    double sums[PLACES];
    const size_t count = n - at < PLACES * CHUNK ? n - at : PLACES * CHUNK;
    const struct chunks all = {sums, values + at, count};
    const size_t chunks = (count + CHUNK - 1) / CHUNK;
    share_out(chunks, (double)WORK_OF_NUMBER * (double)count, sum_chunk, &all);
    for (size_t i = 0; i < chunks; i++) sum += sums[i];
  }
  return sum;
}

real clip_scale(double norm, double limit) {
  return limit > 0 && norm > limit ? (real)(limit / (norm + 1e-6)) : 1;
}
