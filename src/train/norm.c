#include "train/norm.h"

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

double sum_of_squares(const real *values, size_t n) {
  /* Each chunk's sum goes to its own place; places are few enough to be added by one thread. */
  enum { PLACES = 64 };
  if (n <= CHUNK) return chunk_sum_of_squares(values, n);
  const size_t chunks = (n + CHUNK - 1) / CHUNK;
  double sum = 0;
  for (size_t first = 0; first < chunks; first += PLACES) {
    double sums[PLACES] = {0};
    const size_t count = chunks - first < PLACES ? chunks - first : PLACES;
#pragma omp parallel for schedule(static) if (n > PARALLEL_SIZE)
    for (size_t i = 0; i < count; i++) {
      const size_t start = (first + i) * CHUNK;
      sums[i] = chunk_sum_of_squares(values + start, n - start < CHUNK ? n - start : CHUNK);
    }
    for (size_t i = 0; i < count; i++) sum += sums[i];
  }
  return sum;
}

real clip_scale(double norm, double limit) {
  return limit > 0 && norm > limit ? (real)(limit / (norm + 1e-6)) : 1;
}
