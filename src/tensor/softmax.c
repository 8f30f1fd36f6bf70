#include "tensor/softmax.h"

#include "base/portable_math.h"
#include "tensor/elementary.h"

real maximum(const real *row, size_t n) {
  _Alignas(64) real lanes[MANY_LANES];
  size_t j = 0;
  for (size_t l = 0; l < MANY_LANES; l++) lanes[l] = row[0];
  for (; j + MANY_LANES <= n; j += MANY_LANES) {
    for (size_t l = 0; l < MANY_LANES; l++)
      lanes[l] = row[j + l] > lanes[l] ? row[j + l] : lanes[l];
  }
  for (size_t l = 0; j < n; j++, l++) lanes[l] = row[j] > lanes[l] ? row[j] : lanes[l];
  for (size_t half = MANY_LANES / 2; half > 0; half /= 2) {
    for (size_t l = 0; l < half; l++)
      lanes[l] = lanes[l + half] > lanes[l] ? lanes[l + half] : lanes[l];
  }
  return lanes[0];
}

double sum_of_exponentials(const real *row, real largest, size_t n) {
  struct lanes sum = {0};
  size_t j = 0;
  for (; j + LANES <= n; j += LANES) {
    for (size_t l = 0; l < LANES; l++) sum.of[l] += (double)exp_real(row[j + l] - largest);
  }
  for (size_t l = 0; j < n; j++, l++) sum.of[l] += (double)exp_real(row[j] - largest);
  return sum_of_lanes(&sum);
}

double sum_of_some_exponentials(const real *row, real largest, size_t n) {
  _Alignas(64) real lanes[LANES] = {0};
  size_t j = 0;
  for (; j + LANES <= n; j += LANES) {
    for (size_t l = 0; l < LANES; l++) lanes[l] += exp_real(row[j + l] - largest);
  }
  for (size_t l = 0; j < n; j++, l++) lanes[l] += exp_real(row[j] - largest);
  for (size_t half = LANES / 2; half > 0; half /= 2)
    for (size_t l = 0; l < half; l++) lanes[l] += lanes[l + half];
  return (double)lanes[0];
}

double exponentials(real *row, real largest, size_t n) {
  struct lanes sum = {0};
  size_t j = 0;
  for (; j + LANES <= n; j += LANES) {
    for (size_t l = 0; l < LANES; l++) {
      row[j + l] = exp_real(row[j + l] - largest);
      sum.of[l] += (double)row[j + l];
    }
  }
  for (size_t l = 0; j < n; j++, l++) {
    row[j] = exp_real(row[j] - largest);
    sum.of[l] += (double)row[j];
  }
  return sum_of_lanes(&sum);
}

void softmax_forward(real *row, size_t n) {
  const real scale = (real)(1 / exponentials(row, maximum(row, n), n));
  for (size_t i = 0; i < n; i++) row[i] *= scale;
}

void softmax_backward(real *drow, const real *probabilities, size_t n) {
  /* The mean Σ_r a_r da_r is the part of da that changes all scores equally and so has no
   * effect. */
  double mean = 0;
  for (size_t i = 0; i < n; i++) mean += (double)probabilities[i] * (double)drow[i];
  for (size_t i = 0; i < n; i++) drow[i] = probabilities[i] * (drow[i] - (real)mean);
}

real log_sum_exp(const real *row, size_t n) {
  const real largest = maximum(row, n);
  return largest + (real)portable_log(sum_of_exponentials(row, largest, n));
}
