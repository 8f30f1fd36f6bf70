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

double exponentials(real *row, real *largest, size_t n) {
  double lanes[LANES] = {0}, sum = 0;
  size_t i = 0;
  *largest = maximum(row, n);
  for (; i + LANES <= n; i += LANES) {
    for (size_t j = 0; j < LANES; j++) row[i + j] = exp_real(row[i + j] - *largest);
    for (size_t j = 0; j < LANES; j++) lanes[j] += (double)row[i + j];
  }
  for (; i < n; i++) sum += (double)(row[i] = exp_real(row[i] - *largest));
  for (size_t j = 0; j < LANES; j++) sum += lanes[j];
  return sum;
}

void softmax_forward(real *row, size_t n) {
  real largest;
  const real scale = (real)(1 / exponentials(row, &largest, n));
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
