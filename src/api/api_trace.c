#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "api/text_batch.h"
#include "model/trace.h"

/* One side's, </s> included. */
struct named_tokens {
  const char **tokens;
  bool *known;
};

/* The public part comes first, so that a pointer to it is a pointer to the whole. */
struct owned_trace {
  elman_gradient_trace outer;
  struct trace inner;      /* the numbers */
  struct text_batch texts; /* the ids */
  struct named_tokens names[2];
  struct arena arena; /* of the names */
};

/* Takes place for a side's tokens, without their marks, and fills it unless only measuring. */
static void copy_tokens(struct named_tokens *names, struct arena *arena,
                        const struct encoding *encoding, elman_side side) {
  const size_t words = encoding->tokens.count, count = words + (side == ELMAN_TARGET);
  names->tokens = arena_take(arena, sizeof *names->tokens, count, 1, 1);
  names->known = arena_take(arena, sizeof *names->known, count, 1, 1);
  for (size_t i = 0; i < count; i++) {
    const struct text token =
        i < words ? token_surface(tokens_get(&encoding->tokens, i)) : text_of("</s>");
    char *copy = arena_take(arena, 1, token.length + 1, 1, 1);
    if (copy == NULL) continue;
    memcpy(copy, token.bytes, token.length);
    copy[token.length] = '\0';
    names->tokens[i] = copy;
    names->known[i] = i == words || encoding->ids[i] != TOKEN_UNKNOWN;
  }
}

static void copy_names(struct owned_trace *owned, struct arena *arena) {
  copy_tokens(&owned->names[ELMAN_SOURCE], arena, &owned->texts.source, ELMAN_SOURCE);
  copy_tokens(&owned->names[ELMAN_TARGET], arena, &owned->texts.target, ELMAN_TARGET);
}

static elman_status name_tokens(struct owned_trace *owned, elman_error *error) {
  struct arena measured = {0};
  copy_names(owned, &measured);
  const elman_status status = arena_reserve(&owned->arena, &measured, error);
  if (status == ELMAN_OK) copy_names(owned, &owned->arena);
  return status;
}

static void fill_trace(struct owned_trace *owned) {
  const struct trace *inner = &owned->inner;
  const struct batch *batch = &owned->texts.batch;
  owned->outer = (elman_gradient_trace){.loss = inner->loss,
                                        .source_count = batch->source.steps,
                                        .target_count = batch->target.steps,
                                        .source_tokens = owned->names[ELMAN_SOURCE].tokens,
                                        .source_known = owned->names[ELMAN_SOURCE].known,
                                        .target_tokens = owned->names[ELMAN_TARGET].tokens,
                                        .target_known = owned->names[ELMAN_TARGET].known,
                                        .losses = inner->losses,
                                        .layer_count = inner->count,
                                        .layers = inner->layers};
}

static elman_status trace_pair(struct owned_trace *owned, const struct model *model,
                               const char *source, const char *target, size_t step,
                               elman_error *error) {
  const float *tensors[MAX_PARAMETERS];
  struct text_batch *texts = &owned->texts;
  elman_status status = text_batch_fill(texts, model, &source, &target, 1, error);
  if (status == ELMAN_OK) status = name_tokens(owned, error);
  if (status != ELMAN_OK) return status;
  model_tensors(tensors, model);
  struct surroundings before;
  status = enter(&before, 0, network_product(model, &texts->batch), error);
  if (status != ELMAN_OK) return status;
  status = trace_run(&owned->inner, &model->config, tensors, &texts->batch, step, error);
  leave(before);
  if (status == ELMAN_OK) fill_trace(owned);
  return status;
}

elman_status elman_trace(elman_gradient_trace **trace, const elman_model *model, const char *source,
                         const char *target, size_t target_step, elman_error *error) {
  *trace = NULL;
  struct owned_trace *owned = calloc(1, sizeof *owned);
  if (owned == NULL) return fail_no_memory(error);
  const elman_status status =
      trace_pair(owned, inner_model_const(model), source, target, target_step, error);
  if (status == ELMAN_OK)
    *trace = &owned->outer;
  else
    elman_trace_free(&owned->outer);
  return status;
}

void elman_trace_free(elman_gradient_trace *trace) {
  if (trace == NULL) return;
  struct owned_trace *owned = (struct owned_trace *)trace;
  arena_free(&owned->arena);
  arena_free(&owned->inner.arena);
  text_batch_free(&owned->texts);
  free(owned);
}
