/* The Elman cell: h_t = tanh(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh). docs/bptt.md, (2), (18) and
 * (22). */
#include <math.h>

#include "rnn/cell.h"
#include "tensor/elementary.h"

static void forward(const struct cell_step *step) {
  real *h = step->z;
  for (size_t j = 0; j < step->units; j++)
    h[j] = tanh_real(h[j] + step->bias_ih[j] + step->bias_hh[j]); /* (2) */
}

static void backward(const struct cell_step_back *step) {
  /* h = tanh(z), so dz = dh (1 - h²)                                                   (18), (22)
   */
  const real *h = step->state[0];
  for (size_t j = 0; j < step->units; j++) step->dz[j] *= 1 - h[j] * h[j];
}

static size_t saturated(const real *h, size_t hidden) {
  size_t count = 0;
  for (size_t j = 0; j < hidden; j++) count += is_flat_tanh(h[j]);
  return count;
}

const struct rnn_cell cell_elman = {
    .gates = 1, .parts = 1, .forward = forward, .backward = backward, .saturated = saturated};
