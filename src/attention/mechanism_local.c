/* General attention in a window around a predicted center, weighted by a Gaussian: local-p of Luong
 * et al., EMNLP 2015, equations 9 and 10. docs/mechanisms.md, (52) to (55). Source positions count
 * from 1. */
#include <tgmath.h>

#include "attention/mechanism.h"
#include "tensor/elementary.h"

enum { CENTER_WEIGHT, CENTER_SCORE_WEIGHT };                       /* W_φ, ω_μ */
enum { CENTER_STATES = PREDICTION_STATES, CENTERS = PREDICTIONS }; /* φ_t, μ_t */

/* μ_t = S_b sigmoid(ω_μ·φ_t), φ_t = tanh(W_φ d_t) */
static void center_forward(const struct attention_pass *pass) {
  const struct attention_shape shape = pass->shape;
  const size_t B = shape.batch, rows = shape.queries * B;
  prediction_forward(pass, 1);
  for (size_t i = 0; i < rows; i++) {
    real *center = pass->cache.own[CENTERS] + i;
    const real S_b = (real)mask_visible(shape, i % B, i / B).end;
    *center = S_b * sigmoid_real(*center); /* (52) */
  }
}

/* Accumulate the gradients of the queries and of both weights. On entry the scratch contains
 * dμ_t. */
static void center_backward(const struct attention_gradients *d,
                            const struct attention_pass *pass) {
  const struct attention_shape shape = pass->shape;
  const size_t B = shape.batch, rows = shape.queries * B;
  for (size_t i = 0; i < rows; i++) {
    const real center = pass->cache.own[CENTERS][i];
    const real S_b = (real)mask_visible(shape, i % B, i / B).end;
    d->scratch.own[CENTERS][i] =
        d->scratch.own[CENTERS][i] * center * (1 - center / S_b); /* (55) */
  }
  prediction_backward(d, pass, 1);
}

/* Return the visible keys from μ - D to μ + D, or one key if the window contains none. */
static struct visible window_of(struct visible visible, real center, size_t window) {
  /* Key i has position i + 1. */
  const real first = ceil(center - (real)window) - 1, end = floor(center + (real)window);
  if (first > (real)visible.first) visible.first = (size_t)first;
  if (end < (real)visible.end) visible.end = (size_t)end;
  return visible;
}

/* 2 / D² = 1 / (2 (D/2)²): the Gaussian's standard deviation is D/2 */
static real sharpness(size_t window) {
  return 2 / ((real)window * (real)window);
}

static real gaussian_at(size_t key, real center, size_t window) {
  const real distance = (real)(key + 1) - center;
  return exp_real(-distance * distance * sharpness(window));
}

static void gaussian_forward(struct attention_row *row) {
  const size_t window = row->pass->layer.config.window;
  const real center = row->pass->cache.own[CENTERS][row->position];
  row->visible = window_of(row->visible, center, window);
  mask_softmax_forward(row);
  for (size_t s = row->visible.first; s < row->visible.end; s++)
    row->weights[s] *= gaussian_at(s, center, window); /* (53) */
}

/* Return whether more than one key is visible. The softmax over one key is 1, so its score has no
 * gradient. A gradient computed with â = a / g would be rounding error, which Adam would
 * amplify. */
static bool is_choice(struct visible visible) {
  return visible.end - visible.first > 1;
}

/* Let â be the softmax and g the Gaussian, so that a = â g and dâ = g da. Then (16) for â needs
 * only Σ â dâ = Σ a da and â = a / g. */
static void gaussian_backward(real *drow, const struct attention_row *row,
                              const struct attention_arrays *scratch) {
  const size_t window = row->pass->layer.config.window;
  const real center = row->pass->cache.own[CENTERS][row->position], *weights = row->weights;
  const struct visible visible = window_of(row->visible, center, window);
  real dcenter = 0, sum = 0;
  for (size_t s = visible.first; s < visible.end; s++) {
    const real distance = (real)(s + 1) - center;
    dcenter += drow[s] * weights[s] * 2 * distance * sharpness(window); /* (54) */
    sum += drow[s] * weights[s];
  }
  for (size_t s = visible.first; s < visible.end; s++) {
    const real g = gaussian_at(s, center, window); /* g is at least e⁻² within the window */
    drow[s] = weights[s] * (drow[s] - sum / g);    /* (16) */
  }
  if (!is_choice(visible)) drow[visible.first] = 0;
  mask_fill_outside(drow, visible, row->pass->shape.keys, 0);
  scratch->own[CENTERS][row->position] = dcenter;
}

/* ---- the guide loss ---- */

/* Return log a. Outside the window the weight is zero, so the guide uses the Gaussian alone: log a
 * = log g. The guide then moves the center toward the key. (78) */
static double gaussian_guided_log(const struct attention_row *row, size_t n, size_t key) {
  const size_t window = row->pass->layer.config.window;
  const real center = row->pass->cache.own[CENTERS][row->position];
  const double distance = (double)(key + 1) - (double)center;
  const double log_gaussian = -distance * distance * (double)sharpness(window);
  struct attention_row inside = *row;
  inside.visible = window_of(row->visible, center, window);
  if (key < inside.visible.first || key >= inside.visible.end) return log_gaussian;
  return guided_log_of_softmax(&inside, n, key) + log_gaussian;
}

/* Accumulate the gradients of log a = log â + log g. The gradient of log â is (77); the gradient of
 * log g with respect to the center is d log g / dμ = 4 (s - μ) / D². */
static void gaussian_guided_backward(real *dscores, const struct guided *guided,
                                     const struct attention_arrays *scratch) {
  const struct attention_row *row = guided->row;
  const size_t window = row->pass->layer.config.window;
  const real center = row->pass->cache.own[CENTERS][row->position];
  const struct visible visible = window_of(row->visible, center, window);
  real sum = 0, dcenter = 0;
  for (size_t i = 0; i < guided->count; i++) {
    const size_t key = guided->keys[i];
    const real pull = guided_pull(guided, i);
    dcenter += pull * 2 * ((real)(key + 1) - center) * sharpness(window); /* (79) */
    if (key < visible.first || key >= visible.end || !is_choice(visible)) continue;
    dscores[key] += pull;
    sum += pull;
  }
  for (size_t s = visible.first; s < visible.end; s++)
    dscores[s] -= row->weights[s] / gaussian_at(s, center, window) * sum;
  scratch->own[CENTERS][row->position] += dcenter;
}

const struct attention_mechanism attention_local = {
    .projections = PROJECT_QUERIES,
    .own = {[CENTER_WEIGHT] = OWN_MATRIX("center.weight"),
            [CENTER_SCORE_WEIGHT] = OWN_ROW("center_score.weight")},
    .arrays = {[CENTER_STATES] = SIZE, [CENTERS] = ONE},
    .window = 5,
    .one_head = true,
    .score = score_product_forward,
    .score_backward = score_product_backward,
    .queries_forward = center_forward,
    .queries_backward = center_backward,
    .weigh = gaussian_forward,
    .weigh_backward = gaussian_backward,
    .guided_log = gaussian_guided_log,
    .guided_backward = gaussian_guided_backward};
