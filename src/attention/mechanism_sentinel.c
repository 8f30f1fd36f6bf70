/* Additive attention with a sentinel. The sentinel is a vector, computed from the query, that
 * competes with the keys in the softmax. The weights of the keys can therefore sum to less than 1.
 * This is the adaptive attention of Lu et al., CVPR 2017. docs/mechanisms.md, (61) to (65). */
#include <string.h>

#include "attention/mechanism.h"
#include "tensor/elementary.h"
#include "tensor/softmax.h"

enum { SCORE_WEIGHT, GATE_WEIGHT, SENTINEL_WEIGHT }; /* ω, W_g, W_s */
enum { GATES, SENTINELS, FEATURES, SCORES };         /* γ_t, ς_t, f_t0, u_t0 */

/* Return whether row i is a query rather than padding after the end of a sentence. The gradients of
 * padding are zero. */
static bool is_query(const struct attention_pass *pass, size_t i) {
  return i / pass->shape.batch < mask_queries(pass->shape, i % pass->shape.batch);
}

/* ---- before the scores ---- */

static void sentinels_forward(const struct attention_pass *pass) {
  const size_t H = pass->layer.config.size, rows = attention_rows(pass);
  real *g = pass->cache.own[GATES], *s = pass->cache.own[SENTINELS];
  linear_forward(g, pass->queries, attention_map(pass, OWN_PARTS + GATE_WEIGHT, false), rows);
  for (size_t i = 0; i < rows * H; i++) {
    g[i] = sigmoid_real(g[i]);
    s[i] = g[i] * pass->queries[i]; /* (61) */
  }
}

static void queries_forward(const struct attention_pass *pass) {
  const size_t H = pass->layer.config.size, rows = attention_rows(pass);
  const real *v = pass->layer.weights->part[OWN_PARTS + SCORE_WEIGHT];
  sentinels_forward(pass);
  linear_forward(pass->cache.own[FEATURES], pass->cache.own[SENTINELS],
                 attention_map(pass, OWN_PARTS + SENTINEL_WEIGHT, false), rows);
  for (size_t i = 0; i < rows; i++) {
    const real *q = pass->cache.queries + i * H;
    real *f = pass->cache.own[FEATURES] + i * H, score = 0;
    for (size_t j = 0; j < H; j++) {
      f[j] = tanh_real(q[j] + f[j]);
      score += v[j] * f[j];
    }
    pass->cache.own[SCORES][i] = score; /* (62) */
  }
}

/* Accumulate the gradients of the queries and of W_g. On entry the scratch contains dς_t. */
static void sentinels_backward(const struct attention_gradients *d,
                               const struct attention_pass *pass) {
  const size_t H = pass->layer.config.size, rows = attention_rows(pass);
  const real *g = pass->cache.own[GATES], *ds = d->scratch.own[SENTINELS];
  real *dz = d->scratch.own[GATES];
  for (size_t i = 0; i < rows * H; i++) {
    dz[i] = ds[i] * pass->queries[i] * g[i] * (1 - g[i]);
    d->queries[i] += ds[i] * g[i]; /* (65) */
  }
  attention_map_backward(d, d->queries, 1, dz, pass->queries, pass, OWN_PARTS + GATE_WEIGHT, false);
}

/* Add to the gradients of the queries and of the weights. On entry the scratch contains du_t0, and
 * the contribution of the context to dς_t. */
static void queries_backward(const struct attention_gradients *d,
                             const struct attention_pass *pass) {
  const size_t H = pass->layer.config.size, rows = attention_rows(pass);
  const real *v = pass->layer.weights->part[OWN_PARTS + SCORE_WEIGHT];
  real *dv = d->weights->part[OWN_PARTS + SCORE_WEIGHT], *dfeatures = d->scratch.own[FEATURES];
  for (size_t i = 0; i < rows; i++) {
    const real *f = pass->cache.own[FEATURES] + i * H;
    const real dr = is_query(pass, i) ? d->scratch.own[SCORES][i] : 0;
    for (size_t j = 0; j < H; j++) {
      dv[j] += dr * f[j];
      dfeatures[i * H + j] = dr * v[j] * (1 - f[j] * f[j]);
      d->scratch.queries[i * H + j] += dfeatures[i * H + j];
    }
  }
  attention_map_backward(d, d->scratch.own[SENTINELS], 1, dfeatures, pass->cache.own[SENTINELS],
                         pass, OWN_PARTS + SENTINEL_WEIGHT, false);
  sentinels_backward(d, pass);
}

/* ---- instead of the softmax ---- */

/* Compute the softmax over the keys and the sentinel. Store the weights of the keys in the row.
 * (63) */
static void weigh_with_sentinel(struct attention_row *row) {
  const struct visible visible = row->visible;
  const size_t n = visible.end - visible.first;
  const real score = row->pass->cache.own[SCORES][row->position];
  real *weights = row->weights + visible.first, largest = maximum(weights, n);
  if (score > largest) largest = score;
  const double sum = exponentials(weights, largest, n) + (double)exp_real(score - largest);
  for (size_t s = 0; s < n; s++) weights[s] *= (real)(1 / sum);
  mask_fill_outside(row->weights, visible, row->pass->shape.keys, 0);
}

/* Convert drow to the gradient of the scores. Convert scratch.own[SCORES] from da_t0 to du_t0. */
static void weigh_with_sentinel_backward(real *drow, const struct attention_row *row,
                                         const struct attention_arrays *scratch) {
  const struct visible visible = row->visible;
  real *dscore = scratch->own[SCORES] + row->position;
  const real rest = mask_rest(row->weights, row->pass->shape.keys);
  double mean = (double)rest * (double)*dscore;
  for (size_t s = visible.first; s < visible.end; s++)
    mean += (double)row->weights[s] * (double)drow[s];
  for (size_t s = visible.first; s < visible.end; s++)
    drow[s] = row->weights[s] * (drow[s] - (real)mean);
  *dscore = rest * (*dscore - (real)mean); /* (16) over keys and sentinel */
  mask_fill_outside(drow, visible, row->pass->shape.keys, 0);
}

static double guided_log_with_sentinel(const struct attention_row *row, size_t n, size_t key) {
  struct log_sum sum = {0};
  for (size_t s = row->visible.first; s < row->visible.end; s++)
    log_sum_add(&sum, (double)attention_score_at(row, n, s));
  log_sum_add(&sum, (double)row->pass->cache.own[SCORES][row->position]);
  return (double)attention_score_at(row, n, key) - log_sum_of(&sum);
}

/* Add the gradient (77) of the guide loss. The sentinel acts as a key without alignment links. */
static void guided_with_sentinel(real *dscores, const struct guided *guided,
                                 const struct attention_arrays *scratch) {
  const struct attention_row *row = guided->row;
  real sum = 0;
  for (size_t i = 0; i < guided->count; i++) sum += guided_pull(guided, i);
  guided_softmax_backward(dscores, guided, scratch);
  scratch->own[SCORES][row->position] -= mask_rest(row->weights, row->pass->shape.keys) * sum;
}

/* ---- the context ---- */

static real rest_at(const struct attention_pass *pass, size_t i) {
  return mask_rest(pass->cache.weights + i * pass->shape.keys, pass->shape.keys);
}

/* Add the sentinel to the context. Its weight is 1 minus the sum of the keys' weights, even if
 * overrides have changed the keys' weights. */
static void context_forward(const struct attention_pass *pass) {
  const size_t H = pass->layer.config.size;
  for (size_t i = 0; i < attention_rows(pass); i++) {
    const real *merged = pass->cache.merged + i * H, *s = pass->cache.own[SENTINELS] + i * H;
    const real rest = rest_at(pass, i);
    for (size_t j = 0; j < H; j++)
      pass->cache.context[i * H + j] = merged[j] + rest * s[j]; /* (64) */
  }
  for (size_t b = 0; b < pass->shape.batch; b++)
    mask_clear_queries(pass->cache.context, H, pass->shape, b);
}

static void context_backward(const struct attention_gradients *d,
                             const struct attention_pass *pass) {
  const size_t H = pass->layer.config.size, rows = attention_rows(pass);
  memcpy(d->scratch.merged, d->context, rows * H * sizeof *d->context);
  for (size_t i = 0; i < rows; i++) {
    const real *dc = d->context + i * H, *s = pass->cache.own[SENTINELS] + i * H;
    const real rest = is_query(pass, i) ? rest_at(pass, i) : 0;
    real *ds = d->scratch.own[SENTINELS] + i * H, drest = 0;
    for (size_t j = 0; j < H; j++) {
      ds[j] = rest * dc[j];
      drest += dc[j] * s[j]; /* (65) */
    }
    d->scratch.own[SCORES][i] = drest;
  }
}

const struct attention_mechanism attention_sentinel = {
    .projections = PROJECT_QUERIES_BIASED | PROJECT_KEYS,
    .own = {[SCORE_WEIGHT] =
                {.name = "score.weight", .rows = ONE, .columns = SIZE, .by_sentence = true},
            [GATE_WEIGHT] = OWN_MATRIX("gate.weight"),
            [SENTINEL_WEIGHT] = OWN_MATRIX("sentinel.weight")},
    .arrays = {[GATES] = SIZE, [SENTINELS] = SIZE, [FEATURES] = SIZE, [SCORES] = ONE},
    .one_head = true,
    .no_scale = true,
    .sentinel = true,
    .score = score_additive_forward,
    .score_backward = score_additive_backward,
    .queries_forward = queries_forward,
    .queries_backward = queries_backward,
    .weigh = weigh_with_sentinel,
    .weigh_backward = weigh_with_sentinel_backward,
    .guided_log = guided_log_with_sentinel,
    .guided_backward = guided_with_sentinel,
    .context_forward = context_forward,
    .context_backward = context_backward};
