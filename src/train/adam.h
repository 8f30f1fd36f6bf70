/* Adam with bias correction. Kingma and Ba, "Adam: a method for stochastic optimization", ICLR
 * 2015; arithmetic as in torch.optim.Adam, to rounding: where the processor estimates inverse roots
 * (AVX-512), root and division of floats are within 4 units in the last place. docs/bptt.md,
 * (26) to (28). */
#ifndef ELMAN_TRAIN_ADAM_H
#define ELMAN_TRAIN_ADAM_H

#include <stdint.h>

#include "tensor/real.h"

struct adam_options {
  double learning_rate, beta1, beta2, epsilon;
};

/* PyTorch's defaults: 0.001, 0.9, 0.999, 1e-8 */
struct adam_options adam_options_default(void);

/* The constants of one update. */
struct adam_step {
  real scale; /* of the gradients: less than 1 when they are clipped */
  real beta1, beta2, one_minus_beta1, one_minus_beta2;
  real size, epsilon; /* lr and ε, with the bias corrections worked in */
};

/* `update` counts from 1; the scale is 1. */
struct adam_step adam_step_of(struct adam_options options, uint64_t update);

/* One update of n weights and of their moments m and v. The gradients become 0, ready for the next
 * sum: they are in the first cache just then. */
void adam_update(real *weights, real *m, real *v, real *gradients, size_t n,
                 const struct adam_step *step);

/* The same, to the bit, for gradients that are all 0; for few numbers, in one thread. */
void adam_update_without_gradient(real *weights, real *m, real *v, size_t n,
                                  const struct adam_step *step);

/* Both of the above, the second where `gradients` is NULL, in plain C and one thread: for
 * processors that have no vector code of their own here, and for the tests of that code. */
void adam_update_plain(real *weights, real *m, real *v, real *gradients, size_t n,
                       const struct adam_step *step);

#endif
