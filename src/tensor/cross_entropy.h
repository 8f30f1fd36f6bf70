/* Cross-entropy of softmax(logits) against target ids, one row a token. */
#ifndef ELMAN_TENSOR_CROSS_ENTROPY_H
#define ELMAN_TENSOR_CROSS_ENTROPY_H

#include <stdint.h>

#include "tensor/real.h"

/* Equations 10 and 11: log_sums (n) = log Σ exp of each row, losses (n) = -log p(target).
 * The maximum is subtracted, and a probability is never formed to take its logarithm. */
void cross_entropy_forward(double *losses, real *log_sums, const real *logits /* (n,v) */,
                           const uint32_t *targets /* (n) */, size_t n, size_t v);

/* Equation 12, in place: logits (n,v) becomes scale · (softmax(logits) - onehot(target)). */
void cross_entropy_backward(real *logits, const real *log_sums, const uint32_t *targets, real scale,
                            size_t n, size_t v);

#endif
