#include "model/network.h"

#include <limits.h>
#include <string.h>

#include "tensor/cross_entropy.h"

static void take(struct workspace *w, struct arena *arena, const struct model_config *config,
                 const struct batch *batch, enum purpose purpose) {
  const size_t B = batch->source.batch, S = batch->source.steps, T = batch->target.steps;
  const size_t N = batch->tokens, V = config->target_vocabulary;
  const size_t E = config->embedding_size, H = config->hidden_size;

  w->encoder.inputs = arena_take(arena, sizeof(real), S, B, E);
  w->encoder.states = arena_take(arena, sizeof(real), S + 1, B, H);
  w->decoder.inputs = arena_take(arena, sizeof(real), T, B, E);
  w->decoder.states = arena_take(arena, sizeof(real), T + 1, B, H);
  w->decoder.context = arena_take(arena, sizeof(real), T, B, H);
  w->decoder.weights = arena_take(arena, sizeof(real), T, B, S);
  w->decoder.features = arena_take(arena, sizeof(real), N, 2, H);
  w->decoder.logits = arena_take(arena, sizeof(real), N, V, 1);
  w->log_sums = arena_take(arena, sizeof(real), N, 1, 1);
  w->losses = arena_take(arena, sizeof(double), N, 1, 1);
  if (purpose == FORWARD_ONLY) return;
  w->dencoder_inputs = arena_take(arena, sizeof(real), S, B, E);
  w->dencoder_states = arena_take(arena, sizeof(real), S + 1, B, H);
  w->ddecoder.inputs = arena_take(arena, sizeof(real), T, B, E);
  w->ddecoder.states = arena_take(arena, sizeof(real), T + 1, B, H);
  w->ddecoder.context = arena_take(arena, sizeof(real), T, B, H);
  w->ddecoder.weights = arena_take(arena, sizeof(real), T, B, S);
  w->ddecoder.features = arena_take(arena, sizeof(real), N, 2, H);
}

/* BLAS counts in int: every number of rows and every distance between rows must fit. */
static bool fits_blas(const struct model_config *config, const struct batch *batch) {
  const size_t B = batch->source.batch, H = config->hidden_size;
  const size_t S = batch->source.steps, T = batch->target.steps;
  const size_t widest = S > H ? S : H;
  const size_t steps = S > T ? S : T;
  return B <= INT_MAX / widest && B <= INT_MAX / (steps + 1) && batch->tokens <= INT_MAX;
}

enum status workspace_fit(struct workspace *workspace, const struct model_config *config,
                          const struct batch *batch, enum purpose purpose, struct error *error) {
  if (!fits_blas(config, batch))
    return fail(error, STATUS_INVALID_ARGUMENT, NULL,
                "a batch of %zu sentences of up to %zu tokens is too large; use a smaller batch "
                "or leave out long sentences",
                batch->source.batch,
                batch->source.steps > batch->target.steps ? batch->source.steps
                                                          : batch->target.steps);
  struct arena measured = {0};
  take(workspace, &measured, config, batch, purpose);
  const enum status status = arena_reserve(&workspace->arena, &measured, error);
  if (status != STATUS_OK) return status;
  take(workspace, &workspace->arena, config, batch, purpose);
  return STATUS_OK;
}

void workspace_free(struct workspace *workspace) {
  arena_free(&workspace->arena);
  *workspace = (struct workspace){0};
}

struct encoder_sizes encoder_sizes_of(const struct model_config *config) {
  return (struct encoder_sizes){config->embedding_size, config->hidden_size};
}

struct decoder_sizes decoder_sizes_of(const struct model_config *config) {
  return (struct decoder_sizes){config->embedding_size, config->hidden_size,
                                config->target_vocabulary, config->attention};
}

static struct decoder_source source_of(const struct workspace *w, const struct batch *batch,
                                       const struct model_config *config) {
  return (struct decoder_source){
      encoder_outputs(&w->encoder, batch->source.batch, config->hidden_size), batch->source.lengths,
      batch->source.steps};
}

double network_forward(struct workspace *w, const struct batch *batch,
                       const struct parameters *weights, const struct model_config *config) {
  const size_t block = batch->source.batch * config->hidden_size;
  encoder_forward(&w->encoder, &batch->source, &weights->encoder, encoder_sizes_of(config));
  /* d_0 = each sentence's last real e                                                (5) */
  memcpy(w->decoder.states, w->encoder.states + batch->source.steps * block, block * sizeof(real));
  decoder_forward(&w->decoder, &batch->target, source_of(w, batch, config), &weights->decoder,
                  decoder_sizes_of(config));
  cross_entropy_forward(w->losses, w->log_sums, w->decoder.logits, batch->expected, batch->tokens,
                        config->target_vocabulary);
  double sum = 0;
  for (size_t n = 0; n < batch->tokens; n++) sum += w->losses[n];
  return sum;
}

void network_backward(const struct parameters *gradients, struct workspace *w,
                      const struct batch *batch, const struct parameters *weights,
                      const struct model_config *config) {
  const size_t S = batch->source.steps, block = batch->source.batch * config->hidden_size;
  real *dlogits = w->decoder.logits;
  cross_entropy_backward(dlogits, w->log_sums, batch->expected, 1 / (real)batch->tokens,
                         batch->tokens, config->target_vocabulary);

  memset(w->dencoder_states, 0, (S + 1) * block * sizeof(real));
  decoder_backward(&gradients->decoder, w->dencoder_states + block, &w->ddecoder, dlogits,
                   &w->decoder, &batch->target, source_of(w, batch, config), &weights->decoder,
                   decoder_sizes_of(config));
  /* The bridge: the gradient of d_0 reaches the last real e                         (21) */
  real *dlast = w->dencoder_states + S * block;
  for (size_t i = 0; i < block; i++) dlast[i] += w->ddecoder.states[i];
  encoder_backward(&gradients->encoder, w->dencoder_states, w->dencoder_inputs, &w->encoder,
                   &batch->source, &weights->encoder, encoder_sizes_of(config));
}
