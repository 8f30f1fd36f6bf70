#include "tensor/softmax.h"

#include <tgmath.h>

#include "tensor/elementary.h"

/* In lanes that do not wait for each other, so that a long row is compared by vectors. */
static real maximum(const real *row, size_t n) {
  enum { LANES = 32 };
  real lanes[LANES], largest = row[0];
  size_t done = 0;
  if (n >= LANES) {
    for (size_t j = 0; j < LANES; j++) lanes[j] = row[j];
    for (done = LANES; done + LANES <= n; done += LANES) {
      for (size_t j = 0; j < LANES; j++)
        lanes[j] = row[done + j] > lanes[j] ? row[done + j] : lanes[j];
    }
    for (size_t j = 0; j < LANES; j++) largest = lanes[j] > largest ? lanes[j] : largest;
  }
  for (size_t i = done; i < n; i++) largest = row[i] > largest ? row[i] : largest;
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
