/* Softmax of one row, and its backward pass. */
#ifndef ELMAN_TENSOR_SOFTMAX_H
#define ELMAN_TENSOR_SOFTMAX_H

#include "tensor/real.h"

/* Replace row (n) by exp(row) / Σ exp(row). The maximum is subtracted first, so nothing
 * overflows. */
void softmax_forward(real *row, size_t n);

/* Replace drow (n), the gradient of the result of softmax_forward, by the gradient of its argument
 * (16). probabilities (n) is that result. */
void softmax_backward(real *drow, const real *probabilities, size_t n);

real maximum(const real *row, size_t n);

/* Replace row (n) by exp(row - largest). Return the sum, added in double. */
double exponentials(real *row, real largest, size_t n);
/* Return the same sum without changing the row. */
double sum_of_exponentials(const real *row, real largest, size_t n);

/* Return max + log Σ exp(row - max), so that log softmax(row) = row - log_sum_exp(row) (10). */
real log_sum_exp(const real *row, size_t n);

#endif
