#include "attention/attention.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "attention/mechanism.h"
#include "base/portable_math.h"
#include "base/team.h"
#include "tensor/blas.h"
#include "tensor/linear.h"

/* ---- memory ---- */

static real *reals_if(bool needed, struct arena *arena, size_t n1, size_t n2, size_t n3) {
  return needed ? arena_reals(arena, n1, n2, n3) : NULL;
}

static size_t extent(enum attention_extent extent, size_t H) {
  return extent == SIZE ? H : 1;
}

static size_t array_size(enum attention_extent of, struct attention_config config,
                         struct attention_shape shape) {
  return of == KEYS ? shape.keys : extent(of, config.size);
}

void attention_allocate(struct attention_arrays *arrays, struct arena *arena,
                        struct attention_config config, struct attention_shape shape,
                        enum arrays_for purpose) {
  const struct attention_mechanism *mechanism = attention_mechanism(config.kind);
  const bool gradients = purpose >= GRADIENTS;
  const size_t T = shape.queries, S = shape.keys, B = shape.batch;
  const size_t H = config.size, K = config.heads;
  *arrays = (struct attention_arrays){
      .context = reals_if(!gradients, arena, T, B, attention_value_size(config)),
      .weights = arena_reals(arena, T * B, K, S),
      .queries = reals_if(mechanism->projections & PROJECT_QUERIES, arena, T, B, H),
      .keys = reals_if(mechanism->projections & PROJECT_KEYS, arena, S, B, H),
      .values = reals_if(mechanism->projections & PROJECT_VALUES, arena, S, B, H),
      .merged = reals_if(mechanism->context_forward != NULL, arena, T, B, H),
      .scores = reals_if(!gradients && config.divide_by_sum, arena, T * B, K, S),
      .dropped = reals_if(purpose == VALUES_WITH_DROPOUT, arena, T * B, K, S),
  };
  for (size_t i = 0; i < MAX_OWN; i++) {
    const enum attention_extent array = mechanism->arrays[i];
    const struct attention_own_weight *weight = &mechanism->own[i];
    arrays->own[i] = reals_if(array != NONE, arena, T, B, array_size(array, config, shape));
    arrays->shares[i] = reals_if(gradients && weight->by_sentence, arena, B,
                                 extent(weight->rows, H), extent(weight->columns, H));
  }
}

void attention_clear(const struct attention_arrays *scratch, const struct attention_pass *pass) {
  const size_t bytes =
      pass->shape.keys * pass->shape.batch * pass->layer.config.size * sizeof(real);
  if (scratch->keys != NULL) memset(scratch->keys, 0, bytes);
  if (scratch->values != NULL) memset(scratch->values, 0, bytes);
}

static const struct attention_mechanism *mechanism_of(const struct attention_pass *pass) {
  return attention_mechanism(pass->layer.config.kind);
}

/* Return the number of elements of the mechanism's own weight i if each sentence has its own copy
 * of the gradient; otherwise return 0. */
static size_t share_size(const struct attention_pass *pass, size_t i) {
  const struct attention_own_weight *weight = &mechanism_of(pass)->own[i];
  const size_t H = pass->layer.config.size;
  return weight->by_sentence ? extent(weight->rows, H) * extent(weight->columns, H) : 0;
}

static real *from(real *array, size_t offset) {
  return array == NULL ? NULL : array + offset;
}

/* Return the pass restricted to these queries. */
static struct attention_pass part_of(struct attention_pass pass, struct range queries) {
  struct attention_arrays *cache = &pass.cache;
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
  for (size_t i = 0; i < MAX_OWN; i++)
    cache->own[i] =
        from(cache->own[i], rows * array_size(mechanism_of(&pass)->arrays[i], config, pass.shape));
  return pass;
}

/* Return the part of the pass between the input and output projections. It reads the projected
 * arrays and writes the contexts of the heads. */
static struct attention_pass inner_of(struct attention_pass pass) {
  const struct attention_mechanism *mechanism = mechanism_of(&pass);
  if (mechanism->projections & PROJECT_QUERIES) pass.queries = pass.cache.queries;
  if (mechanism->projections & PROJECT_KEYS) pass.keys = pass.cache.keys;
  if (mechanism->projections & PROJECT_VALUES) pass.values = pass.cache.values;
  if (mechanism->context_forward != NULL) pass.cache.context = pass.cache.merged;
  return pass;
}

static struct attention_gradients inner_gradients_of(struct attention_gradients d,
                                                     const struct attention_mechanism *mechanism) {
  if (mechanism->projections & PROJECT_QUERIES) d.queries = d.scratch.queries;
  if (mechanism->projections & PROJECT_KEYS) d.keys = d.scratch.keys;
  if (mechanism->projections & PROJECT_VALUES) d.values = d.scratch.values;
  if (mechanism->context_forward != NULL) d.context = d.scratch.merged;
  return d;
}

static bool drops(const struct attention_pass *pass) {
  return pass->layer.dropout.probability > 0;
}

/* Return the weights that multiply the values. With dropout, these are the weights after
 * dropout. */
static const real *effective_weights(const struct attention_pass *pass) {
  return drops(pass) ? pass->cache.dropped : pass->cache.weights;
}

/* ---- one head of one sentence ---- */

/* One head of one sentence. Arrays are time-major, so successive rows of a sentence are B · H
 * elements apart (values: B · V, weights: B · K · S). Each head has its own H/K columns (values:
 * V/K) and its own S weights. */
struct attention_head {
  size_t b, n;
  size_t queries, keys; /* T_b, and the number of keys that at least one query sees */
  size_t vector;        /* offset of the head in a block (B,H) of queries */
  size_t value;         /* offset of the head in a block (B,V) of contexts */
  size_t key_vector;    /* offset of the head in a block of keys */
  size_t key_value;     /* offset of the head in a block of values */
  size_t weight;        /* offset of the head in a block (B,K,S) */
  size_t size;          /* H/K */
  size_t value_size;    /* V/K */
  size_t vector_step, value_step, weight_step;
  size_t key_value_step;
};

static struct attention_head head_of(const struct attention_pass *pass, size_t b, size_t n) {
  const struct attention_shape shape = pass->shape;
  const size_t H = pass->layer.config.size, K = pass->layer.config.heads, S = shape.keys;
  const size_t V = attention_value_size(pass->layer.config);
  const size_t column = key_column(shape, b), columns = key_batch(shape);
  return (struct attention_head){.b = b,
                                 .n = n,
                                 .queries = mask_queries(shape, b),
                                 .keys = mask_keys(shape, b),
                                 .vector = b * H + n * (H / K),
                                 .value = b * V + n * (V / K),
                                 .key_vector = column * H + n * (H / K),
                                 .key_value = column * V + n * (V / K),
                                 .weight = (b * K + n) * S,
                                 .size = H / K,
                                 .value_size = V / K,
                                 .vector_step = columns * H,
                                 .value_step = shape.batch * V,
                                 .key_value_step = columns * V,
                                 .weight_step = shape.batch * K * S};
}

static struct score_input score_input_of(const struct attention_pass *pass,
                                         struct attention_head head) {
  const struct attention_config config = pass->layer.config;
  const real scale = mechanism_of(pass)->scaled ? 1 / (real)sqrt((real)head.size) : 1;
  return (struct score_input){.queries = head.queries,
                              .keys = head.keys,
                              .size = head.size,
                              .q = pass->queries + head.vector,
                              .k = pass->keys + head.key_vector,
                              .vector_step = head.vector_step,
                              .score_step = head.weight_step,
                              .scale = config.scale != 0 ? config.scale : scale,
                              .numerics = numerics_in_float32(pass->layer.weights->numerics),
                              .own = pass->layer.weights->part + OWN_PARTS};
}

static struct operand value_operand(struct attention_head head, const real *data,
                                    enum transpose transpose) {
  return (struct operand){data + head.key_value, head.key_value_step, transpose};
}

static struct operand weight_operand(struct attention_head head, const real *data,
                                     enum transpose transpose) {
  return (struct operand){data + head.weight, head.weight_step, transpose};
}

static struct attention_row row_of(const struct attention_pass *pass, struct attention_head head,
                                   size_t t) {
  const size_t at = head.weight + t * head.weight_step;
  return (struct attention_row){.pass = pass,
                                .position = t * pass->shape.batch + head.b,
                                .visible = mask_visible(pass->shape, head.b, t),
                                .weights = pass->cache.weights + at,
                                .scores = from(pass->cache.scores, at)};
}

real attention_score_at(const struct attention_row *row, size_t n, size_t key) {
  const struct attention_pass pass = inner_of(*row->pass);
  const size_t B = pass.shape.batch;
  struct score_input input = score_input_of(&pass, head_of(&pass, row->position % B, n));
  real score;
  input.q += row->position / B * input.vector_step;
  input.k += key * input.vector_step;
  input.queries = input.keys = 1;
  mechanism_of(&pass)->score(&score, &input);
  return score;
}

/* ---- guided alignment ---- */

void log_sum_add(struct log_sum *log_sum, double x) {
  if (log_sum->sum == 0 || x > log_sum->largest) {
    log_sum->sum = log_sum->sum == 0 ? 1 : log_sum->sum * portable_exp(log_sum->largest - x) + 1;
    log_sum->largest = x;
  } else {
    log_sum->sum += portable_exp(x - log_sum->largest);
  }
}

double log_sum_of(const struct log_sum *log_sum) {
  return log_sum->largest + portable_log(log_sum->sum);
}

double guided_log_of_softmax(const struct attention_row *row, size_t n, size_t key) {
  struct log_sum sum = {0};
  for (size_t s = row->visible.first; s < row->visible.end; s++)
    log_sum_add(&sum, (double)attention_score_at(row, n, s));
  return (double)attention_score_at(row, n, key) - log_sum_of(&sum);
}

static double log_in_head(const struct attention_row *row, size_t n, size_t key) {
  guided_log *const own = attention_mechanism(row->pass->layer.config.kind)->guided_log;
  return (own != NULL ? own : guided_log_of_softmax)(row, n, key);
}

static struct log_sum log_sum_of_heads(const struct attention_row *row, size_t key) {
  struct log_sum sum = {0};
  for (size_t n = 0; n < row->pass->layer.config.heads; n++)
    log_sum_add(&sum, log_in_head(row, n, key));
  return sum;
}

/* Return the weight of `key`, averaged over the heads. `row` is the first head's row; the other
 * heads' rows follow it in memory. */
static double mean_of_heads(const struct attention_row *row, size_t heads, size_t key) {
  const size_t S = row->pass->shape.keys;
  double sum = 0;
  for (size_t n = 0; n < heads; n++) sum += (double)row->weights[n * S + key];
  return sum / (double)heads;
}

/* Return whether a weight is too small for a float. A float below FLT_MIN has fewer digits or is 0,
 * so the logarithm of the weight must be computed from the scores. */
static bool has_vanished(double weight) {
  return weight < (double)FLT_MIN;
}

/* Return the logarithm of mean_of_heads. If the mean is too small for a float, compute the
 * logarithm from the scores. `row` is the first head's row. */
static double log_of_mean(const struct attention_row *row, size_t key) {
  const size_t K = row->pass->layer.config.heads;
  const double mean = mean_of_heads(row, K, key);
  if (!has_vanished(mean)) return portable_log(mean);
  const struct log_sum sum = log_sum_of_heads(row, key);
  return log_sum_of(&sum) - portable_log((double)K);
}

void guide_losses(double *losses, const struct attention_pass *pass) {
  const struct guide *guide = pass->layer.guide;
  const struct attention_config config = pass->layer.config;
  const size_t B = pass->shape.batch, K = config.heads, S = pass->shape.keys;
  for (size_t i = 0; i < pass->shape.queries * B; i++) {
    const struct attention_row row = {.pass = pass,
                                      .position = i,
                                      .visible = mask_visible(pass->shape, i % B, i / B),
                                      .weights = pass->cache.weights + i * K * S};
    const size_t first = guide->starts[i], end = guide->starts[i + 1];
    double sum = 0;
    for (size_t k = first; k < end; k++) sum -= log_of_mean(&row, guide->sources[k]);
    losses[i] = end == first ? 0 : sum / (double)(end - first); /* (74) */
  }
}

real guided_pull(const struct guided *guided, size_t i) {
  const size_t K = guided->row->pass->layer.config.heads, S = guided->row->pass->shape.keys;
  if (K == 1) return -guided->scale;
  const struct attention_row first = {.pass = guided->row->pass,
                                      .weights = guided->row->weights - guided->head * S};
  const size_t key = guided->keys[i];
  const double mean = mean_of_heads(&first, K, key);
  if (!has_vanished(mean))
    return -guided->scale * (real)((double)guided->row->weights[key] / ((double)K * mean));
  const struct log_sum sum = log_sum_of_heads(guided->row, key);
  return -guided->scale *
         (real)portable_exp(log_in_head(guided->row, guided->head, key) - log_sum_of(&sum));
}

/* Let δ be the gradient of the loss with respect to log a. Then du_s += δ_s - a_s Σ δ (77). This
 * gradient is bounded by λ/N_ξ even if weights underflow; the gradient with respect to a would be
 * unbounded. */
void guided_softmax_backward(real *dscores, const struct guided *guided,
                             const struct attention_arrays *scratch) {
  const struct attention_row *row = guided->row;
  real sum = 0;
  (void)scratch;
  for (size_t i = 0; i < guided->count; i++) {
    const real pull = guided_pull(guided, i);
    dscores[guided->keys[i]] += pull;
    sum += pull;
  }
  for (size_t s = row->visible.first; s < row->visible.end; s++)
    dscores[s] -= row->weights[s] * sum;
}

void guide_backward(real *dscores, const struct attention_row *row, size_t n,
                    const struct attention_arrays *scratch) {
  const struct attention_layer *layer = &row->pass->layer;
  const struct guide *guide = layer->guide;
  const size_t at = row->position + row->pass->shape.first_query * row->pass->shape.batch;
  const size_t first = guide->starts[at], count = guide->starts[at + 1] - first;
  guided_backward *const own = attention_mechanism(layer->config.kind)->guided_backward;
  const struct guided guided = {row, guide->sources + first, count, n,
                                layer->guide_scale / (real)count};
  if (count > 0) (own != NULL ? own : guided_softmax_backward)(dscores, &guided, scratch);
}

/* Apply dropout to query t. The position of the query in the dropout mask does not depend on the
 * range of queries. */
static void drop(real *row, const struct attention_pass *pass, struct attention_head head,
                 size_t t) {
  const struct attention_shape shape = pass->shape;
  const size_t query = (shape.first_query + t) * shape.batch + head.b;
  dropout_apply(row, shape.keys, (query * pass->layer.config.heads + head.n) * shape.keys,
                pass->layer.dropout);
}

/* Distribute the sentences to the threads. The matrix products of a sentence take most of the
 * time. */
static void for_each_sentence(const struct attention_pass *pass, size_t products, team_job *job,
                              const void *context) {
  const struct attention_shape shape = pass->shape;
  const double multiplications =
      (double)(shape.queries * shape.keys) * (double)(shape.batch * pass->layer.config.size);
  share_out(shape.batch, (double)(products * WORK_OF_SMALL_PRODUCTS) * multiplications, job,
            context);
}

/* ---- forward ---- */

/* Project n rows; do nothing if the mechanism lacks this projection. (45), (49) */
static void project(real *projected, const real *rows, const struct attention_pass *pass,
                    size_t weight, size_t n) {
  if (mechanism_of(pass)->projections >> weight & 1)
    linear_forward(projected, rows, attention_map(pass, weight, true), n);
}

void attention_prepare(const struct attention_pass *pass, struct range keys) {
  const size_t B = pass->shape.batch, at = keys.first * B * pass->layer.config.size;
  project(from(pass->cache.keys, at), pass->keys + at, pass, KEY_WEIGHT, keys.count * B);
  project(from(pass->cache.values, at), pass->values + at, pass, VALUE_WEIGHT, keys.count * B);
}

/* Convert the scores of a head in cache.weights to weights. Store -∞ in cache.scores at masked
 * positions, so that the softmax of the scores equals the weights. */
static void weigh(const struct attention_pass *pass, struct attention_head head) {
  const struct attention_layer *layer = &pass->layer;
  const size_t S = pass->shape.keys;
  weigh_forward *const own = mechanism_of(pass)->weigh;
  weigh_forward *const weighing = own != NULL                   ? own
                                  : layer->config.divide_by_sum ? mask_share_forward
                                                                : mask_softmax_forward;
  for (size_t t = 0; t < head.queries; t++) {
    struct attention_row row = row_of(pass, head, t);
    if (row.scores != NULL) memcpy(row.scores, row.weights, S * sizeof *row.scores);
    weighing(&row);
    if (row.scores != NULL) mask_fill_outside(row.scores, row.visible, S, -(real)INFINITY);
    if (layer->overrides != NULL) override_apply(row.weights, row.visible, layer->overrides, t);
    if (!drops(pass)) continue;
    real *dropped = pass->cache.dropped + (row.weights - pass->cache.weights);
    memcpy(dropped, row.weights, S * sizeof *dropped);
    drop(dropped, pass, head, t); /* (72) */
  }
}

static void sentence_forward(const void *context, size_t b) {
  const struct attention_pass *pass = context;
  const struct attention_config config = pass->layer.config;
  const size_t row = config.heads * pass->shape.keys;
  for (size_t n = 0; n < config.heads; n++) {
    const struct attention_head head = head_of(pass, b, n);
    if (head.queries == 0) continue;
    const struct score_input input = score_input_of(pass, head);
    mechanism_of(pass)->score(pass->cache.weights + head.weight, &input);
    weigh(pass, head);
    /* c_t = Σ_s a_ts v_s                                                         (8), (49) */
    matrix_product((struct product){pass->cache.context + head.value, head.value_step, 0, 1,
                                    weight_operand(head, effective_weights(pass), NOT_TRANSPOSED),
                                    value_operand(head, pass->values, NOT_TRANSPOSED), head.queries,
                                    head.value_size, head.keys, input.numerics});
  }
  mask_clear_queries(pass->cache.weights, row, pass->shape, b);
  if (drops(pass)) mask_clear_queries(pass->cache.dropped, row, pass->shape, b);
  mask_clear_queries(pass->cache.context, attention_value_size(config), pass->shape, b);
}

void attention_forward(const struct attention_pass *whole, struct range queries) {
  const struct attention_pass pass = part_of(*whole, queries), inner = inner_of(pass);
  const struct attention_mechanism *mechanism = mechanism_of(&pass);
  project(pass.cache.queries, pass.queries, &pass, QUERY_WEIGHT, queries.count * pass.shape.batch);
  if (mechanism->queries_forward != NULL) mechanism->queries_forward(&pass);
  for_each_sentence(&inner, 2, sentence_forward, &inner);
  if (mechanism->context_forward != NULL) mechanism->context_forward(&pass);
}

/* ---- backward ---- */

/* The arguments of a backward pass between the projections. */
struct backward {
  const struct attention_pass *pass;
  struct attention_gradients d;
};

/* In scratch.weights, convert the gradients of a head's weights to the gradients of the head's
 * scores. */
static void weigh_back(const struct backward *back, struct attention_head head) {
  const struct attention_pass *pass = back->pass;
  weigh_backward *const own = mechanism_of(pass)->weigh_backward;
  weigh_backward *const weighing = own != NULL                        ? own
                                   : pass->layer.config.divide_by_sum ? mask_share_backward
                                                                      : mask_softmax_backward;
  for (size_t t = 0; t < head.queries; t++) {
    const struct attention_row row = row_of(pass, head, t);
    real *da = back->d.scratch.weights + (row.weights - pass->cache.weights);
    if (drops(pass)) drop(da, pass, head, t); /* (72) */
    weighing(da, &row, &back->d.scratch);
    if (pass->layer.guide != NULL) guide_backward(da, &row, head.n, &back->d.scratch);
  }
}

static void sentence_backward(const void *context, size_t b) {
  const struct backward *back = context;
  const struct attention_pass *pass = back->pass;
  const struct attention_gradients *d = &back->d;
  const struct attention_mechanism *mechanism = mechanism_of(pass);
  real *shares[MAX_OWN];
  for (size_t i = 0; i < MAX_OWN; i++) {
    const size_t size = share_size(pass, i);
    shares[i] = from(d->scratch.shares[i], b * size);
    if (size > 0) memset(shares[i], 0, size * sizeof(real));
  }
  for (size_t n = 0; n < pass->layer.config.heads; n++) {
    const struct attention_head head = head_of(pass, b, n);
    if (head.queries == 0) continue;
    const struct score_input input = score_input_of(pass, head);
    const struct operand dc = value_operand(head, d->context, NOT_TRANSPOSED);
    real *da = d->scratch.weights + head.weight;
    /* c_t = Σ_s a_ts v_s, so da_ts = dc_t·v_s and dv_s += Σ_t a_ts dc_t               (15) */
    matrix_product((struct product){da, head.weight_step, 0, 1, dc,
                                    value_operand(head, pass->values, TRANSPOSED), head.queries,
                                    head.keys, head.value_size, input.numerics});
    matrix_product((struct product){d->values + head.value, head.value_step, 1, 1,
                                    weight_operand(head, effective_weights(pass), TRANSPOSED), dc,
                                    head.keys, head.value_size, head.queries, input.numerics});
    weigh_back(back, head);
    mechanism->score_backward(d->queries + head.vector, d->keys + head.vector, shares, da,
                              &input); /* (17), (47) */
  }
}

/* Accumulate the gradients of n rows and of the projection's weights, given the gradients of the
 * projected rows; do nothing if the mechanism lacks this projection. */
static void project_back(real *drows, const real *dprojected, const real *rows,
                         const struct attention_gradients *d, const struct attention_pass *pass,
                         size_t weight, size_t n) {
  /* The key bias adds the same constant to all scores of a query. Softmax ignores such a constant,
   * so the gradient of the bias is zero. A computed gradient would be rounding error, which Adam
   * would amplify. (50) */
  const bool sees_bias = weight != KEY_WEIGHT || pass->layer.config.divide_by_sum;
  real *const *dpart = d->weights->part;
  const struct linear_gradients dlinear = {dpart[weight], sees_bias ? dpart[weight + 1] : NULL};
  if (mechanism_of(pass)->projections >> weight & 1)
    linear_backward(dlinear, drows, 1, dprojected, rows, attention_map(pass, weight, true), n);
}

static void add_shares(const struct attention_gradients *d, const struct attention_pass *pass) {
  for (size_t i = 0; i < MAX_OWN; i++) {
    const size_t size = share_size(pass, i);
    if (size > 0)
      bias_backward(d->weights->part[OWN_PARTS + i], d->scratch.shares[i], size, pass->shape.batch,
                    size);
  }
}

void attention_backward(const struct attention_gradients *whole_d,
                        const struct attention_pass *whole, struct range queries) {
  const struct attention_pass pass = part_of(*whole, queries), inner = inner_of(pass);
  const struct attention_mechanism *mechanism = mechanism_of(&pass);
  const struct attention_config config = pass.layer.config;
  const size_t B = pass.shape.batch, at = queries.first * B, rows = queries.count * B;
  struct attention_gradients d = *whole_d;
  d.queries += at * config.size;
  d.context += at * attention_value_size(config);
  const struct backward back = {&inner, inner_gradients_of(d, mechanism)};
  if (back.d.queries != d.queries) memset(back.d.queries, 0, rows * config.size * sizeof(real));
  if (mechanism->context_backward != NULL) mechanism->context_backward(&d, &pass);
  for_each_sentence(&inner, 4, sentence_backward, &back);
  add_shares(&d, &pass);
  if (mechanism->queries_backward != NULL) mechanism->queries_backward(&d, &pass);
  project_back(d.queries, back.d.queries, pass.queries, &d, &pass, QUERY_WEIGHT, rows);
}

void attention_prepare_backward(const struct attention_gradients *d,
                                const struct attention_pass *pass, struct range keys) {
  const size_t B = pass->shape.batch, at = keys.first * B * pass->layer.config.size;
  const size_t rows = keys.count * B;
  project_back(d->keys + at, from(d->scratch.keys, at), pass->keys + at, d, pass, KEY_WEIGHT, rows);
  project_back(d->values + at, from(d->scratch.values, at), pass->values + at, d, pass,
               VALUE_WEIGHT, rows);
}

/* ---- self-attention ---- */

struct attention_shape self_attention_shape(const struct sequence *sequence) {
  return (struct attention_shape){.queries = sequence->steps,
                                  .keys = sequence->steps,
                                  .batch = sequence->batch,
                                  .query_lengths = sequence->lengths,
                                  .key_lengths = sequence->lengths};
}

struct attention_pass self_attention_pass(struct attention_layer layer,
                                          const struct sequence *sequence,
                                          struct attention_arrays cache, const real *states) {
  return (struct attention_pass){layer, self_attention_shape(sequence), cache, states, states,
                                 states};
}

/* outputs = states + contexts                                                           (51) */
static void add_states(real *outputs, const real *states, const real *contexts, size_t n) {
  for (size_t i = 0; i < n; i++) outputs[i] = states[i] + contexts[i];
}

void self_attention_forward(real *outputs, const struct attention_pass *pass, struct range steps) {
  const size_t size = pass->shape.batch * pass->layer.config.size, at = steps.first * size;
  attention_prepare(pass, steps);
  attention_forward(pass, steps);
  add_states(outputs + at, pass->queries + at, pass->cache.context + at, steps.count * size);
}

void self_attention_backward(const struct attention_gradients *d, const struct attention_pass *pass,
                             struct range steps) {
  const size_t size = pass->shape.batch * pass->layer.config.size, at = steps.first * size;
  attention_backward(d, pass, steps);
  attention_prepare_backward(d, pass, steps);
  for (size_t i = at; i < at + steps.count * size; i++) d->queries[i] += d->context[i]; /* (51) */
}

/* ---- self-attention, step by step ---- */

void self_attention_history_free(struct self_attention_history *history) {
  arena_free(&history->arena);
  *history = (struct self_attention_history){0};
}

static void allocate_history(struct self_attention_history *history, struct arena *arena) {
  const size_t capacity = history->capacity, R = history->rows;
  const size_t H = history->config.size, K = history->config.heads;
  history->keys = arena_reals(arena, capacity, R, H);
  history->values = arena_reals(arena, capacity, R, H);
  history->spare = arena_reals(arena, 1, R, H);
  history->weights = arena_reals(arena, R, K, capacity);
  history->lengths = arena_allocate(arena, sizeof *history->lengths, R, 1, 1);
}

/* Resize the arrays for rows, capacity and config of the history. */
static elman_status fit(struct self_attention_history *history, elman_error *error) {
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &history->arena, error)) allocate_history(history, fit.now);
  return fit.status;
}

elman_status self_attention_history_start(struct self_attention_history *history,
                                          struct attention_config config, size_t rows,
                                          elman_error *error) {
  enum { FIRST_CAPACITY = 32 };
  history->config = config;
  history->rows = rows;
  history->steps = 0;
  history->capacity = FIRST_CAPACITY;
  return fit(history, error);
}

elman_status self_attention_history_grow(struct self_attention_history *history,
                                         elman_error *error) {
  if (history->steps < history->capacity) return ELMAN_OK;
  const size_t size = history->steps * history->rows * history->config.size;
  struct self_attention_history larger = *history;
  larger.arena = (struct arena){0};
  larger.capacity *= 2;
  const elman_status status = fit(&larger, error);
  if (status != ELMAN_OK) return status;
  memcpy(larger.keys, history->keys, size * sizeof *larger.keys);
  memcpy(larger.values, history->values, size * sizeof *larger.values);
  self_attention_history_free(history);
  *history = larger;
  return ELMAN_OK;
}

static void move_rows(real *block, real *spare, size_t R, size_t H, const size_t *from, size_t n) {
  memcpy(spare, block, R * H * sizeof *spare);
  for (size_t r = 0; r < n; r++)
    if (from[r] != r) memcpy(block + r * H, spare + from[r] * H, H * sizeof *block);
}

void self_attention_history_move(struct self_attention_history *history, const size_t *from,
                                 size_t n) {
  const size_t R = history->rows, H = history->config.size;
  bool moves = false;
  for (size_t r = 0; r < n; r++) moves |= from[r] != r;
  for (size_t t = 0; moves && t < history->steps; t++) {
    move_rows(history->keys + t * R * H, history->spare, R, H, from, n);
    move_rows(history->values + t * R * H, history->spare, R, H, from, n);
  }
}

void self_attention_step(real *outputs, struct self_attention_history *history,
                         const struct attention_pass *pass) {
  const size_t R = history->rows, H = history->config.size, at = history->steps++ * R * H;
  const size_t rows = pass->shape.batch;
  struct attention_pass step = *pass, past = *pass;
  for (size_t r = 0; r < R; r++) history->lengths[r] = history->steps;
  past.shape.keys = history->capacity;
  past.shape.key_lengths = history->lengths;
  past.shape.key_batch = R;
  past.cache.weights = history->weights;
  past.keys = past.cache.keys = history->keys;
  past.values = past.cache.values = history->values;
  step.cache.keys = history->keys + at;
  step.cache.values = history->values + at;
  /* Copy the states as keys and values for mechanisms without projections. Projections overwrite
   * these copies. */
  memcpy(step.cache.keys, pass->queries, rows * H * sizeof *outputs);
  memcpy(step.cache.values, pass->queries, rows * H * sizeof *outputs);
  attention_prepare(&step, (struct range){0, 1});
  attention_forward(&past, (struct range){0, 1});
  add_states(outputs, pass->queries, past.cache.context, rows * H);
}
