/* The rectified linear cell: h_t = max(0, W_ih x_t + b_ih + W_hh h_{t-1} + b_hh), initialized with
 * W_hh = I and zero biases. Le, Jaitly and Hinton, "A simple way to initialize recurrent networks
 * of rectified linear units", arXiv:1504.00941, 2015. docs/beyond.md, (29). */
#include "rnn/cell.h"

static void forward(const struct cell_step *step) {
  real *h = step->z;
  for (size_t j = 0; j < step->units; j++) {
    const real z = h[j] + step->bias_ih[j] + step->bias_hh[j];
    h[j] = z < 0 ? 0 : z; /* written so that NaN stays NaN */
  }
}

static void backward(const struct cell_step_back *step) {
  const real *h = step->state[0];
  for (size_t j = 0; j < step->units; j++) step->dz[j] = h[j] > 0 ? step->dz[j] : 0;
}

static size_t saturated(const real *h, size_t hidden) {
  size_t count = 0;
  for (size_t j = 0; j < hidden; j++) count += h[j] <= 0;
  return count;
}

const struct rnn_cell cell_relu = {.gates = 1,
                                   .parts = 1,
                                   .corner = true,
                                   .identity = true,
                                   .forward = forward,
                                   .backward = backward,
                                   .saturated = saturated};
