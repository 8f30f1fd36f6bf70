#include "decoder/decoder.h"

#include <string.h>

#include "base/team.h"

/* Dropout sites. Sites 0 to MAX_LAYERS - 1 and site 2 MAX_LAYERS + 1 belong to the encoder. */
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

/* ---- memory ---- */

void decoder_allocate(struct decoder_arrays *arrays, struct arena *arena,
                      const struct decoder_parameters *weights, const struct decoder_extent *extent,
                      enum arrays_for purpose) {
  const struct decoder_sizes *sizes = &weights->sizes;
  const size_t T = extent->steps, B = extent->batch, H = sizes->hidden, A = sizes->attentional;
  const bool gradients = purpose >= GRADIENTS;
  const struct attention_shape to_source = {.queries = T, .keys = extent->source_steps, .batch = B};
  const struct attention_shape to_self = {.queries = T, .keys = T, .batch = B};
  struct rnn_shape shape = {.cell = sizes->cell, .steps = T, .batch = B, .hidden = H};
  for (size_t l = 0; l < sizes->layers; l++) {
    shape.input = decoder_input_size(*sizes, l);
    rnn_states_allocate(&arrays->states[l], arena, shape, sizes->layer_norm,
                        purpose == GRADIENTS_OF_EVERY_STEP,
                        purpose == VALUES ? NULL : weights->rnn[l].numerics);
    if (gradients && l > 0)
      arrays->inputs[l] = arrays->inputs[0];
    else
      arrays->inputs[l] = arena_reals(arena, T, B, gradients && shape.input < H ? H : shape.input);
  }
  attention_allocate(&arrays->attention, arena, sizes->attention, to_source, purpose);
  if (gradients) arrays->attention.context = arena_reals(arena, T, B, H);
  arrays->top = arrays->states[sizes->layers - 1].part[0];
  if (sizes->residual)
    arrays->top = arena_reals(arena, T, B, H);
  else if (arrays->top != NULL) /* NULL while the arena only measures the memory */
    arrays->top += B * H;
  arrays->outputs = arrays->top;
  if (sizes->self_attention.heads > 0) {
    arrays->outputs = arena_reals(arena, T, B, H);
    attention_allocate(&arrays->self_attention, arena, sizes->self_attention, to_self, purpose);
  }
  arrays->combined = A > 0 ? arena_reals(arena, T, B, 2 * H) : NULL;
  arrays->attentional = A > 0 ? arena_reals(arena, T + 1, B, A) : NULL;
  arrays->features = arena_reals(arena, extent->tokens, sizes->features, 1);
  arrays->logits = gradients ? NULL : arena_reals(arena, extent->rows, sizes->vocabulary, 1);
}

void decoder_resize(struct decoder_arrays *arrays, const struct decoder_sizes *sizes,
                    size_t batch) {
  if (sizes->residual) return; /* the top has an array of its own */
  const bool shared = arrays->outputs == arrays->top;
  arrays->top = arrays->states[sizes->layers - 1].part[0] + batch * sizes->hidden;
  if (shared) arrays->outputs = arrays->top;
}

/* ---- preparing a pass ---- */

static void plan_layers(struct decoder_pass *pass) {
  const struct decoder_sizes *sizes = &pass->weights->sizes;
  const struct decoder_arrays *arrays = pass->arrays;
  const struct sequence *target = pass->target;
  pass->embedding = (struct embedding_pass){
      .table = pass->weights->embedding,
      .ids = target->ids,
      .lengths = target->lengths,
      .batch = target->batch,
      .size = sizes->embedding,
      .row = decoder_input_size(*sizes, 0),
      .beside = sizes->input_feeding ? arrays->attentional : NULL, /* h_{t-1} (44) */
      .dropout = dropout_site(pass->dropouts.units, SITE_INPUTS),
      .in_eight_bits = pass->weights->numerics->eight_bits != NULL};
  for (size_t l = 0; l < sizes->layers; l++) {
    struct rnn_pass *layer = &pass->layers[l];
    *layer = (struct rnn_pass){.weights = &pass->weights->rnn[l],
                               .shape = {.cell = sizes->cell,
                                         .steps = target->steps,
                                         .batch = target->batch,
                                         .input = decoder_input_size(*sizes, l),
                                         .hidden = sizes->hidden,
                                         .lengths = target->lengths},
                               .states = arrays->states[l],
                               .inputs = arrays->inputs[l],
                               .width = sizes->hidden,
                               .residual = sizes->residual && l > 0};
    if (l + 1 < sizes->layers) {
      layer->outputs = arrays->inputs[l + 1];
      layer->dropout = dropout_site(pass->dropouts.units, SITE_INPUTS + (unsigned)l + 1);
    } else if (sizes->residual) {
      layer->outputs = arrays->top;
    }
  }
}

void decoder_plan(struct decoder_pass *pass) {
  const struct decoder_parameters *weights = pass->weights;
  const struct decoder_sizes *sizes = &weights->sizes;
  const struct decoder_arrays *arrays = pass->arrays;
  const struct attention_layer self_attention = {
      .config = sizes->self_attention,
      .weights = &weights->self_attention,
      .dropout = dropout_site(pass->dropouts.attention, SITE_SELF_ATTENTION)};
  /* Without input feeding, a step does not depend on the attention of the previous step, so all
   * steps form one range. With input feeding, each step is a separate range. */
  pass->steps_at_once = sizes->input_feeding ? 1 : pass->target->steps;
  pass->dropout_of_features = dropout_site(pass->dropouts.units, SITE_FEATURES);
  plan_layers(pass);
  /* Self-attention of the decoder covers all decoder states so far; attention covers the source
   * states. */
  pass->self_attention =
      self_attention_pass(self_attention, pass->target, arrays->self_attention, arrays->top);
  pass->self_attention.shape.causal = pass->history == NULL;
  pass->attention = (struct attention_pass){
      .layer = {.config = sizes->attention,
                .weights = &weights->attention,
                .dropout = dropout_site(pass->dropouts.attention, SITE_ATTENTION),
                .overrides = pass->overrides,
                .guide = pass->guide,
                .guide_scale = pass->guide_scale},
      .shape = {.queries = pass->target->steps,
                .keys = pass->source.steps,
                .batch = pass->target->batch,
                .query_lengths = pass->target->lengths,
                .key_lengths = pass->source.lengths,
                .clause_ends = pass->source.clause_ends,
                .key_columns = pass->source.columns,
                .key_batch = pass->source.batch},
      .cache = arrays->attention,
      .queries = arrays->outputs,
      .keys = pass->source.states,
      .values = pass->source.states};
  pass->attentional = (struct linear){.weight = weights->attentional_weight,
                                      .bias = weights->attentional_bias,
                                      .in = 2 * sizes->hidden,
                                      .out = sizes->attentional,
                                      .numerics = weights->numerics};
}

/* ---- the bridge from the encoder's final states to the decoder's first: a copy, or with a
 * bidirectional encoder tanh(W e + b). Parts of the state other than h are unbounded and have no
 * tanh. docs/bptt.md, (5) and (21); docs/beyond.md, (35) and (36) ---- */

/* Return the offset of part p of a layer in the encoder's final states, or in their gradients. */
static size_t final_at(const struct decoder_pass *pass, size_t layer, size_t p) {
  const struct decoder_sizes *sizes = &pass->weights->sizes;
  return (layer * sizes->cell->parts + p) * pass->target->batch * sizes->hidden;
}

static struct linear bridge_of(const struct decoder_pass *pass, size_t layer, size_t p) {
  const struct decoder_parameters *w = pass->weights;
  const size_t H = w->sizes.hidden;
  return (struct linear){.weight = w->bridge_weight[layer][p],
                         .bias = w->bridge_bias[layer][p],
                         .in = H,
                         .out = H,
                         .numerics = w->numerics};
}

/* Set block 0 of the states of a layer, for all parts of the state. */
static void bridge_forward(const struct decoder_pass *pass, size_t l) {
  const struct decoder_sizes *sizes = &pass->weights->sizes;
  const size_t B = pass->target->batch, H = sizes->hidden;
  for (size_t p = 0; p < sizes->cell->parts; p++) {
    const struct linear bridge = bridge_of(pass, l, p);
    const real *final = pass->source.finals + final_at(pass, l, p);
    real *start = pass->arrays->states[l].part[p];
    if (!sizes->bridge)
      memcpy(start, final, B * H * sizeof *start); /* (5) */
    else if (p == 0)
      linear_tanh_forward(start, final, bridge, B); /* (35) */
    else
      linear_forward(start, final, bridge, B); /* (36) */
  }
}

/* Set the layer's part of dfinals (layers,parts,B,H). The gradient of block 0 is overwritten. */
static void bridge_backward(const struct decoder_parameters *gradients, real *dfinals,
                            const struct decoder_arrays *scratch, const struct decoder_pass *pass,
                            size_t l) {
  const struct decoder_sizes *sizes = &pass->weights->sizes;
  const size_t B = pass->target->batch, H = sizes->hidden;
  for (size_t p = 0; p < sizes->cell->parts; p++) {
    const struct linear bridge = bridge_of(pass, l, p);
    const struct linear_gradients d = {gradients->bridge_weight[l][p],
                                       gradients->bridge_bias[l][p]};
    const size_t at = final_at(pass, l, p);
    real *dstart = scratch->states[l].part[p], *dfinal = dfinals + at;
    if (!sizes->bridge) {
      memcpy(dfinal, dstart, B * H * sizeof *dfinal); /* (21) */
      continue;
    }
    if (p == 0) tanh_backward(dstart, pass->arrays->states[l].part[p], B * H);
    linear_backward(d, dfinal, 0, dstart, pass->source.finals + at, bridge, B);
  }
}

/* ---- features: the real positions, packed ---- */

/* A packed array (N,F) and the padded arrays from which it is made. Each packed row belongs to one
 * real position; it is a row of left (T,B,left_size) followed by a row of right (T,B,F -
 * left_size). */
struct feature_packing {
  real *packed, *left, *right;
  size_t left_size, F;
  const struct sequence *target;
  struct dropout dropout;
  double work;
};

/* Return the number of real positions before step t, which is the index of the first packed row of
 * step t. */
static size_t rows_before(const struct sequence *target, size_t t) {
  size_t n = 0;
  for (size_t b = 0; b < target->batch; b++) n += target->lengths[b] < t ? target->lengths[b] : t;
  return n;
}

static void pack_step(const void *context, size_t t) {
  const struct feature_packing *p = context;
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

/* Copy a packed step back to the padded arrays. Set padded positions to zero. */
static void unpack_step(const void *context, size_t t) {
  const struct feature_packing *p = context;
  const size_t B = p->target->batch, F = p->F, left = p->left_size, right = F - left;
  const size_t first = rows_before(p->target, t), rows = rows_before(p->target, t + 1) - first;
  const real *row = p->packed + first * F;
  dropout_apply(p->packed + first * F, rows * F, first * F, p->dropout);
  for (size_t b = 0; b < B; b++) {
    real *to_left = p->left + (t * B + b) * left;
    real *to_right = right == 0 ? NULL : p->right + (t * B + b) * right;
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

/* Return the packing of the features or of their gradients. If there is an attentional layer, it
 * packs h_1 .. h_T. If not, it packs d_t and c_t. */
static struct feature_packing packing_of(const struct decoder_pass *pass,
                                         const struct decoder_arrays *arrays) {
  const struct decoder_sizes *sizes = &pass->weights->sizes;
  const struct sequence *target = pass->target;
  const size_t H = sizes->hidden, A = sizes->attentional, positions = target->steps * target->batch;
  return (struct feature_packing){
      .packed = arrays->features,
      .left = A > 0 ? arrays->attentional + target->batch * A : arrays->outputs,
      .right = arrays->attention.context,
      .left_size = A > 0 ? A : H,
      .F = sizes->features,
      .target = target,
      .dropout = pass->dropout_of_features,
      .work = (double)WORK_OF_FUNCTION * (double)(positions * sizes->features)};
}

/* ---- forward ---- */

void decoder_start(const struct decoder_pass *pass) {
  const struct decoder_sizes *sizes = &pass->weights->sizes;
  const size_t A = sizes->attentional;
  for (size_t l = 0; l < sizes->layers; l++) bridge_forward(pass, l);
  if (A > 0) memset(pass->arrays->attentional, 0, pass->target->batch * A * sizeof(real));
}

void decoder_prepare(const struct decoder_pass *pass) {
  attention_prepare(&pass->attention, (struct range){0, pass->source.steps});
}

void decoder_steps(const struct decoder_pass *pass) {
  const struct decoder_sizes *sizes = &pass->weights->sizes;
  const struct decoder_arrays *arrays = pass->arrays;
  const struct feature_packing packing = packing_of(pass, arrays);
  const size_t B = pass->target->batch, H = sizes->hidden, A = sizes->attentional;
  struct range steps = {0, pass->steps_at_once};
  for (; steps.first < pass->target->steps; steps.first += steps.count) {
    const size_t at = steps.first * B, rows = steps.count * B;
    embedding_forward(arrays->inputs[0] + at * pass->embedding.row, &pass->embedding,
                      steps); /* (4) */
    for (size_t l = 0; l < sizes->layers; l++) rnn_forward(&pass->layers[l], steps);
    if (pass->history != NULL)
      self_attention_step(arrays->outputs, pass->history, &pass->self_attention);
    else if (sizes->self_attention.heads > 0) /* d_t + self-attention over d_1 .. d_t (51) */
      self_attention_forward(arrays->outputs, &pass->self_attention, steps);
    attention_forward(&pass->attention, steps);
    if (A == 0) continue;
    /* h_t = tanh(W_a [d_t ; c_t] + b_a)                                                 (43) */
    real *combined = arrays->combined + at * 2 * H;
    columns_put((struct columns){combined, 2 * H, H}, arrays->outputs + at * H, rows);
    columns_put((struct columns){combined + H, 2 * H, H}, arrays->attention.context + at * H, rows);
    linear_tanh_forward(arrays->attentional + (at + B) * A, combined, pass->attentional, rows);
  }
  share_out(pass->target->steps, packing.work, pack_step, &packing);
}

void decoder_forward(const struct decoder_pass *pass) {
  decoder_start(pass);
  decoder_prepare(pass);
  decoder_steps(pass);
}

void decoder_guide_losses(double *losses, const struct decoder_pass *pass) {
  guide_losses(losses, &pass->attention);
}

/* ---- backward ---- */

/* Add the contribution of dh_t to the gradient of d_t, and set the gradient of c_t. Replace dh_t by
 * the gradient of the pre-activation. */
static void attentional_backward(const struct decoder_arrays *scratch,
                                 const struct decoder_pass *pass, struct range steps) {
  const size_t B = pass->target->batch, H = pass->weights->sizes.hidden, A = pass->attentional.out;
  const size_t at = steps.first * B, rows = steps.count * B;
  real *dh = scratch->attentional + (at + B) * A;
  real *dcombined = scratch->combined + at * 2 * H;
  tanh_backward(dh, pass->arrays->attentional + (at + B) * A, rows * A);
  linear_backward_input(dcombined, 0, dh, pass->attentional, rows);
  columns_add_to(scratch->outputs + at * H, (struct columns){dcombined, 2 * H, H}, rows);
  columns_get(scratch->attention.context + at * H, (struct columns){dcombined + H, 2 * H, H}, rows);
}

/* Compute the gradients of all states, of the embedding, and of the attentional states that were
 * fed in. On entry the scratch contains the gradient of the top layer's output. */
static void layers_backward(const struct decoder_parameters *gradients,
                            const struct decoder_arrays *scratch, const struct decoder_pass *pass,
                            struct range steps) {
  const struct decoder_sizes *sizes = &pass->weights->sizes;
  const size_t B = pass->target->batch, H = sizes->hidden, A = sizes->attentional;
  const size_t at = steps.first * B, rows = steps.count * B;
  /* Compute the gradient of the inputs of layer l. With a residual connection, begin with a copy of
   * the gradient of the outputs. Afterwards compute the gradient of the states, after dropout, in
   * the memory of `top`. */
  real *dinputs = scratch->inputs[0];
  real *dgiven = sizes->residual ? scratch->top + at * H : dinputs;
  for (size_t l = sizes->layers; l-- > 0;) {
    const struct rnn_pass *layer = &pass->layers[l];
    const bool top = l + 1 == sizes->layers;
    if (top && sizes->residual) memcpy(dinputs, dgiven, rows * H * sizeof *dinputs);
    if (!top && sizes->residual) memcpy(dgiven, dinputs, rows * H * sizeof *dgiven);
    if (!top || sizes->residual) rnn_backward_outputs(scratch->states[l], dgiven, layer, steps);
    rnn_backward_states(scratch->states[l], layer, steps); /* (18) */
    rnn_backward_inputs(dinputs, layer->residual, scratch->states[l], layer,
                        steps); /* (20), (38) */
  }
  if (sizes->input_feeding) {
    const struct columns fed_in = {dinputs + sizes->embedding, pass->embedding.row, A};
    columns_add_to(scratch->attentional + at * A, fed_in, rows); /* (44) */
  }
  embedding_backward(gradients->embedding, dinputs, &pass->embedding, steps);
}

static void clear_scratch(const struct decoder_arrays *scratch, const struct decoder_pass *pass) {
  const struct decoder_sizes *sizes = &pass->weights->sizes;
  const size_t B = pass->target->batch,
               bytes = pass->target->steps * B * sizes->hidden * sizeof(real);
  for (size_t l = 0; l < sizes->layers; l++)
    rnn_states_clear(scratch->states[l], pass->layers[l].shape);
  if (sizes->attentional > 0) /* clear the gradient of h_0; unpacking sets those of h_1 .. h_T */
    memset(scratch->attentional, 0, B * sizes->attentional * sizeof(real));
  if (sizes->residual) memset(scratch->top, 0, bytes);
  attention_clear(&scratch->attention, &pass->attention);
  if (sizes->self_attention.heads == 0) return;
  attention_clear(&scratch->self_attention, &pass->self_attention);
  memset(scratch->outputs, 0, bytes);
}

void decoder_backward(const struct decoder_parameters *gradients, real *dsource, real *dfinals,
                      const struct decoder_arrays *scratch, const struct decoder_pass *pass) {
  const struct decoder_sizes *sizes = &pass->weights->sizes;
  const size_t B = pass->target->batch, A = sizes->attentional, length = pass->steps_at_once;
  const struct linear_gradients dattentional = {gradients->attentional_weight,
                                                gradients->attentional_bias};
  /* The source states are both keys and values, so both gradients are added to dsource. */
  const struct attention_gradients d = {
      scratch->outputs,          dsource, dsource, &gradients->attention, scratch->attention,
      scratch->attention.context};
  /* Propagate the gradients of self-attention's outputs to the top layer's output. */
  const struct attention_gradients self_d = {scratch->top,
                                             scratch->top,
                                             scratch->top,
                                             &gradients->self_attention,
                                             scratch->self_attention,
                                             scratch->outputs};
  const struct feature_packing packing = packing_of(pass, scratch);
  clear_scratch(scratch, pass);
  share_out(pass->target->steps, packing.work, unpack_step, &packing);
  for (size_t end = pass->target->steps; end > 0; end -= length) {
    const struct range steps = {end - length, length};
    if (A > 0) attentional_backward(scratch, pass, steps);
    attention_backward(&d, &pass->attention, steps);
    if (sizes->self_attention.heads > 0)
      self_attention_backward(&self_d, &pass->self_attention, steps);
    layers_backward(gradients, scratch, pass, steps);
  }
  for (size_t l = 0; l < sizes->layers; l++) bridge_backward(gradients, dfinals, scratch, pass, l);
  attention_prepare_backward(&d, &pass->attention, (struct range){0, pass->source.steps});
  /* Compute the gradients of the weights once, after all steps, with one product per weight.
   * (19) */
  for (size_t l = 0; l < sizes->layers; l++)
    rnn_backward_weights(&gradients->rnn[l], scratch->states[l], &pass->layers[l]);
  if (A > 0)
    linear_backward_weights(dattentional, scratch->attentional + B * A, pass->arrays->combined,
                            pass->attentional, pass->target->steps * B);
}
