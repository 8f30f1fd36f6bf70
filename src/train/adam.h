/* Adam with bias correction. Kingma and Ba, "Adam: a method for stochastic optimization", ICLR
 * 2015; arithmetic as in torch.optim.Adam. docs/bptt.md, equations 25 to 28. */
#ifndef ELMAN_TRAIN_ADAM_H
#define ELMAN_TRAIN_ADAM_H

#include <stdint.h>

#include "tensor/real.h"

struct adam_options {
  double learning_rate, beta1, beta2, epsilon;
};

/* PyTorch's defaults: 0.001, 0.9, 0.999, 1e-8 */
struct adam_options adam_options_default(void);

/* One update of n weights and of their moments m and v; `update` counts from 1. */
void adam_update(real *weights, real *m, real *v, const real *gradients, size_t n, uint64_t update,
                 struct adam_options options);

/* The Euclidean norm of n numbers. Sums in double and in a fixed order. */
double global_norm(const real *values, size_t n);

/* Scales the gradients down to `limit` if their norm is larger, as torch's clip_grad_norm_ does;
 * `limit` 0 = never. Returns the norm before. */
double clip_global_norm(real *gradients, size_t n, double limit);

#endif
