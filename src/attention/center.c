#include "attention/center.h"

#include <string.h>
#include <tgmath.h>

#include "tensor/linear.h"

void center_forward(const struct attention_pass *pass) {
  const struct attention_shape shape = pass->shape;
  const size_t B = shape.batch, H = pass->layer.config.size, rows = shape.queries * B;
  const real *v = pass->layer.weights->center_score_weight;
  const struct linear center = {pass->layer.weights->center_weight, NULL, H, H};
  linear_forward(pass->cache.center_states, pass->queries, center, rows);
  for (size_t i = 0; i < rows; i++) {
    real *m = pass->cache.center_states + i * H, score = 0;
    for (size_t j = 0; j < H; j++) {
      m[j] = tanh(m[j]);
      score += v[j] * m[j];
    }
    const real S_b = (real)mask_visible(shape, i % B, i / B).end;
    pass->cache.centers[i] = S_b / (1 + exp(-score)); /* (40) */
  }
}

void center_backward(real *dqueries, const struct attention_parameters *gradients,
                     struct attention_scratch scratch, const struct attention_pass *pass) {
  const struct attention_shape shape = pass->shape;
  const size_t B = shape.batch, H = pass->layer.config.size, rows = shape.queries * B;
  const real *v = pass->layer.weights->center_score_weight;
  for (size_t i = 0; i < rows; i++) {
    const size_t b = i % B, t = i / B;
    const real *m = pass->cache.center_states + i * H;
    real *dm = scratch.center_states + i * H;
    if (t >= mask_queries(shape, b)) {
      memset(dm, 0, H * sizeof *dm);
      continue;
    }
    const real p = pass->cache.centers[i], S_b = (real)mask_visible(shape, b, t).end;
    const real dscore = scratch.centers[i] * p * (1 - p / S_b); /* (43) */
    for (size_t j = 0; j < H; j++) {
      gradients->center_score_weight[j] += dscore * m[j];
      dm[j] = dscore * v[j] * (1 - m[j] * m[j]);
    }
  }
  const struct linear center = {pass->layer.weights->center_weight, NULL, H, H};
  const struct linear_gradients dcenter = {gradients->center_weight, NULL};
  linear_backward_weights(dcenter, scratch.center_states, pass->queries, center, rows);
  linear_backward_input(dqueries, 1, scratch.center_states, center, rows);
}

struct visible center_window(struct visible visible, real center, size_t window) {
  /* Key i has position i + 1. */
  const real first = ceil(center - (real)window) - 1, end = floor(center + (real)window);
  if (first > (real)visible.first) visible.first = (size_t)first;
  if (end < (real)visible.end) visible.end = (size_t)end;
  return visible;
}

/* 1 / (2 σ²) with σ = D/2 */
static real sharpness(size_t window) {
  return 2 / ((real)window * (real)window);
}

static real gaussian(size_t key, real center, size_t window) {
  const real distance = (real)(key + 1) - center;
  return exp(-distance * distance * sharpness(window));
}

void center_gaussian_forward(real *weights, struct visible visible, real center, size_t window) {
  for (size_t s = visible.first; s < visible.end; s++)
    weights[s] *= gaussian(s, center, window); /* (41) */
}

/* With α the softmax and g the Gaussian, a = α g: dα = g da, and equation 16 for α needs
 * Σ α dα = Σ a da and α = a / g only. */
real center_gaussian_backward(real *drow, const real *weights, struct visible visible, size_t S,
                              real center, size_t window) {
  real dcenter = 0, sum = 0;
  for (size_t s = visible.first; s < visible.end; s++) {
    const real distance = (real)(s + 1) - center;
    dcenter += drow[s] * weights[s] * 2 * distance * sharpness(window); /* (42) */
    sum += drow[s] * weights[s];
  }
  for (size_t s = visible.first; s < visible.end; s++) {
    const real g = gaussian(s, center, window); /* at least e⁻² within the window */
    drow[s] = weights[s] * (drow[s] - sum / g); /* (16) */
  }
  mask_clear_outside(drow, visible, S);
  return dcenter;
}
