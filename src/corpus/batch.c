#include "corpus/batch.h"

#include <string.h>

#include "vocab/vocabulary.h"

static size_t sentence_length(const struct sentences *sentences, size_t index) {
  return sentences->starts[index + 1] - sentences->starts[index];
}

static void take(struct batch *batch, struct arena *arena) {
  for (int side = 0; side < 2; side++) {
    struct sequence *sequence = side == 0 ? &batch->source : &batch->target;
    sequence->ids = arena_take(arena, sizeof *sequence->ids, sequence->steps, sequence->batch, 1);
    sequence->lengths = arena_take(arena, sizeof *sequence->lengths, sequence->batch, 1, 1);
  }
  batch->labels = arena_take(arena, sizeof *batch->labels, batch->tokens, 1, 1);
}

static void fill_source(struct sequence *sequence, const struct sentences *sentences,
                        const size_t *indices) {
  const size_t B = sequence->batch;
  for (size_t b = 0; b < B; b++) {
    const uint32_t *ids = sentences->ids + sentences->starts[indices[b]];
    sequence->lengths[b] = sentence_length(sentences, indices[b]);
    for (size_t s = 0; s < sequence->steps; s++)
      sequence->ids[s * B + b] = s < sequence->lengths[b] ? ids[s] : 0;
  }
}

static void fill_target(struct sequence *sequence, uint32_t *labels,
                        const struct sentences *sentences, const size_t *indices) {
  const size_t B = sequence->batch;
  for (size_t b = 0; b < B; b++) sequence->lengths[b] = sentence_length(sentences, indices[b]) + 1;
  size_t n = 0;
  for (size_t t = 0; t < sequence->steps; t++) {
    for (size_t b = 0; b < B; b++) {
      const uint32_t *ids = sentences->ids + sentences->starts[indices[b]];
      const size_t words = sequence->lengths[b] - 1;
      sequence->ids[t * B + b] = t == 0 ? TOKEN_START : t <= words ? ids[t - 1] : 0;
      if (t <= words) labels[n++] = t < words ? ids[t] : TOKEN_END;
    }
  }
}

/* The batch's sizes are set. */
static elman_status fit(struct batch *batch, elman_error *error) {
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &batch->arena, error)) take(batch, fit.now);
  return fit.status;
}

elman_status batch_fill(struct batch *batch, const struct corpus *corpus, const size_t *indices,
                        size_t count, elman_error *error) {
  size_t source_steps = 0, target_steps = 0, tokens = 0;
  for (size_t b = 0; b < count; b++) {
    const size_t source = sentence_length(&corpus->source, indices[b]);
    const size_t target = sentence_length(&corpus->target, indices[b]) + 1;
    if (source > source_steps) source_steps = source;
    if (target > target_steps) target_steps = target;
    tokens += target;
  }
  batch->source.steps = source_steps;
  batch->target.steps = target_steps;
  batch->source.batch = batch->target.batch = count;
  batch->tokens = tokens;
  const elman_status status = fit(batch, error);
  if (status != ELMAN_OK) return status;
  fill_source(&batch->source, &corpus->source, indices);
  fill_target(&batch->target, batch->labels, &corpus->target, indices);
  return ELMAN_OK;
}

/* Sets the sizes of a slice. */
static void measure_slice(struct sequence *slice, const struct sequence *whole, size_t first,
                          size_t count) {
  slice->batch = count;
  slice->steps = 0;
  for (size_t b = first; b < first + count; b++)
    if (whole->lengths[b] > slice->steps) slice->steps = whole->lengths[b];
}

static void copy_slice(struct sequence *slice, const struct sequence *whole, size_t first) {
  const size_t B = slice->batch;
  memcpy(slice->lengths, whole->lengths + first, B * sizeof *slice->lengths);
  for (size_t t = 0; t < slice->steps; t++)
    memcpy(slice->ids + t * B, whole->ids + t * whole->batch + first, B * sizeof *slice->ids);
}

elman_status batch_slice(struct batch *batch, const struct batch *whole, size_t first, size_t count,
                         elman_error *error) {
  measure_slice(&batch->source, &whole->source, first, count);
  measure_slice(&batch->target, &whole->target, first, count);
  batch->tokens = 0;
  for (size_t b = first; b < first + count; b++) batch->tokens += whole->target.lengths[b];
  const elman_status status = fit(batch, error);
  if (status != ELMAN_OK) return status;
  copy_slice(&batch->source, &whole->source, first);
  copy_slice(&batch->target, &whole->target, first);
  const uint32_t *label = whole->labels;
  size_t n = 0;
  for (size_t t = 0; t < whole->target.steps; t++) {
    for (size_t b = 0; b < whole->target.batch; b++) {
      if (t >= whole->target.lengths[b]) continue;
      if (b >= first && b < first + count) batch->labels[n++] = *label;
      label++;
    }
  }
  return ELMAN_OK;
}

void batch_free(struct batch *batch) {
  arena_free(&batch->arena);
  *batch = (struct batch){0};
}
