#include "tensor/cross_entropy.h"

#include "tensor/elementary.h"
#include "tensor/softmax.h"

enum { PARALLEL_WORK = 1 << 16 };

static double mean(const real *row, size_t v) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t j = 0; j < v; j++) sum += (double)row[j];
  return sum / (double)v;
}

void cross_entropy_forward(double *losses, real *log_sums, const real *logits,
                           const uint32_t *targets, double smoothing, size_t n, size_t v) {
#pragma omp parallel for schedule(static) if (n * v > PARALLEL_WORK)
  for (size_t i = 0; i < n; i++) {
    const real *row = logits + i * v;
    log_sums[i] = log_sum_exp(row, v);
    double expected = (double)row[targets[i]]; /* Σ_v q_v o_v */
    if (smoothing > 0) expected = (1 - smoothing) * expected + smoothing * mean(row, v);
    losses[i] = (double)log_sums[i] - expected;
  }
}

void cross_entropy_backward(real *logits, const real *log_sums, const uint32_t *targets,
                            double smoothing, real scale, size_t n, size_t v) {
  const real spread = scale * (real)(smoothing / (double)v);
  const real peak = scale * (real)(1 - smoothing);
#pragma omp parallel for schedule(static) if (n * v > PARALLEL_WORK)
  for (size_t i = 0; i < n; i++) {
    real *row = logits + i * v;
    for (size_t j = 0; j < v; j++) row[j] = scale * exp_real(row[j] - log_sums[i]) - spread;
    row[targets[i]] -= peak;
  }
}
