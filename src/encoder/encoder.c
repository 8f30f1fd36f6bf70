#include "encoder/encoder.h"

#include <string.h>

#include "rnn/embedding.h"

/* Dropout sites: the embedding, then what each layer gives to the next. Those from MAX_LAYERS to
 * 2 MAX_LAYERS are the decoder's. */
enum { SITE_SELF_ATTENTION = 2 * MAX_LAYERS + 1 };

static struct dropout input_dropout(struct dropouts dropouts, size_t layer) {
  return dropout_site(dropouts.units, (unsigned)layer);
}

static struct attention_layer self_attention_of(const struct encoder_parameters *weights,
                                                struct dropouts dropouts,
                                                struct encoder_sizes sizes) {
  return (struct attention_layer){.config = sizes.self_attention,
                                  .weights = &weights->self_attention,
                                  .dropout = dropout_site(dropouts.attention, SITE_SELF_ATTENTION)};
}

static struct attention_shape attention_shape_of(const struct sequence *source) {
  return (struct attention_shape){.queries = source->steps,
                                  .keys = source->steps,
                                  .batch = source->batch,
                                  .query_lengths = source->lengths,
                                  .key_lengths = source->lengths};
}

size_t encoder_direction_size(struct encoder_sizes sizes) {
  return sizes.hidden / sizes.directions;
}

size_t encoder_input_size(struct encoder_sizes sizes, size_t layer) {
  return layer == 0 ? sizes.embedding : sizes.hidden;
}

static struct rnn_shape shape_of(const struct sequence *source, struct encoder_sizes sizes,
                                 size_t layer, size_t direction) {
  return (struct rnn_shape){.steps = source->steps,
                            .batch = source->batch,
                            .input = encoder_input_size(sizes, layer),
                            .hidden = encoder_direction_size(sizes),
                            .lengths = source->lengths,
                            .reverse = direction == 1};
}

static struct embedding_shape embedding_shape_of(const struct sequence *source,
                                                 struct encoder_sizes sizes) {
  return (struct embedding_shape){.steps = source->steps,
                                  .batch = source->batch,
                                  .size = sizes.embedding,
                                  .lengths = source->lengths,
                                  .row = sizes.embedding};
}

/* Columns [first, first + width) of `wide` (rows,H) = narrow (rows,width), or the reverse, added.
 */
static void put_columns(real *wide, const real *narrow, size_t rows, size_t first, size_t width,
                        size_t H) {
  for (size_t i = 0; i < rows; i++)
    memcpy(wide + i * H + first, narrow + i * width, width * sizeof *wide);
}

static void add_columns(real *narrow, const real *wide, size_t rows, size_t first, size_t width,
                        size_t H) {
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < width; j++) narrow[i * width + j] += wide[i * H + first + j];
  }
}

void encoder_forward(struct encoder_cache *cache, const struct sequence *source,
                     const struct encoder_parameters *weights, struct dropouts dropouts,
                     struct encoder_sizes sizes) {
  const size_t S = source->steps, B = source->batch, H = sizes.hidden;
  const size_t width = encoder_direction_size(sizes);
  embedding_forward(cache->inputs[0], weights->embedding, source->ids, input_dropout(dropouts, 0),
                    embedding_shape_of(source, sizes));
  for (size_t l = 0; l < sizes.layers; l++) {
    const bool last = l + 1 == sizes.layers;
    real *outputs = last ? cache->recurrent : cache->inputs[l + 1];
    for (size_t d = 0; d < sizes.directions; d++) {
      const struct rnn_shape shape = shape_of(source, sizes, l, d);
      real *states = cache->states[l][d];
      memset(rnn_initial(states, shape), 0, B * width * sizeof *states); /* e_0 = 0 */
      rnn_forward(states, cache->inputs[l], &weights->rnn[l][d], shape);
      put_columns(outputs, rnn_outputs(states, shape), S * B, d * width, width, H);
      put_columns(cache->finals + l * B * H, rnn_final(states, shape), B, d * width, width, H);
    }
    if (!last) dropout_apply(outputs, S * B * H, 0, input_dropout(dropouts, l + 1));
  }
  if (sizes.self_attention.heads == 0) return;
  const struct attention_layer layer = self_attention_of(weights, dropouts, sizes);
  self_attention_forward(cache->outputs, cache->self_attention, cache->recurrent, &layer,
                         attention_shape_of(source));
}

void encoder_backward(const struct encoder_parameters *gradients, struct encoder_scratch scratch,
                      real *doutputs, const real *dfinals, const struct encoder_cache *cache,
                      const struct sequence *source, const struct encoder_parameters *weights,
                      struct dropouts dropouts, struct encoder_sizes sizes) {
  const size_t S = source->steps, B = source->batch, H = sizes.hidden;
  const size_t width = encoder_direction_size(sizes);
  if (sizes.self_attention.heads > 0) {
    const struct attention_layer layer = self_attention_of(weights, dropouts, sizes);
    memset(scratch.recurrent, 0, S * B * H * sizeof(real));
    attention_scratch_clear(scratch.self_attention, sizes.self_attention, S, B);
    self_attention_backward(scratch.recurrent, &gradients->self_attention, scratch.self_attention,
                            doutputs, cache->self_attention, cache->recurrent, &layer,
                            attention_shape_of(source));
    doutputs = scratch.recurrent;
  }
  for (size_t l = sizes.layers; l-- > 0;) {
    for (size_t d = 0; d < sizes.directions; d++) {
      const struct rnn_shape shape = shape_of(source, sizes, l, d);
      real *dstates = scratch.states;
      memset(dstates, 0, (S + 1) * B * width * sizeof *dstates);
      add_columns(rnn_outputs(dstates, shape), doutputs, S * B, d * width, width, H);
      add_columns(rnn_final(dstates, shape), dfinals + l * B * H, B, d * width, width, H);
      rnn_backward_states(dstates, scratch.reaching[l][d], cache->states[l][d], &weights->rnn[l][d],
                          shape);
      rnn_backward_weights(&gradients->rnn[l][d], dstates, cache->states[l][d], cache->inputs[l],
                           shape);
      if (d == 0)
        rnn_backward_inputs(scratch.inputs, dstates, &weights->rnn[l][d], shape);
      else
        rnn_backward_inputs_add(scratch.inputs, dstates, &weights->rnn[l][d], shape);
    }
    if (l > 0) {
      dropout_apply(scratch.inputs, S * B * H, 0, input_dropout(dropouts, l));
      memcpy(doutputs, scratch.inputs, S * B * H * sizeof *doutputs);
    }
  }
  embedding_backward(gradients->embedding, scratch.inputs, source->ids, input_dropout(dropouts, 0),
                     embedding_shape_of(source, sizes));
}
