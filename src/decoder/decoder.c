#include "decoder/decoder.h"

#include <string.h>

#include "attention/guide.h"
#include "base/team.h"
#include "tensor/linear.h"

/* Dropout sites: those from 0 on, and 2 MAX_LAYERS + 1, are the encoder's. */
enum {
  SITE_INPUTS = MAX_LAYERS,
  SITE_FEATURES = 2 * MAX_LAYERS,
  SITE_ATTENTION = 2 * MAX_LAYERS + 2,
  SITE_SELF_ATTENTION
};

size_t decoder_input_size(struct decoder_sizes sizes, size_t layer) {
  if (layer > 0) return sizes.hidden;
  return sizes.embedding + (sizes.input_feeding ? sizes.attentional : 0);
}

static bool is_residual(struct decoder_sizes sizes, size_t layer) {
  return sizes.residual && layer > 0;
}

/* ---- memory ---- */

static struct attention_shape extent_on(const struct decoder_extent *extent, size_t keys) {
  return (struct attention_shape){.queries = extent->steps, .keys = keys, .batch = extent->batch};
}

void decoder_take(struct decoder_cache *cache, struct arena *arena, struct decoder_sizes sizes,
                  const struct decoder_extent *extent, bool dropout) {
  const size_t T = extent->steps, B = extent->batch, H = sizes.hidden, A = sizes.attentional;
  for (size_t l = 0; l < sizes.layers; l++) {
    cache->inputs[l] = arena_reals(arena, T, B, decoder_input_size(sizes, l));
    rnn_states_take(&cache->states[l], arena, sizes.cell, sizes.layer_norm, T, B, H);
  }
  cache->top = sizes.residual ? arena_reals(arena, T, B, H) : NULL;
  cache->outputs = NULL;
  if (sizes.self_attention.heads > 0) {
    cache->outputs = arena_reals(arena, T, B, H);
    attention_cache_take(&cache->self_attention, arena, sizes.self_attention,
                         extent_on(extent, extent->steps), dropout);
  }
  attention_cache_take(&cache->attention, arena, sizes.attention,
                       extent_on(extent, extent->source_steps), dropout);
  cache->combined = A > 0 ? arena_reals(arena, T, B, 2 * H) : NULL;
  cache->attentional = A > 0 ? arena_reals(arena, T + 1, B, A) : NULL;
  cache->features = arena_reals(arena, extent->tokens, sizes.features, 1);
  cache->logits = arena_reals(arena, extent->rows, sizes.vocabulary, 1);
}

void decoder_scratch_take(struct decoder_scratch *scratch, struct arena *arena,
                          struct decoder_sizes sizes, const struct decoder_extent *extent,
                          bool every_step) {
  const size_t T = extent->steps, B = extent->batch, H = sizes.hidden, A = sizes.attentional;
  const size_t first = decoder_input_size(sizes, 0);
  scratch->inputs = arena_reals(arena, T, B, first > H ? first : H);
  for (size_t l = 0; l < sizes.layers; l++) {
    rnn_states_take(&scratch->states[l], arena, sizes.cell, sizes.layer_norm, T, B, H);
    if (every_step) rnn_reached_take(&scratch->states[l], arena, sizes.cell, T, B, H);
  }
  scratch->top = sizes.residual ? arena_reals(arena, T, B, H) : NULL;
  if (sizes.self_attention.heads > 0) {
    scratch->outputs = arena_reals(arena, T, B, H);
    attention_scratch_take(&scratch->self_attention, arena, sizes.self_attention,
                           extent_on(extent, extent->steps));
  }
  attention_scratch_take(&scratch->attention, arena, sizes.attention,
                         extent_on(extent, extent->source_steps));
  scratch->context = arena_reals(arena, T, B, H);
  scratch->combined = A > 0 ? arena_reals(arena, T, B, 2 * H) : NULL;
  scratch->attentional = A > 0 ? arena_reals(arena, T + 1, B, A) : NULL;
  scratch->features = arena_reals(arena, extent->tokens, sizes.features, 1);
}

/* ---- parts of a pass ---- */

static struct dropout input_dropout(const struct decoder_pass *pass, size_t layer) {
  return dropout_site(pass->dropouts.units, SITE_INPUTS + (unsigned)layer);
}

/* Without input feeding a step needs nothing that attention gave for the one before, and all steps
 * are one range. With it, each step is a range of its own. */
static size_t range_length(const struct decoder_pass *pass) {
  return pass->weights->sizes.input_feeding ? 1 : pass->target->steps;
}

static struct rnn_shape rnn_shape_of(const struct decoder_pass *pass, struct range steps,
                                     size_t layer) {
  return (struct rnn_shape){.cell = pass->weights->sizes.cell,
                            .steps = steps.count,
                            .batch = pass->target->batch,
                            .input = decoder_input_size(pass->weights->sizes, layer),
                            .hidden = pass->weights->sizes.hidden,
                            .lengths = pass->target->lengths,
                            .first = steps.first};
}

static struct embedding_shape embedding_shape_of(const struct decoder_pass *pass,
                                                 struct range steps) {
  return (struct embedding_shape){.steps = steps.count,
                                  .batch = pass->target->batch,
                                  .size = pass->weights->sizes.embedding,
                                  .lengths = pass->target->lengths,
                                  .first = steps.first,
                                  .row = decoder_input_size(pass->weights->sizes, 0)};
}

/* The decoder's states look at the source's. */
static struct attention_pass attention_of(const struct decoder_pass *pass) {
  return (struct attention_pass){
      .layer = {.config = pass->weights->sizes.attention,
                .weights = &pass->weights->attention,
                .dropout = dropout_site(pass->dropouts.attention, SITE_ATTENTION),
                .overrides = pass->overrides,
                .guide = pass->guide,
                .guide_scale = pass->guide_scale},
      .shape = {.queries = pass->target->steps,
                .keys = pass->source.steps,
                .batch = pass->target->batch,
                .query_lengths = pass->target->lengths,
                .key_lengths = pass->source.lengths,
                .clause_ends = pass->source.clause_ends},
      .cache = pass->cache->attention,
      .queries = decoder_outputs(pass),
      .keys = pass->source.states,
      .values = pass->source.states};
}

/* What the top layer gives, or its gradient: d_1 .. d_T, or `top` where there is one. */
static real *top_outputs(const struct rnn_states *states, real *top,
                         const struct decoder_pass *pass) {
  if (top != NULL) return top;
  return states[pass->weights->sizes.layers - 1].part[0] +
         pass->target->batch * pass->weights->sizes.hidden;
}

static real *given(const struct decoder_pass *pass) {
  return top_outputs(pass->cache->states, pass->cache->top, pass);
}

static real *given_gradient(const struct decoder_scratch *scratch,
                            const struct decoder_pass *pass) {
  return top_outputs(scratch->states, scratch->top, pass);
}

/* The decoder's states look at themselves so far. */
static struct attention_pass self_attention_of(const struct decoder_pass *pass) {
  const struct attention_layer layer = {
      .config = pass->weights->sizes.self_attention,
      .weights = &pass->weights->self_attention,
      .dropout = dropout_site(pass->dropouts.attention, SITE_SELF_ATTENTION)};
  struct attention_pass own =
      self_attention_pass(layer, pass->target, pass->cache->self_attention, given(pass));
  own.shape.causal = pass->history == NULL;
  return own;
}

const real *decoder_outputs(const struct decoder_pass *pass) {
  return pass->weights->sizes.self_attention.heads > 0 ? pass->cache->outputs : given(pass);
}

real *decoder_outputs_gradient(const struct decoder_scratch *scratch,
                               const struct decoder_pass *pass) {
  return pass->weights->sizes.self_attention.heads > 0 ? scratch->outputs
                                                       : given_gradient(scratch, pass);
}

/* Where d_t and c_t lie in rows of [d_t ; c_t]. */
static struct columns left_half(real *rows, size_t H) {
  return (struct columns){rows, 2 * H, H};
}

static struct columns right_half(real *rows, size_t H) {
  return (struct columns){rows + H, 2 * H, H};
}

/* The attentional states in the inputs of the first layer. */
static struct columns fed_in(real *inputs, struct decoder_sizes sizes) {
  return (struct columns){inputs + sizes.embedding, decoder_input_size(sizes, 0),
                          sizes.attentional};
}

/* ---- the bridge: from the encoder's final states to the decoder's first ---- */

/* From the encoder's final states to the decoder's first: a copy, or tanh(W e + b) where the
 * encoder reads in both directions; without the tanh for parts other than h, which have no bounds.
 * docs/bptt.md, equations 5 and 21; docs/beyond.md, 33 and 64. */

/* Where part p of a layer begins in final states, or in their gradients. */
static size_t final_at(const struct decoder_pass *pass, size_t layer, size_t p) {
  return (layer * pass->weights->sizes.cell->parts + p) * pass->target->batch *
         pass->weights->sizes.hidden;
}

static struct linear bridge_of(const struct decoder_pass *pass, size_t layer, size_t p) {
  const struct decoder_parameters *w = pass->weights;
  const size_t H = pass->weights->sizes.hidden;
  return (struct linear){
      .weight = w->bridge_weight[layer][p], .bias = w->bridge_bias[layer][p], .in = H, .out = H};
}

/* Block 0 of the states of a layer, all parts. */
static void bridge_forward(const struct decoder_pass *pass, size_t l) {
  const size_t B = pass->target->batch, H = pass->weights->sizes.hidden;
  for (size_t p = 0; p < pass->weights->sizes.cell->parts; p++) {
    const real *final = pass->source.finals + final_at(pass, l, p);
    real *start = pass->cache->states[l].part[p];
    if (!pass->weights->sizes.bridge)
      memcpy(start, final, B * H * sizeof *start); /* (5) */
    else if (p == 0)
      linear_tanh_forward(start, final, bridge_of(pass, l, p), B); /* (33) */
    else
      linear_forward(start, final, bridge_of(pass, l, p), B); /* (64) */
  }
}

/* The layer's part of dfinals (layers,parts,B,H) is overwritten; the gradient of block 0 too. */
static void bridge_backward(const struct decoder_parameters *gradients, real *dfinals,
                            const struct decoder_scratch *scratch, const struct decoder_pass *pass,
                            size_t l) {
  const size_t B = pass->target->batch, H = pass->weights->sizes.hidden;
  for (size_t p = 0; p < pass->weights->sizes.cell->parts; p++) {
    real *dstart = scratch->states[l].part[p], *dfinal = dfinals + final_at(pass, l, p);
    if (!pass->weights->sizes.bridge) {
      memcpy(dfinal, dstart, B * H * sizeof *dfinal); /* (21) */
      continue;
    }
    if (p == 0) tanh_backward(dstart, pass->cache->states[l].part[p], B * H);
    const struct linear_gradients d = {gradients->bridge_weight[l][p],
                                       gradients->bridge_bias[l][p]};
    linear_backward_weights(d, dstart, pass->source.finals + final_at(pass, l, p),
                            bridge_of(pass, l, p), B);
    linear_backward_input(dfinal, 0, dstart, bridge_of(pass, l, p), B);
  }
}

/* ---- features: the real positions, packed ---- */

/* Two arrays side by side, one row a real position: packed (N,F), from or to the padded ones, left
 * (T,B,left_size) and right (T,B,F - left_size). */
struct packing {
  real *packed;
  const real *left, *right;
  real *to_left, *to_right;
  size_t left_size, F;
  const struct sequence *target;
  struct dropout dropout;
};

/* Real positions before step t, which are the packed rows before it. */
static size_t rows_before(const struct sequence *target, size_t t) {
  size_t n = 0;
  for (size_t b = 0; b < target->batch; b++) n += target->lengths[b] < t ? target->lengths[b] : t;
  return n;
}

static void pack_step(const void *context, size_t t) {
  const struct packing *p = context;
  const size_t B = p->target->batch, F = p->F, left = p->left_size,
               first = rows_before(p->target, t);
  real *row = p->packed + first * F, *const start = row;
  for (size_t b = 0; b < B; b++) {
    if (t >= p->target->lengths[b]) continue;
    memcpy(row, p->left + (t * B + b) * left, left * sizeof *row);
    if (left < F) memcpy(row + left, p->right + (t * B + b) * (F - left), (F - left) * sizeof *row);
    row += F;
  }
  dropout_apply(start, (size_t)(row - start), first * F, p->dropout);
}

/* The reverse; padded positions become zero. */
static void unpack_step(const void *context, size_t t) {
  const struct packing *p = context;
  const size_t B = p->target->batch, F = p->F, left = p->left_size, right = F - left;
  const size_t first = rows_before(p->target, t), rows = rows_before(p->target, t + 1) - first;
  const real *row = p->packed + first * F;
  dropout_apply(p->packed + first * F, rows * F, first * F, p->dropout);
  for (size_t b = 0; b < B; b++) {
    real *to_left = p->to_left + (t * B + b) * left;
    real *to_right = right == 0 ? NULL : p->to_right + (t * B + b) * right;
    if (t < p->target->lengths[b]) {
      memcpy(to_left, row, left * sizeof *row);
      if (right > 0) memcpy(to_right, row + left, right * sizeof *row);
      row += F;
    } else {
      memset(to_left, 0, left * sizeof *row);
      if (right > 0) memset(to_right, 0, right * sizeof *row);
    }
  }
}

static double work_of(const struct packing *packing) {
  return (double)WORK_OF_FUNCTION * (double)(packing->target->steps * packing->target->batch) *
         (double)packing->F;
}

static struct packing packing_of(const struct decoder_pass *pass, real *packed) {
  const size_t H = pass->weights->sizes.hidden, A = pass->weights->sizes.attentional;
  return (struct packing){.packed = packed,
                          .left_size = A > 0 ? A : H,
                          .F = pass->weights->sizes.features,
                          .target = pass->target,
                          .dropout = dropout_site(pass->dropouts.units, SITE_FEATURES)};
}

static void pack_features(const struct decoder_pass *pass) {
  const struct decoder_cache *cache = pass->cache;
  const size_t A = pass->weights->sizes.attentional;
  struct packing packing = packing_of(pass, cache->features);
  packing.left = A > 0 ? cache->attentional + pass->target->batch * A : decoder_outputs(pass);
  packing.right = cache->attention.context;
  share_out(pass->target->steps, work_of(&packing), pack_step, &packing);
}

static void unpack_features(const struct decoder_scratch *scratch,
                            const struct decoder_pass *pass) {
  const size_t A = pass->weights->sizes.attentional;
  struct packing packing = packing_of(pass, scratch->features);
  packing.to_left = A > 0 ? scratch->attentional + pass->target->batch * A
                          : decoder_outputs_gradient(scratch, pass);
  packing.to_right = scratch->context;
  share_out(pass->target->steps, work_of(&packing), unpack_step, &packing);
}

/* ---- forward ---- */

void decoder_start(const struct decoder_pass *pass) {
  const size_t A = pass->weights->sizes.attentional;
  for (size_t l = 0; l < pass->weights->sizes.layers; l++) bridge_forward(pass, l);
  if (A > 0) memset(pass->cache->attentional, 0, pass->target->batch * A * sizeof(real));
}

void decoder_prepare(const struct decoder_pass *pass) {
  const struct attention_pass attention = attention_of(pass);
  attention_prepare(&attention, (struct range){0, pass->source.steps});
}

/* Inputs and states of all layers. */
static void layers_forward(const struct decoder_pass *pass, struct range steps) {
  const struct decoder_cache *cache = pass->cache;
  const size_t B = pass->target->batch, H = pass->weights->sizes.hidden,
               A = pass->weights->sizes.attentional;
  const size_t at = steps.first * B, rows = steps.count * B;
  real *inputs = cache->inputs[0] + at * decoder_input_size(pass->weights->sizes, 0);
  embedding_forward(inputs, pass->weights->embedding, pass->target->ids + at,
                    input_dropout(pass, 0), embedding_shape_of(pass, steps)); /* (4) */
  if (pass->weights->sizes.input_feeding)
    columns_put(fed_in(inputs, pass->weights->sizes), cache->attentional + at * A, rows); /* (35) */
  for (size_t l = 0; l < pass->weights->sizes.layers; l++) {
    const struct rnn_shape shape = rnn_shape_of(pass, steps, l);
    const struct rnn_states states = rnn_states_from(cache->states[l], shape, steps.first);
    rnn_forward(states, cache->inputs[l] + at * shape.input, &pass->weights->rnn[l], shape);
    const bool last = l + 1 == pass->weights->sizes.layers;
    if (last && cache->top == NULL) break;
    real *next = (last ? cache->top : cache->inputs[l + 1]) + at * H;
    memcpy(next, rnn_outputs(states, shape), rows * H * sizeof *next);
    if (!last) dropout_apply(next, rows * H, at * H, input_dropout(pass, l + 1));
    if (is_residual(pass->weights->sizes, l))
      add_to(next, cache->inputs[l] + at * H, rows * H); /* (87) */
  }
}

/* d_t becomes d_t + self-attention over d_1 .. d_t                                       (44) */
static void self_attention_of_steps(const struct decoder_pass *pass, struct range steps) {
  const struct attention_pass self_attention = self_attention_of(pass);
  if (pass->history != NULL)
    self_attention_step(pass->cache->outputs, pass->history, &self_attention);
  else
    self_attention_forward(pass->cache->outputs, &self_attention, steps);
}

static struct linear attentional_of(const struct decoder_pass *pass) {
  return (struct linear){.weight = pass->weights->attentional_weight,
                         .bias = pass->weights->attentional_bias,
                         .in = 2 * pass->weights->sizes.hidden,
                         .out = pass->weights->sizes.attentional};
}

/* h_t = tanh(W_a [d_t ; c_t] + b_a)                                                     (34) */
static void attentional_forward(const struct decoder_pass *pass, struct range steps) {
  const struct decoder_cache *cache = pass->cache;
  const size_t B = pass->target->batch, H = pass->weights->sizes.hidden,
               A = pass->weights->sizes.attentional;
  const size_t at = steps.first * B, rows = steps.count * B;
  real *combined = cache->combined + at * 2 * H;
  columns_put(left_half(combined, H), decoder_outputs(pass) + at * H, rows);
  columns_put(right_half(combined, H), cache->attention.context + at * H, rows);
  linear_tanh_forward(cache->attentional + (at + B) * A, combined, attentional_of(pass), rows);
}

void decoder_steps(const struct decoder_pass *pass) {
  const struct attention_pass attention = attention_of(pass);
  struct range steps = {0, range_length(pass)};
  for (; steps.first < pass->target->steps; steps.first += steps.count) {
    layers_forward(pass, steps);
    if (pass->weights->sizes.self_attention.heads > 0) self_attention_of_steps(pass, steps);
    attention_forward(&attention, steps);
    if (pass->weights->sizes.attentional > 0) attentional_forward(pass, steps);
  }
  pack_features(pass);
}

void decoder_forward(const struct decoder_pass *pass) {
  decoder_start(pass);
  decoder_prepare(pass);
  decoder_steps(pass);
}

void decoder_guide_losses(double *losses, const struct decoder_pass *pass) {
  const struct attention_pass attention = attention_of(pass);
  guide_losses(losses, &attention);
}

/* ---- backward ---- */

/* From dh_t to the gradients of d_t, added, and of c_t; dh becomes the gradient before the tanh. */
static void attentional_backward(const struct decoder_scratch *scratch,
                                 const struct decoder_pass *pass, struct range steps) {
  const size_t B = pass->target->batch, H = pass->weights->sizes.hidden,
               A = pass->weights->sizes.attentional;
  const size_t at = steps.first * B, rows = steps.count * B;
  real *dh = scratch->attentional + (at + B) * A;
  real *dcombined = scratch->combined + at * 2 * H;
  tanh_backward(dh, pass->cache->attentional + (at + B) * A, rows * A);
  linear_backward_input(dcombined, 0, dh, attentional_of(pass), rows);
  columns_add_to(decoder_outputs_gradient(scratch, pass) + at * H, left_half(dcombined, H), rows);
  columns_take(scratch->context + at * H, right_half(dcombined, H), rows);
}

/* Of a layer's states d_1 .. d_T, the gradients of those of these steps. */
static real *states_of(const struct decoder_scratch *scratch, const struct decoder_pass *pass,
                       size_t layer, struct range steps) {
  const struct rnn_shape shape = rnn_shape_of(pass, steps, layer);
  return rnn_outputs(rnn_states_from(scratch->states[layer], shape, steps.first), shape);
}

/* From the gradients of what the top layer gives to those of all states, of the embedding, and of
 * the attentional states that were fed in. */
static void layers_backward(const struct decoder_parameters *gradients,
                            const struct decoder_scratch *scratch, const struct decoder_pass *pass,
                            struct range steps) {
  const size_t B = pass->target->batch, H = pass->weights->sizes.hidden,
               A = pass->weights->sizes.attentional;
  const size_t at = steps.first * B, rows = steps.count * B;
  /* Of the inputs of layer l; with a residual connection what reaches its outputs comes first, and
   * what its states get of that, behind dropout, is made in the place of the top's. */
  real *dinputs = scratch->inputs;
  real *dgiven = scratch->top != NULL ? scratch->top + at * H : dinputs;
  if (dgiven != dinputs) {
    memcpy(dinputs, dgiven, rows * H * sizeof *dinputs);
    add_to(states_of(scratch, pass, pass->weights->sizes.layers - 1, steps), dgiven, rows * H);
  }
  for (size_t l = pass->weights->sizes.layers; l-- > 0;) {
    const struct rnn_shape shape = rnn_shape_of(pass, steps, l);
    const struct rnn_parameters *weights = &pass->weights->rnn[l];
    const struct rnn_states dstates = rnn_states_from(scratch->states[l], shape, steps.first);
    rnn_backward_states(dstates, rnn_states_from(pass->cache->states[l], shape, steps.first),
                        weights, shape); /* (18) */
    rnn_backward_inputs(dinputs, is_residual(pass->weights->sizes, l), dstates, weights,
                        shape); /* (20, 88) */
    if (l == 0) break;
    if (dgiven != dinputs) memcpy(dgiven, dinputs, rows * H * sizeof *dgiven);
    dropout_apply(dgiven, rows * H, at * H, input_dropout(pass, l));
    add_to(states_of(scratch, pass, l - 1, steps), dgiven, rows * H);
  }
  if (pass->weights->sizes.input_feeding)
    columns_add_to(scratch->attentional + at * A, fed_in(dinputs, pass->weights->sizes),
                   rows); /* (35) */
  embedding_backward(gradients->embedding, dinputs, pass->target->ids + at, input_dropout(pass, 0),
                     embedding_shape_of(pass, steps));
}

/* Once the gradients of all steps are there: one product for each weight                (19) */
static void weights_backward(const struct decoder_parameters *gradients,
                             const struct decoder_scratch *scratch,
                             const struct decoder_pass *pass) {
  const struct decoder_cache *cache = pass->cache;
  const size_t B = pass->target->batch, A = pass->weights->sizes.attentional;
  const size_t rows = pass->target->steps * B;
  const struct range all = {0, pass->target->steps};
  for (size_t l = 0; l < pass->weights->sizes.layers; l++)
    rnn_backward_weights(&gradients->rnn[l], scratch->states[l], cache->states[l], cache->inputs[l],
                         rnn_shape_of(pass, all, l));
  if (A == 0) return;
  const struct linear_gradients d = {gradients->attentional_weight, gradients->attentional_bias};
  linear_backward_weights(d, scratch->attentional + B * A, cache->combined, attentional_of(pass),
                          rows);
}

static void clear_scratch(const struct decoder_scratch *scratch, const struct decoder_pass *pass) {
  const struct decoder_sizes sizes = pass->weights->sizes;
  const size_t B = pass->target->batch, T = pass->target->steps, H = sizes.hidden;
  const struct range all = {0, T};
  for (size_t l = 0; l < sizes.layers; l++)
    rnn_states_clear(scratch->states[l], rnn_shape_of(pass, all, l));
  if (sizes.attentional > 0) /* h_0; the rest is unpacked */
    memset(scratch->attentional, 0, B * sizes.attentional * sizeof(real));
  if (scratch->top != NULL) memset(scratch->top, 0, T * B * H * sizeof(real));
  attention_scratch_clear(scratch->attention, sizes.attention, attention_of(pass).shape);
  if (sizes.self_attention.heads == 0) return;
  attention_scratch_clear(scratch->self_attention, sizes.self_attention,
                          self_attention_of(pass).shape);
  memset(scratch->outputs, 0, T * B * H * sizeof(real));
}

void decoder_backward(const struct decoder_parameters *gradients, real *dsource, real *dfinals,
                      const struct decoder_scratch *scratch, const struct decoder_pass *pass) {
  const size_t length = range_length(pass);
  const struct attention_pass attention = attention_of(pass);
  const struct attention_pass self_attention = self_attention_of(pass);
  /* The source states are keys and values at once: both gradients go to dsource. */
  const struct attention_gradients d = {decoder_outputs_gradient(scratch, pass),
                                        dsource,
                                        dsource,
                                        &gradients->attention,
                                        scratch->attention,
                                        scratch->context};
  /* From the gradients of decoder_outputs to those of what the top layer gives. */
  real *dgiven = given_gradient(scratch, pass);
  const struct attention_gradients self_d = {
      dgiven,          dgiven, dgiven, &gradients->self_attention, scratch->self_attention,
      scratch->outputs};
  clear_scratch(scratch, pass);
  unpack_features(scratch, pass);
  for (size_t end = pass->target->steps; end > 0; end -= length) {
    const struct range steps = {end - length, length};
    if (pass->weights->sizes.attentional > 0) attentional_backward(scratch, pass, steps);
    attention_backward(&d, &attention, steps);
    if (pass->weights->sizes.self_attention.heads > 0)
      self_attention_backward(&self_d, &self_attention, steps);
    layers_backward(gradients, scratch, pass, steps);
  }
  attention_prepare_backward(&d, &attention, (struct range){0, pass->source.steps});
  weights_backward(gradients, scratch, pass);
  for (size_t l = 0; l < pass->weights->sizes.layers; l++)
    bridge_backward(gradients, dfinals, scratch, pass, l);
}
