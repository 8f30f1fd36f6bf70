#include "tensor/softmax.h"

#include "tensor/elementary.h"

real maximum(const real *row, size_t n) {
  real largest = row[0];
#pragma omp simd reduction(max : largest)
  for (size_t j = 0; j < n; j++) largest = row[j] > largest ? row[j] : largest;
  return largest;
}

double sum_of_exponentials(const real *row, real largest, size_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t j = 0; j < n; j++) sum += (double)exp_real(row[j] - largest);
  return sum;
}

double exponentials(real *row, real largest, size_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t j = 0; j < n; j++) {
    row[j] = exp_real(row[j] - largest);
    sum += (double)row[j];
  }
  return sum;
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
  return largest + (real)log(sum_of_exponentials(row, largest, n));
}
