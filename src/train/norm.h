/* The norm of the gradients, and clipping of the gradients by their norm. Pascanu, Mikolov and
 * Bengio, "On the difficulty of training recurrent neural networks", ICML 2013; docs/bptt.md,
 * (25). */
#ifndef ELMAN_TRAIN_NORM_H
#define ELMAN_TRAIN_NORM_H

#include "tensor/real.h"

/* Return the sum of the squares of n values. Add in double and in a fixed order. */
double sum_of_squares(const real *values, size_t n);

/* Return the factor that reduces the norm of the gradients to at most `limit`, as torch's
 * clip_grad_norm_ does. Return 1 for `limit` 0, which means no limit. */
real clip_scale(double norm, double limit);

#endif
