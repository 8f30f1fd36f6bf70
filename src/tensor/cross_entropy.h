/* Cross-entropy of softmax(logits) against target ids, one row a token, with label smoothing
 * (Szegedy et al., CVPR 2016; as in PyTorch's cross_entropy): the target's share is 1 - η, and η is
 * spread evenly over the whole vocabulary. (10) to (12), (73) and (90). */
#ifndef ELMAN_TENSOR_CROSS_ENTROPY_H
#define ELMAN_TENSOR_CROSS_ENTROPY_H

#include <stdint.h>

#include "tensor/real.h"

/* losses (n) = -Σ_v q_v log p_v of each row. The maximum is subtracted, and a probability is never
 * formed to take its logarithm. */
void cross_entropy_forward(double *losses, const real *logits /* (n,v) */,
                           const uint32_t *targets /* (n) */, double smoothing, size_t n, size_t v);

/* Loss and gradient, a part of the vocabulary at a time, so that a part can stay in cache between
 * its product, its softmax and what becomes of its gradient. Parts can be worked on in any order.
 */
struct cross_entropy_task {
  const uint32_t *targets; /* (n) */
  size_t n, v;
  double smoothing; /* η */
  real scale;       /* what the gradient of each loss is multiplied with */
};

/* One part of one row's softmax. */
struct softmax_part {
  real largest;    /* m, the largest logit of the part */
  real share;      /* after the join: what makes exp(o - m) scale · p */
  double sum;      /* Σ exp(o - m) over the part */
  double expected; /* Σ q_v o_v over the part */
};

/* logits (n,width), those of columns first .. first + width - 1, become exp(logits - m), with the
 * part's own m of each row. Each exponential is taken once. */
void cross_entropy_part(struct softmax_part *part /* (n) */, real *logits,
                        struct cross_entropy_task task, size_t first, size_t width);

/* losses (n), from the parts (parts,n) that make up the vocabulary: with m the largest of all m_k,
 * log Σ_v exp(o_v) = m + log Σ_k exp(m_k - m) Σ_v exp(o_v - m_k), (10) and (90). */
void cross_entropy_join(double *losses, struct softmax_part *parts, size_t count,
                        struct cross_entropy_task task);

/* After the join: the exponentials (n,width) of a part become the gradient of its logits,
 * scale · (softmax(logits) - q), (12), (73) and (90). */
void cross_entropy_gradient(real *exponentials, const struct softmax_part *part,
                            struct cross_entropy_task task, size_t first, size_t width);

#endif
