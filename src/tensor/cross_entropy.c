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

/* Σ_v q_v o_v */
static double expected_logit(const real *row, uint32_t target, double smoothing, size_t v) {
  const double expected = (double)row[target];
  return smoothing > 0 ? (1 - smoothing) * expected + smoothing * mean(row, v) : expected;
}

void cross_entropy_forward(double *losses, const real *logits, const uint32_t *targets,
                           double smoothing, size_t n, size_t v) {
#pragma omp parallel for schedule(static) if (n * v > PARALLEL_WORK)
  for (size_t i = 0; i < n; i++) {
    const real *row = logits + i * v;
    losses[i] = (double)log_sum_exp(row, v) - expected_logit(row, targets[i], smoothing, v);
  }
}

void cross_entropy_learn(double *losses, real *logits, const real *bias, const uint32_t *targets,
                         double smoothing, real scale, size_t n, size_t v) {
  const real spread = scale * (real)(smoothing / (double)v);
  const real peak = scale * (real)(1 - smoothing);
#pragma omp parallel for schedule(static) if (n * v > PARALLEL_WORK)
  for (size_t i = 0; i < n; i++) {
    real *row = logits + i * v;
    const real largest = add_bias(row, bias, v);
    const double expected = expected_logit(row, targets[i], smoothing, v);
    const double sum = exponentials(row, largest, v);
    const real share = (real)((double)scale / sum);
    losses[i] = ((double)largest - expected) + log(sum);
    for (size_t j = 0; j < v; j++) row[j] = share * row[j] - spread;
    row[targets[i]] -= peak;
  }
}
