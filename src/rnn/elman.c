#include "rnn/elman.h"

#include <string.h>

#include "tensor/blas.h"
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

/* One step, while its product is in cache. */
struct forward_step {
  real *current;        /* z_t without biases (B,H), to become h_t */
  const real *previous; /* h_{t-1} (B,H) */
  const struct rnn_parameters *weights;
  struct rnn_shape shape;
  size_t t;
};

static void activate(const void *context, size_t row, size_t rows, size_t column, size_t columns) {
  const struct forward_step *step = context;
  const real *bias_ih = step->weights->bias_ih + column, *bias_hh = step->weights->bias_hh + column;
  for (size_t b = row; b < row + rows; b++) {
    real *h = step->current + b * step->shape.hidden + column;
    if (is_real(step->t, b, step->shape)) {
      for (size_t j = 0; j < columns; j++) h[j] = tanh_real(h[j] + bias_ih[j] + bias_hh[j]);
    } else {
      memcpy(h, step->previous + b * step->shape.hidden + column,
             columns * sizeof *h); /* the hold (3) */
    }
  }
}

/* The map of the input; the biases are added with the tanh. */
static struct linear input_of(const struct rnn_parameters *weights, struct rnn_shape shape) {
  return (struct linear){weights->weight_ih, NULL, shape.input, shape.hidden};
}

void rnn_forward(real *states, const real *inputs, const struct rnn_parameters *weights,
                 struct rnn_shape shape) {
  const size_t B = shape.batch, H = shape.hidden;
  /* The input's share of all steps in one product: it does not wait for the recurrence. */
  linear_forward(rnn_outputs(states, shape), inputs, input_of(weights, shape), shape.steps * B);

  for (size_t i = 0; i < shape.steps; i++) {
    const size_t t = step_number(i, shape);
    const struct forward_step step = {states + block_after(t, shape) * B * H,
                                      states + block_before(t, shape) * B * H, weights, shape, t};
    /* h_t = tanh(W_ih x_t + W_hh h_{t-1} + b_ih + b_hh)                            (2) */
    const struct product recurrent = {step.current,
                                      H,
                                      1,
                                      1,
                                      as_it_is(step.previous, H),
                                      transposed(weights->weight_hh, H),
                                      B,
                                      H,
                                      H};
    matrix_product_then(recurrent, activate, &step);
  }
}

/* One step backward, while what reaches its state is in cache. */
struct backward_step {
  real *dz;            /* dh_t (B,H), to become dz_t */
  real *dprevious;     /* (B,H): of h_{t-1}, added to */
  const real *current; /* h_t (B,H) */
  real *dh;            /* dh_t is kept here, or NULL */
  struct rnn_shape shape;
  size_t t;
};

static struct backward_step backward_step_of(real *dstates, real *dh, const real *states,
                                             struct rnn_shape shape, size_t i) {
  const size_t t = step_number(i, shape), block = shape.batch * shape.hidden;
  return (struct backward_step){dstates + block_after(t, shape) * block,
                                dstates + block_before(t, shape) * block,
                                states + block_after(t, shape) * block,
                                dh == NULL ? NULL : dh + t * block,
                                shape,
                                t};
}

static void through_tanh(const void *context, size_t row, size_t rows, size_t column,
                         size_t columns) {
  const struct backward_step *step = context;
  for (size_t b = row; b < row + rows; b++) {
    const size_t at = b * step->shape.hidden + column;
    real *dz = step->dz + at;
    if (step->dh != NULL) memcpy(step->dh + at, dz, columns * sizeof *dz);
    if (is_real(step->t, b, step->shape)) {
      /* h = tanh(z), so dz = dh (1 - h²)                                    (18, 22) */
      const real *h = step->current + at;
      for (size_t j = 0; j < columns; j++) dz[j] *= 1 - h[j] * h[j];
    } else {
      /* h_t = h_{t-1}: the gradient passes, and nothing reaches the weights     (22) */
      real *dprevious = step->dprevious + at;
      for (size_t j = 0; j < columns; j++) dprevious[j] += dz[j];
      memset(dz, 0, columns * sizeof *dz);
    }
  }
}

void rnn_backward_states(real *dstates, real *dh, const real *states,
                         const struct rnn_parameters *weights, struct rnn_shape shape) {
  const size_t B = shape.batch, H = shape.hidden;
  if (shape.steps == 0) return;
  const struct backward_step last = backward_step_of(dstates, dh, states, shape, shape.steps - 1);
  through_tanh(&last, 0, B, 0, H);
  for (size_t i = shape.steps; i-- > 0;) {
    const struct backward_step step = backward_step_of(dstates, dh, states, shape, i);
    const struct backward_step before =
        backward_step_of(dstates, dh, states, shape, i > 0 ? i - 1 : 0);
    /* z_t holds W_hh h_{t-1}, so dh_{t-1} += W_hhᵀ dz_t                       (18, 22) */
    const struct product through = {
        step.dprevious, H, 1, 1, as_it_is(step.dz, H), as_it_is(weights->weight_hh, H), B, H, H};
    matrix_product_then(through, i > 0 ? through_tanh : NULL, &before);
  }
}

/* dx_t = W_ihᵀ dz_t                                                            (20, 24) */
void rnn_backward_inputs(real *dinputs, real beta, const real *dstates,
                         const struct rnn_parameters *weights, struct rnn_shape shape) {
  const real *dz = dstates + block_after(0, shape) * shape.batch * shape.hidden;
  linear_backward_input(dinputs, beta, dz, input_of(weights, shape), shape.steps * shape.batch);
}

void rnn_backward_weights(const struct rnn_parameters *gradients, const real *dstates,
                          const real *states, const real *inputs, struct rnn_shape shape) {
  /* All dz were kept, so each weight's gradient is one product over all steps  (19, 23) */
  const size_t E = shape.input, H = shape.hidden, rows = shape.steps * shape.batch;
  const real *dz = dstates + block_after(0, shape) * shape.batch * H;
  const real *previous = states + block_before(0, shape) * shape.batch * H;
  linear_backward_weights((struct linear_gradients){gradients->weight_ih, gradients->bias_ih}, dz,
                          inputs, (struct linear){.in = E, .out = H}, rows);
  linear_backward_weights((struct linear_gradients){gradients->weight_hh, gradients->bias_hh}, dz,
                          previous, (struct linear){.in = H, .out = H}, rows);
}
