#include "model/network.h"

#include <limits.h>
#include <string.h>

#include "decoder/output_learn.h"

/* ---- memory ---- */

static real *take(struct arena *arena, size_t n1, size_t n2, size_t n3) {
  return arena_take(arena, sizeof(real), n1, n2, n3);
}

void encoder_cache_take(struct encoder_cache *cache, struct arena *arena,
                        const struct model_config *config, enum purpose purpose, size_t steps,
                        size_t batch) {
  const struct encoder_sizes sizes = encoder_sizes_of(config);
  for (size_t l = 0; l < sizes.layers; l++) {
    cache->inputs[l] = take(arena, steps, batch, encoder_input_size(sizes, l));
    for (size_t d = 0; d < sizes.directions; d++)
      cache->states[l][d] = take(arena, steps + 1, batch, encoder_direction_size(sizes));
  }
  cache->outputs = cache->recurrent = take(arena, steps, batch, sizes.hidden);
  if (sizes.self_attention.heads > 0) {
    cache->outputs = take(arena, steps, batch, sizes.hidden);
    attention_cache_take(&cache->self_attention, arena, sizes.self_attention,
                         (purpose & WITH_GRADIENTS) != 0, steps, steps, batch);
  }
  cache->finals = take(arena, sizes.layers, batch, sizes.hidden);
}

void decoder_cache_take(struct decoder_cache *cache, struct arena *arena,
                        const struct model_config *config, enum purpose purpose,
                        size_t source_steps, size_t steps, size_t batch, size_t tokens,
                        size_t rows) {
  const struct decoder_sizes sizes = decoder_sizes_of(config);
  const size_t S = source_steps, T = steps, B = batch, H = sizes.hidden, A = sizes.attentional;
  const bool dropout = (purpose & WITH_GRADIENTS) != 0;
  for (size_t l = 0; l < sizes.layers; l++) {
    cache->inputs[l] = take(arena, T, B, decoder_input_size(sizes, l));
    cache->states[l] = take(arena, T + 1, B, H);
  }
  cache->outputs = NULL;
  cache->overrides = NULL;
  cache->history = NULL;
  if (sizes.self_attention.heads > 0) {
    cache->outputs = take(arena, T, B, H);
    attention_cache_take(&cache->self_attention, arena, sizes.self_attention, dropout, T, T, B);
  }
  attention_cache_take(&cache->attention, arena, sizes.attention, dropout, T, S, B);
  cache->combined = A > 0 ? take(arena, T, B, 2 * H) : NULL;
  cache->attentional = A > 0 ? take(arena, T + 1, B, A) : NULL;
  cache->features = take(arena, tokens, decoder_feature_size(sizes), 1);
  cache->logits = take(arena, rows, sizes.vocabulary, 1);
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static void take_scratch(struct workspace *w, struct arena *arena,
                         const struct model_config *config, const struct batch *batch) {
  const struct encoder_sizes encoder = encoder_sizes_of(config);
  const struct decoder_sizes decoder = decoder_sizes_of(config);
  const size_t B = batch->source.batch, S = batch->source.steps, T = batch->target.steps;
  const size_t E = decoder.embedding, H = decoder.hidden, A = decoder.attentional;
  struct encoder_scratch *e = &w->encoder_scratch;
  struct decoder_scratch *d = &w->decoder_scratch;
  w->doutputs = take(arena, S, B, H);
  w->dfinals = take(arena, decoder.layers, B, H);
  e->states = take(arena, S + 1, B, encoder_direction_size(encoder));
  e->inputs = take(arena, S, B, larger(E, H));
  if (encoder.self_attention.heads > 0) {
    e->recurrent = take(arena, S, B, H);
    attention_scratch_take(&e->self_attention, arena, encoder.self_attention, S, S, B);
  }
  d->inputs = take(arena, T, B, larger(decoder_input_size(decoder, 0), H));
  for (size_t l = 0; l < decoder.layers; l++) d->states[l] = take(arena, T + 1, B, H);
  if (decoder.self_attention.heads > 0) {
    d->outputs = take(arena, T, B, H);
    attention_scratch_take(&d->self_attention, arena, decoder.self_attention, T, T, B);
  }
  attention_scratch_take(&d->attention, arena, decoder.attention, T, S, B);
  d->context = take(arena, T, B, H);
  d->combined = A > 0 ? take(arena, T, B, 2 * H) : NULL;
  d->attentional = A > 0 ? take(arena, T + 1, B, A) : NULL;
  d->features = take(arena, batch->tokens, decoder_feature_size(decoder), 1);
  output_scratch_take(&w->output_scratch, arena, w->block, decoder);
}

static void take_every_step(struct workspace *w, struct arena *arena,
                            const struct model_config *config, const struct batch *batch,
                            enum purpose purpose) {
  const struct encoder_sizes sizes = encoder_sizes_of(config);
  const size_t B = batch->source.batch, width = encoder_direction_size(sizes);
  const bool every = (purpose & WITH_EVERY_STEP) == WITH_EVERY_STEP;
  for (size_t l = 0; l < sizes.layers; l++) {
    for (size_t d = 0; d < sizes.directions; d++)
      w->encoder_scratch.reaching[l][d] = every ? take(arena, batch->source.steps, B, width) : NULL;
    w->decoder_scratch.reaching[l] =
        every ? take(arena, batch->target.steps, B, sizes.hidden) : NULL;
  }
}

static void take_all(struct workspace *w, struct arena *arena, const struct model_config *config,
                     const struct batch *batch, enum purpose purpose) {
  encoder_cache_take(&w->encoder, arena, config, purpose, batch->source.steps, batch->source.batch);
  decoder_cache_take(&w->decoder, arena, config, purpose, batch->source.steps, batch->target.steps,
                     batch->target.batch, batch->tokens, w->block);
  w->losses = arena_take(arena, sizeof(double), batch->tokens, 1, 1);
  if ((purpose & WITH_GRADIENTS) == 0) return;
  take_scratch(w, arena, config, batch);
  take_every_step(w, arena, config, batch, purpose);
}

/* BLAS counts in int: every number of rows and every distance between rows must fit. */
static bool fits_blas(const struct model_config *config, const struct batch *batch) {
  const size_t B = batch->source.batch, S = batch->source.steps, T = batch->target.steps;
  const size_t heads =
      larger(config->heads, larger(config->encoder_self_attention, config->decoder_self_attention));
  const size_t widest = larger(larger(S, T) * larger(heads, 1),
                               2 * larger(config->hidden_size, config->embedding_size));
  return B <= INT_MAX / widest && B <= INT_MAX / (larger(S, T) + 1) && batch->tokens <= INT_MAX;
}

elman_status workspace_fit(struct workspace *workspace, const struct model_config *config,
                           const struct batch *batch, enum purpose purpose, elman_error *error) {
  if (!fits_blas(config, batch))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "a batch of %zu sentences of up to %zu tokens is too large; use a smaller batch "
                "or leave out long sentences",
                batch->source.batch, larger(batch->source.steps, batch->target.steps));
  workspace->block = purpose & WITH_LOGITS ? batch->tokens : output_block(batch->tokens);
  struct arena measured = {0};
  take_all(workspace, &measured, config, batch, purpose);
  const elman_status status = arena_reserve(&workspace->arena, &measured, error);
  if (status != ELMAN_OK) return status;
  take_all(workspace, &workspace->arena, config, batch, purpose);
  return ELMAN_OK;
}

void workspace_free(struct workspace *workspace) {
  arena_free(&workspace->arena);
  *workspace = (struct workspace){0};
}

/* ---- the network ---- */

static struct decoder_source source_of(const struct workspace *w, const struct batch *batch) {
  return (struct decoder_source){w->encoder.outputs, batch->source.lengths, batch->source.steps};
}

static void states_forward(struct workspace *w, const struct batch *batch,
                           const struct parameters *weights, const struct model_config *config,
                           const struct regularization *regularization) {
  const struct decoder_sizes sizes = decoder_sizes_of(config);
  const struct decoder_source source = source_of(w, batch);
  encoder_forward(&w->encoder, &batch->source, &weights->encoder, regularization->dropouts,
                  encoder_sizes_of(config));
  decoder_start(&w->decoder, w->encoder.finals, batch->target.batch, &weights->decoder, sizes);
  decoder_prepare(&w->decoder, batch->target.batch, source, &weights->decoder, sizes);
  decoder_forward(&w->decoder, &batch->target, source, &weights->decoder, regularization->dropouts,
                  sizes);
}

static struct output_task task_of(const struct workspace *w, const struct batch *batch,
                                  const struct regularization *regularization) {
  return (struct output_task){.expected = batch->expected,
                              .tokens = batch->tokens,
                              .block = w->block,
                              .smoothing = regularization->label_smoothing};
}

static double sum_of_losses(const struct workspace *w, const struct batch *batch) {
  double sum = 0;
  for (size_t n = 0; n < batch->tokens; n++) sum += w->losses[n];
  return sum;
}

double network_forward(struct workspace *w, const struct batch *batch,
                       const struct parameters *weights, const struct model_config *config,
                       const struct regularization *regularization) {
  states_forward(w, batch, weights, config, regularization);
  output_losses(w->losses, &w->decoder, task_of(w, batch, regularization), &weights->decoder,
                decoder_sizes_of(config));
  return sum_of_losses(w, batch);
}

double network_gradient_outputs(const struct parameters *gradients, struct workspace *w,
                                const struct batch *batch, const struct parameters *weights,
                                const struct model_config *config,
                                const struct regularization *regularization) {
  states_forward(w, batch, weights, config, regularization);
  output_learn(w->losses, w->decoder_scratch.features, &gradients->decoder, &w->output_scratch,
               &w->decoder, task_of(w, batch, regularization), &weights->decoder,
               decoder_sizes_of(config));
  return sum_of_losses(w, batch);
}

void network_gradient_states(const struct parameters *gradients, struct workspace *w,
                             const struct batch *batch, const struct parameters *weights,
                             const struct model_config *config,
                             const struct regularization *regularization) {
  const size_t S = batch->source.steps, B = batch->source.batch, H = config->hidden_size;
  memset(w->doutputs, 0, S * B * H * sizeof(real));
  decoder_backward(&gradients->decoder, w->doutputs, w->dfinals, &w->decoder_scratch, &w->decoder,
                   w->encoder.finals, &batch->target, source_of(w, batch), &weights->decoder,
                   regularization->dropouts, decoder_sizes_of(config));
  encoder_backward(&gradients->encoder, w->encoder_scratch, w->doutputs, w->dfinals, &w->encoder,
                   &batch->source, &weights->encoder, regularization->dropouts,
                   encoder_sizes_of(config));
}

double network_gradient(const struct parameters *gradients, struct workspace *workspace,
                        const struct batch *batch, const struct parameters *weights,
                        const struct model_config *config,
                        const struct regularization *regularization) {
  const double sum =
      network_gradient_outputs(gradients, workspace, batch, weights, config, regularization);
  network_gradient_states(gradients, workspace, batch, weights, config, regularization);
  return sum;
}
