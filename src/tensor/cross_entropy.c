#include "tensor/cross_entropy.h"

#include "tensor/elementary.h"
#include "tensor/softmax.h"

enum { PARALLEL_WORK = 1 << 14 };

void cross_entropy_forward(double *losses, real *log_sums, const real *logits,
                           const uint32_t *targets, size_t n, size_t v) {
#pragma omp parallel for schedule(static) if (n * v > PARALLEL_WORK)
  for (size_t i = 0; i < n; i++) {
    log_sums[i] = log_sum_exp(logits + i * v, v);
    losses[i] = (double)log_sums[i] - (double)logits[i * v + targets[i]];
  }
}

void cross_entropy_backward(real *logits, const real *log_sums, const uint32_t *targets, real scale,
                            size_t n, size_t v) {
#pragma omp parallel for schedule(static) if (n * v > PARALLEL_WORK)
  for (size_t i = 0; i < n; i++) {
    real *row = logits + i * v;
    for (size_t j = 0; j < v; j++) row[j] = scale * exp_real(row[j] - log_sums[i]);
    row[targets[i]] -= scale;
  }
}
