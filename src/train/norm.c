#include "train/norm.h"

#include "tensor/share_out.h"

enum {
  CHUNK = 1 << 14,        /* numbers a work item; fixed, so that sums do not depend on threads */
  PARALLEL_SIZE = 1 << 18 /* below this the threads cost more than they bring */
};

/* Four sums at once: one alone would wait for each addition. */
static double chunk_sum_of_squares(const real *values, size_t n) {
  const size_t quarter = n / 4;
  const real *second = values + quarter, *third = second + quarter, *fourth = third + quarter;
  double sum1 = 0, sum2 = 0, sum3 = 0, sum4 = 0;
#pragma omp simd reduction(+ : sum1, sum2, sum3, sum4)
  for (size_t i = 0; i < quarter; i++) {
    sum1 += (double)values[i] * (double)values[i];
    sum2 += (double)second[i] * (double)second[i];
    sum3 += (double)third[i] * (double)third[i];
    sum4 += (double)fourth[i] * (double)fourth[i];
  }
  for (size_t i = 4 * quarter; i < n; i++) sum1 += (double)values[i] * (double)values[i];
  return (sum1 + sum2) + (sum3 + sum4);
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
    share_out(chunks, n > PARALLEL_SIZE, sum_chunk, &all);
    for (size_t i = 0; i < chunks; i++) sum += sums[i];
  }
  return sum;
}

real clip_scale(double norm, double limit) {
  return limit > 0 && norm > limit ? (real)(limit / (norm + 1e-6)) : 1;
}
