/* The linear projections around attention: of queries, keys and values before the scores, and of
 * the merged heads after them. docs/beyond.md, equations 29 and 38. */
#ifndef ELMAN_ATTENTION_PROJECTION_H
#define ELMAN_ATTENTION_PROJECTION_H

#include "tensor/real.h"

/* y (rows,H) = x Wᵀ + b; without a bias `bias` is NULL. */
void projection_forward(real *y, const real *x, const real *weight, const real *bias, size_t rows,
                        size_t H);

struct projection {
  const real *weight;
  real *dweight, *dbias; /* `dbias` NULL = none */
};

/* dx += dy W, dW += dyᵀ x, db += Σ dy */
void projection_backward(real *dx, struct projection p, const real *dy, const real *x, size_t rows,
                         size_t H);

#endif
