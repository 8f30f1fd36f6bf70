#include "attention/attention.h"

#include <math.h>
#include <string.h>

#include "attention/center.h"
#include "attention/maps.h"
#include "attention/mask.h"
#include "attention/override.h"
#include "attention/score.h"
#include "tensor/blas.h"
#include "tensor/linear.h"
#include "tensor/share_out.h"

enum { PARALLEL_WORK = 1 << 17 };

/* ---- memory ---- */

static real *take(struct arena *arena, size_t n1, size_t n2, size_t n3) {
  return arena_take(arena, sizeof(real), n1, n2, n3);
}

static real *take_if(bool needed, struct arena *arena, size_t n1, size_t n2, size_t n3) {
  return needed ? take(arena, n1, n2, n3) : NULL;
}

void attention_cache_take(struct attention_cache *cache, struct arena *arena,
                          struct attention_config config, bool dropout, size_t queries, size_t keys,
                          size_t batch) {
  const struct attention_needs needs = attention_needs(config.kind);
  const size_t T = queries, S = keys, B = batch, H = config.size, N = config.heads;
  *cache = (struct attention_cache){
      .context = take(arena, T, B, attention_value_size(config)),
      .weights = take(arena, T * B, N, S),
      .scores = take_if(config.divide_by_sum, arena, T * B, N, S),
      .dropped = take_if(dropout, arena, T * B, N, S),
      .queries = take_if(needs.query, arena, T, B, H),
      .keys = take_if(needs.key, arena, S, B, H),
      .values = take_if(needs.value, arena, S, B, H),
      .merged = take_if(needs.out, arena, T, B, H),
      .center_states = take_if(needs.center, arena, T, B, H),
      .centers = take_if(needs.center, arena, T, B, 1),
  };
}

void attention_scratch_take(struct attention_scratch *scratch, struct arena *arena,
                            struct attention_config config, size_t queries, size_t keys,
                            size_t batch) {
  const struct attention_needs needs = attention_needs(config.kind);
  const size_t T = queries, S = keys, B = batch, H = config.size, N = config.heads;
  *scratch = (struct attention_scratch){
      .weights = take(arena, T * B, N, S),
      .queries = take_if(needs.query, arena, T, B, H),
      .keys = take_if(needs.key, arena, S, B, H),
      .values = take_if(needs.value, arena, S, B, H),
      .merged = take_if(needs.out, arena, T, B, H),
      .score_weights = take_if(needs.score, arena, B, H, 1),
      .center_states = take_if(needs.center, arena, T, B, H),
      .centers = take_if(needs.center, arena, T, B, 1),
  };
}

void attention_scratch_clear(struct attention_scratch scratch, struct attention_config config,
                             size_t keys, size_t batch) {
  const size_t bytes = keys * batch * config.size * sizeof(real);
  if (scratch.keys != NULL) memset(scratch.keys, 0, bytes);
  if (scratch.values != NULL) memset(scratch.values, 0, bytes);
}

static real *from(real *array, size_t offset) {
  return array == NULL ? NULL : array + offset;
}

struct attention_cache attention_cache_from(struct attention_cache cache, size_t first,
                                            struct attention_config config,
                                            struct attention_shape shape) {
  const size_t rows = first * shape.batch, H = config.size;
  const size_t weights = rows * config.heads * shape.keys;
  cache.context += rows * attention_value_size(config);
  cache.weights += weights;
  cache.dropped = from(cache.dropped, weights);
  cache.scores = from(cache.scores, weights);
  cache.queries = from(cache.queries, rows * H);
  cache.merged = from(cache.merged, rows * H);
  cache.center_states = from(cache.center_states, rows * H);
  cache.centers = from(cache.centers, rows);
  return cache;
}

static bool drops(const struct attention_layer *layer) {
  return layer->dropout.probability > 0;
}

/* The weights that the values are summed with. */
static real *effective_weights(struct attention_cache cache, const struct attention_layer *layer) {
  return drops(layer) ? cache.dropped : cache.weights;
}

/* What the scores and the sum see: mapped, or as they came. */
struct seen {
  const real *queries, *keys, *values;
};

static struct seen seen_of(struct attention_cache cache, const real *queries, const real *keys,
                           const real *values, const struct attention_parameters *w) {
  return (struct seen){w->query_weight != NULL ? cache.queries : queries,
                       w->key_weight != NULL ? cache.keys : keys,
                       w->value_weight != NULL ? cache.values : values};
}

/* ---- one head of one sentence ---- */

/* Rows of time-major arrays of a sentence lie B · H apart (of values B · V), those of its weights
 * B · N · S; a head has its own H/N columns (V/N), and its own S of the weights. */
struct head {
  size_t b, n;
  size_t queries, keys; /* T_b, and the keys that any of the queries sees */
  size_t vector;        /* where the head begins in a row block (B,H) */
  size_t value;         /* and in (B,V) */
  size_t weight;        /* and in (B,N,S) */
  size_t size;          /* H/N */
  size_t value_size;    /* V/N */
  size_t vector_step, value_step, weight_step;
};

static struct head head_of(const struct attention_layer *layer, struct attention_shape shape,
                           size_t b, size_t n) {
  const size_t H = layer->config.size, N = layer->config.heads, S = shape.keys;
  const size_t V = attention_value_size(layer->config);
  return (struct head){.b = b,
                       .n = n,
                       .queries = mask_queries(shape, b),
                       .keys = mask_keys(shape, b),
                       .vector = b * H + n * (H / N),
                       .value = b * V + n * (V / N),
                       .weight = (b * N + n) * S,
                       .size = H / N,
                       .value_size = V / N,
                       .vector_step = shape.batch * H,
                       .value_step = shape.batch * V,
                       .weight_step = shape.batch * N * S};
}

static struct score_input score_input_of(struct head head, const real *q, const real *k,
                                         const struct attention_layer *layer) {
  return (struct score_input){.queries = head.queries,
                              .keys = head.keys,
                              .size = head.size,
                              .q = q + head.vector,
                              .k = k + head.vector,
                              .vector_step = head.vector_step,
                              .score_step = head.weight_step,
                              .scale = attention_scale(layer->config),
                              .score_weight = layer->weights->score_weight};
}

static struct operand values_of(struct head head, const real *data, enum transpose transpose) {
  return (struct operand){data + head.value, head.value_step, transpose};
}

static struct operand weights_of(struct head head, const real *data, enum transpose transpose) {
  return (struct operand){data + head.weight, head.weight_step, transpose};
}

/* What query t sees, and its centre where there is one. */
static struct visible visible_of(real *center, struct head head, struct attention_cache cache,
                                 const struct attention_layer *layer, struct attention_shape shape,
                                 size_t t) {
  const struct visible visible = mask_visible(shape, head.b, t);
  if (cache.centers == NULL) return visible;
  *center = cache.centers[t * shape.batch + head.b];
  return center_window(visible, *center, layer->config.window);
}

/* The weights of query t have the same place in the dropout mask, whatever part is run. */
static void drop(real *row, struct head head, const struct attention_layer *layer,
                 struct attention_shape shape, size_t t) {
  const size_t query = (shape.first_query + t) * shape.batch + head.b;
  dropout_apply(row, shape.keys, (query * layer->config.heads + head.n) * shape.keys,
                layer->dropout);
}

/* ---- forward ---- */

void attention_prepare(struct attention_cache cache, const real *keys, const real *values,
                       const struct attention_layer *layer, size_t batch, size_t first,
                       size_t count) {
  const struct attention_parameters *w = layer->weights;
  const size_t H = layer->config.size, at = first * batch * H, rows = count * batch;
  /* (29, 38) */
  if (w->key_weight != NULL)
    map_forward(cache.keys + at, keys + at, w->key_weight, w->key_bias, rows, H);
  if (w->value_weight != NULL)
    map_forward(cache.values + at, values + at, w->value_weight, w->value_bias, rows, H);
}

/* So that the softmax of what is kept, masked or not, is the weights. */
static void keep_scores(real *scores, const real *row, struct visible visible, size_t S) {
  for (size_t s = 0; s < S; s++)
    scores[s] = s >= visible.first && s < visible.end ? row[s] : -(real)INFINITY;
}

/* From the scores of a head, in cache.weights, to its weights. */
static void weigh(struct attention_cache cache, struct head head,
                  const struct attention_layer *layer, struct attention_shape shape) {
  const size_t S = shape.keys;
  for (size_t t = 0; t < head.queries; t++) {
    const size_t at = head.weight + t * head.weight_step;
    real *row = cache.weights + at, center = 0;
    const struct visible visible = visible_of(&center, head, cache, layer, shape, t);
    if (cache.scores != NULL) keep_scores(cache.scores + at, row, visible, S);
    if (layer->config.divide_by_sum)
      mask_share_forward(row, visible, S); /* (46) */
    else
      mask_softmax_forward(row, visible, S); /* (7, 37) */
    if (cache.centers != NULL)
      center_gaussian_forward(row, visible, center, layer->config.window); /* (41) */
    if (layer->overrides != NULL) override_apply(row, visible, layer->overrides, t);
    if (!drops(layer)) continue;
    memcpy(cache.dropped + at, row, S * sizeof *row);
    drop(cache.dropped + at, head, layer, shape, t); /* (45) */
  }
}

/* Rows (T,B,width) past the end of sentence b become zero. */
static void clear_padding(real *rows, size_t width, struct attention_shape shape, size_t b) {
  for (size_t t = mask_queries(shape, b); rows != NULL && t < shape.queries; t++)
    memset(rows + (t * shape.batch + b) * width, 0, width * sizeof *rows);
}

/* What one pass, forward or backward, does to every sentence alike. */
struct pass {
  const struct attention_layer *layer;
  struct attention_shape shape;
  struct attention_cache cache;
  struct attention_scratch scratch;
  struct seen seen;
  real *merged; /* the contexts of all heads, before the map that ends attention */
  const real *dmerged;
  real *dqueries, *dkeys, *dvalues; /* of what is seen */
};

static bool is_worth_threads(const struct pass *pass) {
  const struct attention_shape shape = pass->shape;
  return shape.queries * shape.keys * shape.batch * pass->layer->config.size > PARALLEL_WORK;
}

static void sentence_forward(const void *context, size_t b) {
  const struct pass *pass = context;
  const struct attention_layer *layer = pass->layer;
  const struct attention_shape shape = pass->shape;
  const struct attention_cache cache = pass->cache;
  const size_t N = layer->config.heads;
  score_forward *const score = attention_score_forward(layer->config.kind);
  for (size_t n = 0; n < N; n++) {
    const struct head head = head_of(layer, shape, b, n);
    if (head.queries == 0) continue;
    const struct score_input input =
        score_input_of(head, pass->seen.queries, pass->seen.keys, layer);
    score(cache.weights + head.weight, &input);
    weigh(cache, head, layer, shape);
    /* c_t = Σ_s a_ts v_s                                                           (8, 38) */
    matrix_product(pass->merged + head.value, head.value_step, 0, 1,
                   weights_of(head, effective_weights(cache, layer), AS_IT_IS),
                   values_of(head, pass->seen.values, AS_IT_IS), head.queries, head.value_size,
                   head.keys);
  }
  clear_padding(cache.weights, N * shape.keys, shape, b);
  if (drops(layer)) clear_padding(cache.dropped, N * shape.keys, shape, b);
  clear_padding(pass->merged, attention_value_size(layer->config), shape, b);
}

void attention_forward(struct attention_cache cache, const real *queries, const real *keys,
                       const real *values, const struct attention_layer *layer,
                       struct attention_shape shape) {
  const struct attention_parameters *w = layer->weights;
  const size_t T = shape.queries, B = shape.batch, H = layer->config.size;
  const struct pass pass = {.layer = layer,
                            .shape = shape,
                            .cache = cache,
                            .seen = seen_of(cache, queries, keys, values, w),
                            .merged = w->out_weight != NULL ? cache.merged : cache.context};
  if (w->query_weight != NULL)
    map_forward(cache.queries, queries, w->query_weight, w->query_bias, T * B, H); /* (29, 38) */
  if (w->center_weight != NULL) center_forward(cache, queries, layer, shape);
  share_out(B, is_worth_threads(&pass), sentence_forward, &pass);
  if (w->out_weight == NULL) return;
  map_forward(cache.context, cache.merged, w->out_weight, w->out_bias, T * B, H); /* (38) */
  for (size_t b = 0; b < B; b++) clear_padding(cache.context, H, shape, b);
}

/* ---- backward ---- */

/* scratch.weights of a head: from the gradients of the weights to those of the scores. */
static void weigh_backward(struct attention_scratch scratch, struct attention_cache cache,
                           struct head head, const struct attention_layer *layer,
                           struct attention_shape shape) {
  for (size_t t = 0; t < head.queries; t++) {
    const size_t at = head.weight + t * head.weight_step;
    real *da = scratch.weights + at, center = 0;
    const real *a = cache.weights + at;
    const struct visible visible = visible_of(&center, head, cache, layer, shape, t);
    if (drops(layer)) drop(da, head, layer, shape, t); /* (45) */
    if (cache.centers != NULL)
      scratch.centers[t * shape.batch + head.b] = center_gaussian_backward(
          da, a, visible, shape.keys, center, layer->config.window); /* (42) */
    else if (layer->config.divide_by_sum)
      mask_share_backward(da, a, cache.scores + at, visible, shape.keys); /* (46) */
    else
      mask_softmax_backward(da, a, visible, shape.keys); /* (16) */
  }
}

static void sentence_backward(const void *context, size_t b) {
  const struct pass *pass = context;
  const struct attention_layer *layer = pass->layer;
  const struct attention_scratch scratch = pass->scratch;
  const size_t H = layer->config.size;
  score_backward *const score = attention_score_backward(layer->config.kind);
  real *dscore = layer->weights->score_weight != NULL ? scratch.score_weights + b * H : NULL;
  for (size_t n = 0; n < layer->config.heads; n++) {
    const struct head head = head_of(layer, pass->shape, b, n);
    if (head.queries == 0) continue;
    const struct score_input input =
        score_input_of(head, pass->seen.queries, pass->seen.keys, layer);
    const struct operand dc = values_of(head, pass->dmerged, AS_IT_IS);
    real *da = scratch.weights + head.weight;
    /* c_t = Σ_s a_ts v_s, so da_ts = dc_t·v_s and dv_s += Σ_t a_ts dc_t               (15) */
    matrix_product(da, head.weight_step, 0, 1, dc, values_of(head, pass->seen.values, TRANSPOSED),
                   head.queries, head.keys, head.value_size);
    matrix_product(pass->dvalues + head.value, head.value_step, 1, 1,
                   weights_of(head, effective_weights(pass->cache, layer), TRANSPOSED), dc,
                   head.keys, head.value_size, head.queries);
    weigh_backward(scratch, pass->cache, head, layer, pass->shape);
    score(pass->dqueries + head.vector, pass->dkeys + head.vector, dscore, da,
          &input); /* (17, 31) */
  }
}

void attention_backward(real *dqueries, real *dkeys, real *dvalues,
                        const struct attention_parameters *gradients,
                        struct attention_scratch scratch, const real *dcontext,
                        struct attention_cache cache, const real *queries, const real *keys,
                        const real *values, const struct attention_layer *layer,
                        struct attention_shape shape) {
  const struct attention_parameters *w = layer->weights;
  const size_t T = shape.queries, B = shape.batch, H = layer->config.size;
  const struct pass pass = {.layer = layer,
                            .shape = shape,
                            .cache = cache,
                            .scratch = scratch,
                            .seen = seen_of(cache, queries, keys, values, w),
                            .dmerged = w->out_weight != NULL ? scratch.merged : dcontext,
                            .dqueries = w->query_weight != NULL ? scratch.queries : dqueries,
                            .dkeys = w->key_weight != NULL ? scratch.keys : dkeys,
                            .dvalues = w->value_weight != NULL ? scratch.values : dvalues};
  if (w->query_weight != NULL) memset(scratch.queries, 0, T * B * H * sizeof(real));
  if (w->score_weight != NULL) memset(scratch.score_weights, 0, B * H * sizeof(real));
  if (w->out_weight != NULL) {
    memset(scratch.merged, 0, T * B * H * sizeof(real));
    map_backward(scratch.merged, gradients->out_weight, gradients->out_bias, dcontext, cache.merged,
                 w->out_weight, T * B, H);
  }
  share_out(B, is_worth_threads(&pass), sentence_backward, &pass);
  if (w->score_weight != NULL) bias_backward(gradients->score_weight, scratch.score_weights, B, H);
  if (w->center_weight != NULL)
    center_backward(dqueries, gradients, scratch, cache, queries, layer, shape);
  if (w->query_weight != NULL)
    map_backward(dqueries, gradients->query_weight, gradients->query_bias, scratch.queries, queries,
                 w->query_weight, T * B, H);
}

void attention_prepare_backward(real *dkeys, real *dvalues,
                                const struct attention_parameters *gradients,
                                struct attention_scratch scratch, const real *keys,
                                const real *values, const struct attention_layer *layer,
                                size_t batch, size_t first, size_t count) {
  const struct attention_parameters *w = layer->weights;
  const size_t H = layer->config.size, at = first * batch * H, rows = count * batch;
  /* The bias of the keys adds the same to all scores of a query, which the softmax does not see:
   * its gradient is zero. What rounding would make of it Adam would take for a direction.    (39)
   */
  real *key_bias = layer->config.divide_by_sum ? gradients->key_bias : NULL;
  if (w->key_weight != NULL)
    map_backward(dkeys + at, gradients->key_weight, key_bias, scratch.keys + at, keys + at,
                 w->key_weight, rows, H);
  if (w->value_weight != NULL)
    map_backward(dvalues + at, gradients->value_weight, gradients->value_bias, scratch.values + at,
                 values + at, w->value_weight, rows, H);
}
