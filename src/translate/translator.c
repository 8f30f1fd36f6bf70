#include "translate/translator.h"

#include <string.h>

void translator_create(struct translator *translator, const struct model *model) {
  *translator = (struct translator){.model = model};
}

void translator_free(struct translator *translator) {
  search_free(&translator->search);
  hypothesis_free(&translator->hypothesis);
  encoding_free(&translator->source);
  encoding_free(&translator->reference);
  buffer_free(&translator->text);
  *translator = (struct translator){0};
}

static enum status encode_checked(struct encoding *encoding, const struct codec *codec,
                                  struct text text, struct error *error) {
  const size_t good = text_valid_prefix(text);
  if (good < text.length)
    return fail(error, STATUS_BAD_DATA, NULL, "byte %zu is not valid UTF-8 text", good + 1);
  const enum status status = encode(encoding, codec, text, error);
  if (status == STATUS_OK && encoding->tokens.count > MAX_SENTENCE_TOKENS)
    return fail(error, STATUS_BAD_DATA, NULL,
                "the sentence has %zu tokens, more than the %d that can be translated; split it",
                encoding->tokens.count, MAX_SENTENCE_TOKENS);
  return status;
}

enum status translator_run(struct translator *translator, struct text source, struct text reference,
                           size_t limit, struct error *error) {
  const struct codec source_codec = model_source_codec(translator->model);
  const struct codec target_codec = model_target_codec(translator->model);
  struct hypothesis *hypothesis = &translator->hypothesis;
  hypothesis->count = 0;
  hypothesis->log_probability = 0;
  buffer_clear(&translator->text);
  translator->reference.tokens.count = 0;

  enum status status = encode_checked(&translator->source, &source_codec, source, error);
  const size_t S = translator->source.tokens.count;
  if (status != STATUS_OK || S == 0) return status;
  struct search_request request = {.ids = translator->source.ids, .count = S, .limit = limit};
  if (limit == 0) request.limit = 2 * S + 10;
  if (reference.bytes != NULL) {
    status = encode_checked(&translator->reference, &target_codec, reference, error);
    request.forced = translator->reference.ids;
    request.forced_count = translator->reference.tokens.count;
    if (status == STATUS_OK && request.forced_count == 0)
      status = fail(error, STATUS_BAD_DATA, NULL, "the reference is empty");
  }
  if (status == STATUS_OK)
    status = search_greedy(hypothesis, &translator->search, translator->model, &request, error);
  if (status != STATUS_OK) return status;

  if (reference.bytes == NULL)
    return decode(&translator->text, &target_codec, hypothesis->ids, hypothesis->count, error);
  /* Words of the reference that the vocabulary lacks stay as they were written. */
  return tokens_join(&translator->text, &translator->reference.tokens, target_codec.mode, error);
}

/* ---- keeping a translation ---- */

static struct text target_token(const struct translator *translator, size_t t) {
  const struct tokens *reference = &translator->reference.tokens;
  return t < reference->count ? tokens_get(reference, t)
                              : vocabulary_token(translator->model->target_vocabulary,
                                                 translator->hypothesis.ids[t]);
}

static char *copy_text(struct arena *arena, struct text text) {
  char *copy = arena_take(arena, 1, text.length + 1, 1, 1);
  if (copy == NULL) return NULL; /* measuring */
  if (text.length > 0) memcpy(copy, text.bytes, text.length);
  copy[text.length] = '\0';
  return copy;
}

static struct translation copy_into(struct arena *arena, const struct translator *translator) {
  const struct hypothesis *hypothesis = &translator->hypothesis;
  const size_t S = translator->source.tokens.count, T = hypothesis->count;
  struct translation view = {.text = copy_text(arena, buffer_text(&translator->text)),
                             .log_probability = hypothesis->log_probability,
                             .source_count = S,
                             .target_count = T};
  const char **source = arena_take(arena, sizeof *source, S, 1, 1);
  const char **target = arena_take(arena, sizeof *target, T, 1, 1);
  bool *known = arena_take(arena, sizeof *known, S, 1, 1);
  real *attention = arena_take(arena, sizeof *attention, T, S, 1);
  for (size_t s = 0; s < S; s++) {
    const char *copy = copy_text(arena, tokens_get(&translator->source.tokens, s));
    if (arena->base == NULL) continue;
    source[s] = copy;
    known[s] = translator->source.ids[s] != TOKEN_UNKNOWN;
  }
  for (size_t t = 0; t < T; t++) {
    const char *copy = copy_text(arena, target_token(translator, t));
    if (arena->base != NULL) target[t] = copy;
  }
  if (arena->base != NULL && T > 0)
    memcpy(attention, hypothesis->attention, T * S * sizeof *attention);
  view.source_tokens = source;
  view.source_known = known;
  view.target_tokens = target;
  view.attention = attention;
  return view;
}

enum status translator_keep(struct kept_translation *kept, const struct translator *translator,
                            struct error *error) {
  struct arena measured = {0};
  (void)copy_into(&measured, translator);
  *kept = (struct kept_translation){0};
  const enum status status = arena_reserve(&kept->arena, &measured, error);
  if (status == STATUS_OK) kept->view = copy_into(&kept->arena, translator);
  return status;
}
