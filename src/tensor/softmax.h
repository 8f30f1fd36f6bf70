/* Softmax of one row, and its backward pass. */
#ifndef ELMAN_TENSOR_SOFTMAX_H
#define ELMAN_TENSOR_SOFTMAX_H

#include "tensor/real.h"

/* Replace row (n) by exp(row) / Σ exp(row). The maximum is subtracted first, so nothing
 * overflows. */
void softmax_forward(real *row, size_t n);

/* Replace drow (n) by the gradient of the argument of softmax_forward (16). On entry drow is the
 * gradient of its result, `probabilities` (n). */
void softmax_backward(real *drow, const real *probabilities, size_t n);

real maximum(const real *row, size_t n);

/* Replace row (n) by exp(row - largest). Return the sum of the new values, added in double. */
double exponentials(real *row, real largest, size_t n);
/* Return the sum that `exponentials` returns, without changing the row. */
double sum_of_exponentials(const real *row, real largest, size_t n);
/* Like sum_of_exponentials, but added in `real` in 16 lanes: conversions to double take longer than
 * the exponentials. The relative error of the additions is at most (n / 16 + 5) units of
 * rounding. */
double sum_of_some_exponentials(const real *row, real largest, size_t n);

/* Return max + log Σ exp(row - max), so that log softmax(row) = row - log_sum_exp(row) (10). */
real log_sum_exp(const real *row, size_t n);

#endif
