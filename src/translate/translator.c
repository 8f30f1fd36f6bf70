#include "translate/translator.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "corpus/batch.h"
#include "inspect/summary.h"
#include "vocab/clauses.h"
#include "vocab/locate.h"
#include "vocab/tokens.h"

/* ---- a sentence on its way into the search ---- */

/* As elman_translate_batch says. */
static const char IN_REFERENCE[] = "reference";

static elman_status encode_reference(struct encoding *encoding, const struct model *model,
                                     const elman_sentence *sentence, elman_error *error) {
  const struct codec codec = model_target_codec(model);
  const struct text reference = {sentence->reference, sentence->reference_length};
  elman_status status = encode_checked(encoding, &codec, reference, error);
  if (status == ELMAN_OK && encoding->tokens.count == 0)
    status = fail(error, ELMAN_BAD_DATA, NULL, "the reference is empty");
  if (status == ELMAN_BAD_DATA) snprintf(error->where, sizeof error->where, "%s", IN_REFERENCE);
  return status;
}

static elman_status encode_source(struct encoding *encoding, const struct model *model,
                                  struct text source, size_t max_bytes, elman_error *error) {
  const struct codec codec = model_source_codec(model);
  if (max_bytes > 0 && source.length > max_bytes) {
    encoding->tokens.count = 0;
    return fail(
        error, ELMAN_BAD_DATA, NULL,
        "the sentence has more than the %zu byte%s that %s allowed; split it, or allow more",
        max_bytes, plural_ending(max_bytes), max_bytes == 1 ? "is" : "are");
  }
  return encode_checked(encoding, &codec, source, error);
}

static size_t limit_of(const elman_translate_options *options, size_t S) {
  if (options->max_ratio == 0) return options->max_length == 0 ? 2 * S + 10 : options->max_length;
  const double product = ceil(options->max_ratio * (double)S);
  const size_t limit = product < 1 ? 1 : product > 1e9 ? (size_t)1000000000 : (size_t)product;
  return options->max_length != 0 && options->max_length < limit ? options->max_length : limit;
}

/* What the search is held to before it may choose. */
static elman_status add_prefix(struct search_request *request, const struct model *model,
                               const elman_sentence *sentence, elman_error *error) {
  const size_t count = sentence->prefix_count;
  const bool unknown = model->merges[ELMAN_TARGET] == NULL;
  for (size_t t = 0; t < count; t++) {
    const uint32_t id = sentence->prefix[t];
    if (id >= model->config.target_vocabulary || id == TOKEN_START || id == TOKEN_END ||
        (id == TOKEN_UNKNOWN && !unknown))
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "token %zu of the prefix, %" PRIu32 ", is no token of a translation", t + 1, id);
  }
  request->forced = sentence->prefix;
  request->forced_count = count;
  request->goes_on = true;
  if (request->limit <= count) request->limit = count + 1;
  return ELMAN_OK;
}

/* Takes the sentence, as yet without a request, and its reference if it has one. Bad data is the
 * status of the item, and fails no other. */
static elman_status translator_item_encode(struct translator_item *item, const struct model *model,
                                           const elman_sentence *sentence, size_t max_bytes,
                                           elman_error *error) {
  item->given = (struct text){sentence->text, sentence->length};
  item->given_reference = (struct text){sentence->reference, sentence->reference_length};
  item->request = SIZE_MAX;
  item->error = (elman_error){0};
  item->status = encode_source(&item->source, model, item->given, max_bytes, &item->error);
  if (item->status == ELMAN_OK && item->source.tokens.count > 0 && sentence->reference != NULL)
    item->status = encode_reference(&item->reference, model, sentence, &item->error);
  return item->status == ELMAN_OK || item->status == ELMAN_BAD_DATA
             ? ELMAN_OK
             : fail_again(error, &item->error);
}

/* Of an item with tokens; the request borrows them. */
static elman_status
translator_item_request(struct search_request *request, const struct translator_item *item,
                        const struct model *model, const elman_sentence *sentence,
                        const elman_translate_options *options, elman_error *error) {
  const size_t S = item->source.tokens.count;
  *request = (struct search_request){.ids = item->source.ids,
                                     .count = S,
                                     .limit = limit_of(options, S),
                                     .number = sentence->number};
  if (sentence->reference != NULL) {
    request->forced = item->reference.ids;
    request->forced_count = item->reference.tokens.count;
  }
  return sentence->prefix_count > 0 ? add_prefix(request, model, sentence, error) : ELMAN_OK;
}

/* ---- self-attention of a translation ---- */

void self_weights_free(struct self_weights *self) {
  workspace_free(&self->workspace);
  batch_free(&self->batch);
}

elman_status self_weights_run(struct self_weights *self, const struct model *model,
                              const uint32_t *source, size_t S, const uint32_t *target,
                              size_t words, elman_error *error) {
  size_t starts[][2] = {{0, S}, {0, words}};
  const size_t index = 0;
  /* Read only. */
  const struct corpus pair = {
      .source = {.ids = (uint32_t *)source, .starts = starts[0], .count = 1},
      .target = {.ids = (uint32_t *)target, .starts = starts[1], .count = 1}};
  elman_status status = batch_fill(&self->batch, &pair, &index, 1, error);
  if (status == ELMAN_OK)
    status = workspace_fit(&self->workspace, &model->weights, &self->batch, FORWARD_ONLY, error);
  if (status != ELMAN_OK) return status;
  const struct regularization plain = {0};
  const struct network_pass pass = {.weights = &model->weights,
                                    .batch = &self->batch,
                                    .regularization = &plain,
                                    .workspace = &self->workspace};
  (void)network_forward(&pass);
  return ELMAN_OK;
}

void self_weights_copy(float *into, const struct self_weights *self, elman_side side, size_t N,
                       size_t count) {
  const bool encoder = side == ELMAN_SOURCE;
  const real *weights = encoder ? self->workspace.encoder.self_attention.weights
                                : self->workspace.decoder.self_attention.weights; /* (T,1,N,T) */
  const size_t T = encoder ? self->batch.source.steps : self->batch.target.steps;
  for (size_t t = 0; t < count; t++)
    for (size_t n = 0; n < N; n++)
      for (size_t s = 0; s < count; s++)
        into[(n * count + t) * count + s] = (float)weights[(t * N + n) * T + s];
}

/* ---- hypotheses as text ---- */

/* Whose hypotheses are rendered, and how. */
struct rendered {
  const struct model *model;
  const struct search *search;
  const struct translator_item *item;
  bool forced;          /* to say the item's reference */
  bool replace_unknown; /* by the source word that was looked at most */
};

static void renderings_free(struct renderings *renderings) {
  for (size_t n = 0; n < renderings->capacity; n++) {
    free(renderings->rows[n].ids);
    tokens_free(&renderings->rows[n].tokens);
    buffer_free(&renderings->rows[n].text);
  }
  free(renderings->rows);
  *renderings = (struct renderings){0};
}

/* A source word among target words: without its mark, unless it would then be taken to have one. */
static struct text as_target_token(struct text source) {
  const struct text surface = token_surface(source);
  return token_has_mark(surface) ? source : surface;
}

static bool is_replaced(const struct rendered *rendered, size_t t, uint32_t id) {
  return rendered->replace_unknown && id == TOKEN_UNKNOWN &&
         !(rendered->forced && t < rendered->item->reference.tokens.count);
}

/* Token t of hypothesis n, which has this id. */
static struct text target_token(const struct rendered *rendered, size_t n, size_t t, uint32_t id) {
  const struct translator_item *item = rendered->item;
  /* Words of the reference that the vocabulary lacks stay as they were written. */
  if (rendered->forced && t < item->reference.tokens.count)
    return tokens_get(&item->reference.tokens, t);
  if (is_replaced(rendered, t, id))
    return as_target_token(
        tokens_get(&item->source.tokens, search_looked_at(rendered->search, item->request, n, t)));
  return vocabulary_token(rendered->model->target_vocabulary, id);
}

/* The mark of token t, which has none of its own: a source word keeps apart from target words. */
static const char *mark_of(const struct rendering *rendering, const struct rendered *rendered,
                           size_t t, struct text token) {
  if (t == 0 || rendering->ids[t] == TOKEN_END || token_has_mark(token)) return "";
  const elman_token_mode source = model_source_codec(rendered->model).mode;
  const elman_token_mode target = model_target_codec(rendered->model).mode;
  const struct meeting meeting = {.left = token_surface(tokens_get(&rendering->tokens, t - 1)),
                                  .right = token,
                                  .left_foreign =
                                      is_replaced(rendered, t - 1, rendering->ids[t - 1]),
                                  .right_foreign = is_replaced(rendered, t, rendering->ids[t]),
                                  .foreign_characters = source == ELMAN_TOKENS_CHARS};
  if (!meeting.left_foreign && !meeting.right_foreign) return "";
  return space_beside_foreign(target, &meeting) &&
                 !token_mode_row(target)->space_expected(meeting.left, meeting.right)
             ? MARK_SPACED
             : "";
}

static elman_status render_one(struct rendering *rendering, const struct rendered *rendered,
                               size_t n, elman_error *error) {
  const size_t request = rendered->item->request;
  tokens_clear(&rendering->tokens);
  buffer_clear(&rendering->text);
  rendering->ended = false;
  if (request == SIZE_MAX) {
    buffer_append(&rendering->text, "", 0);
    return rendering->text.failed ? fail_no_memory(error) : ELMAN_OK;
  }
  const size_t T = search_path(rendered->search, request, n)->count;
  elman_status status =
      array_grow(&rendering->ids, &rendering->id_capacity, T, sizeof *rendering->ids, error);
  if (status != ELMAN_OK) return status;
  search_ids(rendering->ids, rendered->search, request, n);
  for (size_t t = 0; t < T && status == ELMAN_OK; t++) {
    const struct text token = target_token(rendered, n, t, rendering->ids[t]);
    const char *mark = mark_of(rendering, rendered, t, token);
    status = tokens_add_marked(&rendering->tokens, mark, token, error);
  }
  if (status != ELMAN_OK) return status;
  rendering->ended = rendering->ids[T - 1] == TOKEN_END;
  if (rendered->forced) {
    buffer_append_text(&rendering->text, rendered->item->given_reference);
    return rendering->text.failed ? fail_no_memory(error) : ELMAN_OK;
  }
  struct tokens words = rendering->tokens; /* borrowed */
  words.count -= rendering->ended;
  return tokens_join(&rendering->text, &words, model_target_codec(rendered->model).mode, error);
}

/* Its `count` best hypotheses, at least one; of an item without any the only rendering is empty. */
static elman_status render(struct renderings *renderings, const struct rendered *rendered,
                           size_t count, elman_error *error) {
  elman_status status = array_grow_zeroed(&renderings->rows, &renderings->capacity, count,
                                          sizeof *renderings->rows, error);
  for (size_t n = 0; n < count && status == ELMAN_OK; n++)
    status = render_one(&renderings->rows[n], rendered, n, error);
  return status;
}

/* ---- a batch ---- */

elman_translate_options translate_options_default(void) {
  return (elman_translate_options){.max_bytes = ELMAN_DEFAULT_MAX_BYTES,
                                   .beam = 1,
                                   .n_best = 1,
                                   .length_penalty = 1,
                                   .temperature = 1,
                                   .sample_seed = 1,
                                   .override_seed = 1};
}

void translator_create(struct translator *translator, const struct model *model,
                       const struct screen *screen) {
  *translator = (struct translator){.model = model, .screen = screen};
}

void translator_free(struct translator *translator) {
  search_free(&translator->search);
  self_weights_free(&translator->self);
  renderings_free(&translator->renderings);
  for (size_t i = 0; i < translator->item_capacity; i++) {
    encoding_free(&translator->items[i].source);
    encoding_free(&translator->items[i].reference);
  }
  free(translator->items);
  free(translator->requests);
  *translator = (struct translator){0};
}

static elman_status fit(struct translator *translator, size_t count, elman_error *error) {
  elman_status status = array_grow_zeroed(&translator->items, &translator->item_capacity, count,
                                          sizeof *translator->items, error);
  if (status == ELMAN_OK)
    status = array_grow(&translator->requests, &translator->request_capacity, count,
                        sizeof *translator->requests, error);
  return status;
}

/* Bad data fails its sentence; anything else fails the batch. */
static elman_status add_request(struct translator *translator, struct translator_item *item,
                                size_t *requests, const elman_sentence *sentence,
                                const elman_translate_options *options, elman_error *error) {
  const struct model *model = translator->model;
  const elman_status status =
      translator_item_encode(item, model, sentence, options->max_bytes, error);
  if (status != ELMAN_OK || item->status != ELMAN_OK || item->source.tokens.count == 0)
    return status;
  item->request = (*requests)++;
  return translator_item_request(&translator->requests[item->request], item, model, sentence,
                                 options, error);
}

/* How many hypotheses were found for item i; none if it has no tokens. */
static size_t translator_hypotheses(const struct translator *translator, size_t i) {
  const size_t request = translator->items[i].request;
  return request == SIZE_MAX ? 0 : search_count(&translator->search, request);
}

static void note_overflows(struct translator *translator) {
  for (size_t i = 0; i < translator->count; i++) {
    struct translator_item *item = &translator->items[i];
    if (item->request == SIZE_MAX || translator_hypotheses(translator, i) > 0) continue;
    item->status = fail(&item->error, ELMAN_BAD_DATA, NULL,
                        "the model's weights are so large that its numbers overflow; train it "
                        "again with a lower learning rate");
  }
}

elman_status translator_run(struct translator *translator, const elman_sentence *sentences,
                            size_t count, const elman_translate_options *options,
                            elman_error *error) {
  elman_translate_options search = *options;
  size_t requests = 0;
  translator->count = 0;
  translator->replace_unknown = options->replace_unknown;
  translator->self_attention = options->self_attention;
  translator->heads = ensemble_heads(translator->model, options);
  translator->cuts = ensemble_cuts(translator->model, options);
  translator->has_sentinel = ensemble_has_sentinel(translator->model, options);
  translator->forced = count > 0 && sentences[0].reference != NULL;
  if (translator->forced) search.beam = search.n_best = 1; /* there is nothing to choose */
  elman_status status = fit(translator, count, error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++)
    status =
        add_request(translator, &translator->items[i], &requests, &sentences[i], options, error);
  if (status == ELMAN_OK && requests > 0)
    status = search_run(&translator->search, translator->model, translator->requests, requests,
                        &search, translator->screen, error);
  if (status != ELMAN_OK) return status;
  translator->count = count;
  note_overflows(translator);
  return ELMAN_OK;
}

/* Makes `renderings` of item i, whose status is ELMAN_OK: its hypotheses, or an empty one. */
static elman_status translator_render(struct translator *translator, size_t i, size_t count,
                                      elman_error *error) {
  const struct rendered rendered = {.model = translator->model,
                                    .search = &translator->search,
                                    .item = &translator->items[i],
                                    .forced = translator->forced,
                                    .replace_unknown = translator->replace_unknown};
  return render(&translator->renderings, &rendered, count, error);
}

elman_status translator_text(struct text *text, struct translator *translator, size_t i,
                             elman_error *error) {
  const elman_status status = translator_render(translator, i, 1, error);
  if (status == ELMAN_OK) *text = buffer_text(&translator->renderings.rows[0].text);
  return status;
}

/* ---- translation ---- */

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
