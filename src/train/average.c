#include "train/average.h"

#include <math.h>

enum { PARALLEL_SIZE = 1 << 18 };

real average_share(double decay, uint64_t update) {
  return (real)(1 - fmin(decay, (1 + (double)update) / (10 + (double)update)));
}

static inline real nearer(real average, real weight, real share) {
  return average + share * (weight - average);
}

void average_update(real *average, const real *weights, size_t n, real share) {
  if (n <= PARALLEL_SIZE) {
    for (size_t i = 0; i < n; i++) average[i] = nearer(average[i], weights[i], share);
    return;
  }
#pragma omp parallel for simd schedule(static)
  for (size_t i = 0; i < n; i++) average[i] = nearer(average[i], weights[i], share);
}
