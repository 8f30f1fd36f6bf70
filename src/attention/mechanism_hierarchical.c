/* Attention in two levels: over segments of the keys, and over the keys within each segment. The
 * weights within a segment give the weighted mean of its keys. The score of this mean with a second
 * query determines the segment's weight (Yang et al., NAACL 2016). The weight of a key is the
 * product of both weights. docs/mechanisms.md, (66) to (70). Each segment is a clause, or it has
 * `window` keys; without clauses, the last segment may be shorter. */
#include <float.h>
#include <string.h>

#include "attention/mechanism.h"
#include "base/portable_math.h"
#include "tensor/elementary.h"
#include "tensor/softmax.h"

enum { SEGMENT_QUERY_WEIGHT };            /* W_G */
enum { SEGMENT_QUERIES, SEGMENT_SCORES }; /* q_t^G; and for each key u_ts^G = α q_t^G·e_s */

/* ---- scores of the keys with the segment queries ---- */

/* Return the input of sentence b, which must have queries. */
static struct score_input input_of(const struct attention_pass *pass, size_t b) {
  const struct attention_config config = pass->layer.config;
  const size_t B = pass->shape.batch, H = config.size;
  return (struct score_input){.queries = mask_queries(pass->shape, b),
                              .keys = mask_keys(pass->shape, b),
                              .size = H,
                              .q = pass->cache.own[SEGMENT_QUERIES] + b * H,
                              .k = pass->keys + key_column(pass->shape, b) * H,
                              .vector_step = key_batch(pass->shape) * H,
                              .score_step = B * pass->shape.keys,
                              .scale = config.scale != 0 ? config.scale : 1,
                              .numerics = numerics_in_float32(pass->layer.weights->numerics)};
}

static void scores_forward(const struct attention_pass *pass) {
  const size_t B = pass->shape.batch;
  linear_forward(pass->cache.own[SEGMENT_QUERIES], pass->queries,
                 attention_map(pass, OWN_PARTS + SEGMENT_QUERY_WEIGHT, false),
                 attention_rows(pass));
  for (size_t b = 0; b < B; b++) {
    const struct score_input input = input_of(pass, b);
    if (input.queries > 0) /* (67) */
      score_product_forward(pass->cache.own[SEGMENT_SCORES] + b * pass->shape.keys, &input);
  }
}

/* Accumulate the gradients of keys, queries and W_G. On entry the scratch contains du_ts^G. */
static void scores_backward(const struct attention_gradients *d,
                            const struct attention_pass *pass) {
  const size_t B = pass->shape.batch, H = pass->layer.config.size;
  real *dqueries = d->scratch.own[SEGMENT_QUERIES];
  memset(dqueries, 0, attention_rows(pass) * H * sizeof *dqueries);
  for (size_t b = 0; b < B; b++) {
    const struct score_input input = input_of(pass, b);
    if (input.queries > 0) /* (17) */
      score_product_backward(dqueries + b * H, d->keys + b * H, NULL,
                             d->scratch.own[SEGMENT_SCORES] + b * pass->shape.keys, &input);
  }
  attention_map_backward(d, d->queries, 1, dqueries, pass->queries, pass,
                         OWN_PARTS + SEGMENT_QUERY_WEIGHT, false);
}

/* ---- instead of the softmax ---- */

/* Return the end of the segment that begins at visible key `first`. */
static size_t end_of(const struct attention_row *row, size_t first) {
  const size_t left = row->visible.end - first, length = row->pass->layer.config.window;
  const struct attention_shape shape = row->pass->shape;
  const size_t columns = key_batch(shape);
  const bool *ends = shape.clause_ends + key_column(shape, row->position % shape.batch);
  if (!row->pass->layer.config.clauses) return first + (left < length ? left : length);
  size_t end = first + 1;
  while (end < row->visible.end && !ends[(end - 1) * columns]) end++;
  return end;
}

static size_t offset_of(const struct attention_row *row) {
  return row->position * row->pass->shape.keys;
}

static real sum_of_products(const real *a, const real *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
  return (real)sum;
}

/* Compute weights within the segments and multiply them by the weights of the segments. The scores
 * of segments are computed three times, because no array stores them. */
static void weigh_twice(struct attention_row *row) {
  real *w = row->weights, largest = 0;
  const real *v = row->pass->cache.own[SEGMENT_SCORES] + offset_of(row);
  const size_t end = row->visible.end;
  double sum = 0;
  for (size_t s = 0, next; s < end; s = next) {
    next = end_of(row, s);
    softmax_forward(w + s, next - s); /* (66) */
    const real score = sum_of_products(w + s, v + s, next - s);
    if (s == 0 || score > largest) largest = score;
  }
  for (size_t s = 0, next; s < end; s = next) {
    next = end_of(row, s);
    sum += (double)exp_real(sum_of_products(w + s, v + s, next - s) - largest); /* (68) */
  }
  for (size_t s = 0, next; s < end; s = next) {
    next = end_of(row, s);
    const real segment =
        (real)((double)exp_real(sum_of_products(w + s, v + s, next - s) - largest) / sum);
    for (size_t i = s; i < next; i++) w[i] *= segment; /* (69) */
  }
  mask_fill_outside(w, row->visible, row->pass->shape.keys, 0);
}

/* Return whether the softmax has more than one element. The softmax of one element is always 1, so
 * its gradient is zero. This applies to a segment of one key, and to a row of one segment. A
 * gradient computed from a and β would be rounding error, which Adam would amplify, so callers set
 * it to zero. */
static bool is_choice(size_t first, size_t end) {
  return end - first > 1;
}

static bool is_only_segment(const struct attention_row *row, size_t s, size_t end) {
  return s == 0 && end == row->visible.end;
}

/* Compute the gradients of the segment from s to `end`. `mean` is Σ_r a_r da_r over the whole row.
 * The weights within a segment are a / β; a segment with weight zero has no gradients. */
static void segment_backward(real *da, real *dv, const struct attention_row *row, size_t s,
                             size_t end, double mean) {
  const real *a = row->weights, *v = row->pass->cache.own[SEGMENT_SCORES] + offset_of(row);
  double segment = 0, dsegment = 0, score = 0;
  for (size_t i = s; i < end; i++) {
    segment += (double)a[i];
    dsegment += (double)a[i] * (double)da[i];
    score += (double)a[i] * (double)v[i];
  }
  const double one = segment > 0 ? 1 / segment : 0;
  const double dscore = is_only_segment(row, s, end) ? 0 : dsegment - segment * mean;
  for (size_t i = s; i < end; i++) {
    const double within = (double)a[i] * one;
    const double direct = (double)a[i] * ((double)da[i] - dsegment * one);
    dv[i] = (real)(dscore * within);
    da[i] = (real)(direct + dscore * within * ((double)v[i] - score * one)); /* (70) */
  }
  if (!is_choice(s, end)) da[s] = 0;
}

static void weigh_twice_backward(real *drow, const struct attention_row *row,
                                 const struct attention_arrays *scratch) {
  const size_t keys = row->pass->shape.keys, end = row->visible.end;
  real *dv = scratch->own[SEGMENT_SCORES] + offset_of(row);
  double mean = 0;
  for (size_t s = 0; s < end; s++) mean += (double)row->weights[s] * (double)drow[s];
  for (size_t s = 0, next; s < end; s = next) {
    next = end_of(row, s);
    segment_backward(drow, dv, row, s, next, mean);
  }
  mask_fill_outside(drow, row->visible, keys, 0);
  mask_fill_outside(dv, row->visible, keys, 0);
}

/* Compute log Σ exp of the scores of the segment from s to `end`. Return the segment's score ū. */
static double score_from_scores(double *log_sum, const struct attention_row *row, size_t s,
                                size_t end) {
  const real *v = row->pass->cache.own[SEGMENT_SCORES] + offset_of(row);
  struct log_sum sum = {0};
  double score = 0;
  for (size_t i = s; i < end; i++) log_sum_add(&sum, (double)attention_score_at(row, 0, i));
  *log_sum = log_sum_of(&sum);
  for (size_t i = s; i < end; i++)
    score += portable_exp((double)attention_score_at(row, 0, i) - *log_sum) * (double)v[i];
  return score;
}

/* log a = log β + log w */
static double guided_log_twice(const struct attention_row *row, size_t n, size_t key) {
  struct log_sum segments = {0};
  double found = 0;
  for (size_t s = 0, next; s < row->visible.end; s = next) {
    double log_sum;
    next = end_of(row, s);
    const double score = score_from_scores(&log_sum, row, s, next);
    log_sum_add(&segments, score);
    if (key >= s && key < next) found = score + (double)attention_score_at(row, n, key) - log_sum;
  }
  return found - log_sum_of(&segments);
}

static real pull_between(const struct guided *guided, size_t s, size_t end) {
  real sum = 0;
  for (size_t i = 0; i < guided->count; i++)
    if (guided->keys[i] >= s && guided->keys[i] < end) sum += guided_pull(guided, i);
  return sum;
}

static void add_pulls_between(real *dscores, const struct guided *guided, size_t s, size_t end) {
  for (size_t i = 0; i < guided->count; i++)
    if (guided->keys[i] >= s && guided->keys[i] < end)
      dscores[guided->keys[i]] += guided_pull(guided, i);
}

/* Accumulate the gradients of the guide loss. The logarithm of a key's weight also depends on the
 * weight of its segment, so the score of the segment also has a gradient. (80) */
static void guided_twice(real *dscores, const struct guided *guided,
                         const struct attention_arrays *scratch) {
  const struct attention_row *row = guided->row;
  const real *a = row->weights, *v = row->pass->cache.own[SEGMENT_SCORES] + offset_of(row);
  real *dv = scratch->own[SEGMENT_SCORES] + offset_of(row);
  const real all = pull_between(guided, 0, row->visible.end);
  for (size_t s = 0, next; s < row->visible.end; s = next) {
    next = end_of(row, s);
    real segment = 0;
    for (size_t i = s; i < next; i++) segment += a[i];
    const bool vanished = segment < (real)FLT_MIN; /* a / β would have no precision */
    const real one = vanished ? 0 : 1 / segment, pull = pull_between(guided, s, next);
    double log_sum = 0;
    const real score = vanished ? (real)score_from_scores(&log_sum, row, s, next)
                                : sum_of_products(a + s, v + s, next - s) * one;
    const real dscore = is_only_segment(row, s, next) ? 0 : pull - segment * all;
    if (is_choice(s, next)) add_pulls_between(dscores, guided, s, next);
    for (size_t i = s; i < next; i++) {
      const real within = vanished
                              ? (real)portable_exp((double)attention_score_at(row, 0, i) - log_sum)
                              : a[i] * one;
      if (is_choice(s, next)) dscores[i] += within * (dscore * (v[i] - score) - pull);
      dv[i] += vanished ? dscore * within : dscore * a[i] * one;
    }
  }
}

const struct attention_mechanism attention_hierarchical = {
    .projections = PROJECT_QUERIES,
    .own = {[SEGMENT_QUERY_WEIGHT] = OWN_MATRIX("segment_query.weight")},
    .arrays = {[SEGMENT_QUERIES] = SIZE, [SEGMENT_SCORES] = KEYS},
    .window = 5,
    .one_head = true,
    .segments = true,
    .score = score_product_forward,
    .score_backward = score_product_backward,
    .queries_forward = scores_forward,
    .queries_backward = scores_backward,
    .weigh = weigh_twice,
    .weigh_backward = weigh_twice_backward,
    .guided_log = guided_log_twice,
    .guided_backward = guided_twice};
