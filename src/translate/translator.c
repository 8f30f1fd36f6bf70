#include "translate/translator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vocab/locate.h"

struct translate_options translate_options_default(void) {
  return (struct translate_options){.beam = {.width = 1, .n_best = 1, .length_penalty = 1}};
}

elman_status model_screen_create(struct screen **out, const struct model *model,
                                 const struct translate_options *options, elman_error *error) {
  const struct decoder_parameters *weights = &model->weights.decoder;
  const struct decoder_sizes sizes = decoder_sizes_of(&model->config);
  *out = NULL;
  if (options->beam.width > 1) return ELMAN_OK;
  *out = calloc(1, sizeof **out);
  if (*out == NULL) return fail_no_memory(error);
  const elman_status status =
      screen_create(*out, weights->out_weight, weights->out_bias, sizes.vocabulary,
                    decoder_feature_size(sizes), TOKEN_START, quantized_kernel_at(0), error);
  if (status == ELMAN_OK) return ELMAN_OK;
  model_screen_free(*out);
  *out = NULL;
  return status;
}

void model_screen_free(struct screen *screen) {
  if (screen == NULL) return;
  screen_free(screen);
  free(screen);
}

void translator_create(struct translator *translator, const struct model *model,
                       const struct screen *screen) {
  *translator = (struct translator){.model = model, .screen = screen};
}

void translator_free(struct translator *translator) {
  search_free(&translator->search);
  for (size_t i = 0; i < translator->item_capacity; i++)
    encoding_free(&translator->items[i].source);
  for (size_t i = 0; i < translator->rendering_capacity; i++) {
    tokens_free(&translator->renderings[i].tokens);
    buffer_free(&translator->renderings[i].text);
  }
  free(translator->items);
  free(translator->requests);
  free(translator->renderings);
  encoding_free(&translator->reference);
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

/* ---- text to requests ---- */

elman_status encode_checked(struct encoding *encoding, const struct codec *codec, struct text text,
                            elman_error *error) {
  encoding->tokens.count = 0;
  const size_t good = text_valid_prefix(text);
  if (good < text.length)
    return fail(error, ELMAN_BAD_DATA, NULL, "byte %zu is %s", good + 1,
                text.bytes[good] == '\0'
                    ? "NUL, which is no text"
                    : "not valid UTF-8 text; iconv converts text in another encoding");
  const elman_status status = encode(encoding, codec, text, error);
  if (status == ELMAN_OK && encoding->tokens.count > MAX_SENTENCE_TOKENS)
    return fail(error, ELMAN_BAD_DATA, NULL,
                "the sentence has %zu tokens, more than the %d that can be translated; split it",
                encoding->tokens.count, MAX_SENTENCE_TOKENS);
  return status;
}

static elman_status encode_reference(struct translator *translator, struct text reference,
                                     elman_error *error) {
  const struct codec codec = model_target_codec(translator->model);
  elman_status status = encode_checked(&translator->reference, &codec, reference, error);
  if (status == ELMAN_OK && translator->reference.tokens.count == 0)
    status = fail(error, ELMAN_BAD_DATA, NULL, "the reference is empty");
  return status;
}

static elman_status encode_source(struct encoding *encoding, const struct model *model,
                                  struct text source, size_t max_bytes, elman_error *error) {
  const struct codec codec = model_source_codec(model);
  if (max_bytes > 0 && source.length > max_bytes) {
    encoding->tokens.count = 0;
    return fail(
        error, ELMAN_BAD_DATA, NULL,
        "the sentence has more than the %zu bytes that are allowed; split it, or allow more",
        max_bytes);
  }
  return encode_checked(encoding, &codec, source, error);
}

static size_t limit_of(const struct translate_options *options, size_t S) {
  if (options->ratio == 0) return options->limit == 0 ? 2 * S + 10 : options->limit;
  const double product = ceil(options->ratio * (double)S);
  const size_t limit = product < 1 ? 1 : product > 1e9 ? (size_t)1000000000 : (size_t)product;
  return options->limit != 0 && options->limit < limit ? options->limit : limit;
}

/* What is wrong with one sentence stays with it; anything else fails the batch. */
static elman_status add_request(struct translator *translator, struct translator_item *item,
                                size_t *requests, struct text source, struct text reference,
                                const struct translate_options *options, elman_error *error) {
  item->given = source;
  item->result = SIZE_MAX;
  item->error = (elman_error){0};
  item->status =
      encode_source(&item->source, translator->model, source, options->max_bytes, &item->error);
  const size_t S = item->source.tokens.count;
  if (item->status == ELMAN_OK && S > 0 && reference.bytes != NULL)
    item->status = encode_reference(translator, reference, &item->error);
  if (item->status != ELMAN_OK && item->status != ELMAN_BAD_DATA)
    return fail_again(error, &item->error);
  if (item->status != ELMAN_OK || S == 0) return ELMAN_OK;
  struct search_request *request = &translator->requests[*requests];
  *request =
      (struct search_request){.ids = item->source.ids, .count = S, .limit = limit_of(options, S)};
  if (reference.bytes != NULL) {
    request->forced = translator->reference.ids;
    request->forced_count = translator->reference.tokens.count;
  }
  item->result = (*requests)++;
  return ELMAN_OK;
}

static void note_overflows(struct translator *translator) {
  for (size_t i = 0; i < translator->count; i++) {
    struct translator_item *item = &translator->items[i];
    if (item->result == SIZE_MAX || translator->search.results[item->result].count > 0) continue;
    item->status = fail(&item->error, ELMAN_BAD_DATA, NULL,
                        "the model's weights are so large that its numbers overflow; train it "
                        "again with a lower learning rate");
  }
}

elman_status translator_run(struct translator *translator, const struct text *sources, size_t count,
                            struct text reference, const struct translate_options *options,
                            elman_error *error) {
  struct search_options search = {options->beam, options->without_scores};
  const struct attention_overrides overrides = {options->override_list, options->override_count,
                                                options->override_seed, 0};
  size_t requests = 0;
  translator->count = 0;
  translator->reference.tokens.count = 0;
  translator->replace_unknown = options->replace_unknown;
  translator->has_reference = reference.bytes != NULL;
  if (translator->has_reference)
    search.beam.width = search.beam.n_best = 1; /* there is nothing to choose */
  elman_status status = fit(translator, count, error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++)
    status = add_request(translator, &translator->items[i], &requests, sources[i], reference,
                         options, error);
  if (status == ELMAN_OK && requests > 0)
    status =
        search_run(&translator->search, translator->model, translator->requests, requests, &search,
                   overrides.count > 0 ? &overrides : NULL, translator->screen, error);
  if (status != ELMAN_OK) return status;
  translator->count = count;
  note_overflows(translator);
  return ELMAN_OK;
}

struct search_result translator_result(const struct translator *translator, size_t i) {
  const size_t result = translator->items[i].result;
  return result == SIZE_MAX ? (struct search_result){0} : translator->search.results[result];
}

/* ---- hypotheses to text ---- */

static size_t largest(const real *weights, size_t n) {
  size_t best = 0;
  for (size_t i = 1; i < n; i++) {
    if (weights[i] > weights[best]) best = i;
  }
  return best;
}

/* A source word among target words: without its mark, unless it would then be taken to have one. */
static struct text as_target_token(struct text source) {
  const struct text surface = token_surface(source);
  return token_has_mark(surface) ? source : surface;
}

static struct text target_token(const struct translator *translator, size_t i,
                                const struct hypothesis *hypothesis, size_t t) {
  const struct tokens *source = &translator->items[i].source.tokens;
  /* Words of the reference that the vocabulary lacks stay as they were written. */
  if (translator->has_reference && t < translator->reference.tokens.count)
    return tokens_get(&translator->reference.tokens, t);
  if (translator->replace_unknown && hypothesis->ids[t] == TOKEN_UNKNOWN)
    return as_target_token(
        tokens_get(source, largest(hypothesis->attention + t * source->count, source->count)));
  return vocabulary_token(translator->model->target_vocabulary, hypothesis->ids[t]);
}

static elman_status render(struct rendering *rendering, const struct translator *translator,
                           size_t i, const struct hypothesis *hypothesis, elman_error *error) {
  const size_t T = hypothesis->count;
  tokens_clear(&rendering->tokens);
  buffer_clear(&rendering->text);
  for (size_t t = 0; t < T; t++) {
    const elman_status status =
        tokens_add(&rendering->tokens, target_token(translator, i, hypothesis, t), error);
    if (status != ELMAN_OK) return status;
  }
  struct tokens words = rendering->tokens; /* borrowed */
  if (T > 0 && hypothesis->ids[T - 1] == TOKEN_END) words.count--;
  return tokens_join(&rendering->text, &words, model_target_codec(translator->model).mode, error);
}

elman_status translator_render(struct translator *translator, size_t i, elman_error *error) {
  static const struct hypothesis none = {0};
  const struct search_result result = translator_result(translator, i);
  const size_t count = result.count > 0 ? result.count : 1;
  elman_status status = array_grow_zeroed(&translator->renderings, &translator->rendering_capacity,
                                          count, sizeof *translator->renderings, error);
  for (size_t n = 0; n < count && status == ELMAN_OK; n++)
    status = render(&translator->renderings[n], translator, i,
                    result.count > 0 ? &result.hypotheses[n] : &none, error);
  return status;
}

/* ---- keeping a translation ---- */

static const char *copy_text(struct arena *arena, struct text text) {
  char *copy = arena_take(arena, 1, text.length + 1, 1, 1);
  if (copy == NULL) return NULL; /* measuring */
  if (text.length > 0) memcpy(copy, text.bytes, text.length);
  copy[text.length] = '\0';
  return copy;
}

/* Without their marks, which are a model's own affair. */
static const char *const *copy_tokens(struct arena *arena, const struct tokens *tokens) {
  const char **copies = arena_take(arena, sizeof *copies, tokens->count, 1, 1);
  for (size_t i = 0; i < tokens->count; i++) {
    const char *copy = copy_text(arena, token_surface(tokens_get(tokens, i)));
    if (copies != NULL) copies[i] = copy;
  }
  return copies;
}

static const uint32_t *copy_ids(struct arena *arena, const uint32_t *ids, size_t count) {
  uint32_t *copy = arena_take(arena, sizeof *copy, count, 1, 1);
  if (copy != NULL && count > 0) memcpy(copy, ids, count * sizeof *copy);
  return copy;
}

static const bool *copy_known(struct arena *arena, const struct encoding *source) {
  bool *known = arena_take(arena, sizeof *known, source->tokens.count, 1, 1);
  for (size_t s = 0; known != NULL && s < source->tokens.count; s++)
    known[s] = source->ids[s] != TOKEN_UNKNOWN;
  return known;
}

static const real *copy_reals(struct arena *arena, const real *values, size_t n1, size_t n2) {
  real *copy = arena_take(arena, sizeof *copy, n1, n2, 1);
  if (copy != NULL && n1 * n2 > 0) memcpy(copy, values, n1 * n2 * sizeof *copy);
  return copy;
}

static struct spans take_spans(struct arena *arena, size_t count) {
  struct spans spans;
  spans.starts = arena_take(arena, sizeof *spans.starts, count, 1, 1);
  spans.ends = arena_take(arena, sizeof *spans.ends, count, 1, 1);
  return spans;
}

/* What all hypotheses of item i have in common. */
static elman_status copy_source(struct translation *view, struct arena *arena,
                                const struct translator *translator, size_t i, elman_error *error) {
  const struct translator_item *item = &translator->items[i];
  const struct tokens *tokens = &item->source.tokens;
  const struct spans spans = take_spans(arena, tokens->count);
  view->source = copy_text(arena, item->given);
  view->source_count = tokens->count;
  view->source_tokens = copy_tokens(arena, tokens);
  view->source_ids = copy_ids(arena, item->source.ids, tokens->count);
  view->source_known = copy_known(arena, &item->source);
  view->source_starts = spans.starts;
  view->source_ends = spans.ends;
  if (arena->base == NULL) return ELMAN_OK; /* measuring */
  return locate_tokens(spans, tokens, item->given, translator->model->source_normalization, error);
}

static void copy_target(struct translation *view, struct arena *arena,
                        const struct rendering *rendering, const struct hypothesis *hypothesis) {
  const size_t T = hypothesis->count;
  const struct spans spans = take_spans(arena, T);
  const struct text text = buffer_text(&rendering->text);
  view->text = copy_text(arena, text);
  view->ended = T > 0 && hypothesis->ids[T - 1] == TOKEN_END;
  view->target_count = T;
  view->target_tokens = copy_tokens(arena, &rendering->tokens);
  view->target_ids = copy_ids(arena, hypothesis->ids, T);
  view->target_starts = spans.starts;
  view->target_ends = spans.ends;
  if (arena->base != NULL) locate_joined(spans, &rendering->tokens, T - view->ended, text);
}

static void copy_attention(struct translation *view, struct arena *arena,
                           const struct hypothesis *hypothesis, size_t heads) {
  const size_t T = hypothesis->count, S = view->source_count;
  view->heads = heads;
  view->attention = copy_reals(arena, hypothesis->attention, T, S);
  view->head_attention =
      heads > 1 ? copy_reals(arena, hypothesis->heads, heads * T, S) : view->attention;
}

static elman_status copy_into(struct kept_translation *kept, struct arena *arena,
                              const struct translator *translator, size_t i, elman_error *error) {
  const struct search_result result = translator_result(translator, i);
  kept->count = result.count > 0 ? result.count : 1;
  kept->views = arena_take(arena, sizeof *kept->views, kept->count, 1, 1);
  struct translation view = {.forced = translator->has_reference && result.count > 0};
  const elman_status status = copy_source(&view, arena, translator, i, error);
  if (status != ELMAN_OK) return status;
  for (size_t n = 0; n < kept->count; n++) {
    const struct hypothesis hypothesis =
        result.count > 0 ? result.hypotheses[n] : (struct hypothesis){0};
    view.log_probability = hypothesis.log_probability;
    view.score = hypothesis.score;
    copy_target(&view, arena, &translator->renderings[n], &hypothesis);
    copy_attention(&view, arena, &hypothesis, translator->model->config.heads);
    if (kept->views != NULL) kept->views[n] = view;
  }
  return ELMAN_OK;
}

elman_status translator_keep(struct kept_translation *kept, struct translator *translator, size_t i,
                             elman_error *error) {
  struct arena measured = {0};
  *kept = (struct kept_translation){0};
  elman_status status = translator_render(translator, i, error);
  if (status != ELMAN_OK) return status;
  status = copy_into(kept, &measured, translator, i, error);
  if (status == ELMAN_OK) status = arena_reserve(&kept->arena, &measured, error);
  if (status == ELMAN_OK) status = copy_into(kept, &kept->arena, translator, i, error);
  if (status == ELMAN_OK) return ELMAN_OK;
  arena_free(&kept->arena);
  *kept = (struct kept_translation){0};
  return status;
}
