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
  encoder_cache_take(&search->encoder, arena, config, S, 1);
  decoder_cache_take(&search->decoder, arena, config, S, 1, 1, 1);
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

/* What came out of a step goes into the next. */
static void step_forward(struct decoder_cache *cache, struct decoder_sizes sizes) {
  const size_t H = sizes.hidden, A = sizes.attentional;
  for (size_t l = 0; l < sizes.layers; l++)
    memcpy(cache->states[l], cache->states[l] + H, H * sizeof(real));
  if (A > 0) memcpy(cache->attentional, cache->attentional + A, A * sizeof(real));
}

enum status search_greedy(struct hypothesis *hypothesis, struct search *search,
                          const struct model *model, const struct search_request *request,
                          struct error *error) {
  const struct model_config *config = &model->config;
  const struct decoder_sizes sizes = decoder_sizes_of(config);
  const struct decoder_parameters *weights = &model->weights.decoder;
  const struct dropout no_dropout = {0};
  const size_t S = request->count, V = sizes.vocabulary;
  enum status status = fit(search, config, S, error);
  if (status != STATUS_OK) return status;

  size_t source_length = S, one = 1;
  const struct sequence source = {(uint32_t *)request->ids, &source_length, S, 1};
  encoder_forward(&search->encoder, &source, &model->weights.encoder, no_dropout,
                  encoder_sizes_of(config));
  const struct decoder_source seen = {search->encoder.outputs, &source_length, S};
  uint32_t previous = TOKEN_START;
  const struct sequence target = {&previous, &one, 1, 1};
  const size_t limit = request->forced != NULL ? request->forced_count + 1 : request->limit;
  hypothesis->count = 0;
  hypothesis->log_probability = 0;
  decoder_start(&search->decoder, search->encoder.finals, 1, weights, sizes);
  decoder_prepare(&search->decoder, &target, seen, weights, sizes);
  while (hypothesis->count < limit && previous != TOKEN_END) {
    decoder_forward(&search->decoder, &target, seen, weights, no_dropout, sizes);
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
    status = append(hypothesis, id, search->decoder.attention.weights, S, error);
    if (status != STATUS_OK) return status;
    step_forward(&search->decoder, sizes);
    previous = id;
  }
  return STATUS_OK;
}
