#include "tensor/softmax.h"

#include <tgmath.h>

#include "tensor/elementary.h"

static real maximum(const real *row, size_t n) {
  real largest = row[0];
  for (size_t i = 1; i < n; i++) largest = row[i] > largest ? row[i] : largest;
  return largest;
}

void softmax_forward(real *row, size_t n) {
  const real largest = maximum(row, n);
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    row[i] = exp_real(row[i] - largest);
    sum += (double)row[i];
  }
  const real scale = (real)(1 / sum);
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
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (double)exp_real(row[i] - largest);
  return largest + (real)log(sum);
}
