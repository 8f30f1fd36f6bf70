#include "rnn/elman.h"

#include <string.h>

#include "tensor/elementary.h"
#include "tensor/linear.h"

/* Blocks of `states`: that of the state after input t, and that of the state before it. */
static size_t block_after(size_t t, struct rnn_shape shape) {
  return shape.reverse ? t : t + 1;
}

static size_t block_before(size_t t, struct rnn_shape shape) {
  return shape.reverse ? t + 1 : t;
}

/* The step that is run as number i. */
static size_t step_number(size_t i, struct rnn_shape shape) {
  return shape.reverse ? shape.steps - 1 - i : i;
}

static bool is_real(size_t t, size_t b, struct rnn_shape shape) {
  return shape.first + t < shape.lengths[b];
}

real *rnn_outputs(real *states, struct rnn_shape shape) {
  return states + block_after(0, shape) * shape.batch * shape.hidden;
}

real *rnn_initial(real *states, struct rnn_shape shape) {
  return states + (shape.reverse ? shape.steps : 0) * shape.batch * shape.hidden;
}

real *rnn_final(real *states, struct rnn_shape shape) {
  return states + (shape.reverse ? 0 : shape.steps) * shape.batch * shape.hidden;
}

void rnn_forward(real *states, const real *inputs, const struct rnn_parameters *weights,
                 struct rnn_shape shape) {
  const size_t B = shape.batch, E = shape.input, H = shape.hidden;
  /* The input's share of all steps in one product: it does not wait for the recurrence. */
  linear_forward(rnn_outputs(states, shape), inputs, weights->weight_ih, shape.steps * B, E, H);

  for (size_t i = 0; i < shape.steps; i++) {
    const size_t t = step_number(i, shape);
    const real *previous = states + block_before(t, shape) * B * H;
    real *current = states + block_after(t, shape) * B * H;
    /* z_t = W_ih x_t + W_hh h_{t-1}; both biases follow below                     (2) */
    linear_forward_add(current, previous, weights->weight_hh, B, H, H);
    for (size_t b = 0; b < B; b++) {
      real *h = current + b * H;
      if (is_real(t, b, shape)) {
        for (size_t j = 0; j < H; j++)
          h[j] = tanh_real(h[j] + weights->bias_ih[j] + weights->bias_hh[j]);
      } else {
        memcpy(h, previous + b * H, H * sizeof *h); /* the hold (3) */
      }
    }
  }
}

void rnn_backward_states(real *dstates, real *reaching, const real *states,
                         const struct rnn_parameters *weights, struct rnn_shape shape) {
  const size_t B = shape.batch, H = shape.hidden;
  for (size_t i = shape.steps; i-- > 0;) {
    const size_t t = step_number(i, shape);
    const real *current = states + block_after(t, shape) * B * H;
    real *dprevious = dstates + block_before(t, shape) * B * H;
    real *dz = dstates + block_after(t, shape) * B * H;
    if (reaching != NULL) memcpy(reaching + t * B * H, dz, B * H * sizeof *dz);
    for (size_t b = 0; b < B; b++) {
      real *row = dz + b * H;
      if (is_real(t, b, shape)) {
        /* h = tanh(z), so dz = dh (1 - h²)                                    (18, 22) */
        const real *h = current + b * H;
        for (size_t j = 0; j < H; j++) row[j] *= 1 - h[j] * h[j];
      } else {
        /* h_t = h_{t-1}: the gradient passes, and nothing reaches the weights     (22) */
        for (size_t j = 0; j < H; j++) dprevious[b * H + j] += row[j];
        memset(row, 0, H * sizeof *row);
      }
    }
    /* z_t holds W_hh h_{t-1}, so dh_{t-1} += W_hhᵀ dz_t                       (18, 22) */
    linear_backward_input_add(dprevious, dz, weights->weight_hh, B, H, H);
  }
}

/* dx_t = W_ihᵀ dz_t                                                            (20, 24) */
void rnn_backward_inputs(real *dinputs, const real *dstates, const struct rnn_parameters *weights,
                         struct rnn_shape shape) {
  const real *dz = dstates + block_after(0, shape) * shape.batch * shape.hidden;
  linear_backward_input(dinputs, dz, weights->weight_ih, shape.steps * shape.batch, shape.input,
                        shape.hidden);
}

void rnn_backward_inputs_add(real *dinputs, const real *dstates,
                             const struct rnn_parameters *weights, struct rnn_shape shape) {
  const real *dz = dstates + block_after(0, shape) * shape.batch * shape.hidden;
  linear_backward_input_add(dinputs, dz, weights->weight_ih, shape.steps * shape.batch, shape.input,
                            shape.hidden);
}

void rnn_backward_weights(const struct rnn_parameters *gradients, const real *dstates,
                          const real *states, const real *inputs, struct rnn_shape shape) {
  /* All dz were kept, so each weight's gradient is one product over all steps  (19, 23) */
  const size_t E = shape.input, H = shape.hidden, rows = shape.steps * shape.batch;
  const real *dz = dstates + block_after(0, shape) * shape.batch * H;
  const real *previous = states + block_before(0, shape) * shape.batch * H;
  linear_backward_weight(gradients->weight_ih, dz, inputs, rows, E, H);
  linear_backward_weight(gradients->weight_hh, dz, previous, rows, H, H);
  bias_backward(gradients->bias_ih, dz, rows, H);
  bias_backward(gradients->bias_hh, dz, rows, H);
}
