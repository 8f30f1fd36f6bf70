/* Cross-entropy of softmax(logits) against target ids, one row per token. With label smoothing the
 * target gets the probability 1 - η, and η is distributed evenly over the whole vocabulary (Szegedy
 * et al., CVPR 2016; as in PyTorch's cross_entropy). Equations (10) to (12), (73) and (95). */
#ifndef ELMAN_TENSOR_CROSS_ENTROPY_H
#define ELMAN_TENSOR_CROSS_ENTROPY_H

#include <stdint.h>

#include "tensor/real.h"

/* Compute losses (n) = -Σ_v q_v log p_v of each row. Subtract the maximum for stability. Compute
 * the logarithm from the logits, because a probability may round to 0. */
void cross_entropy_forward(double *losses, const real *logits /* (n,v) */,
                           const uint32_t *targets /* (n) */, double smoothing, size_t n, size_t v);

/* Loss and gradient for one part of the vocabulary at a time. The part stays in cache from its
 * product until its gradient is used. The parts may be processed in any order. */
struct cross_entropy_task {
  const uint32_t *targets; /* (n) */
  size_t n, v;
  double smoothing; /* η */
  real scale;       /* factor of each gradient */
  real divergence;  /* α/2 of R-Drop: rows 2i and 2i + 1 are two passes of one token, and
                       n is even; 0 = none */
};

/* The softmax of one part of one row. */
struct softmax_part {
  real largest;      /* m, the largest logit of the part */
  real share;        /* after the join: the factor that turns exp(o - m) into scale · p */
  double sum;        /* Σ exp(o - m) over the part */
  double expected;   /* Σ q_v o_v over the part */
  double difference; /* with R-Drop: Σ exp(o - m) Λ over the part; after the join: Σ_v p_v Λ_v */
};

/* Replace logits (n,width) of columns first .. first + width - 1 by exp(logits - m), where m is the
 * maximum of each row in this part. Each exponential is computed once. With R-Drop, also store the
 * differences Λ = o - o' of the logits of the two passes; otherwise `differences` is not used. */
void cross_entropy_part(struct softmax_part *part /* (n) */, real *logits,
                        real *differences /* (n / 2,width) */, struct cross_entropy_task task,
                        size_t first, size_t width);

/* Compute losses (n) from the parts (parts,n) of the vocabulary. Part k has the maximum m_k, and m
 * is the largest m_k: log Σ_v exp(o_v) = m + log Σ_k exp(m_k - m) Σ_v exp(o_v - m_k), (10) and
 * (95). */
void cross_entropy_join(double *losses, struct softmax_part *parts, size_t count,
                        struct cross_entropy_task task);

/* Replace the exponentials (n,width) of a part by the gradient of its logits, scale ·
 * (softmax(logits) - q), (12), (73), (95) and, with R-Drop, (99). The caller must have called
 * cross_entropy_join. */
void cross_entropy_gradient(real *exponentials, const real *differences,
                            const struct softmax_part *part, struct cross_entropy_task task,
                            size_t first, size_t width);

#endif
