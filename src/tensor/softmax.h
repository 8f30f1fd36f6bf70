/* Softmax over one row, and its backward pass. */
#ifndef ELMAN_TENSOR_SOFTMAX_H
#define ELMAN_TENSOR_SOFTMAX_H

#include "tensor/real.h"

/* row (n) becomes exp(row) / Σ exp(row); the maximum is subtracted first, so nothing overflows. */
void softmax_forward(real *row, size_t n);

/* drow (n), the gradient of the softmax's result, becomes that of its argument (16);
 * probabilities (n) is what softmax_forward gave. */
void softmax_backward(real *drow, const real *probabilities, size_t n);

real maximum(const real *row, size_t n);

/* row (n) becomes exp(row - largest); gives the sum, added in double. */
double exponentials(real *row, real largest, size_t n);
/* The same sum, with the row as it is. */
double sum_of_exponentials(const real *row, real largest, size_t n);

/* max + log Σ exp(row - max), so that log softmax(row) = row - log_sum_exp(row) (10) */
real log_sum_exp(const real *row, size_t n);

#endif
