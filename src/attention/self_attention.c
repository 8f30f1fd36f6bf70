#include "attention/self_attention.h"

#include <stdlib.h>
#include <string.h>

/* ---- all steps at once, with gradients ---- */

void self_attention_forward(real *outputs, struct attention_cache cache, const real *states,
                            const struct attention_layer *layer, struct attention_shape shape) {
  const size_t B = shape.batch, H = layer->config.size, first = shape.first_query;
  const struct attention_cache part = attention_cache_from(cache, first, layer->config, shape);
  const real *queries = states + first * B * H;
  attention_prepare(part, states, states, layer, B, first, shape.queries);
  attention_forward(part, queries, states, states, layer, shape);
  for (size_t i = 0; i < shape.queries * B * H; i++)
    outputs[i] = queries[i] + part.context[i]; /* (44) */
}

void self_attention_backward(real *dstates, const struct attention_parameters *gradients,
                             struct attention_scratch scratch, const real *doutputs,
                             struct attention_cache cache, const real *states,
                             const struct attention_layer *layer, struct attention_shape shape) {
  const size_t B = shape.batch, H = layer->config.size, first = shape.first_query;
  const struct attention_cache part = attention_cache_from(cache, first, layer->config, shape);
  real *dqueries = dstates + first * B * H;
  attention_backward(dqueries, dstates, dstates, gradients, scratch, doutputs, part,
                     states + first * B * H, states, states, layer, shape);
  attention_prepare_backward(dstates, dstates, gradients, scratch, states, states, layer, B, first,
                             shape.queries);
  for (size_t i = 0; i < shape.queries * B * H; i++) dqueries[i] += doutputs[i]; /* (44) */
}

/* ---- one step after the other ---- */

void self_attention_history_free(struct self_attention_history *history) {
  free(history->keys);
  free(history->values);
  free(history->spare);
  free(history->weights);
  free(history->lengths);
  *history = (struct self_attention_history){0};
}

void self_attention_history_start(struct self_attention_history *history, size_t rows) {
  if (history->rows != rows) self_attention_history_free(history);
  history->rows = rows;
  history->steps = 0;
}

static elman_status grow(void **array, size_t n1, size_t n2, size_t n3, size_t element,
                         elman_error *error) {
  struct arena measured = {0};
  (void)arena_take(&measured, element, n1, n2, n3);
  void *larger = measured.failed ? NULL : realloc(*array, measured.used + 1);
  if (larger == NULL) return fail_no_memory(error);
  *array = larger;
  return ELMAN_OK;
}

static elman_status grow_reals(real **array, size_t n1, size_t n2, size_t n3, elman_error *error) {
  void *any = *array;
  const elman_status status = grow(&any, n1, n2, n3, sizeof(real), error);
  *array = any;
  return status;
}

elman_status self_attention_history_grow(struct self_attention_history *history,
                                         struct attention_config config, elman_error *error) {
  enum { FIRST_CAPACITY = 32 };
  if (history->steps < history->capacity) return ELMAN_OK;
  const size_t capacity = history->capacity == 0 ? FIRST_CAPACITY : 2 * history->capacity;
  const size_t R = history->rows, H = config.size;
  void *lengths = history->lengths;
  elman_status status = grow_reals(&history->keys, capacity, R, H, error);
  if (status == ELMAN_OK) status = grow_reals(&history->values, capacity, R, H, error);
  if (status == ELMAN_OK) status = grow_reals(&history->spare, 1, R, H, error);
  if (status == ELMAN_OK) status = grow_reals(&history->weights, R, config.heads, capacity, error);
  if (status == ELMAN_OK) status = grow(&lengths, R, 1, 1, sizeof *history->lengths, error);
  history->lengths = lengths;
  if (status == ELMAN_OK) history->capacity = capacity;
  return status;
}

static void move_rows(real *block, real *spare, size_t R, size_t H, const size_t *from) {
  memcpy(spare, block, R * H * sizeof *spare);
  for (size_t r = 0; r < R; r++)
    if (from[r] != r) memcpy(block + r * H, spare + from[r] * H, H * sizeof *block);
}

void self_attention_history_move(struct self_attention_history *history,
                                 struct attention_config config, const size_t *from) {
  const size_t R = history->rows, H = config.size;
  bool moves = false;
  for (size_t r = 0; r < R; r++) moves |= from[r] != r;
  for (size_t t = 0; moves && t < history->steps; t++) {
    move_rows(history->keys + t * R * H, history->spare, R, H, from);
    move_rows(history->values + t * R * H, history->spare, R, H, from);
  }
}

void self_attention_step(real *outputs, struct attention_cache cache,
                         struct self_attention_history *history, const real *states,
                         const size_t *active, const struct attention_layer *layer) {
  const size_t R = history->rows, H = layer->config.size, t = history->steps++;
  const size_t at = t * R * H;
  for (size_t r = 0; r < R; r++) history->lengths[r] = history->steps;
  const struct attention_shape shape = {.queries = 1,
                                        .keys = history->capacity,
                                        .batch = R,
                                        .query_lengths = active,
                                        .key_lengths = history->lengths};
  /* Unmapped keys and values are the states; where there are maps these are overwritten. */
  memcpy(history->keys + at, states, R * H * sizeof *states);
  memcpy(history->values + at, states, R * H * sizeof *states);
  cache.keys = history->keys;
  cache.values = history->values;
  cache.weights = history->weights;
  struct attention_cache step = cache;
  step.keys += at;
  step.values += at;
  attention_prepare(step, states, states, layer, R, 0, 1);
  attention_forward(cache, states, history->keys, history->values, layer, shape);
  for (size_t i = 0; i < R * H; i++) outputs[i] = states[i] + cache.context[i]; /* (44) */
}
