#include "decoder/decoder.h"

#include <string.h>

#include "decoder/bridge.h"
#include "decoder/output.h"
#include "rnn/embedding.h"
#include "tensor/linear.h"

/* Dropout sites: those from 0 on, and 2 MAX_LAYERS + 1, are the encoder's. */
enum {
  SITE_INPUTS = MAX_LAYERS,
  SITE_OUTPUT = 2 * MAX_LAYERS,
  SITE_ATTENTION = 2 * MAX_LAYERS + 2,
  SITE_SELF_ATTENTION
};

static struct dropout input_dropout(struct dropouts dropouts, size_t layer) {
  return dropout_site(dropouts.units, SITE_INPUTS + (unsigned)layer);
}

static struct attention_layer attention_of(const struct decoder_parameters *weights,
                                           struct dropouts dropouts, struct decoder_sizes sizes) {
  return (struct attention_layer){.config = sizes.attention,
                                  .weights = &weights->attention,
                                  .dropout = dropout_site(dropouts.attention, SITE_ATTENTION)};
}

static struct attention_layer self_attention_of(const struct decoder_parameters *weights,
                                                struct dropouts dropouts,
                                                struct decoder_sizes sizes) {
  return (struct attention_layer){.config = sizes.self_attention,
                                  .weights = &weights->self_attention,
                                  .dropout = dropout_site(dropouts.attention, SITE_SELF_ATTENTION)};
}

size_t decoder_input_size(struct decoder_sizes sizes, size_t layer) {
  if (layer > 0) return sizes.hidden;
  return sizes.embedding + (sizes.input_feeding ? sizes.attentional : 0);
}

size_t decoder_feature_size(struct decoder_sizes sizes) {
  return sizes.attentional > 0 ? sizes.attentional : 2 * sizes.hidden;
}

/* Some successive steps of all sentences. Without input feeding a step needs nothing that attention
 * gave for the one before: all steps are one stretch. With it, each step is a stretch of its own.
 */
struct stretch {
  size_t first, steps;
};

static size_t stretch_length(const struct sequence *target, struct decoder_sizes sizes) {
  return sizes.input_feeding ? 1 : target->steps;
}

static struct rnn_shape rnn_shape_of(const struct sequence *target, struct stretch stretch,
                                     struct decoder_sizes sizes, size_t layer) {
  return (struct rnn_shape){.steps = stretch.steps,
                            .batch = target->batch,
                            .input = decoder_input_size(sizes, layer),
                            .hidden = sizes.hidden,
                            .lengths = target->lengths,
                            .first = stretch.first};
}

static struct embedding_shape embedding_shape_of(const struct sequence *target,
                                                 struct stretch stretch,
                                                 struct decoder_sizes sizes) {
  return (struct embedding_shape){.steps = stretch.steps,
                                  .batch = target->batch,
                                  .size = sizes.embedding,
                                  .lengths = target->lengths,
                                  .first = stretch.first,
                                  .row = decoder_input_size(sizes, 0)};
}

static struct attention_shape attention_shape_of(const struct sequence *target,
                                                 struct decoder_source source,
                                                 struct stretch stretch) {
  return (struct attention_shape){.queries = stretch.steps,
                                  .keys = source.steps,
                                  .batch = target->batch,
                                  .query_lengths = target->lengths,
                                  .key_lengths = source.lengths,
                                  .first_query = stretch.first};
}

static struct attention_shape self_shape_of(const struct sequence *target, struct stretch stretch) {
  return (struct attention_shape){.queries = stretch.steps,
                                  .keys = target->steps,
                                  .batch = target->batch,
                                  .query_lengths = target->lengths,
                                  .key_lengths = target->lengths,
                                  .first_query = stretch.first,
                                  .causal = true};
}

const real *decoder_outputs(const struct decoder_cache *cache, size_t batch,
                            struct decoder_sizes sizes) {
  return sizes.self_attention.heads > 0 ? cache->outputs
                                        : cache->states[sizes.layers - 1] + batch * sizes.hidden;
}

/* Row r of `wide` (rows,width) from column `first` on = or += row r of `narrow` (rows,size). */
static void put_columns(real *wide, size_t width, size_t first, const real *narrow, size_t size,
                        size_t rows) {
  for (size_t r = 0; r < rows; r++)
    memcpy(wide + r * width + first, narrow + r * size, size * sizeof *wide);
}

static void add_columns(real *narrow, size_t size, const real *wide, size_t width, size_t first,
                        size_t rows) {
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = 0; i < size; i++) narrow[r * size + i] += wide[r * width + first + i];
  }
}

static void take_columns(real *narrow, size_t size, const real *wide, size_t width, size_t first,
                         size_t rows) {
  for (size_t r = 0; r < rows; r++)
    memcpy(narrow + r * size, wide + r * width + first, size * sizeof *narrow);
}

/* ---- forward ---- */

void decoder_start(struct decoder_cache *cache, const real *finals, size_t batch,
                   const struct decoder_parameters *weights, struct decoder_sizes sizes) {
  for (size_t l = 0; l < sizes.layers; l++)
    bridge_forward(cache->states[l], finals + l * batch * sizes.hidden, weights, l, batch, sizes);
  if (sizes.attentional > 0)
    memset(cache->attentional, 0, batch * sizes.attentional * sizeof *cache->attentional);
}

void decoder_prepare(struct decoder_cache *cache, size_t batch, struct decoder_source source,
                     const struct decoder_parameters *weights, struct decoder_sizes sizes) {
  const struct attention_layer layer = attention_of(weights, (struct dropouts){0}, sizes);
  attention_prepare(cache->attention, source.states, source.states, &layer, batch, 0, source.steps);
}

/* Inputs and states of all layers. */
static void layers_forward(struct decoder_cache *cache, const struct sequence *target,
                           struct stretch stretch, const struct decoder_parameters *weights,
                           struct dropouts dropouts, struct decoder_sizes sizes) {
  const size_t B = target->batch, H = sizes.hidden, A = sizes.attentional;
  const size_t at = stretch.first * B, rows = stretch.steps * B;
  const size_t width = decoder_input_size(sizes, 0);
  embedding_forward(cache->inputs[0] + at * width, weights->embedding, target->ids + at,
                    input_dropout(dropouts, 0), embedding_shape_of(target, stretch, sizes));
  if (sizes.input_feeding)
    put_columns(cache->inputs[0] + at * width, width, sizes.embedding, cache->attentional + at * A,
                A, rows); /* (35) */
  for (size_t l = 0; l < sizes.layers; l++) {
    const struct rnn_shape shape = rnn_shape_of(target, stretch, sizes, l);
    real *states = cache->states[l] + at * H;
    rnn_forward(states, cache->inputs[l] + at * shape.input, &weights->rnn[l], shape);
    if (l + 1 == sizes.layers) break;
    real *next = cache->inputs[l + 1] + at * H;
    memcpy(next, rnn_outputs(states, shape), rows * H * sizeof *next);
    dropout_apply(next, rows * H, at * H, input_dropout(dropouts, l + 1));
  }
}

/* h_t = tanh(W_a [d_t ; c_t] + b_a)                                                     (34) */
static void attentional_forward(struct decoder_cache *cache, const real *outputs,
                                const struct sequence *target, struct stretch stretch,
                                const struct decoder_parameters *weights,
                                struct decoder_sizes sizes) {
  const size_t B = target->batch, H = sizes.hidden, A = sizes.attentional;
  const size_t at = stretch.first * B, rows = stretch.steps * B;
  real *combined = cache->combined + at * 2 * H;
  put_columns(combined, 2 * H, 0, outputs, H, rows);
  put_columns(combined, 2 * H, H, cache->attention.context + at * H, H, rows);
  linear_tanh_forward(cache->attentional + (at + B) * A, combined, weights->attentional_weight,
                      weights->attentional_bias, rows, 2 * H, A);
}

/* d_t becomes d_t + self-attention over d_1 .. d_t                                       (44) */
static void own_states_forward(struct decoder_cache *cache, const struct sequence *target,
                               struct stretch stretch, const struct decoder_parameters *weights,
                               struct dropouts dropouts, struct decoder_sizes sizes) {
  const size_t B = target->batch, H = sizes.hidden;
  const struct attention_layer layer = self_attention_of(weights, dropouts, sizes);
  const real *states = cache->states[sizes.layers - 1] + B * H;
  if (cache->history != NULL)
    self_attention_step(cache->outputs, cache->self_attention, cache->history, states,
                        target->lengths, &layer);
  else
    self_attention_forward(cache->outputs + stretch.first * B * H, cache->self_attention, states,
                           &layer, self_shape_of(target, stretch));
}

void decoder_forward(struct decoder_cache *cache, const struct sequence *target,
                     struct decoder_source source, const struct decoder_parameters *weights,
                     struct dropouts dropouts, struct decoder_sizes sizes) {
  const size_t B = target->batch, H = sizes.hidden, length = stretch_length(target, sizes);
  struct attention_layer layer = attention_of(weights, dropouts, sizes);
  layer.overrides = cache->overrides;
  for (size_t first = 0; first < target->steps; first += length) {
    const struct stretch stretch = {first, length};
    layers_forward(cache, target, stretch, weights, dropouts, sizes);
    if (sizes.self_attention.heads > 0)
      own_states_forward(cache, target, stretch, weights, dropouts, sizes);
    const real *outputs = decoder_outputs(cache, B, sizes) + first * B * H;
    const struct attention_shape shape = attention_shape_of(target, source, stretch);
    attention_forward(attention_cache_from(cache->attention, first, sizes.attention, shape),
                      outputs, source.states, source.states, &layer, shape);
    if (sizes.attentional > 0) attentional_forward(cache, outputs, target, stretch, weights, sizes);
  }
  output_features(cache, target, dropout_site(dropouts.units, SITE_OUTPUT), sizes);
}

/* ---- backward ---- */

/* Of decoder_outputs. */
static real *outputs_gradient(const struct decoder_scratch *scratch, size_t batch,
                              struct decoder_sizes sizes) {
  return sizes.self_attention.heads > 0 ? scratch->outputs
                                        : scratch->states[sizes.layers - 1] + batch * sizes.hidden;
}

/* From dh_t to the gradients of d_t, added, and of c_t; dh becomes the gradient before the tanh. */
static void attentional_backward(const struct decoder_scratch *scratch,
                                 const struct decoder_cache *cache, const struct sequence *target,
                                 struct stretch stretch, const struct decoder_parameters *weights,
                                 struct decoder_sizes sizes) {
  const size_t B = target->batch, H = sizes.hidden, A = sizes.attentional;
  const size_t at = stretch.first * B, rows = stretch.steps * B;
  real *dh = scratch->attentional + (at + B) * A;
  real *dcombined = scratch->combined + at * 2 * H;
  tanh_backward(dh, cache->attentional + (at + B) * A, rows * A);
  linear_backward_input(dcombined, dh, weights->attentional_weight, rows, 2 * H, A);
  add_columns(outputs_gradient(scratch, B, sizes) + at * H, H, dcombined, 2 * H, 0, rows);
  take_columns(scratch->context + at * H, H, dcombined, 2 * H, H, rows);
}

/* From the gradients of the top layer's states to those of all states, of the embedding, and of the
 * attentional states that were fed in. */
static void layers_backward(const struct decoder_parameters *gradients,
                            const struct decoder_scratch *scratch,
                            const struct decoder_cache *cache, const struct sequence *target,
                            struct stretch stretch, const struct decoder_parameters *weights,
                            struct dropouts dropouts, struct decoder_sizes sizes) {
  const size_t B = target->batch, H = sizes.hidden, A = sizes.attentional;
  const size_t at = stretch.first * B, rows = stretch.steps * B;
  const size_t width = decoder_input_size(sizes, 0);
  real *dinputs = scratch->inputs;
  for (size_t l = sizes.layers; l-- > 0;) {
    const struct rnn_shape shape = rnn_shape_of(target, stretch, sizes, l);
    real *dstates = scratch->states[l] + at * H;
    real *reaching = scratch->reaching[l] == NULL ? NULL : scratch->reaching[l] + at * H;
    rnn_backward_states(dstates, reaching, cache->states[l] + at * H, &weights->rnn[l], shape);
    rnn_backward_inputs(dinputs, dstates, &weights->rnn[l], shape);
    if (l == 0) break;
    dropout_apply(dinputs, rows * H, at * H, input_dropout(dropouts, l));
    add_columns(rnn_outputs(scratch->states[l - 1] + at * H, shape), H, dinputs, H, 0, rows);
  }
  if (sizes.input_feeding) /* (35) */
    add_columns(scratch->attentional + at * A, A, dinputs, width, sizes.embedding, rows);
  embedding_backward(gradients->embedding, dinputs, target->ids + at, input_dropout(dropouts, 0),
                     embedding_shape_of(target, stretch, sizes));
}

/* What waits until the gradients of all steps are there: one product for each weight. */
static void weights_backward(const struct decoder_parameters *gradients,
                             const struct decoder_scratch *scratch,
                             const struct decoder_cache *cache, const struct sequence *target,
                             struct decoder_sizes sizes) {
  const size_t B = target->batch, H = sizes.hidden, A = sizes.attentional;
  const size_t rows = target->steps * B;
  const struct stretch all = {0, target->steps};
  for (size_t l = 0; l < sizes.layers; l++)
    rnn_backward_weights(&gradients->rnn[l], scratch->states[l], cache->states[l], cache->inputs[l],
                         rnn_shape_of(target, all, sizes, l));
  if (A == 0) return;
  const real *dz = scratch->attentional + B * A;
  linear_backward_weight(gradients->attentional_weight, dz, cache->combined, rows, 2 * H, A);
  bias_backward(gradients->attentional_bias, dz, rows, A);
}

static void clear_scratch(const struct decoder_scratch *scratch, const struct sequence *target,
                          struct decoder_source source, struct decoder_sizes sizes) {
  const size_t B = target->batch, T = target->steps, H = sizes.hidden, A = sizes.attentional;
  for (size_t l = 0; l < sizes.layers; l++)
    memset(scratch->states[l], 0, (T + 1) * B * H * sizeof(real));
  if (A > 0) memset(scratch->attentional, 0, B * A * sizeof(real)); /* h_0; the rest is unpacked */
  attention_scratch_clear(scratch->attention, sizes.attention, source.steps, B);
  if (sizes.self_attention.heads == 0) return;
  attention_scratch_clear(scratch->self_attention, sizes.self_attention, T, B);
  memset(scratch->outputs, 0, T * B * H * sizeof(real));
}

/* From the gradients of decoder_outputs to those of the top layer's states, of this stretch and of
 * the ones before. */
static void own_states_backward(const struct decoder_parameters *gradients,
                                const struct decoder_scratch *scratch,
                                const struct decoder_cache *cache, const struct sequence *target,
                                struct stretch stretch, const struct decoder_parameters *weights,
                                struct dropouts dropouts, struct decoder_sizes sizes) {
  const size_t B = target->batch, H = sizes.hidden, top = sizes.layers - 1;
  const struct attention_layer layer = self_attention_of(weights, dropouts, sizes);
  self_attention_backward(scratch->states[top] + B * H, &gradients->self_attention,
                          scratch->self_attention, scratch->outputs + stretch.first * B * H,
                          cache->self_attention, cache->states[top] + B * H, &layer,
                          self_shape_of(target, stretch));
}

void decoder_backward(const struct decoder_parameters *gradients, real *dsource, real *dfinals,
                      const struct decoder_scratch *scratch, const struct decoder_cache *cache,
                      const real *finals, const struct sequence *target,
                      struct decoder_source source, const struct decoder_parameters *weights,
                      struct dropouts dropouts, struct decoder_sizes sizes) {
  const size_t B = target->batch, H = sizes.hidden, A = sizes.attentional;
  const size_t length = stretch_length(target, sizes);
  const struct attention_layer layer = attention_of(weights, dropouts, sizes);
  clear_scratch(scratch, target, source, sizes);
  output_features_backward(A > 0 ? scratch->attentional + B * A : NULL,
                           outputs_gradient(scratch, B, sizes), scratch->context, scratch->features,
                           target, dropout_site(dropouts.units, SITE_OUTPUT), sizes);

  for (size_t end = target->steps; end > 0; end -= length) {
    const struct stretch stretch = {end - length, length};
    const size_t at = stretch.first * B * H;
    const struct attention_shape shape = attention_shape_of(target, source, stretch);
    if (A > 0) attentional_backward(scratch, cache, target, stretch, weights, sizes);
    /* The source states are keys and values at once: both gradients go to dsource. */
    attention_backward(
        outputs_gradient(scratch, B, sizes) + at, dsource, dsource, &gradients->attention,
        scratch->attention, scratch->context + at,
        attention_cache_from(cache->attention, stretch.first, sizes.attention, shape),
        decoder_outputs(cache, B, sizes) + at, source.states, source.states, &layer, shape);
    if (sizes.self_attention.heads > 0)
      own_states_backward(gradients, scratch, cache, target, stretch, weights, dropouts, sizes);
    layers_backward(gradients, scratch, cache, target, stretch, weights, dropouts, sizes);
  }
  attention_prepare_backward(dsource, dsource, &gradients->attention, scratch->attention,
                             source.states, source.states, &layer, B, 0, source.steps);
  weights_backward(gradients, scratch, cache, target, sizes);
  for (size_t l = 0; l < sizes.layers; l++)
    bridge_backward(dfinals + l * B * H, gradients, scratch->states[l], cache->states[l],
                    finals + l * B * H, weights, l, B, sizes);
}
