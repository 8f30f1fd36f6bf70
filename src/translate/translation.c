#include "translate/translation.h"

#include <string.h>

#include "inspect/measures.h"
#include "vocab/clauses.h"
#include "vocab/locate.h"
#include "vocab/token_modes.h"

/* The best translation, and in its memory all that it points to, and itself. */
struct owned_translation {
  elman_translation view; /* first: who has it has the whole */
  struct arena arena;
};

static const void *copy(struct arena *arena, const void *from, size_t count, size_t size) {
  void *to = arena_allocate(arena, size, count, 1, 1);
  if (to != NULL && count > 0) memcpy(to, from, count * size);
  return to;
}

static const char *copy_text(struct arena *arena, struct text text) {
  char *to = arena_allocate(arena, 1, text.length + 1, 1, 1);
  if (to == NULL) return NULL; /* measuring */
  if (text.length > 0) memcpy(to, text.bytes, text.length);
  to[text.length] = '\0';
  return to;
}

/* Without their marks, which are a model's own affair. */
static const char *const *copy_tokens(struct arena *arena, const struct tokens *tokens) {
  const char **copies = arena_allocate(arena, sizeof *copies, tokens->count, 1, 1);
  char *at = arena_allocate(arena, 1, tokens->bytes.length + tokens->count, 1, 1);
  for (size_t i = 0; at != NULL && i < tokens->count; i++) {
    const struct text surface = token_shown(tokens_get(tokens, i));
    memcpy(at, surface.bytes, surface.length);
    at[surface.length] = '\0';
    copies[i] = at;
    at += surface.length + 1;
  }
  return copies;
}

static struct spans take_spans(struct arena *arena, size_t count) {
  struct spans spans;
  spans.starts = arena_allocate(arena, sizeof *spans.starts, count, 1, 1);
  spans.ends = arena_allocate(arena, sizeof *spans.ends, count, 1, 1);
  return spans;
}

/* The part that all hypotheses of an item have in common. */
static elman_status copy_source(elman_translation *view, struct arena *arena,
                                const struct translator *translator,
                                const struct translator_item *item, elman_error *error) {
  const size_t S = item->source.tokens.count;
  const struct spans spans = take_spans(arena, S);
  bool *known = arena_allocate(arena, sizeof *known, S, 1, 1);
  view->source = copy_text(arena, item->given);
  view->source_count = S;
  view->heads = translator->heads;
  view->source_tokens = copy_tokens(arena, &item->source.tokens);
  view->source_ids = copy(arena, item->source.ids, S, sizeof *item->source.ids);
  view->source_known = known;
  view->source_starts = spans.starts;
  view->source_ends = spans.ends;
  view->source_subwords = token_mode_row(translator->model->config.source_tokens)->has_subwords;
  if (arena->base == NULL) return ELMAN_OK; /* measuring */
  for (size_t s = 0; s < S; s++) known[s] = item->source.ids[s] != TOKEN_UNKNOWN;
  return locate_tokens(spans, &item->source.tokens, item->given,
                       translator->model->config.source_tokens,
                       translator->model->config.source_normalization, error);
}

static elman_status copy_target(elman_translation *view, struct arena *arena,
                                const struct rendering *rendering,
                                const struct model_config *config, elman_error *error) {
  const elman_token_mode mode = config->target_tokens;
  const size_t T = rendering->tokens.count;
  const struct spans spans = take_spans(arena, T);
  const struct text text = buffer_text(&rendering->text);
  view->text = copy_text(arena, text);
  view->ended = rendering->ended;
  view->target_count = T;
  view->target_tokens = copy_tokens(arena, &rendering->tokens);
  view->target_ids = copy(arena, rendering->ids, T, sizeof *rendering->ids);
  view->target_starts = spans.starts;
  view->target_ends = spans.ends;
  view->target_subwords = token_mode_row(mode)->has_subwords;
  if (arena->base == NULL) return ELMAN_OK; /* measuring */
  if (view->forced)
    return locate_tokens(spans, &rendering->tokens, text, mode, config->target_normalization,
                         error);
  locate_joined(spans, &rendering->tokens, T - view->ended, mode, text);
  return ELMAN_OK;
}

/* Segments of the source, and where each ends, unless `ends` is NULL. */
static size_t cut(size_t *ends, const struct translator *translator,
                  const struct encoding *source) {
  const struct attention_cuts cuts = translator->cuts;
  const struct vocabulary *words = translator->model->source_vocabulary;
  return cuts.clauses ? clauses_of(ends, source->ids, source->tokens.count, words)
                      : segments_of_length(ends, source->tokens.count, cuts.length);
}

static void copy_attention(elman_translation *view, struct arena *arena,
                           const struct translator *translator, const struct translator_item *item,
                           size_t n) {
  const struct search *search = &translator->search;
  const size_t T = view->target_count, S = view->source_count, N = view->heads;
  const size_t request = item->request;
  float *attention = arena_allocate(arena, sizeof *attention, T, S, 1);
  float *heads = N > 1 ? arena_allocate(arena, sizeof *heads, N, T, S) : attention;
  view->attention = attention;
  view->head_attention = heads;
  double *log_probabilities = arena_allocate(arena, sizeof *log_probabilities, T, 1, 1);
  view->log_probabilities = log_probabilities;
  float *sentinel =
      translator->has_sentinel ? arena_allocate(arena, sizeof *sentinel, T, 1, 1) : NULL;
  view->sentinel = sentinel;
  view->segment_count = cut(NULL, translator, &item->source);
  const size_t G = view->segment_count;
  size_t *ends = G > 0 ? arena_allocate(arena, sizeof *ends, G, 1, 1) : NULL;
  view->segment_ends = ends;
  float *segments = G > 0 ? arena_allocate(arena, sizeof *segments, T, G, 1) : NULL;
  view->segments = segments;
  if (request == SIZE_MAX) return;
  view->log_probability = search_path(search, request, n)->log_probability;
  view->score = search_path(search, request, n)->score;
  if (log_probabilities != NULL) search_log_probabilities(log_probabilities, search, request, n);
  if (attention != NULL) search_attention(attention, heads, search, request, n);
  if (sentinel != NULL) search_sentinel(sentinel, search, request, n);
  if (ends != NULL) cut(ends, translator, &item->source);
  for (size_t t = 0; t < T && segments != NULL; t++)
    row_segments(segments + t * G, attention + t * S, ends, G);
}

/* `arena->base` is NULL while only measuring. */
static elman_status copy_self_attention(elman_translation *view, struct arena *arena,
                                        struct translator *translator,
                                        const struct translator_item *item, size_t n,
                                        elman_error *error) {
  const struct model_config *config = &translator->model->config;
  const size_t S = view->source_count, T = view->target_count;
  const size_t sources = config->encoder_self_attention, targets = config->decoder_self_attention;
  if (!translator->self_attention || item->request == SIZE_MAX || sources + targets == 0)
    return ELMAN_OK;
  float *source = sources > 0 ? arena_allocate(arena, sizeof *source, sources, S, S) : NULL;
  float *target = targets > 0 ? arena_allocate(arena, sizeof *target, targets, T, T) : NULL;
  view->source_self_heads = sources;
  view->target_self_heads = targets;
  view->source_self_attention = source;
  view->target_self_attention = target;
  if (arena->base == NULL) return ELMAN_OK;
  const elman_status status =
      self_weights_run(&translator->self, translator->model, item->source.ids, S,
                       translator->renderings.rows[n].ids, T - view->ended, error);
  if (status != ELMAN_OK) return status;
  if (source != NULL) self_weights_copy(source, &translator->self, ELMAN_SOURCE, sources, S);
  if (target != NULL) self_weights_copy(target, &translator->self, ELMAN_TARGET, targets, T);
  return ELMAN_OK;
}

static elman_status copy_into(struct owned_translation **owned, struct arena *arena,
                              struct translator *translator, size_t i, size_t count,
                              elman_error *error) {
  const struct translator_item *item = &translator->items[i];
  elman_translation view = {.forced = translator->forced && item->request != SIZE_MAX};
  *owned = arena_allocate(arena, sizeof **owned, 1, 1, 1);
  elman_translation *others = arena_allocate(arena, sizeof *others, count - 1, 1, 1);
  elman_status status = copy_source(&view, arena, translator, item, error);
  for (size_t n = 0; n < count && status == ELMAN_OK; n++) {
    status = copy_target(&view, arena, &translator->renderings.rows[n], &translator->model->config,
                         error);
    if (status != ELMAN_OK) break;
    copy_attention(&view, arena, translator, item, n);
    status = copy_self_attention(&view, arena, translator, item, n, error);
    view.next = n + 1 < count ? &others[n] : NULL;
    if (arena->base != NULL) *(n == 0 ? &(*owned)->view : &others[n - 1]) = view;
  }
  return status;
}

elman_status translation_take(elman_translation **translation, struct translator *translator,
                              size_t i, elman_error *error) {
  const size_t found = translator_hypotheses(translator, i), count = found > 0 ? found : 1;
  struct owned_translation *owned;
  struct arena measured = {0}, arena = {0};
  elman_status status = translator_render(translator, i, count, error);
  if (status == ELMAN_OK) status = copy_into(&owned, &measured, translator, i, count, error);
  if (status == ELMAN_OK) status = arena_reserve(&arena, &measured, error);
  if (status == ELMAN_OK) status = copy_into(&owned, &arena, translator, i, count, error);
  if (status != ELMAN_OK) {
    arena_free(&arena);
    return status;
  }
  owned->arena = arena;
  *translation = &owned->view;
  return ELMAN_OK;
}

void translation_free(elman_translation *translation) {
  if (translation == NULL) return;
  struct arena arena = ((struct owned_translation *)translation)->arena;
  arena_free(&arena);
}
