/* The linear maps around attention: of queries, keys and values before the scores, and of the
 * merged heads after them. docs/beyond.md, equations 29 and 38. */
#ifndef ELMAN_ATTENTION_MAPS_H
#define ELMAN_ATTENTION_MAPS_H

#include "tensor/real.h"

/* y (rows,H) = x Wᵀ + b; without a bias `bias` is NULL. */
void map_forward(real *y, const real *x, const real *weight, const real *bias, size_t rows,
                 size_t H);

/* dx += dy W, dW += dyᵀ x, db += Σ dy */
void map_backward(real *dx, real *dweight, real *dbias, const real *dy, const real *x,
                  const real *weight, size_t rows, size_t H);

#endif
