/* Exponential moving average of the weights. Polyak and Juditsky, "Acceleration of stochastic
 * approximation by averaging", SIAM 1992. docs/beyond.md, section 11. */
#ifndef ELMAN_TRAIN_AVERAGE_H
#define ELMAN_TRAIN_AVERAGE_H

#include <stdint.h>

#include "tensor/real.h"

/* The share of the weights in the average after update `update`, which counts from 1. At first it
 * follows faster, so that the initial weights are soon forgotten. */
real average_share(double decay, uint64_t update);

void average_update(real *average, const real *weights, size_t n, real share);

#endif
