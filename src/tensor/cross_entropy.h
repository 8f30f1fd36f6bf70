/* Cross-entropy of softmax(logits) against target ids, one row a token, with label smoothing
 * (Szegedy et al., CVPR 2016; as in PyTorch's cross_entropy): the target's share is 1 - ε, and ε is
 * spread evenly over the whole vocabulary. Equations 10, 11 and 36. */
#ifndef ELMAN_TENSOR_CROSS_ENTROPY_H
#define ELMAN_TENSOR_CROSS_ENTROPY_H

#include <stdint.h>

#include "tensor/real.h"

/* losses (n) = -Σ_v q_v log p_v of each row. The maximum is subtracted, and a probability is never
 * formed to take its logarithm. */
void cross_entropy_forward(double *losses, const real *logits /* (n,v) */,
                           const uint32_t *targets /* (n) */, double smoothing, size_t n, size_t v);

/* The same of logits + bias, and logits (n,v) becomes the gradient of that:
 * scale · (softmax(logits + bias) - q), equations 12 and 36. Each exponential is taken once. */
void cross_entropy_learn(double *losses, real *logits, const real *bias /* (v) */,
                         const uint32_t *targets, double smoothing, real scale, size_t n, size_t v);

#endif
