/* Test: double. */
/* Compare the backward pass of attention with central differences in double precision: every
 * mechanism, mask, size and number of heads, and self-attention. */
#include "check.h"

#include <string.h>

#include "attention/attention.h"
#include "elman/options.h"

enum { B = 3 };

struct attention_case {
  struct attention_layer layer;
  struct attention_shape shape;
  struct attention_parameters weights, gradients;
  struct arena arena;
  struct attention_arrays cache, scratch;
  real *queries, *keys, *values,
      *r;               /* the loss is Σ r·context, plus the guide's loss if there is a guide */
  double *guide_losses; /* (T B) */
};

static double weighted_sum(const real *out, const real *r, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (double)out[i] * (double)r[i];
  return sum;
}

static void allocate_all(struct attention_case *c, struct arena *arena) {
  const struct attention_shape shape = c->shape;
  attention_allocate(&c->cache, arena, c->layer.config, shape, VALUES_WITH_DROPOUT);
  attention_allocate(&c->scratch, arena, c->layer.config, shape, GRADIENTS);
}

/* Fill with NaN, so that reading an unwritten value is detected. */
static void spoil(struct arena *arena) {
#ifndef __SANITIZE_ADDRESS__ /* AddressSanitizer guards the gaps */
  for (size_t i = 0; i < arena->size / sizeof(real); i++) ((real *)(void *)arena->base)[i] = NAN;
#else
  (void)arena;
#endif
}

static void set_up(struct attention_case *c, struct attention_config config,
                   struct attention_shape shape, double dropout) {
  const size_t T = shape.queries, S = shape.keys, H = config.size, V = attention_value_size(config);
  *c = (struct attention_case){.shape = shape, .weights = {.numerics = FAST}};
  c->layer = (struct attention_layer){
      .config = config, .weights = &c->weights, .dropout = {dropout, {3, RANDOM_DROPOUT, 9}}};
  struct attention_part part;
  for (unsigned i = 0; attention_part_at(&part, &c->weights, config.kind, H, i); i++)
    *part.view = random_reals(attention_part_size(&part), 0.7, 11 + i);
  for (unsigned i = 0; attention_part_at(&part, &c->gradients, config.kind, H, i); i++)
    *part.view = reals(attention_part_size(&part));
  struct arena measured = {0};
  allocate_all(c, &measured);
  cr_assert_eq(arena_reserve(&c->arena, &measured, NULL), ELMAN_OK);
  spoil(&c->arena);
  allocate_all(c, &c->arena);
  c->queries = random_reals(T * B * H, 0.6, 1);
  c->keys = random_reals(S * B * H, 0.6, 2);
  c->values = random_reals(S * B * V, 1, 3);
  c->r = random_reals(T * B * V, 1, 4);
  for (size_t t = 0; t < T; t++)
    for (size_t b = 0; b < B; b++)
      if (t >= shape.query_lengths[b]) memset(c->r + (t * B + b) * V, 0, V * sizeof *c->r);
}

static void tear_down(struct attention_case *c) {
  const size_t H = c->layer.config.size;
  struct attention_part part;
  for (unsigned i = 0; attention_part_at(&part, &c->weights, c->layer.config.kind, H, i); i++)
    free(*part.view);
  for (unsigned i = 0; attention_part_at(&part, &c->gradients, c->layer.config.kind, H, i); i++)
    free(*part.view);
  arena_free(&c->arena);
  free(c->queries);
  free(c->keys);
  free(c->values);
  free(c->r);
}

static struct attention_pass pass_of(const struct attention_case *c) {
  return (struct attention_pass){c->layer, c->shape, c->cache, c->queries, c->keys, c->values};
}

static double attention_loss(void *context) {
  const struct attention_case *c = context;
  const struct attention_pass pass = pass_of(c);
  attention_prepare(&pass, (struct range){0, c->shape.keys});
  attention_forward(&pass, (struct range){0, c->shape.queries});
  const double loss = weighted_sum(c->cache.context, c->r,
                                   c->shape.queries * B * attention_value_size(c->layer.config));
  if (c->layer.guide == NULL) return loss;
  double guided = 0;
  guide_losses(c->guide_losses, &pass);
  for (size_t i = 0; i < c->shape.queries * B; i++) guided += c->guide_losses[i];
  return loss + (double)c->layer.guide_scale * guided;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* Bound the rounding error of the loss. A context is a mean of values and changes with its scores
 * by at most twice the largest value; a score is a sum of H products. The sums along the way: the
 * projections of queries, keys, values and contexts, the score, the softmax, the context. */
static double rounding_of_loss(const struct attention_case *c) {
  const size_t H = c->layer.config.size, V = attention_value_size(c->layer.config);
  const size_t T = c->shape.queries, S = c->shape.keys;
  const struct attention_arrays *cache = &c->cache;
  const double query = larger(largest_size(c->queries, T * B * H),
                              cache->queries != NULL ? largest_size(cache->queries, T * B * H) : 0);
  const double key = larger(largest_size(c->keys, S * B * H),
                            cache->keys != NULL ? largest_size(cache->keys, S * B * H) : 0);
  double context = larger(largest_size(c->values, S * B * V),
                          cache->values != NULL ? largest_size(cache->values, S * B * H) : 0);
  const enum attention_kind kind = c->layer.config.kind;
  const real *own = c->weights.part[OWN_PARTS];
  if (kind == ATTENTION_MULTIHEAD) context *= (double)H * largest_size(own, H * H);
  if (kind == ATTENTION_SENTINEL)
    context = larger(context, query); /* a sentinel is at most as large */
  double score = (double)H * query * key;
  if (kind == ATTENTION_ADDITIVE || kind == ATTENTION_SENTINEL)
    score = (double)H * largest_size(own, H);
  double size = 0;
  for (size_t i = 0; i < T * B * V; i++) size += fabs((double)c->r[i]);
  /* A logarithm of a weight changes by at most twice the rounding of the scores. */
  const double guided = c->layer.guide == NULL ? 0 : (double)c->layer.guide_scale * (double)(T * B);
  return rounding_of_sum(5 * H + 2 * S + T * B * V,
                         size * context * (1 + 2 * score) + guided * (1 + 2 * score));
}

static void check_parts(struct attention_case *c, loss_function *loss, void *context) {
  const size_t H = c->layer.config.size;
  struct attention_part weight, gradient;
  for (size_t i = 0; attention_part_at(&weight, &c->weights, c->layer.config.kind, H, i); i++) {
    cr_assert(attention_part_at(&gradient, &c->gradients, c->layer.config.kind, H, i));
    check_gradient_or_zero(weight.name, *weight.view, *gradient.view, attention_part_size(&weight),
                           rounding_of_loss(c), loss, context);
  }
}

static void make_positive(real *values, size_t n) {
  for (size_t i = 0; i < n; i++) values[i] = fabs(values[i]);
}

/* Make all scores positive and keep their sums away from zero. */
static void make_all_positive(struct attention_case *c) {
  const size_t H = c->layer.config.size;
  struct attention_part part;
  for (unsigned i = 0; attention_part_at(&part, &c->weights, c->layer.config.kind, H, i); i++)
    make_positive(*part.view, attention_part_size(&part));
  make_positive(c->queries, c->shape.queries * B * H);
  make_positive(c->keys, c->shape.keys * B * H);
}

/* Give target words no link, one, two, and so on, among visible keys. */
static struct guide make_guide(struct attention_shape shape) {
  const size_t T = shape.queries;
  struct guide guide = {.starts = calloc(T * B + 1, sizeof *guide.starts),
                        .sources = calloc(T * B * shape.keys + 1, sizeof *guide.sources)};
  for (size_t i = 0; i < T * B; i++) {
    const size_t keys = shape.key_lengths[i % B];
    for (size_t k = 0; k < keys && i / B < shape.query_lengths[i % B]; k++)
      if ((k * 5 + i) % 3 == 0 && i % 4 > 0) guide.sources[guide.links++] = (uint32_t)k;
    guide.starts[i + 1] = guide.links;
  }
  return guide;
}

static void check_attention_by(struct attention_config config, struct attention_shape shape,
                               double dropout, const struct guide *guide) {
  const size_t T = shape.queries, S = shape.keys, H = config.size, V = attention_value_size(config);
  owned_by(tear_down) struct attention_case c;
  set_up(&c, config, shape, dropout);
  if (config.divide_by_sum) make_all_positive(&c);
  c.layer.guide = guide;
  c.layer.guide_scale = (real)0.7;
  c.guide_losses = calloc(T * B, sizeof *c.guide_losses);
  owned real *dqueries = reals(T * B * H), *dkeys = reals(S * B * H), *dvalues = reals(S * B * V);
  attention_loss(&c);
  const struct attention_pass pass = pass_of(&c);
  attention_clear(&c.scratch, &pass);
  const struct attention_gradients d = {dqueries, dkeys, dvalues, &c.gradients, c.scratch, c.r};
  attention_backward(&d, &pass, (struct range){0, T});
  attention_prepare_backward(&d, &pass, (struct range){0, S});
  const double rounding = rounding_of_loss(&c);
  check_gradient_or_zero("queries", c.queries, dqueries, T * B * H, rounding, attention_loss, &c);
  check_gradient_or_zero("keys", c.keys, dkeys, S * B * H, rounding, attention_loss, &c);
  check_gradient_or_zero("values", c.values, dvalues, S * B * V, rounding, attention_loss, &c);
  check_parts(&c, attention_loss, &c);
  free(c.guide_losses);
}

static void check_attention(struct attention_config config, struct attention_shape shape,
                            double dropout) {
  check_attention_by(config, shape, dropout, NULL);
}

/* Check every mechanism that supports this number of heads and this size. */
static void check_mechanisms_by(struct attention_shape shape, double dropout,
                                const struct guide *guide) {
  for (unsigned kind = 0; elman_attention_name(kind) != NULL; kind++) {
    for (size_t heads = 1; heads <= 4; heads++) {
      struct attention_config config = {
          .kind = (enum attention_kind)kind, .size = heads == 3 ? 6 : 4, .heads = heads};
      if (heads > 1 && kind != ATTENTION_MULTIHEAD && kind != ATTENTION_SCALED) continue;
      if (kind == ATTENTION_LOCAL || kind == ATTENTION_HIERARCHICAL)
        config.window = 1 + shape.keys % 3;
      check_attention_by(config, shape, dropout, guide);
    }
  }
}

static void check_mechanisms(struct attention_shape shape, double dropout) {
  check_mechanisms_by(shape, dropout, NULL);
}

/* Also with dropout: the guide uses the weights before dropout. */
static void check_guided(struct attention_shape shape) {
  struct guide guide = make_guide(shape);
  check_mechanisms_by(shape, 0, &guide);
  check_mechanisms_by(shape, 0.3, &guide);
  free(guide.starts);
  free(guide.sources);
}

/* Return a shape with short and long sentences, whose lengths are stored in `lengths`. */
static struct attention_shape mixed_shape(size_t lengths[2][B], size_t T, size_t S) {
  const size_t mixed[2][B] = {{T, 1, (T + 1) / 2}, {1, S, (S + 1) / 2}};
  memcpy(lengths, mixed, sizeof mixed);
  return (struct attention_shape){
      .queries = T, .keys = S, .batch = B, .query_lengths = lengths[0], .key_lengths = lengths[1]};
}

Test(attention_gradients, gradients_with_masks_match) {
  for (size_t positions = 1; positions <= 9; positions++) {
    size_t lengths[2][B];
    check_mechanisms(mixed_shape(lengths, positions, 10 - positions), 0);
    struct attention_shape causal = mixed_shape(lengths, positions, positions);
    causal.causal = true;
    check_mechanisms(causal, 0);
  }
}

static const size_t query_lengths[B] = {5, 1, 3}, key_lengths[B] = {4, 7, 6};
static const struct attention_shape five_by_seven = {.queries = 5,
                                                     .keys = 7,
                                                     .batch = B,
                                                     .query_lengths = query_lengths,
                                                     .key_lengths = key_lengths};

Test(attention_gradients, gradients_with_dropout_match) {
  check_mechanisms(five_by_seven, 0.4);
}

Test(attention_gradients, gradients_with_guide_match) {
  for (size_t positions = 1; positions <= 9; positions++) {
    size_t lengths[2][B];
    check_guided(mixed_shape(lengths, positions, 10 - positions));
  }
}

/* Options that only plain matrices have: their own scale, values of another width, division by the
 * sum instead of a softmax, and heads with every product score. */
Test(attention_gradients, gradients_of_plain_matrices_match) {
  struct attention_shape shape = five_by_seven;
  for (unsigned kind = 0; elman_attention_name(kind) != NULL; kind++) {
    for (unsigned options = 0; options < 32; options++) {
      struct attention_config config = {
          .kind = (enum attention_kind)kind,
          .size = 4,
          .heads = options & 1 ? 2 : 1,
          .window = kind == ATTENTION_LOCAL || kind == ATTENTION_HIERARCHICAL ? 2 : 0,
          .value_size = options & 2 ? 6 : 0,
          .scale = options & 4 ? 0.7 : 0,
          .divide_by_sum = options & 8};
      shape.causal = options & 16;
      if (attention_config_check(&config, NULL) == ELMAN_OK) check_attention(config, shape, 0);
    }
  }
}

/* ---- self-attention ---- */

/* Run the steps in ranges of `range`, as the decoder does with input feeding. */
struct self_case {
  struct attention_case base;
  size_t range;
  real *outputs;
};

static struct attention_pass self_pass_of(const struct self_case *c) {
  const real *states = c->base.queries;
  return (struct attention_pass){c->base.layer, c->base.shape, c->base.cache,
                                 states,        states,        states};
}

static double self_loss(void *context) {
  struct self_case *c = context;
  const size_t H = c->base.layer.config.size, T = c->base.shape.queries;
  const struct attention_pass pass = self_pass_of(c);
  for (size_t first = 0; first < T; first += c->range)
    self_attention_forward(c->outputs, &pass, (struct range){first, c->range});
  return weighted_sum(c->outputs, c->base.r, T * B * H);
}

static void check_self_attention(struct attention_config config, struct attention_shape shape,
                                 size_t range) {
  const size_t T = shape.queries, H = config.size;
  struct self_case c = {.range = range, .outputs = reals(T * B * H)};
  set_up(&c.base, config, shape, 0.2);
  owned real *dstates = reals(T * B * H);
  self_loss(&c);
  const struct attention_pass pass = self_pass_of(&c);
  attention_clear(&c.base.scratch, &pass);
  const struct attention_gradients d = {dstates,           dstates,        dstates,
                                        &c.base.gradients, c.base.scratch, c.base.r};
  for (size_t end = T; end > 0; end -= range)
    self_attention_backward(&d, &pass, (struct range){end - range, range});
  check_gradient("states", c.base.queries, dstates, T * B * H, self_loss, &c);
  check_parts(&c.base, self_loss, &c);
  free(c.outputs);
  tear_down(&c.base);
}

Test(attention_gradients, self_attention) {
  const size_t lengths[B] = {6, 1, 4};
  struct attention_shape shape = {
      .queries = 6, .keys = 6, .batch = B, .query_lengths = lengths, .key_lengths = lengths};
  for (size_t heads = 1; heads <= 4; heads++) {
    for (int plain = 0; plain < 2; plain++) {
      const struct attention_config config = {.kind =
                                                  plain ? ATTENTION_SCALED : ATTENTION_MULTIHEAD,
                                              .size = heads == 3 ? 6 : 4,
                                              .heads = heads};
      shape.causal = false;
      check_self_attention(config, shape, 6);
      shape.causal = true;
      check_self_attention(config, shape, 6);
      check_self_attention(config, shape, 1);
    }
  }
}
