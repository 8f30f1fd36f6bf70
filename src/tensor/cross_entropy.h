/* Cross-entropy of softmax(logits) against target ids, one row a token, with label smoothing
 * (Szegedy et al., CVPR 2016; as in PyTorch's cross_entropy): the target's share is 1 - ε, and ε is
 * spread evenly over the whole vocabulary. */
#ifndef ELMAN_TENSOR_CROSS_ENTROPY_H
#define ELMAN_TENSOR_CROSS_ENTROPY_H

#include <stdint.h>

#include "tensor/real.h"

/* Equations 10, 11 and 36: log_sums (n) = log Σ exp of each row, losses (n) = -Σ_v q_v log p_v.
 * The maximum is subtracted, and a probability is never formed to take its logarithm. */
void cross_entropy_forward(double *losses, real *log_sums, const real *logits /* (n,v) */,
                           const uint32_t *targets /* (n) */, double smoothing, size_t n, size_t v);

/* Equations 12 and 36, in place: logits (n,v) becomes scale · (softmax(logits) - q). */
void cross_entropy_backward(real *logits, const real *log_sums, const uint32_t *targets,
                            double smoothing, real scale, size_t n, size_t v);

#endif
