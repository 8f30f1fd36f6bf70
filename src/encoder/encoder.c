#include "encoder/encoder.h"

#include <string.h>

#include "rnn/rnn.h"
#include "tensor/linear.h"

/* Dropout sites: the embedding, then what each layer gives to the next. Those from MAX_LAYERS to
 * 2 MAX_LAYERS are the decoder's. */
enum { SITE_SELF_ATTENTION = 2 * MAX_LAYERS + 1 };

size_t encoder_direction_size(struct encoder_sizes sizes) {
  return sizes.hidden / sizes.directions;
}

size_t encoder_input_size(struct encoder_sizes sizes, size_t layer) {
  return layer == 0 ? sizes.embedding : sizes.hidden;
}

static bool is_residual(struct encoder_sizes sizes, size_t layer) {
  return sizes.residual && layer > 0;
}

size_t encoder_final_size(struct encoder_sizes sizes) {
  return sizes.cell->parts * sizes.hidden;
}

/* ---- memory ---- */

void encoder_take(struct encoder_cache *cache, struct arena *arena, struct encoder_sizes sizes,
                  const struct sequence *source, bool dropout) {
  const size_t S = source->steps, B = source->batch, H = sizes.hidden;
  for (size_t l = 0; l < sizes.layers; l++) {
    cache->inputs[l] = arena_reals(arena, S, B, encoder_input_size(sizes, l));
    for (size_t d = 0; d < sizes.directions; d++)
      rnn_states_take(&cache->states[l][d], arena, sizes.cell, sizes.layer_norm, S, B,
                      encoder_direction_size(sizes));
  }
  cache->outputs = cache->recurrent = arena_reals(arena, S, B, H);
  if (sizes.self_attention.heads > 0) {
    cache->outputs = arena_reals(arena, S, B, H);
    attention_cache_take(&cache->self_attention, arena, sizes.self_attention,
                         self_attention_shape(source), dropout);
  }
  cache->finals = arena_reals(arena, sizes.layers, B, encoder_final_size(sizes));
}

void encoder_scratch_take(struct encoder_scratch *scratch, struct arena *arena,
                          struct encoder_sizes sizes, const struct sequence *source,
                          bool every_step) {
  const size_t S = source->steps, B = source->batch, E = sizes.embedding, H = sizes.hidden;
  const size_t width = encoder_direction_size(sizes);
  scratch->outputs = arena_reals(arena, S, B, H);
  scratch->finals = arena_reals(arena, sizes.layers, B, encoder_final_size(sizes));
  scratch->inputs = arena_reals(arena, S, B, E > H ? E : H);
  if (sizes.self_attention.heads > 0) {
    scratch->recurrent = arena_reals(arena, S, B, H);
    attention_scratch_take(&scratch->self_attention, arena, sizes.self_attention,
                           self_attention_shape(source));
  }
  for (size_t l = 0; l < sizes.layers; l++) {
    for (size_t d = 0; d < sizes.directions; d++) {
      struct rnn_states *states = &scratch->states[l][d];
      *states = scratch->states[0][0];
      if (every_step || l + d == 0)
        rnn_states_take(states, arena, sizes.cell, sizes.layer_norm, S, B, width);
      if (every_step) rnn_reached_take(states, arena, sizes.cell, S, B, width);
    }
  }
}

/* ---- parts of a pass ---- */

static struct dropout input_dropout(const struct encoder_pass *pass, size_t layer) {
  return dropout_site(pass->dropouts.units, (unsigned)layer);
}

static struct attention_pass self_attention_of(const struct encoder_pass *pass) {
  const struct attention_layer layer = {
      .config = pass->weights->sizes.self_attention,
      .weights = &pass->weights->self_attention,
      .dropout = dropout_site(pass->dropouts.attention, SITE_SELF_ATTENTION)};
  return self_attention_pass(layer, pass->source, pass->cache->self_attention,
                             pass->cache->recurrent);
}

static struct rnn_shape rnn_shape_of(const struct encoder_pass *pass, size_t layer,
                                     size_t direction) {
  return (struct rnn_shape){.cell = pass->weights->sizes.cell,
                            .steps = pass->source->steps,
                            .batch = pass->source->batch,
                            .input = encoder_input_size(pass->weights->sizes, layer),
                            .hidden = encoder_direction_size(pass->weights->sizes),
                            .lengths = pass->source->lengths,
                            .reverse = direction == 1};
}

static struct embedding_shape embedding_shape_of(const struct encoder_pass *pass) {
  return (struct embedding_shape){.steps = pass->source->steps,
                                  .batch = pass->source->batch,
                                  .size = pass->weights->sizes.embedding,
                                  .lengths = pass->source->lengths,
                                  .row = pass->weights->sizes.embedding};
}

/* The columns of direction d in rows of H. */
static struct columns direction(real *rows, size_t d, struct encoder_sizes sizes) {
  const size_t width = encoder_direction_size(sizes);
  return (struct columns){rows + d * width, sizes.hidden, width};
}

/* Of the final states of a layer, or their gradients, the columns of direction d in part p. */
static struct columns final_of(real *finals, const struct encoder_pass *pass, size_t layer,
                               size_t part, size_t d) {
  const size_t number = layer * pass->weights->sizes.cell->parts + part;
  return direction(finals + number * pass->source->batch * pass->weights->sizes.hidden, d,
                   pass->weights->sizes);
}

/* ---- forward ---- */

void encoder_forward(const struct encoder_pass *pass) {
  const struct encoder_sizes sizes = pass->weights->sizes;
  const struct encoder_cache *cache = pass->cache;
  const size_t S = pass->source->steps, B = pass->source->batch, H = sizes.hidden;
  embedding_forward(cache->inputs[0], pass->weights->embedding, pass->source->ids,
                    input_dropout(pass, 0), embedding_shape_of(pass)); /* (1) */
  for (size_t l = 0; l < sizes.layers; l++) {
    const bool last = l + 1 == sizes.layers;
    real *outputs = last ? cache->recurrent : cache->inputs[l + 1];
    for (size_t d = 0; d < sizes.directions; d++) {
      const struct rnn_shape shape = rnn_shape_of(pass, l, d);
      const struct rnn_states states = cache->states[l][d];
      for (size_t p = 0; p < sizes.cell->parts; p++) /* e_0 = 0 */
        memset(rnn_initial(states, p, shape), 0, B * shape.hidden * sizeof(real));
      rnn_forward(states, cache->inputs[l], &pass->weights->rnn[l][d], shape);      /* (2, 3) */
      columns_put(direction(outputs, d, sizes), rnn_outputs(states, shape), S * B); /* (32) */
      for (size_t p = 0; p < sizes.cell->parts; p++)
        columns_put(final_of(cache->finals, pass, l, p, d), rnn_final(states, p, shape), B);
    }
    if (!last) dropout_apply(outputs, S * B * H, 0, input_dropout(pass, l + 1));
    if (is_residual(sizes, l)) add_to(outputs, cache->inputs[l], S * B * H); /* (87) */
  }
  if (sizes.self_attention.heads == 0) return;
  const struct attention_pass self_attention = self_attention_of(pass);
  self_attention_forward(cache->outputs, &self_attention, (struct range){0, S}); /* (44) */
}

/* ---- backward ---- */

/* Returns the gradient of the recurrent states, from that of the outputs. */
static real *self_attention_backward_all(const struct encoder_parameters *gradients,
                                         const struct encoder_scratch *scratch,
                                         const struct encoder_pass *pass) {
  const size_t S = pass->source->steps, B = pass->source->batch, H = pass->weights->sizes.hidden;
  const struct attention_pass self_attention = self_attention_of(pass);
  const struct attention_gradients d = {scratch->recurrent,      scratch->recurrent,
                                        scratch->recurrent,      &gradients->self_attention,
                                        scratch->self_attention, scratch->outputs};
  memset(scratch->recurrent, 0, S * B * H * sizeof(real));
  attention_scratch_clear(d.scratch, pass->weights->sizes.self_attention, self_attention.shape);
  self_attention_backward(&d, &self_attention, (struct range){0, S});
  return scratch->recurrent;
}

void encoder_backward(const struct encoder_parameters *gradients,
                      const struct encoder_scratch *scratch, const struct encoder_pass *pass) {
  const struct encoder_sizes sizes = pass->weights->sizes;
  const size_t S = pass->source->steps, B = pass->source->batch, H = sizes.hidden;
  real *doutputs = sizes.self_attention.heads > 0
                       ? self_attention_backward_all(gradients, scratch, pass)
                       : scratch->outputs;
  /* Of the inputs of layer l; with a residual connection what reaches its outputs comes first. */
  real *dinputs = scratch->inputs;
  if (sizes.residual) memcpy(dinputs, doutputs, S * B * H * sizeof *dinputs);
  for (size_t l = sizes.layers; l-- > 0;) {
    for (size_t d = 0; d < sizes.directions; d++) {
      const struct rnn_shape shape = rnn_shape_of(pass, l, d);
      const struct rnn_parameters *weights = &pass->weights->rnn[l][d];
      const struct rnn_states states = pass->cache->states[l][d];
      const struct rnn_states dstates = scratch->states[l][d];
      rnn_states_clear(dstates, shape);
      columns_add_to(rnn_outputs(dstates, shape), direction(doutputs, d, sizes), S * B);
      for (size_t p = 0; p < sizes.cell->parts; p++)
        columns_add_to(rnn_final(dstates, p, shape), final_of(scratch->finals, pass, l, p, d), B);
      rnn_backward_states(dstates, states, weights, shape); /* (22) */
      rnn_backward_weights(&gradients->rnn[l][d], dstates, states, pass->cache->inputs[l],
                           shape); /* (23) */
      rnn_backward_inputs(dinputs, d > 0 || is_residual(sizes, l), dstates, weights,
                          shape); /* (24, 88) */
    }
    if (l > 0) {
      memcpy(doutputs, dinputs, S * B * H * sizeof *doutputs);
      dropout_apply(doutputs, S * B * H, 0, input_dropout(pass, l));
    }
  }
  embedding_backward(gradients->embedding, dinputs, pass->source->ids, input_dropout(pass, 0),
                     embedding_shape_of(pass));
}
