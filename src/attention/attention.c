#include "attention/attention.h"

#include <string.h>
#include <tgmath.h>

#include "attention/score.h"
#include "tensor/blas.h"
#include "tensor/linear.h"
#include "tensor/softmax.h"

enum { PARALLEL_WORK = 1 << 17 };

static real one(size_t size) {
  (void)size;
  return 1;
}

static real one_over_root(size_t size) {
  return 1 / sqrt((real)size);
}

static const struct {
  const char *name;
  struct attention_needs needs;
  real (*scale)(size_t size); /* α of equation 6 */
  score_forward *forward;
  score_backward *backward;
} kinds[] = {
    [ATTENTION_DOT] = {"dot", {0}, one, score_product_forward, score_product_backward},
    [ATTENTION_SCALED] =
        {"scaled", {0}, one_over_root, score_product_forward, score_product_backward},
    [ATTENTION_GENERAL] =
        {"general", {.query_weight = true}, one, score_product_forward, score_product_backward},
    [ATTENTION_ADDITIVE] =
        {"additive",
         {.query_weight = true, .query_bias = true, .key_weight = true, .score_weight = true},
         one,
         score_additive_forward,
         score_additive_backward},
};

const char *attention_name(enum attention_kind kind) {
  return kind < sizeof kinds / sizeof *kinds ? kinds[kind].name : NULL;
}

bool attention_parse(enum attention_kind *kind, const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, name) == 0) {
      *kind = (enum attention_kind)i;
      return true;
    }
  }
  return false;
}

struct attention_needs attention_needs(enum attention_kind kind) {
  return kinds[kind].needs;
}

struct attention_cache attention_cache_from(struct attention_cache cache, size_t first,
                                            struct attention_shape shape) {
  cache.context += first * shape.batch * shape.size;
  cache.weights += first * shape.batch * shape.keys;
  if (cache.queries != NULL) cache.queries += first * shape.batch * shape.size;
  return cache;
}

static size_t real_queries(struct attention_shape shape, size_t b) {
  const size_t length = shape.query_lengths[b];
  if (length <= shape.first_query) return 0;
  return length - shape.first_query < shape.queries ? length - shape.first_query : shape.queries;
}

static struct score_input score_input_of(const real *q, const real *k, size_t b,
                                         const struct attention_parameters *weights,
                                         enum attention_kind kind, struct attention_shape shape) {
  const size_t H = shape.size;
  return (struct score_input){.queries = real_queries(shape, b),
                              .keys = shape.key_lengths[b],
                              .size = H,
                              .q = q + b * H,
                              .k = k + b * H,
                              .vector_step = shape.batch * H,
                              .score_step = shape.batch * shape.keys,
                              .scale = kinds[kind].scale(H),
                              .score_weight = weights->score_weight};
}

/* Row b of a time-major array (time,B,width): a matrix whose rows lie B · width apart. */
static struct operand sentence(const real *data, size_t b, size_t width, size_t batch,
                               enum transpose transpose) {
  return (struct operand){data + b * width, batch * width, transpose};
}

void attention_prepare(struct attention_cache cache, const real *keys,
                       const struct attention_parameters *weights, enum attention_kind kind,
                       struct attention_shape shape) {
  if (!kinds[kind].needs.key_weight) return;
  linear_forward(cache.keys, keys, weights->key_weight, shape.keys * shape.batch, shape.size,
                 shape.size); /* (29) */
}

/* W_q d + b, or d itself. */
static const real *map_queries(struct attention_cache cache, const real *queries,
                               const struct attention_parameters *weights, enum attention_kind kind,
                               struct attention_shape shape) {
  const size_t rows = shape.queries * shape.batch, H = shape.size;
  if (!kinds[kind].needs.query_weight) return queries;
  if (kinds[kind].needs.query_bias) {
    bias_forward(cache.queries, weights->query_bias, rows, H);
    linear_forward_add(cache.queries, queries, weights->query_weight, rows, H, H); /* (29) */
  } else {
    linear_forward(cache.queries, queries, weights->query_weight, rows, H, H);
  }
  return cache.queries;
}

void attention_forward(struct attention_cache cache, const real *queries, const real *keys,
                       const real *values, const struct attention_parameters *weights,
                       enum attention_kind kind, struct attention_shape shape) {
  const size_t T = shape.queries, S = shape.keys, B = shape.batch, H = shape.size;
  const real *q = map_queries(cache, queries, weights, kind, shape);
  const real *k = kinds[kind].needs.key_weight ? cache.keys : keys;

#pragma omp parallel for schedule(static) if (T * S * B * H > PARALLEL_WORK)
  for (size_t b = 0; b < B; b++) {
    const struct score_input input = score_input_of(q, k, b, weights, kind, shape);
    const size_t T_b = input.queries, S_b = input.keys;
    real *a = cache.weights + b * S; /* row t lies at t B S */
    real *c = cache.context + b * H;
    if (T_b > 0) kinds[kind].forward(a, &input);
    /* a_t = softmax over the real source positions                                 (7) */
    for (size_t t = 0; t < T_b; t++) {
      softmax_forward(a + t * B * S, S_b);
      memset(a + t * B * S + S_b, 0, (S - S_b) * sizeof *a);
    }
    /* c_t = Σ_s a_ts e_s                                                           (8) */
    matrix_product(c, B * H, 0, 1, (struct operand){a, B * S, AS_IT_IS},
                   sentence(values, b, H, B, AS_IT_IS), T_b, H, S_b);
    for (size_t t = T_b; t < T; t++) {
      memset(a + t * B * S, 0, S * sizeof *a);
      memset(c + t * B * H, 0, H * sizeof *c);
    }
  }
}

/* From the gradient of the mapped queries to that of the queries and of the map. */
static void map_queries_backward(real *dqueries, const struct attention_parameters *gradients,
                                 const real *dmapped, const real *queries,
                                 const struct attention_parameters *weights,
                                 enum attention_kind kind, struct attention_shape shape) {
  const size_t rows = shape.queries * shape.batch, H = shape.size;
  linear_backward_weight(gradients->query_weight, dmapped, queries, rows, H, H);
  if (kinds[kind].needs.query_bias) bias_backward(gradients->query_bias, dmapped, rows, H);
  linear_backward_input_add(dqueries, dmapped, weights->query_weight, rows, H, H);
}

void attention_backward(real *dqueries, real *dkeys, real *dvalues,
                        const struct attention_parameters *gradients,
                        struct attention_scratch scratch, const real *dcontext,
                        struct attention_cache cache, const real *queries, const real *keys,
                        const real *values, const struct attention_parameters *weights,
                        enum attention_kind kind, struct attention_shape shape) {
  const size_t T = shape.queries, S = shape.keys, B = shape.batch, H = shape.size;
  const struct attention_needs needs = kinds[kind].needs;
  const real *q = needs.query_weight ? cache.queries : queries;
  const real *k = needs.key_weight ? cache.keys : keys;
  real *dq = needs.query_weight ? scratch.queries : dqueries;
  real *dk = needs.key_weight ? scratch.keys : dkeys;
  if (needs.query_weight) memset(dq, 0, T * B * H * sizeof *dq);
  if (needs.score_weight) memset(scratch.score_weights, 0, B * H * sizeof *scratch.score_weights);

#pragma omp parallel for schedule(static) if (T * S * B * H > PARALLEL_WORK)
  for (size_t b = 0; b < B; b++) {
    const struct score_input input = score_input_of(q, k, b, weights, kind, shape);
    const size_t T_b = input.queries, S_b = input.keys;
    if (T_b == 0) continue;
    const real *a = cache.weights + b * S;
    const struct operand dc = sentence(dcontext, b, H, B, AS_IT_IS);
    real *da = scratch.weights + b * S;
    real *dv = needs.score_weight ? scratch.score_weights + b * H : NULL;
    /* c_t = Σ_s a_ts e_s, so da_ts = dc_t·e_s and de_s += Σ_t a_ts dc_t           (15) */
    matrix_product(da, B * S, 0, 1, dc, sentence(values, b, H, B, TRANSPOSED), T_b, S_b, H);
    matrix_product(dvalues + b * H, B * H, 1, 1, (struct operand){a, B * S, TRANSPOSED}, dc, S_b, H,
                   T_b);
    /* a_t = softmax(u_t): da becomes du                                           (16) */
    for (size_t t = 0; t < T_b; t++) softmax_backward(da + t * B * S, a + t * B * S, S_b);
    kinds[kind].backward(dq + b * H, dk + b * H, dv, da, &input); /* (17, 31) */
  }
  if (needs.score_weight) bias_backward(gradients->score_weight, scratch.score_weights, B, H);
  if (needs.query_weight)
    map_queries_backward(dqueries, gradients, scratch.queries, queries, weights, kind, shape);
}

void attention_prepare_backward(real *dkeys, const struct attention_parameters *gradients,
                                struct attention_scratch scratch, const real *keys,
                                const struct attention_parameters *weights,
                                enum attention_kind kind, struct attention_shape shape) {
  const size_t rows = shape.keys * shape.batch, H = shape.size;
  if (!kinds[kind].needs.key_weight) return;
  linear_backward_weight(gradients->key_weight, scratch.keys, keys, rows, H, H);
  linear_backward_input_add(dkeys, scratch.keys, weights->key_weight, rows, H, H);
}
