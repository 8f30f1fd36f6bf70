#include "rnn/elman.h"

#include <string.h>

#include "tensor/elementary.h"
#include "tensor/linear.h"

void rnn_forward(real *states, const real *inputs, const struct rnn_parameters *weights,
                 struct rnn_shape shape) {
  const size_t B = shape.batch, E = shape.input, H = shape.hidden;
  const size_t block = B * H;
  /* The input's share of all steps in one product: it does not wait for the recurrence. */
  linear_forward(states + block, inputs, weights->weight_ih, shape.steps * B, E, H);

  for (size_t t = 0; t < shape.steps; t++) {
    const real *previous = states + t * block;
    real *current = states + (t + 1) * block;
    /* z_t = W_ih x_t + W_hh h_{t-1}; both biases follow below                     (2) */
    linear_forward_add(current, previous, weights->weight_hh, B, H, H);
    for (size_t b = 0; b < B; b++) {
      real *h = current + b * H;
      if (t < shape.lengths[b]) {
        for (size_t i = 0; i < H; i++)
          h[i] = tanh_real(h[i] + weights->bias_ih[i] + weights->bias_hh[i]);
      } else {
        memcpy(h, previous + b * H, H * sizeof *h); /* the hold (3) */
      }
    }
  }
}

void rnn_backward(real *dinputs, const struct rnn_parameters *gradients, real *dstates,
                  const real *states, const real *inputs, const struct rnn_parameters *weights,
                  struct rnn_shape shape) {
  const size_t B = shape.batch, E = shape.input, H = shape.hidden;
  const size_t block = B * H, rows = shape.steps * B;

  for (size_t t = shape.steps; t-- > 0;) {
    const real *current = states + (t + 1) * block;
    real *dprevious = dstates + t * block;
    real *dz = dstates + (t + 1) * block;
    for (size_t b = 0; b < B; b++) {
      real *row = dz + b * H;
      if (t < shape.lengths[b]) {
        /* h = tanh(z), so dz = dh (1 - h²)                                    (18, 22) */
        const real *h = current + b * H;
        for (size_t i = 0; i < H; i++) row[i] *= 1 - h[i] * h[i];
      } else {
        /* h_t = h_{t-1}: the gradient passes, and nothing reaches the weights     (22) */
        for (size_t i = 0; i < H; i++) dprevious[b * H + i] += row[i];
        memset(row, 0, H * sizeof *row);
      }
    }
    /* z_t holds W_hh h_{t-1}, so dh_{t-1} += W_hhᵀ dz_t                       (18, 22) */
    linear_backward_input_add(dprevious, dz, weights->weight_hh, B, H, H);
  }

  /* All dz were kept, so each weight's gradient is one product over all steps  (19, 23) */
  const real *dz = dstates + block;
  linear_backward_weight(gradients->weight_ih, dz, inputs, rows, E, H);
  linear_backward_weight(gradients->weight_hh, dz, states, rows, H, H);
  bias_backward(gradients->bias_ih, dz, rows, H);
  bias_backward(gradients->bias_hh, dz, rows, H);
  /* dx_t = W_ihᵀ dz_t                                                          (20, 24) */
  linear_backward_input(dinputs, dz, weights->weight_ih, rows, E, H);
}
