#include "tensor/softmax.h"

#include "tensor/elementary.h"

/* Sums and maxima are taken in as many lanes as a vector has, in a fixed order: a compiler may not
 * reorder them by itself. */
enum { LANES = 16 };

static real maximum(const real *row, size_t n) {
  real lanes[LANES], largest = row[0];
  for (size_t j = 0; j < LANES; j++) lanes[j] = row[0];
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t j = 0; j < LANES; j++) lanes[j] = row[i + j] > lanes[j] ? row[i + j] : lanes[j];
  }
  for (; i < n; i++) largest = row[i] > largest ? row[i] : largest;
  for (size_t j = 0; j < LANES; j++) largest = lanes[j] > largest ? lanes[j] : largest;
  return largest;
}

/* Σ exp(row - largest), added in double. */
static double sum_exp(const real *row, size_t n, real largest) {
  double lanes[LANES] = {0}, sum = 0;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t j = 0; j < LANES; j++) lanes[j] += (double)exp_real(row[i + j] - largest);
  }
  for (; i < n; i++) sum += (double)exp_real(row[i] - largest);
  for (size_t j = 0; j < LANES; j++) sum += lanes[j];
  return sum;
}

double exponentials(real *row, real largest, size_t n) {
  double lanes[LANES] = {0}, sum = 0;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t j = 0; j < LANES; j++) {
      const real power = exp_real(row[i + j] - largest);
      row[i + j] = power;
      lanes[j] += (double)power;
    }
  }
  for (; i < n; i++) sum += (double)(row[i] = exp_real(row[i] - largest));
  for (size_t j = 0; j < LANES; j++) sum += lanes[j];
  return sum;
}

real add_bias(real *row, const real *bias, size_t n) {
  real lanes[LANES], largest = row[0] + bias[0];
  for (size_t j = 0; j < LANES; j++) lanes[j] = largest;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t j = 0; j < LANES; j++) {
      const real value = row[i + j] + bias[i + j];
      row[i + j] = value;
      lanes[j] = value > lanes[j] ? value : lanes[j];
    }
  }
  for (; i < n; i++) {
    row[i] += bias[i];
    largest = row[i] > largest ? row[i] : largest;
  }
  for (size_t j = 0; j < LANES; j++) largest = lanes[j] > largest ? lanes[j] : largest;
  return largest;
}

void softmax_forward(real *row, size_t n) {
  const real scale = (real)(1 / exponentials(row, maximum(row, n), n));
  for (size_t i = 0; i < n; i++) row[i] *= scale;
}

void softmax_backward(real *drow, const real *probabilities, size_t n) {
  /* Σ_r a_r da_r: the part of da that moves all scores alike and so changes nothing. */
  double mean = 0;
  for (size_t i = 0; i < n; i++) mean += (double)probabilities[i] * (double)drow[i];
  for (size_t i = 0; i < n; i++) drow[i] = probabilities[i] * (drow[i] - (real)mean);
}

real log_sum_exp(const real *row, size_t n) {
  const real largest = maximum(row, n);
  return largest + (real)log(sum_exp(row, n, largest));
}
