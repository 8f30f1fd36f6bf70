#include "corpus/batch.h"

#include <string.h>

#include "vocab/clauses.h"

/* Allocate the arrays of the batch. If `guided`, also allocate guide->links links. */
static void allocate(struct batch *batch, struct arena *arena, bool guided) {
  for (int side = 0; side < 2; side++) {
    struct sequence *sequence = side == 0 ? &batch->source : &batch->target;
    sequence->ids =
        arena_allocate(arena, sizeof *sequence->ids, sequence->steps, sequence->batch, 1);
    sequence->lengths = arena_allocate(arena, sizeof *sequence->lengths, sequence->batch, 1, 1);
  }
  batch->source.clause_ends =
      arena_allocate(arena, sizeof(bool), batch->source.steps, batch->source.batch, 1);
  batch->labels = arena_allocate(arena, sizeof *batch->labels, batch->tokens, 1, 1);
  struct guide *guide = &batch->guide;
  guide->starts = NULL;
  if (!guided) return;
  guide->starts = arena_allocate(arena, sizeof *guide->starts,
                                 batch->target.steps * batch->target.batch + 1, 1, 1);
  guide->sources = arena_allocate(arena, sizeof *guide->sources, guide->links, 1, 1);
}

void batch_fill_source(struct sequence *sequence, size_t b, const uint32_t *ids, size_t length,
                       const struct vocabulary *words) {
  const size_t B = sequence->batch;
  sequence->lengths[b] = length;
  for (size_t s = 0; s < sequence->steps; s++) {
    sequence->ids[s * B + b] = s < length ? ids[s] : 0;
    sequence->clause_ends[s * B + b] = false;
  }
  for (size_t s = 0; s < length;) {
    s = clause_end(ids, length, s, words);
    sequence->clause_ends[(s - 1) * B + b] = true;
  }
}

/* The pairs of a batch. Sentence b is pair indices[b / copies]. */
struct pair_list {
  const size_t *indices;
  size_t copies;
};

static size_t pair_at(struct pair_list list, size_t b) {
  return list.indices[b / list.copies];
}

static void fill_target(struct sequence *sequence, uint32_t *labels,
                        const struct sentences *sentences, struct pair_list list) {
  const size_t B = sequence->batch;
  for (size_t b = 0; b < B; b++)
    sequence->lengths[b] = sentences_length(sentences, pair_at(list, b)) + 1;
  size_t n = 0;
  for (size_t t = 0; t < sequence->steps; t++) {
    for (size_t b = 0; b < B; b++) {
      const uint32_t *ids = sentences->ids + sentences->starts[pair_at(list, b)];
      const size_t words = sequence->lengths[b] - 1;
      sequence->ids[t * B + b] = t == 0 ? TOKEN_START : t <= words ? ids[t - 1] : 0;
      if (t <= words) labels[n++] = t < words ? ids[t] : TOKEN_END;
    }
  }
}

/* Convert counts to starts: starts[i + 1] contains the number of sources of position i. */
static void close_starts(struct guide *guide, size_t positions) {
  guide->starts[0] = guide->tokens = 0;
  for (size_t i = 0; i < positions; i++) {
    guide->tokens += guide->starts[i + 1] > 0;
    guide->starts[i + 1] += guide->starts[i];
  }
}

/* Fill the guide in time-major order, in which the links of a sentence are not contiguous. */
static void fill_guide(struct guide *guide, const struct token_links *links, struct pair_list list,
                       size_t steps, size_t B) {
  memset(guide->starts, 0, (steps * B + 1) * sizeof *guide->starts);
  for (size_t b = 0; b < B; b++)
    for (size_t i = links->starts[pair_at(list, b)]; i < links->starts[pair_at(list, b) + 1]; i++)
      guide->starts[links->items[i].target * B + b + 1]++;
  close_starts(guide, steps * B);
  for (size_t b = 0; b < B; b++) {
    const size_t pair = pair_at(list, b), first = links->starts[pair];
    const size_t end = links->starts[pair + 1];
    for (size_t i = first, k = 0; i < end; i++) {
      const size_t t = links->items[i].target;
      k = i > first && links->items[i - 1].target == t ? k + 1 : guide->starts[t * B + b];
      guide->sources[k] = links->items[i].source;
    }
  }
}

/* Allocate the arrays for the sizes set in the batch. */
static elman_status fit(struct batch *batch, bool guided, elman_error *error) {
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &batch->arena, error)) allocate(batch, fit.now, guided);
  return fit.status;
}

elman_status batch_fill(struct batch *batch, const struct corpus *corpus, const size_t *indices,
                        size_t count, elman_error *error) {
  return batch_fill_copies(batch, corpus, indices, count, 1, error);
}

elman_status batch_fill_copies(struct batch *batch, const struct corpus *corpus,
                               const size_t *indices, size_t count, size_t copies,
                               elman_error *error) {
  const struct token_links *links = &corpus->links;
  const struct pair_list list = {indices, copies};
  const bool guided = links->starts != NULL;
  size_t source_steps = 0, target_steps = 0, tokens = 0, linked = 0;
  for (size_t i = 0; i < count; i++) {
    const size_t source = sentences_length(&corpus->source, indices[i]);
    const size_t target = sentences_length(&corpus->target, indices[i]) + 1;
    if (source > source_steps) source_steps = source;
    if (target > target_steps) target_steps = target;
    tokens += target;
    if (guided) linked += links->starts[indices[i] + 1] - links->starts[indices[i]];
  }
  batch->source.steps = source_steps;
  batch->target.steps = target_steps;
  batch->source.batch = batch->target.batch = count * copies;
  batch->tokens = tokens * copies;
  batch->copies = copies;
  batch->guide = (struct guide){.links = linked * copies};
  const elman_status status = fit(batch, guided, error);
  if (status != ELMAN_OK) return status;
  if (guided) fill_guide(&batch->guide, links, list, target_steps, count * copies);
  for (size_t b = 0; b < count * copies; b++) {
    const size_t pair = pair_at(list, b);
    const uint32_t *ids = corpus->source.ids + corpus->source.starts[pair];
    batch_fill_source(&batch->source, b, ids, sentences_length(&corpus->source, pair),
                      corpus->source_words);
  }
  fill_target(&batch->target, batch->labels, &corpus->target, list);
  return ELMAN_OK;
}

/* Set the sizes of a slice. */
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
  for (size_t t = 0; t < slice->steps && whole->clause_ends != NULL; t++)
    memcpy(slice->clause_ends + t * B, whole->clause_ends + t * whole->batch + first,
           B * sizeof *slice->clause_ends);
}

/* Return the range of links of `count` sentences at step t. */
static struct range links_at(const struct batch *whole, size_t t, size_t first, size_t count) {
  const size_t *starts = whole->guide.starts + t * whole->target.batch + first;
  return (struct range){starts[0], starts[count] - starts[0]};
}

static void copy_guide(struct batch *slice, const struct batch *whole, size_t first) {
  const size_t B = slice->target.batch;
  size_t links = 0;
  for (size_t t = 0; t < slice->target.steps; t++) {
    const struct range from = links_at(whole, t, first, B);
    const size_t *starts = whole->guide.starts + t * whole->target.batch + first;
    for (size_t b = 0; b < B; b++) slice->guide.starts[t * B + b + 1] = starts[b + 1] - starts[b];
    memcpy(slice->guide.sources + links, whole->guide.sources + from.first,
           from.count * sizeof *slice->guide.sources);
    links += from.count;
  }
  close_starts(&slice->guide, slice->target.steps * B);
}

elman_status batch_slice(struct batch *batch, const struct batch *whole, size_t first, size_t count,
                         elman_error *error) {
  measure_slice(&batch->source, &whole->source, first, count);
  measure_slice(&batch->target, &whole->target, first, count);
  batch->tokens = 0;
  for (size_t b = first; b < first + count; b++) batch->tokens += whole->target.lengths[b];
  batch->copies = whole->copies;
  const bool guided = whole->guide.starts != NULL;
  batch->guide = (struct guide){0};
  for (size_t t = 0; guided && t < batch->target.steps; t++)
    batch->guide.links += links_at(whole, t, first, count).count;
  const elman_status status = fit(batch, guided, error);
  if (status != ELMAN_OK) return status;
  if (guided) copy_guide(batch, whole, first);
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
