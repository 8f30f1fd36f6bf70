#include "attention/attention.h"

#include <math.h>
#include <string.h>

#include "attention/center.h"
#include "attention/mask.h"
#include "attention/override.h"
#include "attention/score.h"
#include "base/team.h"
#include "tensor/blas.h"
#include "tensor/linear.h"

/* ---- memory ---- */

static real *take_if(bool needed, struct arena *arena, size_t n1, size_t n2, size_t n3) {
  return needed ? arena_reals(arena, n1, n2, n3) : NULL;
}

void attention_cache_take(struct attention_cache *cache, struct arena *arena,
                          struct attention_config config, struct attention_shape shape,
                          bool dropout) {
  const struct attention_needs needs = attention_needs(config.kind);
  const size_t T = shape.queries, S = shape.keys, B = shape.batch;
  const size_t H = config.size, N = config.heads;
  *cache = (struct attention_cache){
      .context = arena_reals(arena, T, B, attention_value_size(config)),
      .weights = arena_reals(arena, T * B, N, S),
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
                            struct attention_config config, struct attention_shape shape) {
  const struct attention_needs needs = attention_needs(config.kind);
  const size_t T = shape.queries, S = shape.keys, B = shape.batch;
  const size_t H = config.size, N = config.heads;
  *scratch = (struct attention_scratch){
      .weights = arena_reals(arena, T * B, N, S),
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
                             struct attention_shape shape) {
  const size_t bytes = shape.keys * shape.batch * config.size * sizeof(real);
  if (scratch.keys != NULL) memset(scratch.keys, 0, bytes);
  if (scratch.values != NULL) memset(scratch.values, 0, bytes);
}

static real *from(real *array, size_t offset) {
  return array == NULL ? NULL : array + offset;
}

/* The pass as if these queries were all. */
static struct attention_pass part_of(struct attention_pass pass, struct range queries) {
  struct attention_cache *cache = &pass.cache;
  const struct attention_config config = pass.layer.config;
  const size_t rows = queries.first * pass.shape.batch, H = config.size;
  const size_t weights = rows * config.heads * pass.shape.keys;
  pass.shape.first_query = queries.first;
  pass.shape.queries = queries.count;
  pass.queries += rows * H;
  cache->context += rows * attention_value_size(config);
  cache->weights += weights;
  cache->dropped = from(cache->dropped, weights);
  cache->scores = from(cache->scores, weights);
  cache->queries = from(cache->queries, rows * H);
  cache->merged = from(cache->merged, rows * H);
  cache->center_states = from(cache->center_states, rows * H);
  cache->centers = from(cache->centers, rows);
  return pass;
}

static bool drops(const struct attention_pass *pass) {
  return pass->layer.dropout.probability > 0;
}

/* The weights that the values are summed with. */
static const real *effective_weights(const struct attention_pass *pass) {
  return drops(pass) ? pass->cache.dropped : pass->cache.weights;
}

/* Scores and sum see the projections, where there are any. */
static const real *queries_of(const struct attention_pass *pass) {
  return pass->layer.weights->query_weight != NULL ? pass->cache.queries : pass->queries;
}

static const real *keys_of(const struct attention_pass *pass) {
  return pass->layer.weights->key_weight != NULL ? pass->cache.keys : pass->keys;
}

static const real *values_of(const struct attention_pass *pass) {
  return pass->layer.weights->value_weight != NULL ? pass->cache.values : pass->values;
}

/* The contexts of all heads, before the last projection. */
static real *merged_of(const struct attention_pass *pass) {
  return pass->layer.weights->out_weight != NULL ? pass->cache.merged : pass->cache.context;
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

static struct head head_of(const struct attention_pass *pass, size_t b, size_t n) {
  const struct attention_shape shape = pass->shape;
  const size_t H = pass->layer.config.size, N = pass->layer.config.heads, S = shape.keys;
  const size_t V = attention_value_size(pass->layer.config);
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

static struct score_input score_input_of(const struct attention_pass *pass, struct head head) {
  return (struct score_input){.queries = head.queries,
                              .keys = head.keys,
                              .size = head.size,
                              .q = queries_of(pass) + head.vector,
                              .k = keys_of(pass) + head.vector,
                              .vector_step = head.vector_step,
                              .score_step = head.weight_step,
                              .scale = attention_scale(pass->layer.config),
                              .score_weight = pass->layer.weights->score_weight};
}

static struct operand value_operand(struct head head, const real *data, enum transpose transpose) {
  return (struct operand){data + head.value, head.value_step, transpose};
}

static struct operand weight_operand(struct head head, const real *data, enum transpose transpose) {
  return (struct operand){data + head.weight, head.weight_step, transpose};
}

/* The keys that query t sees, and its centre where there is one. */
static struct visible visible_of(real *center, const struct attention_pass *pass, struct head head,
                                 size_t t) {
  const struct visible visible = mask_visible(pass->shape, head.b, t);
  if (pass->cache.centers == NULL) return visible;
  *center = pass->cache.centers[t * pass->shape.batch + head.b];
  return center_window(visible, *center, pass->layer.config.window);
}

/* The weights of query t have the same place in the dropout mask, whatever range is run. */
static void drop(real *row, const struct attention_pass *pass, struct head head, size_t t) {
  const struct attention_shape shape = pass->shape;
  const size_t query = (shape.first_query + t) * shape.batch + head.b;
  dropout_apply(row, shape.keys, (query * pass->layer.config.heads + head.n) * shape.keys,
                pass->layer.dropout);
}

/* Threads share out the sentences, whose products take most of the time. */
static void for_each_sentence(const struct attention_pass *pass, size_t products, team_job *job,
                              const void *context) {
  const struct attention_shape shape = pass->shape;
  const double multiplications =
      (double)(shape.queries * shape.keys) * (double)(shape.batch * pass->layer.config.size);
  share_out(shape.batch, (double)(products * WORK_OF_SMALL_PRODUCTS) * multiplications, job,
            context);
}

/* ---- forward ---- */

static struct linear projection(const real *weight, const real *bias,
                                const struct attention_pass *pass) {
  return (struct linear){weight, bias, pass->layer.config.size, pass->layer.config.size};
}

void attention_prepare(const struct attention_pass *pass, struct range keys) {
  const struct attention_parameters *w = pass->layer.weights;
  const size_t B = pass->shape.batch, at = keys.first * B * pass->layer.config.size;
  const struct linear key = projection(w->key_weight, w->key_bias, pass);
  const struct linear value = projection(w->value_weight, w->value_bias, pass);
  /* (29, 38) */
  if (key.weight != NULL)
    linear_forward(pass->cache.keys + at, pass->keys + at, key, keys.count * B);
  if (value.weight != NULL)
    linear_forward(pass->cache.values + at, pass->values + at, value, keys.count * B);
}

/* Masked scores are kept as -∞, so that the softmax of a kept row gives the weights. */
static void keep_scores(real *scores, const real *row, struct visible visible, size_t S) {
  for (size_t s = 0; s < S; s++)
    scores[s] = s >= visible.first && s < visible.end ? row[s] : -(real)INFINITY;
}

/* From the scores of a head, in cache.weights, to its weights. */
static void weigh(const struct attention_pass *pass, struct head head) {
  const struct attention_layer *layer = &pass->layer;
  const struct attention_cache *cache = &pass->cache;
  const size_t S = pass->shape.keys;
  for (size_t t = 0; t < head.queries; t++) {
    const size_t at = head.weight + t * head.weight_step;
    real *row = cache->weights + at, center = 0;
    const struct visible visible = visible_of(&center, pass, head, t);
    if (cache->scores != NULL) keep_scores(cache->scores + at, row, visible, S);
    if (layer->config.divide_by_sum)
      mask_share_forward(row, visible, S); /* (46) */
    else
      mask_softmax_forward(row, visible, S); /* (7, 37) */
    if (cache->centers != NULL)
      center_gaussian_forward(row, visible, center, layer->config.window); /* (41) */
    if (layer->overrides != NULL) override_apply(row, visible, layer->overrides, t);
    if (!drops(pass)) continue;
    memcpy(cache->dropped + at, row, S * sizeof *row);
    drop(cache->dropped + at, pass, head, t); /* (45) */
  }
}

/* Rows (T,B,width) past the end of sentence b become zero. */
static void clear_padding(real *rows, size_t width, struct attention_shape shape, size_t b) {
  for (size_t t = mask_queries(shape, b); rows != NULL && t < shape.queries; t++)
    memset(rows + (t * shape.batch + b) * width, 0, width * sizeof *rows);
}

static void sentence_forward(const void *context, size_t b) {
  const struct attention_pass *pass = context;
  const struct attention_config config = pass->layer.config;
  const size_t row = config.heads * pass->shape.keys;
  score_forward *const score = attention_score_forward(config.kind);
  for (size_t n = 0; n < config.heads; n++) {
    const struct head head = head_of(pass, b, n);
    if (head.queries == 0) continue;
    const struct score_input input = score_input_of(pass, head);
    score(pass->cache.weights + head.weight, &input);
    weigh(pass, head);
    /* c_t = Σ_s a_ts v_s                                                           (8, 38) */
    matrix_product((struct product){merged_of(pass) + head.value, head.value_step, 0, 1,
                                    weight_operand(head, effective_weights(pass), AS_IT_IS),
                                    value_operand(head, values_of(pass), AS_IT_IS), head.queries,
                                    head.value_size, head.keys});
  }
  clear_padding(pass->cache.weights, row, pass->shape, b);
  if (drops(pass)) clear_padding(pass->cache.dropped, row, pass->shape, b);
  clear_padding(merged_of(pass), attention_value_size(config), pass->shape, b);
}

void attention_forward(const struct attention_pass *whole, struct range queries) {
  const struct attention_pass pass = part_of(*whole, queries);
  const struct attention_parameters *w = pass.layer.weights;
  const size_t B = pass.shape.batch, rows = queries.count * B;
  const struct linear query = projection(w->query_weight, w->query_bias, &pass);
  const struct linear out = projection(w->out_weight, w->out_bias, &pass);
  if (query.weight != NULL)
    linear_forward(pass.cache.queries, pass.queries, query, rows); /* (29, 38) */
  if (w->center_weight != NULL) center_forward(&pass);
  for_each_sentence(&pass, 2, sentence_forward, &pass);
  if (out.weight == NULL) return;
  linear_forward(pass.cache.context, pass.cache.merged, out, rows); /* (38) */
  for (size_t b = 0; b < B; b++) clear_padding(pass.cache.context, out.out, pass.shape, b);
}

/* ---- backward ---- */

/* The part between the projections: gradients of queries, keys and values as the scores see them.
 */
struct backward {
  const struct attention_pass *pass;
  struct attention_scratch scratch;
  const real *dmerged;
  real *dqueries, *dkeys, *dvalues;
};

/* scratch.weights of a head: from the gradients of the weights to those of the scores. */
static void weigh_backward(const struct backward *back, struct head head) {
  const struct attention_pass *pass = back->pass;
  const struct attention_cache *cache = &pass->cache;
  const size_t S = pass->shape.keys, window = pass->layer.config.window;
  for (size_t t = 0; t < head.queries; t++) {
    const size_t at = head.weight + t * head.weight_step;
    real *da = back->scratch.weights + at, center = 0;
    const real *a = cache->weights + at;
    const struct visible visible = visible_of(&center, pass, head, t);
    if (drops(pass)) drop(da, pass, head, t); /* (45) */
    if (cache->centers != NULL)
      back->scratch.centers[t * pass->shape.batch + head.b] =
          center_gaussian_backward(da, a, visible, S, center, window); /* (42) */
    else if (pass->layer.config.divide_by_sum)
      mask_share_backward(da, a, cache->scores + at, visible, S); /* (46) */
    else
      mask_softmax_backward(da, a, visible, S); /* (16) */
  }
}

static void sentence_backward(const void *context, size_t b) {
  const struct backward *back = context;
  const struct attention_pass *pass = back->pass;
  const struct attention_config config = pass->layer.config;
  score_backward *const score = attention_score_backward(config.kind);
  real *dscore = from(back->scratch.score_weights, b * config.size);
  for (size_t n = 0; n < config.heads; n++) {
    const struct head head = head_of(pass, b, n);
    if (head.queries == 0) continue;
    const struct score_input input = score_input_of(pass, head);
    const struct operand dc = value_operand(head, back->dmerged, AS_IT_IS);
    real *da = back->scratch.weights + head.weight;
    /* c_t = Σ_s a_ts v_s, so da_ts = dc_t·v_s and dv_s += Σ_t a_ts dc_t               (15) */
    matrix_product((struct product){da, head.weight_step, 0, 1, dc,
                                    value_operand(head, values_of(pass), TRANSPOSED), head.queries,
                                    head.keys, head.value_size});
    matrix_product((struct product){back->dvalues + head.value, head.value_step, 1, 1,
                                    weight_operand(head, effective_weights(pass), TRANSPOSED), dc,
                                    head.keys, head.value_size, head.queries});
    weigh_backward(back, head);
    score(back->dqueries + head.vector, back->dkeys + head.vector, dscore, da,
          &input); /* (17, 31) */
  }
}

void attention_backward(const struct attention_gradients *d, const struct attention_pass *whole,
                        struct range queries) {
  const struct attention_pass pass = part_of(*whole, queries);
  const struct attention_parameters *w = pass.layer.weights, *dw = d->weights;
  const struct attention_scratch scratch = d->scratch;
  const size_t B = pass.shape.batch, H = pass.layer.config.size, rows = queries.count * B;
  const real *dcontext = d->context + queries.first * B * attention_value_size(pass.layer.config);
  real *dqueries = d->queries + queries.first * B * H;
  const struct backward back = {.pass = &pass,
                                .scratch = scratch,
                                .dmerged = w->out_weight != NULL ? scratch.merged : dcontext,
                                .dqueries = w->query_weight != NULL ? scratch.queries : dqueries,
                                .dkeys = w->key_weight != NULL ? scratch.keys : d->keys,
                                .dvalues = w->value_weight != NULL ? scratch.values : d->values};
  if (w->query_weight != NULL) memset(scratch.queries, 0, rows * H * sizeof(real));
  if (w->score_weight != NULL) memset(scratch.score_weights, 0, B * H * sizeof(real));
  if (w->out_weight != NULL) {
    const struct linear out = projection(w->out_weight, NULL, &pass);
    const struct linear_gradients dout = {dw->out_weight, dw->out_bias};
    linear_backward_weights(dout, dcontext, pass.cache.merged, out, rows);
    linear_backward_input(scratch.merged, 0, dcontext, out, rows);
  }
  for_each_sentence(&pass, 4, sentence_backward, &back);
  if (w->score_weight != NULL) bias_backward(dw->score_weight, scratch.score_weights, B, H);
  if (w->center_weight != NULL) center_backward(dqueries, dw, scratch, &pass);
  if (w->query_weight != NULL) {
    const struct linear query = projection(w->query_weight, NULL, &pass);
    const struct linear_gradients dquery = {dw->query_weight, dw->query_bias};
    linear_backward_weights(dquery, scratch.queries, pass.queries, query, rows);
    linear_backward_input(dqueries, 1, scratch.queries, query, rows);
  }
}

void attention_prepare_backward(const struct attention_gradients *d,
                                const struct attention_pass *pass, struct range keys) {
  const struct attention_parameters *w = pass->layer.weights, *dw = d->weights;
  const size_t rows = keys.count * pass->shape.batch;
  const size_t at = keys.first * pass->shape.batch * pass->layer.config.size;
  const struct linear key = projection(w->key_weight, NULL, pass);
  const struct linear value = projection(w->value_weight, NULL, pass);
  /* The bias of the keys adds the same to all scores of a query, which the softmax does not see:
   * its gradient is zero. What rounding would make of it Adam would take for a direction.    (39)
   */
  const bool sees_bias = pass->layer.config.divide_by_sum;
  const struct linear_gradients dkey = {dw->key_weight, sees_bias ? dw->key_bias : NULL};
  const struct linear_gradients dvalue = {dw->value_weight, dw->value_bias};
  if (key.weight != NULL) {
    linear_backward_weights(dkey, d->scratch.keys + at, pass->keys + at, key, rows);
    linear_backward_input(d->keys + at, 1, d->scratch.keys + at, key, rows);
  }
  if (value.weight != NULL) {
    linear_backward_weights(dvalue, d->scratch.values + at, pass->values + at, value, rows);
    linear_backward_input(d->values + at, 1, d->scratch.values + at, value, rows);
  }
}
