#include "translate/search.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/softmax.h"

void hypothesis_free(struct hypothesis *hypothesis) {
  free(hypothesis->ids);
  free(hypothesis->attention);
  *hypothesis = (struct hypothesis){0};
}

void search_free(struct search *search) {
  arena_free(&search->arena);
  *search = (struct search){0};
}

/* One sentence, and one decoder step at a time: B = T = 1. */
static void take(struct search *search, struct arena *arena, const struct model_config *config,
                 size_t S) {
  const size_t E = config->embedding_size, H = config->hidden_size;
  search->encoder.inputs = arena_take(arena, sizeof(real), S, E, 1);
  search->encoder.states = arena_take(arena, sizeof(real), S + 1, H, 1);
  search->decoder.inputs = arena_take(arena, sizeof(real), E, 1, 1);
  search->decoder.states = arena_take(arena, sizeof(real), 2, H, 1);
  search->decoder.context = arena_take(arena, sizeof(real), H, 1, 1);
  search->decoder.weights = arena_take(arena, sizeof(real), S, 1, 1);
  search->decoder.features = arena_take(arena, sizeof(real), 2, H, 1);
  search->decoder.logits = arena_take(arena, sizeof(real), config->target_vocabulary, 1, 1);
}

static enum status fit(struct search *search, const struct model_config *config, size_t S,
                       struct error *error) {
  if (S > INT_MAX / config->hidden_size) /* BLAS counts in int */
    return fail(error, STATUS_BAD_DATA, NULL, "a sentence of %zu tokens is too long", S);
  struct arena measured = {0};
  take(search, &measured, config, S);
  const enum status status = arena_reserve(&search->arena, &measured, error);
  if (status == STATUS_OK) take(search, &search->arena, config, S);
  return status;
}

/* The first of the largest logits; <s> is never a translation. */
static uint32_t likeliest(const real *logits, size_t V) {
  uint32_t best = TOKEN_UNKNOWN;
  for (uint32_t id = 0; id < V; id++) {
    if (id != TOKEN_START && logits[id] > logits[best]) best = id;
  }
  return best;
}

static enum status append(struct hypothesis *hypothesis, uint32_t id, const real *weights, size_t S,
                          struct error *error) {
  const size_t t = hypothesis->count;
  void *ids = hypothesis->ids, *attention = hypothesis->attention;
  enum status status =
      array_grow(&ids, &hypothesis->ids_capacity, t + 1, sizeof *hypothesis->ids, error);
  hypothesis->ids = ids;
  if (status == STATUS_OK)
    status = array_grow(&attention, &hypothesis->attention_capacity, (t + 1) * S,
                        sizeof *hypothesis->attention, error);
  hypothesis->attention = attention;
  if (status != STATUS_OK) return status;
  hypothesis->ids[t] = id;
  memcpy(hypothesis->attention + t * S, weights, S * sizeof *weights);
  hypothesis->count++;
  return STATUS_OK;
}

enum status search_greedy(struct hypothesis *hypothesis, struct search *search,
                          const struct model *model, const struct search_request *request,
                          struct error *error) {
  const struct model_config *config = &model->config;
  const size_t S = request->count, H = config->hidden_size, V = config->target_vocabulary;
  enum status status = fit(search, config, S, error);
  if (status != STATUS_OK) return status;

  size_t source_length = S, one = 1;
  const struct sequence source = {(uint32_t *)request->ids, &source_length, S, 1};
  encoder_forward(&search->encoder, &source, &model->weights.encoder, encoder_sizes_of(config));
  const struct decoder_source seen = {encoder_outputs(&search->encoder, 1, H), &source_length, S};
  real *state = search->decoder.states; /* block 0 is the state before the step, block 1 after */
  memcpy(state, search->encoder.states + S * H, H * sizeof *state);

  uint32_t previous = TOKEN_START;
  const struct sequence target = {&previous, &one, 1, 1};
  const size_t limit = request->forced != NULL ? request->forced_count + 1 : request->limit;
  hypothesis->count = 0;
  hypothesis->log_probability = 0;
  while (hypothesis->count < limit && previous != TOKEN_END) {
    decoder_forward(&search->decoder, &target, seen, &model->weights.decoder,
                    decoder_sizes_of(config));
    const real *logits = search->decoder.logits;
    const size_t t = hypothesis->count;
    uint32_t id;
    if (request->forced == NULL)
      id = likeliest(logits, V);
    else
      id = t < request->forced_count ? request->forced[t] : TOKEN_END;
    hypothesis->log_probability += (double)logits[id] - (double)log_sum_exp(logits, V);
    /* Whatever overflowed on the way here has made this infinite or not a number. */
    if (!isfinite(hypothesis->log_probability))
      return fail(error, STATUS_BAD_DATA, NULL,
                  "the model's weights are so large that its numbers overflow; train it again with "
                  "a lower learning rate");
    status = append(hypothesis, id, search->decoder.weights, S, error);
    if (status != STATUS_OK) return status;
    memcpy(state, state + H, H * sizeof *state);
    previous = id;
  }
  return STATUS_OK;
}
