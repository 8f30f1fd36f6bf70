/* General attention between global and local. Each query predicts a center, a width and a gate. The
 * gate mixes 1 with a Gaussian around the center (Yang et al., EMNLP 2018, after local-p of Luong
 * et al.). The mixture is a mask that multiplies the softmax (as in Sukhbaatar et al., ACL 2019),
 * so that center, width and gate have gradients. docs/mechanisms.md, (56) to (60). Source positions
 * count from 1. */
#include <tgmath.h>

#include "attention/mechanism.h"
#include "tensor/elementary.h"

enum { SPAN_WEIGHT, CENTER_SCORE_WEIGHT, WIDTH_SCORE_WEIGHT, GATE_SCORE_WEIGHT };
enum { SPAN_STATES = PREDICTION_STATES, CENTERS = PREDICTIONS, WIDTHS, GATES, ARRAYS };
enum { PREDICTED = ARRAYS - PREDICTIONS };

/* The mask of one query. */
struct span {
  real center, width;         /* μ_t, D_t */
  real log_local, log_global; /* log χ_t, log(1 - χ_t) */
};

static struct span span_of(const struct attention_row *row) {
  real *const *own = row->pass->cache.own;
  const real z = own[GATES][row->position], log_larger = -log1p_real(exp_real(-fabs(z)));
  return (struct span){own[CENTERS][row->position], own[WIDTHS][row->position],
                       z > 0 ? log_larger : z + log_larger, z > 0 ? log_larger - z : log_larger};
}

static real distance_of(const struct span *span, size_t key) {
  return (real)(key + 1) - span->center;
}

/* Return the logarithm of the mask, because the mask itself can underflow. Set `share` to the
 * Gaussian's fraction of the mask. (58) */
static real log_mask(const struct span *span, size_t key, real *share) {
  const real distance = distance_of(span, key) / span->width;
  const real local = span->log_local - 2 * distance * distance, global = span->log_global;
  const real larger = local > global ? local : global;
  const real sum = larger + log1p_real(exp_real((local > global ? global : local) - larger));
  *share = exp_real(local - sum);
  return sum;
}

static void spans_forward(const struct attention_pass *pass) {
  const struct attention_shape shape = pass->shape;
  const size_t B = shape.batch, rows = shape.queries * B;
  prediction_forward(pass, PREDICTED);
  for (size_t i = 0; i < rows; i++) {
    const real S_b = (real)mask_visible(shape, i % B, i / B).end;
    real *center = pass->cache.own[CENTERS] + i, *width = pass->cache.own[WIDTHS] + i;
    *center = S_b * sigmoid_real(*center);
    *width = 1 + S_b * sigmoid_real(*width); /* (57) */
  }
}

/* Accumulate the gradients of the queries and the weights. On entry the scratch contains dμ_t, dD_t
 * and the gradient of the gate's z. */
static void spans_backward(const struct attention_gradients *d, const struct attention_pass *pass) {
  const struct attention_shape shape = pass->shape;
  const size_t B = shape.batch, rows = shape.queries * B;
  for (size_t i = 0; i < rows; i++) {
    const real S_b = (real)mask_visible(shape, i % B, i / B).end;
    const real center = pass->cache.own[CENTERS][i], width = pass->cache.own[WIDTHS][i] - 1;
    d->scratch.own[CENTERS][i] *= center * (1 - center / S_b);
    d->scratch.own[WIDTHS][i] *= width * (1 - width / S_b); /* (60) */
  }
  prediction_backward(d, pass, PREDICTED);
}

static void weigh_by_mask(struct attention_row *row) {
  const struct span span = span_of(row);
  real share;
  for (size_t s = row->visible.first; s < row->visible.end; s++)
    row->weights[s] += log_mask(&span, s, &share); /* (59) */
  mask_softmax_forward(row);
}

/* Add the contribution of one key to the gradients of center, width and gate. The logarithm of the
 * mask is added to the score, so both have the same gradient. A term that the gate adds equally to
 * all keys has no effect, because Σ_s du_ts = 0. */
static void add_to_span(const struct attention_arrays *scratch, const struct attention_row *row,
                        const struct span *span, size_t key, real dscore) {
  real share;
  log_mask(span, key, &share);
  const real distance = distance_of(span, key) / span->width, dlocal = dscore * share;
  scratch->own[CENTERS][row->position] += dlocal * 4 * distance / span->width;
  scratch->own[WIDTHS][row->position] += dlocal * 4 * distance * distance / span->width;
  scratch->own[GATES][row->position] += dlocal; /* (60) */
}

static void weigh_by_mask_backward(real *drow, const struct attention_row *row,
                                   const struct attention_arrays *scratch) {
  const struct span span = span_of(row);
  mask_softmax_backward(drow, row, scratch);
  for (size_t i = CENTERS; i <= GATES; i++) scratch->own[i][row->position] = 0;
  for (size_t s = row->visible.first; s < row->visible.end; s++)
    add_to_span(scratch, row, &span, s, drow[s]);
}

static double guided_log_by_mask(const struct attention_row *row, size_t n, size_t key) {
  const struct span span = span_of(row);
  struct log_sum sum = {0};
  real share;
  for (size_t s = row->visible.first; s < row->visible.end; s++)
    log_sum_add(&sum, (double)attention_score_at(row, n, s) + (double)log_mask(&span, s, &share));
  return (double)attention_score_at(row, n, key) + (double)log_mask(&span, key, &share) -
         log_sum_of(&sum);
}

/* Add the gradient (77) of the guide loss to the gradients of the scores and of the mask. */
static void guided_by_mask(real *dscores, const struct guided *guided,
                           const struct attention_arrays *scratch) {
  const struct attention_row *row = guided->row;
  const struct span span = span_of(row);
  real sum = 0;
  for (size_t i = 0; i < guided->count; i++) {
    const real pull = guided_pull(guided, i);
    dscores[guided->keys[i]] += pull;
    add_to_span(scratch, row, &span, guided->keys[i], pull);
    sum += pull;
  }
  for (size_t s = row->visible.first; s < row->visible.end; s++) {
    const real dscore = -row->weights[s] * sum;
    dscores[s] += dscore;
    add_to_span(scratch, row, &span, s, dscore);
  }
}

const struct attention_mechanism attention_adaptive = {
    .projections = PROJECT_QUERIES,
    .own = {[SPAN_WEIGHT] = OWN_MATRIX("span.weight"),
            [CENTER_SCORE_WEIGHT] = OWN_ROW("center_score.weight"),
            [WIDTH_SCORE_WEIGHT] = OWN_ROW("width_score.weight"),
            [GATE_SCORE_WEIGHT] = OWN_ROW("gate_score.weight")},
    .arrays = {[SPAN_STATES] = SIZE, [CENTERS] = ONE, [WIDTHS] = ONE, [GATES] = ONE},
    .one_head = true,
    .score = score_product_forward,
    .score_backward = score_product_backward,
    .queries_forward = spans_forward,
    .queries_backward = spans_backward,
    .weigh = weigh_by_mask,
    .weigh_backward = weigh_by_mask_backward,
    .guided_log = guided_log_by_mask,
    .guided_backward = guided_by_mask};
