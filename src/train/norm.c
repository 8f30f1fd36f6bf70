#include "train/norm.h"

#include "base/team.h"
#include "tensor/elementary.h"

enum { CHUNK = 1 << 14 }; /* elements per work item; fixed, so that sums do not depend on threads */

static double square(real x) {
  return (double)x * (double)x;
}

/* Read the four quarters of the chunk in parallel, because several streams of memory are faster
 * than one. */
static double chunk_sum_of_squares(const real *values, size_t n) {
  const size_t quarter = n / 4 / LANES * LANES;
  const real *second = values + quarter, *third = second + quarter, *fourth = third + quarter;
  struct lanes sum = {0};
  for (size_t i = 0; i < quarter; i += LANES) {
    for (size_t l = i; l < i + LANES; l++)
      sum.of[l - i] +=
          (square(values[l]) + square(second[l])) + (square(third[l]) + square(fourth[l]));
  }
  for (size_t i = 4 * quarter; i < n; i++) sum.of[i % LANES] += square(values[i]);
  return sum_of_lanes(&sum);
}

struct chunks {
  double *sums; /* one sum per chunk */
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
  enum { PLACES = 64 }; /* maximum number of sums, few enough to be added by one thread */
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
