#include "attention/self_attention.h"

#include <string.h>

struct attention_shape self_attention_shape(const struct sequence *sequence) {
  return (struct attention_shape){.queries = sequence->steps,
                                  .keys = sequence->steps,
                                  .batch = sequence->batch,
                                  .query_lengths = sequence->lengths,
                                  .key_lengths = sequence->lengths};
}

struct attention_pass self_attention_pass(struct attention_layer layer,
                                          const struct sequence *sequence,
                                          struct attention_cache cache, const real *states) {
  return (struct attention_pass){layer, self_attention_shape(sequence), cache, states, states,
                                 states};
}

/* ---- all steps at once, with gradients ---- */

/* outputs = states + contexts                                                           (44) */
static void add_states(real *outputs, const real *states, const real *contexts, size_t n) {
  for (size_t i = 0; i < n; i++) outputs[i] = states[i] + contexts[i];
}

void self_attention_forward(real *outputs, const struct attention_pass *pass, struct range steps) {
  const size_t size = pass->shape.batch * pass->layer.config.size, at = steps.first * size;
  attention_prepare(pass, steps);
  attention_forward(pass, steps);
  add_states(outputs + at, pass->queries + at, pass->cache.context + at, steps.count * size);
}

void self_attention_backward(const struct attention_gradients *d, const struct attention_pass *pass,
                             struct range steps) {
  const size_t size = pass->shape.batch * pass->layer.config.size, at = steps.first * size;
  attention_backward(d, pass, steps);
  attention_prepare_backward(d, pass, steps);
  for (size_t i = at; i < at + steps.count * size; i++) d->queries[i] += d->context[i]; /* (44) */
}

/* ---- one step after the other ---- */

void self_attention_history_free(struct self_attention_history *history) {
  arena_free(&history->arena);
  *history = (struct self_attention_history){0};
}

static void take(struct self_attention_history *history, struct arena *arena) {
  const size_t capacity = history->capacity, R = history->rows;
  const size_t H = history->config.size, N = history->config.heads;
  history->keys = arena_reals(arena, capacity, R, H);
  history->values = arena_reals(arena, capacity, R, H);
  history->spare = arena_reals(arena, 1, R, H);
  history->weights = arena_reals(arena, R, N, capacity);
  history->lengths = arena_allocate(arena, sizeof *history->lengths, R, 1, 1);
}

/* Fits the arrays to the sizes that are set. */
static elman_status fit(struct self_attention_history *history, elman_error *error) {
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &history->arena, error)) take(history, fit.now);
  return fit.status;
}

elman_status self_attention_history_start(struct self_attention_history *history,
                                          struct attention_config config, size_t rows,
                                          elman_error *error) {
  enum { FIRST_CAPACITY = 32 };
  history->config = config;
  history->rows = rows;
  history->steps = 0;
  history->capacity = FIRST_CAPACITY;
  return fit(history, error);
}

elman_status self_attention_history_grow(struct self_attention_history *history,
                                         elman_error *error) {
  if (history->steps < history->capacity) return ELMAN_OK;
  const size_t size = history->steps * history->rows * history->config.size;
  struct self_attention_history larger = *history;
  larger.arena = (struct arena){0};
  larger.capacity *= 2;
  const elman_status status = fit(&larger, error);
  if (status != ELMAN_OK) return status;
  memcpy(larger.keys, history->keys, size * sizeof *larger.keys);
  memcpy(larger.values, history->values, size * sizeof *larger.values);
  self_attention_history_free(history);
  *history = larger;
  return ELMAN_OK;
}

static void move_rows(real *block, real *spare, size_t R, size_t H, const size_t *from) {
  memcpy(spare, block, R * H * sizeof *spare);
  for (size_t r = 0; r < R; r++)
    if (from[r] != r) memcpy(block + r * H, spare + from[r] * H, H * sizeof *block);
}

void self_attention_history_move(struct self_attention_history *history, const size_t *from) {
  const size_t R = history->rows, H = history->config.size;
  bool moves = false;
  for (size_t r = 0; r < R; r++) moves |= from[r] != r;
  for (size_t t = 0; moves && t < history->steps; t++) {
    move_rows(history->keys + t * R * H, history->spare, R, H, from);
    move_rows(history->values + t * R * H, history->spare, R, H, from);
  }
}

void self_attention_step(real *outputs, struct self_attention_history *history,
                         const struct attention_pass *pass) {
  const size_t R = history->rows, H = history->config.size, at = history->steps++ * R * H;
  struct attention_pass step = *pass, past = *pass;
  for (size_t r = 0; r < R; r++) history->lengths[r] = history->steps;
  past.shape.keys = history->capacity;
  past.shape.key_lengths = history->lengths;
  past.cache.weights = history->weights;
  past.keys = past.cache.keys = history->keys;
  past.values = past.cache.values = history->values;
  step.cache.keys = history->keys + at;
  step.cache.values = history->values + at;
  /* Keys and values that are not projected are the states; projected ones overwrite them. */
  memcpy(step.cache.keys, pass->queries, R * H * sizeof *outputs);
  memcpy(step.cache.values, pass->queries, R * H * sizeof *outputs);
  attention_prepare(&step, (struct range){0, 1});
  attention_forward(&past, (struct range){0, 1});
  add_states(outputs, pass->queries, past.cache.context, R * H);
}
