/* Adam with bias correction: Kingma and Ba, "Adam: a method for stochastic optimization", ICLR
 * 2015; docs/bptt.md, (26) to (28). Results equal those of torch.optim.Adam up to rounding. With
 * AVX-512, square roots and quotients of floats are computed from the processor's estimates unless
 * `exact` is set; their error is at most 4 units in the last place. */
#ifndef ELMAN_TRAIN_ADAM_H
#define ELMAN_TRAIN_ADAM_H

#include <stdbool.h>
#include <stdint.h>

#include "tensor/real.h"

struct adam_options {
  double beta1, beta2, epsilon;
  bool exact; /* do not use the processor's estimates; the bits are then those of every processor */
};

/* Return PyTorch's defaults: 0.9, 0.999, 1e-8; not exact. */
struct adam_options adam_options_default(void);

/* The constants of one update. */
struct adam_step {
  real scale; /* factor of the gradients; less than 1 when they are clipped */
  real beta1, beta2, one_minus_beta1, one_minus_beta2;
  real size, epsilon; /* learning rate and ε, including the bias corrections */
  bool exact;
};

/* Return the constants of update number `update`, counted from 1. The scale is 1. */
struct adam_step adam_step_of(struct adam_options options, double learning_rate, uint64_t update);

/* Update n weights and their moments m and v. Set the gradients to 0 for the next sum, while they
 * are in the first-level cache. */
void adam_update(real *weights, real *m, real *v, real *gradients, size_t n,
                 const struct adam_step *step);

/* Do the update of adam_update for gradients that are all 0, with the same bits. The function uses
 * one thread, because it is called for few elements. */
void adam_update_without_gradient(real *weights, real *m, real *v, size_t n,
                                  const struct adam_step *step);

/* Update in plain C and one thread. `gradients` NULL means that all gradients are 0. This function
 * is for processors without vector code, and for tests of the vector code. */
void adam_update_plain(real *weights, real *m, real *v, real *gradients, size_t n,
                       const struct adam_step *step);

#endif
