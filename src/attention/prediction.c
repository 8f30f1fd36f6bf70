#include "attention/prediction.h"

#include <tgmath.h>

#include "attention/mask.h"
#include "tensor/linear.h"

static struct linear layer_of(const struct attention_pass *pass) {
  const size_t H = pass->layer.config.size;
  return (struct linear){
      .weight = pass->layer.weights->part[OWN_PARTS + PREDICTION_STATES], .in = H, .out = H};
}

static const real *readout_of(const struct attention_pass *pass, size_t n) {
  return pass->layer.weights->part[OWN_PARTS + PREDICTIONS + n];
}

void prediction_forward(const struct attention_pass *pass, size_t count) {
  const size_t H = pass->layer.config.size, rows = pass->shape.queries * pass->shape.batch;
  real *states = pass->cache.own[PREDICTION_STATES];
  linear_forward(states, pass->queries, layer_of(pass), rows);
  for (size_t i = 0; i < rows * H; i++) states[i] = tanh(states[i]);
  for (size_t n = 0; n < count; n++) {
    const real *v = readout_of(pass, n);
    for (size_t i = 0; i < rows; i++) {
      real z = 0;
      for (size_t j = 0; j < H; j++) z += v[j] * states[i * H + j];
      pass->cache.own[PREDICTIONS + n][i] = z;
    }
  }
}

/* From the dz of query i to those of its state before the tanh, and of the ω. */
static void read_back(const struct attention_gradients *d, const struct attention_pass *pass,
                      size_t count, size_t i) {
  const size_t H = pass->layer.config.size, B = pass->shape.batch;
  const bool masked = i / B >= mask_queries(pass->shape, i % B);
  const real *m = pass->cache.own[PREDICTION_STATES] + i * H;
  real *dm = d->scratch.own[PREDICTION_STATES] + i * H;
  for (size_t j = 0; j < H; j++) dm[j] = 0;
  for (size_t n = 0; n < count && !masked; n++) {
    const real *v = readout_of(pass, n), dz = d->scratch.own[PREDICTIONS + n][i];
    real *dv = d->weights->part[OWN_PARTS + PREDICTIONS + n];
    for (size_t j = 0; j < H; j++) {
      dv[j] += dz * m[j];
      dm[j] += dz * v[j];
    }
  }
  for (size_t j = 0; j < H; j++) dm[j] *= 1 - m[j] * m[j];
}

void prediction_backward(const struct attention_gradients *d, const struct attention_pass *pass,
                         size_t count) {
  const size_t rows = pass->shape.queries * pass->shape.batch;
  const real *dstates = d->scratch.own[PREDICTION_STATES];
  for (size_t i = 0; i < rows; i++) read_back(d, pass, count, i);
  const struct linear layer = layer_of(pass);
  const struct linear_gradients dlayer = {d->weights->part[OWN_PARTS + PREDICTION_STATES], NULL};
  linear_backward_weights(dlayer, dstates, pass->queries, layer, rows);
  linear_backward_input(d->queries, 1, dstates, layer, rows);
}
