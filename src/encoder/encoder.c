#include "encoder/encoder.h"

#include <string.h>

#include "tensor/linear.h"

/* Dropout sites. Site 0 is the embedding; the output of each layer follows. Sites MAX_LAYERS to 2
 * MAX_LAYERS belong to the decoder. */
enum { SITE_SELF_ATTENTION = 2 * MAX_LAYERS + 1 };

static bool is_residual(const struct encoder_sizes *sizes, size_t layer) {
  return sizes->residual && layer > 0;
}

/* ---- memory ---- */

static struct rnn_shape shape_of(const struct encoder_sizes *sizes, const struct sequence *source,
                                 size_t layer, size_t direction) {
  return (struct rnn_shape){.cell = sizes->cell,
                            .steps = source->steps,
                            .batch = source->batch,
                            .input = encoder_input_size(*sizes, layer),
                            .hidden = encoder_direction_size(*sizes),
                            .lengths = source->lengths,
                            .reverse = direction == 1};
}

void encoder_allocate(struct encoder_arrays *arrays, struct arena *arena,
                      const struct encoder_parameters *weights, const struct sequence *source,
                      enum arrays_for purpose) {
  const struct encoder_sizes *sizes = &weights->sizes;
  const size_t S = source->steps, B = source->batch, H = sizes->hidden;
  const bool gradients = purpose >= GRADIENTS, every_step = purpose == GRADIENTS_OF_EVERY_STEP;
  for (size_t l = 0; l < sizes->layers; l++) {
    /* The gradients of the inputs of all layers share memory, and so do the gradients of their
     * states. */
    const struct rnn_shape shape = shape_of(sizes, source, l, 0);
    if (gradients && l > 0)
      arrays->inputs[l] = arrays->inputs[0];
    else
      arrays->inputs[l] = arena_reals(arena, S, B, gradients && shape.input < H ? H : shape.input);
    for (size_t d = 0; d < sizes->directions; d++) {
      if (gradients && !every_step && l + d > 0)
        arrays->states[l][d] = arrays->states[0][0];
      else
        rnn_states_allocate(&arrays->states[l][d], arena, shape, sizes->layer_norm, every_step,
                            purpose == VALUES ? NULL : weights->rnn[l][d].numerics);
    }
  }
  arrays->finals = arena_reals(arena, sizes->layers, B, encoder_final_size(*sizes));
  arrays->outputs = arrays->recurrent = arena_reals(arena, S, B, H);
  if (sizes->self_attention.heads == 0) return;
  arrays->outputs = arena_reals(arena, S, B, H);
  attention_allocate(&arrays->self_attention, arena, sizes->self_attention,
                     self_attention_shape(source), purpose);
}

/* ---- preparing a pass ---- */

void encoder_plan(struct encoder_pass *pass) {
  const struct encoder_parameters *weights = pass->weights;
  const struct encoder_sizes *sizes = &weights->sizes;
  const struct encoder_arrays *arrays = pass->arrays;
  const struct sequence *source = pass->source;
  for (size_t l = 0; l < sizes->layers; l++) {
    const bool last = l + 1 == sizes->layers;
    for (size_t d = 0; d < sizes->directions; d++)
      pass->layers[l][d] =
          (struct rnn_pass){.weights = &weights->rnn[l][d],
                            .shape = shape_of(sizes, source, l, d),
                            .states = arrays->states[l][d],
                            .inputs = arrays->inputs[l],
                            .outputs = last ? arrays->recurrent : arrays->inputs[l + 1], /* (34) */
                            .width = sizes->hidden,
                            .column = d * encoder_direction_size(*sizes),
                            .dropout = last ? (struct dropout){0}
                                            : dropout_site(pass->dropouts.units, (unsigned)l + 1),
                            .residual = is_residual(sizes, l)};
  }
  pass->embedding =
      (struct embedding_pass){.table = weights->embedding,
                              .ids = source->ids,
                              .lengths = source->lengths,
                              .batch = source->batch,
                              .size = sizes->embedding,
                              .row = sizes->embedding,
                              .dropout = dropout_site(pass->dropouts.units, 0),
                              .in_eight_bits = weights->rnn[0][0].numerics->eight_bits != NULL};
  const struct attention_layer self_attention = {
      .config = sizes->self_attention,
      .weights = &weights->self_attention,
      .dropout = dropout_site(pass->dropouts.attention, SITE_SELF_ATTENTION)};
  pass->self_attention =
      self_attention_pass(self_attention, source, arrays->self_attention, arrays->recurrent);
}

/* ---- forward ---- */

/* Return the columns of finals (layers,parts,B,H), or of their gradients, that contain the last
 * states of a layer in one direction. */
static struct columns finals_of(real *finals, const struct encoder_pass *pass, size_t l, size_t d) {
  const struct encoder_sizes *sizes = &pass->weights->sizes;
  const struct rnn_pass *layer = &pass->layers[l][d];
  const size_t at = l * pass->source->batch * encoder_final_size(*sizes) + layer->column;
  return (struct columns){finals + at, layer->width, layer->shape.hidden};
}

void encoder_forward(const struct encoder_pass *pass) {
  const struct encoder_sizes *sizes = &pass->weights->sizes;
  const struct encoder_arrays *arrays = pass->arrays;
  const size_t B = pass->source->batch;
  const struct range all = {0, pass->source->steps};
  embedding_forward(arrays->inputs[0], &pass->embedding, all); /* (1) */
  for (size_t l = 0; l < sizes->layers; l++) {
    for (size_t d = 0; d < sizes->directions; d++) {
      const struct rnn_pass *layer = &pass->layers[l][d];
      struct columns finals = finals_of(arrays->finals, pass, l, d);
      rnn_start(layer);        /* e_0 = 0 */
      rnn_forward(layer, all); /* (2), (3) */
      for (size_t p = 0; p < sizes->cell->parts; p++, finals.first += B * finals.width)
        columns_put(finals, rnn_final(layer->states, p, layer->shape), B);
    }
  }
  if (sizes->self_attention.heads > 0)
    self_attention_forward(arrays->outputs, &pass->self_attention, all); /* (51) */
}

/* ---- backward ---- */

/* Run the backward pass of self-attention. Return the gradient of the recurrent states. */
static real *self_attention_backward_all(const struct encoder_parameters *gradients,
                                         const struct encoder_arrays *scratch,
                                         const struct encoder_pass *pass) {
  const size_t S = pass->source->steps, B = pass->source->batch, H = pass->weights->sizes.hidden;
  const struct attention_gradients d = {scratch->recurrent,      scratch->recurrent,
                                        scratch->recurrent,      &gradients->self_attention,
                                        scratch->self_attention, scratch->outputs};
  memset(scratch->recurrent, 0, S * B * H * sizeof(real));
  attention_clear(&d.scratch, &pass->self_attention);
  self_attention_backward(&d, &pass->self_attention, (struct range){0, S});
  return scratch->recurrent;
}

void encoder_backward(const struct encoder_parameters *gradients,
                      const struct encoder_arrays *scratch, const struct encoder_pass *pass) {
  const struct encoder_sizes *sizes = &pass->weights->sizes;
  const size_t S = pass->source->steps, B = pass->source->batch, H = sizes->hidden;
  const struct range all = {0, S};
  real *doutputs = sizes->self_attention.heads > 0
                       ? self_attention_backward_all(gradients, scratch, pass)
                       : scratch->outputs;
  /* Compute the gradient of the inputs of layer l. With a residual connection, begin with a copy of
   * the gradient of the outputs. */
  real *dinputs = scratch->inputs[0];
  if (sizes->residual) memcpy(dinputs, doutputs, S * B * H * sizeof *dinputs);
  for (size_t l = sizes->layers; l-- > 0;) {
    for (size_t d = 0; d < sizes->directions; d++) {
      const struct rnn_pass *layer = &pass->layers[l][d];
      const struct rnn_states dstates = scratch->states[l][d];
      struct columns dfinals = finals_of(scratch->finals, pass, l, d);
      rnn_states_clear(dstates, layer->shape);
      rnn_backward_outputs(dstates, doutputs, layer, all);
      for (size_t p = 0; p < sizes->cell->parts; p++, dfinals.first += B * H)
        columns_add_to(rnn_final(dstates, p, layer->shape), dfinals, B);
      rnn_backward_states(dstates, layer, all);                                    /* (22) */
      rnn_backward_weights(&gradients->rnn[l][d], dstates, layer);                 /* (23) */
      rnn_backward_inputs(dinputs, d > 0 || layer->residual, dstates, layer, all); /* (24), (38) */
    }
    if (l > 0) memcpy(doutputs, dinputs, S * B * H * sizeof *doutputs);
  }
  embedding_backward(gradients->embedding, dinputs, &pass->embedding, all);
}
