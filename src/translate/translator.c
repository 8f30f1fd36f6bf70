#include "translate/translator.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/kinds.h"
#include "corpus/batch.h"
#include "model/ensemble.h"
#include "model/options.h"
#include "translate/copied.h"
#include "vocab/characters.h"
#include "vocab/clauses.h"
#include "vocab/locate.h"
#include "vocab/tokens.h"

/* ---- source text that may be copied ---- */

static struct copied_source copied_source_of(const struct model *model,
                                             const struct translator_item *item) {
  return (struct copied_source){{item->given->text, item->given->length},
                                &item->source.tokens,
                                item->spans,
                                model->config.source_tokens,
                                model->config.source_normalization == ELMAN_NFKC_LOWER};
}

/* Return whether the model learned to copy. */
static bool copies(const struct model *model) {
  return teaches_copying(&model->past.training);
}

static elman_status allocate_places(struct translator_item *item, elman_error *error) {
  const size_t S = item->source.tokens.count;
  elman_status status =
      array_grow(&item->spans.starts, &item->starts_capacity, S, sizeof *item->spans.starts, error);
  if (status == ELMAN_OK)
    status =
        array_grow(&item->spans.ends, &item->ends_capacity, S, sizeof *item->spans.ends, error);
  if (status != ELMAN_OK) return status;
  return array_grow(&item->firsts, &item->firsts_capacity, S, sizeof *item->firsts, error);
}

/* Find the tokens in the text, and those that may be copied in place of unknown words. */
static elman_status locate_source(struct translator_item *item, const struct model *model,
                                  elman_error *error) {
  const struct model_config *config = &model->config;
  const struct copied_source source = copied_source_of(model, item);
  elman_status status = allocate_places(item, error);
  if (status == ELMAN_OK)
    status = locate_tokens(item->spans, source.tokens, source.text, config->source_tokens,
                           config->source_normalization, error);
  if (status != ELMAN_OK) return status;
  const struct copied_source located = copied_source_of(model, item);
  copied_firsts(item->firsts, &located, config->target_tokens, copies(model));
  return ELMAN_OK;
}

/* ---- encoding a sentence ---- */

/* Encode the reference. On failure set error->where as elman_translate_batch does. */
static elman_status encode_reference(struct encoding *encoding, const struct model *model,
                                     const elman_sentence *sentence,
                                     const elman_translate_options *options, elman_error *error) {
  const struct codec codec = model_target_codec(model);
  const struct text reference = {sentence->reference, sentence->reference_length};
  elman_status status = encode_checked(encoding, &codec, reference, options->max_output, error);
  if (status == ELMAN_OK && encoding->tokens.count == 0)
    status = fail(error, ELMAN_BAD_DATA, NULL, "the reference is empty");
  if (status == ELMAN_BAD_DATA) snprintf(error->where, sizeof error->where, "reference");
  return status;
}

static elman_status encode_source(struct encoding *encoding, const struct model *model,
                                  struct text source, const elman_translate_options *options,
                                  elman_error *error) {
  const struct codec codec = model_source_codec(model);
  const size_t max_bytes = options->max_bytes;
  if (max_bytes > 0 && source.length > max_bytes) {
    encoding->tokens.count = 0;
    return fail(error, ELMAN_BAD_DATA, NULL,
                "the sentence is longer than the limit of %zu byte%s; split it or raise the limit",
                max_bytes, plural_ending(max_bytes));
  }
  return encode_checked(encoding, &codec, source, options->max_tokens, error);
}

static size_t chosen_limit(const elman_translate_options *options, size_t S) {
  if (options->max_ratio == 0) return options->max_length == 0 ? 2 * S + 10 : options->max_length;
  const double product = ceil(options->max_ratio * (double)S);
  const size_t limit = product < 1 ? 1 : product > 1e9 ? (size_t)1000000000 : (size_t)product;
  return options->max_length != 0 && options->max_length < limit ? options->max_length : limit;
}

static size_t limit_of(const elman_translate_options *options, size_t S) {
  const size_t limit = chosen_limit(options, S), most = options->max_output;
  return most != 0 && most < limit ? most : limit;
}

/* Make the search begin with the prefix. */
static elman_status add_prefix(struct search_request *request, const struct model *model,
                               const elman_sentence *sentence,
                               const elman_translate_options *options, elman_error *error) {
  const size_t count = sentence->prefix_count;
  const bool unknown = model->merges[ELMAN_TARGET] == NULL || options->replace_unknown;
  for (size_t t = 0; t < count; t++) {
    const uint32_t id = sentence->prefix[t];
    if (id >= model->config.target_vocabulary || id == TOKEN_START || id == TOKEN_END ||
        (id == TOKEN_UNKNOWN && !unknown))
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "token %zu of the prefix has id %" PRIu32 ", which no translation can contain",
                  t + 1, id);
  }
  static const uint32_t none[1];
  request->forced = count > 0 ? sentence->prefix : none;
  request->forced_count = count;
  request->is_prefix = !sentence->whole_prefix;
  if (request->limit <= count) request->limit = count + 1;
  return ELMAN_OK;
}

/* Encode a sentence. For bad data set the status of the item, so that the batch does not fail. An
 * item with tokens gets a request, which borrows them. */
static elman_status encode_item(struct translator_item *item, const struct model *model,
                                const elman_sentence *sentence,
                                const elman_translate_options *options, elman_error *error) {
  const struct text text = {sentence->text, sentence->length};
  item->given = sentence;
  item->request = (struct search_request){0};
  item->beam = item->others = NULL;
  item->repeats = false;
  item->error = (elman_error){0};
  item->status = encode_source(&item->source, model, text, options, &item->error);
  const size_t S = item->source.tokens.count;
  if (item->status == ELMAN_OK && S > 0 && sentence->reference != NULL)
    item->status = encode_reference(&item->reference, model, sentence, options, &item->error);
  if (item->status == ELMAN_OK && options->max_output > 0 &&
      sentence->prefix_count >= options->max_output)
    item->status = fail(&item->error, ELMAN_BAD_DATA, NULL,
                        "the prefix has %zu tokens; a translation has at most %zu",
                        sentence->prefix_count, options->max_output);
  if (item->status == ELMAN_BAD_DATA) return ELMAN_OK;
  if (item->status != ELMAN_OK) return fail_again(error, &item->error);
  if (S == 0) return ELMAN_OK;
  item->request = (struct search_request){.ids = item->source.ids,
                                          .count = S,
                                          .limit = limit_of(options, S),
                                          .number = sentence->number,
                                          .part = sentence->part,
                                          .item = item};
  if (options->replace_unknown) {
    const elman_status status = locate_source(item, model, error);
    if (status != ELMAN_OK) return status;
  }
  if (sentence->reference != NULL) {
    item->request.forced = item->reference.ids;
    item->request.forced_count = item->reference.tokens.count;
  }
  return sentence->prefix_count > 0 || sentence->whole_prefix
             ? add_prefix(&item->request, model, sentence, options, error)
             : ELMAN_OK;
}

/* ---- a batch ---- */

static void rendering_free(struct rendering *rendering) {
  free(rendering->ids);
  tokens_free(&rendering->tokens);
  buffer_free(&rendering->text);
  buffer_free(&rendering->copied);
  free(rendering->copied_from);
  free(rendering->left);
}

static void free_renderings(struct translator *translator) {
  for (size_t n = 0; n < translator->rendering_capacity; n++)
    rendering_free(&translator->renderings[n]);
  free(translator->renderings);
  rendering_free(&translator->scratch);
}

elman_translate_options elman_translate_options_default(void) {
  return (elman_translate_options){ELMAN_TRANSLATE_OPTIONS(FIELD_DEFAULT).partial = NULL};
}

void translator_create(struct translator *translator, const struct model *model,
                       const struct screen *screen) {
  *translator = (struct translator){.model = model, .screen = screen};
}

void translator_free(struct translator *translator) {
  search_free(&translator->search);
  search_free(&translator->others);
  self_weights_free(&translator->self);
  free_renderings(translator);
  for (size_t i = 0; i < translator->item_capacity; i++) {
    encoding_free(&translator->items[i].source);
    free(translator->items[i].spans.starts);
    free(translator->items[i].spans.ends);
    free(translator->items[i].firsts);
    encoding_free(&translator->items[i].reference);
  }
  free(translator->items);
  free(translator->requests);
  *translator = (struct translator){0};
}

/* ---- hypotheses as text ---- */

/* Return whether token t comes from a reference. */
static bool is_given(const struct translator_item *item, size_t t) {
  return item->given->reference != NULL && t < item->reference.tokens.count;
}

static bool is_replaced(const struct translator *translator, const struct translator_item *item,
                        size_t t, uint32_t id) {
  return translator->options.replace_unknown && id == TOKEN_UNKNOWN && !is_given(item, t);
}

/* A hypothesis of a beam. */
struct located_path {
  const struct beam *beam;
  const struct hypothesis *path;
};

/* Set `left` to the words of the source, and return their number. */
static size_t leave_all(size_t *left, const size_t *firsts, size_t S) {
  size_t words = 0;
  for (size_t s = 0; s < S; s++) {
    left[s] = firsts[s];
    words += firsts[s] == s;
  }
  return words;
}

/* Choose the source words that are copied in place of unknown words, in the order of the unknown
 * words. If noise taught the model to copy, copy each word only once while other words are left,
 * because attention often returns to a word. */
static elman_status choose_copies(struct rendering *rendering, const struct translator *translator,
                                  const struct translator_item *item, struct located_path at,
                                  elman_error *error) {
  const size_t T = at.path->count, S = item->source.tokens.count;
  size_t words = 0, *left = NULL;
  for (size_t t = 0; t < T; t++) {
    if (!is_replaced(translator, item, t, rendering->ids[t])) continue;
    if (left == NULL) {
      elman_status status = array_grow(&rendering->copied_from, &rendering->copied_from_capacity, T,
                                       sizeof *rendering->copied_from, error);
      if (status == ELMAN_OK)
        status = array_grow(&rendering->left, &rendering->left_capacity, S, sizeof *rendering->left,
                            error);
      if (status != ELMAN_OK) return status;
      left = rendering->left;
    }
    if (words == 0) words = leave_all(left, item->firsts, S);
    const size_t first = path_best_source(at.beam, at.path, t, left);
    rendering->copied_from[t] = first;
    if (!copies(translator->model)) continue;
    for (size_t s = first; s < S && left[s] == first; s++) left[s] = NOT_COPIED;
    words--;
  }
  return ELMAN_OK;
}

/* Return token t of a hypothesis. It is valid until the next call. */
static struct text target_token(struct rendering *rendering, const struct translator *translator,
                                const struct translator_item *item, size_t t) {
  const struct model *model = translator->model;
  const uint32_t id = rendering->ids[t];
  /* Reference words that are not in the vocabulary stay as written. */
  if (is_given(item, t)) return tokens_get(&item->reference.tokens, t);
  if (!is_replaced(translator, item, t, id)) return vocabulary_token(model->target_vocabulary, id);
  const struct copied_source source = copied_source_of(translator->model, item);
  copy_source_word(&rendering->copied, &source, rendering->copied_from[t],
                   model->config.target_tokens, copies(model));
  return buffer_text(&rendering->copied);
}

/* Return whether the text is a symbol and not a word. */
static bool is_symbol(struct text text) {
  size_t at = 0;
  return text.length > 0 && !is_word_character(character_at(text, &at));
}

/* Return whether two adjacent symbols, such as emoji, are copied from places without a space
 * between them. `right` is the text of token t. */
static bool are_joined_symbols(const struct rendering *rendering,
                               const struct translator *translator,
                               const struct translator_item *item,
                               const struct foreign_neighbors *neighbors, size_t t) {
  if (!neighbors->left_foreign || !neighbors->right_foreign || !is_symbol(neighbors->left) ||
      !is_symbol(neighbors->right))
    return false;
  const size_t a = rendering->copied_from[t - 1], b = rendering->copied_from[t];
  const struct copied_source source = copied_source_of(translator->model, item);
  for (size_t s = a < b ? a : b; s < (a < b ? b : a); s++)
    if (!is_joined(&source, s + 1)) return false;
  return true;
}

/* Return the mark of token t, which separates a copied source word from target words. Return "" if
 * the token already has a mark or needs none. */
static const char *mark_of(const struct rendering *rendering, const struct translator *translator,
                           const struct translator_item *item, size_t t, struct text token) {
  if (t == 0 || rendering->ids[t] == TOKEN_END || token_has_mark(token)) return "";
  const elman_token_mode source = model_source_codec(translator->model).mode;
  const elman_token_mode target = model_target_codec(translator->model).mode;
  const struct foreign_neighbors neighbors = {
      .left = token_surface(tokens_get(&rendering->tokens, t - 1)),
      .right = token,
      .left_foreign = is_replaced(translator, item, t - 1, rendering->ids[t - 1]),
      .right_foreign = is_replaced(translator, item, t, rendering->ids[t]),
      .foreign_characters = source == ELMAN_TOKENS_CHARS};
  if (!neighbors.left_foreign && !neighbors.right_foreign) return "";
  const bool expected = token_mode_row(target)->space_expected(neighbors.left, neighbors.right);
  if (are_joined_symbols(rendering, translator, item, &neighbors, t))
    return expected ? MARK_JOINED : "";
  return space_beside_foreign(target, &neighbors) && !expected ? MARK_SPACED : "";
}

static elman_status render_tokens(struct rendering *rendering, const struct translator *translator,
                                  const struct translator_item *item, struct located_path at,
                                  elman_error *error) {
  const size_t T = at.path->count;
  elman_status status =
      array_grow(&rendering->ids, &rendering->id_capacity, T, sizeof *rendering->ids, error);
  if (status != ELMAN_OK) return status;
  path_ids(rendering->ids, at.beam, at.path);
  status = choose_copies(rendering, translator, item, at, error);
  for (size_t t = 0; t < T && status == ELMAN_OK; t++) {
    const struct text token = target_token(rendering, translator, item, t);
    if (rendering->copied.failed) return fail_no_memory(error);
    const char *mark = mark_of(rendering, translator, item, t, token);
    status = tokens_add_marked(&rendering->tokens, mark, token, error);
  }
  rendering->ended = rendering->ids[T - 1] == TOKEN_END;
  return status;
}

/* Render a hypothesis of an item. Render an empty hypothesis if the item has no tokens. */
static elman_status render(struct rendering *rendering, const struct translator *translator,
                           const struct translator_item *item, struct located_path at,
                           elman_error *error) {
  tokens_clear(&rendering->tokens);
  buffer_clear(&rendering->text);
  rendering->ended = false;
  if (at.beam == NULL) {
    buffer_append(&rendering->text, "", 0);
    return rendering->text.failed ? fail_no_memory(error) : ELMAN_OK;
  }
  const elman_status status = render_tokens(rendering, translator, item, at, error);
  if (status != ELMAN_OK) return status;
  if (item->given->reference != NULL) {
    buffer_append(&rendering->text, item->given->reference, item->given->reference_length);
    return rendering->text.failed ? fail_no_memory(error) : ELMAN_OK;
  }
  struct tokens words = rendering->tokens; /* borrowed */
  words.count -= rendering->ended;
  return tokens_join(&rendering->text, &words, model_target_codec(translator->model).mode, error);
}

/* Return the n-th best hypothesis of an item. */
static struct located_path path_of(const struct translator_item *item, size_t n) {
  if (item->beam == NULL) return (struct located_path){NULL, NULL};
  const struct beam *others = item->others;
  if (others == NULL) return (struct located_path){item->beam, &item->beam->ended[n]};
  if (n == 0) return (struct located_path){item->beam, &item->beam->ended[0]};
  return (struct located_path){others, &others->ended[n - 1]};
}

/* Render the `count` >= 1 best hypotheses of an item. */
static elman_status render_best(struct translator *translator, const struct translator_item *item,
                                size_t count, elman_error *error) {
  elman_status status = array_grow_zeroed(&translator->renderings, &translator->rendering_capacity,
                                          count, sizeof *translator->renderings, error);
  for (size_t n = 0; n < count && status == ELMAN_OK; n++)
    status = render(&translator->renderings[n], translator, item, path_of(item, n), error);
  return status;
}

elman_status translator_text(struct text *text, struct translator *translator, size_t i,
                             elman_error *error) {
  const elman_status status = render_best(translator, &translator->items[i], 1, error);
  if (status == ELMAN_OK) *text = buffer_text(&translator->renderings[0].text);
  return status;
}

/* ---- search ---- */

/* Return a hash of the rendered text; 0 if the text is empty. */
static uint64_t text_key(const struct rendering *rendering) {
  const struct text text = buffer_text(&rendering->text);
  const uint64_t hash = text_hash(text);
  return text.length == 0 ? 0 : hash == 0 ? 1 : hash;
}

/* Return whether the text after this token depends on more than the text up to it. This is the case
 * after a mark alone, and within the bytes of a character. */
static bool is_unfinished(struct text token) {
  return token_surface(token).length == 0 || token_byte(token) >= 0;
}

/* Set *key for a hypothesis of the search for other translations. */
static elman_status other_key(void *context, uint64_t *key, const struct beam *beam,
                              const struct hypothesis *path, bool is_finished, elman_error *error) {
  struct translator *translator = context;
  const struct translator_item *item = beam->request->item;
  struct rendering *scratch = &translator->scratch;
  const elman_status status =
      render(scratch, translator, item, (struct located_path){beam, path}, error);
  if (status != ELMAN_OK) return status;
  *key = text_key(scratch);
  if (is_finished && *key == item->best_key) *key = 0;
  if (!is_finished && is_unfinished(tokens_get(&scratch->tokens, scratch->tokens.count - 1)))
    *key = 0;
  return ELMAN_OK;
}

/* Set *repeats to whether the list of an item has a text twice, or an empty text after the best.
 * Set the key of the best. */
static elman_status check_texts(bool *repeats, struct translator *translator,
                                struct translator_item *item, elman_error *error) {
  const size_t count = item->beam->finished;
  const elman_status status = render_best(translator, item, count, error);
  *repeats = false;
  for (size_t n = 0; n < count && status == ELMAN_OK; n++) {
    const uint64_t key = text_key(&translator->renderings[n]);
    translator->renderings[n].key = key;
    if (n == 0) item->best_key = key;
    *repeats = *repeats || (n > 0 && key == 0);
    for (size_t m = 0; m < n && !*repeats; m++) *repeats = translator->renderings[m].key == key;
  }
  return status;
}

/* For each item whose list has a text twice, search for the next best translations, whose texts
 * differ from each other and from the text of the best translation. The best translation remains
 * that of the first search. */
static elman_status search_others(struct translator *translator, size_t count, elman_error *error) {
  const struct beam_texts texts = {other_key, translator};
  elman_translate_options others = translator->options;
  elman_status status = ELMAN_OK;
  size_t requests = 0;
  others.n_best--;
  for (size_t i = 0; i < count && status == ELMAN_OK; i++) {
    struct translator_item *item = &translator->items[i];
    if (item->beam == NULL || item->status != ELMAN_OK) continue;
    status = check_texts(&item->repeats, translator, item, error);
    if (!item->repeats) continue;
    item->request.ceiling = item->beam->ended[0].score;
    translator->requests[requests++] = &item->request;
  }
  if (status != ELMAN_OK || requests == 0) return status;
  translator->others.texts = &texts;
  status = search_run(&translator->others, translator->model, translator->requests, requests,
                      &others, NULL, error);
  translator->others.texts = NULL;
  for (size_t i = 0, b = 0; i < count && status == ELMAN_OK; i++) {
    struct translator_item *item = &translator->items[i];
    if (!item->repeats) continue;
    item->others = &translator->others.beams[b++];
    if (item->others->overflow) item->status = fail_overflow(&item->error);
  }
  return status;
}

/* Assign the search results to the items with tokens, in the order of the requests. */
static void assign_beams(struct translator *translator, size_t count) {
  const struct beam *beams = translator->search.beams;
  for (size_t i = 0, b = 0; i < count; i++) {
    struct translator_item *item = &translator->items[i];
    if (item->request.count == 0) continue;
    item->beam = &beams[b++];
    if (item->beam->finished == 0) item->status = fail_overflow(&item->error);
  }
}

elman_status translator_run(struct translator *translator, const elman_sentence *const *sentences,
                            size_t count, const elman_translate_options *options,
                            elman_error *error) {
  const struct model *model = translator->model;
  elman_translate_options *own = &translator->options;
  size_t requests = 0;
  *own = *options;
  if (count > 0 && sentences[0]->reference != NULL)
    own->beam = own->n_best = 1; /* forced decoding has no alternatives */
  elman_status status = array_grow_zeroed(&translator->items, &translator->item_capacity, count,
                                          sizeof *translator->items, error);
  if (status == ELMAN_OK)
    status = array_grow(&translator->requests, &translator->request_capacity, count,
                        sizeof *translator->requests, error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++) {
    struct translator_item *item = &translator->items[i];
    status = encode_item(item, model, sentences[i], own, error);
    if (item->request.count > 0) translator->requests[requests++] = &item->request;
    if (status == ELMAN_OK) /* rendering may have taken long */
      status = search_pass_partial(
          &(elman_partial){.number = sentences[i]->number, .part = sentences[i]->part}, own, error);
  }
  if (status == ELMAN_OK && requests > 0)
    status = search_run(&translator->search, model, translator->requests, requests, own,
                        translator->screen, error);
  if (status == ELMAN_OK) assign_beams(translator, count);
  if (status == ELMAN_OK && own->n_best > 1 && !own->equal_texts)
    status = search_others(translator, count, error);
  return status;
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
  /* The cast only satisfies the type; the pass does not write to the arrays. */
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

void self_weights_copy(float *into, const struct self_weights *self, elman_side side, size_t K,
                       size_t count) {
  const bool encoder = side == ELMAN_SOURCE;
  const real *weights = encoder ? self->workspace.encoder.self_attention.weights
                                : self->workspace.decoder.self_attention.weights; /* (T,1,K,T) */
  const size_t T = encoder ? self->batch.source.steps : self->batch.target.steps;
  for (size_t t = 0; t < count; t++)
    for (size_t n = 0; n < K; n++)
      for (size_t s = 0; s < count; s++)
        into[(n * count + t) * count + s] = (float)weights[(t * K + n) * T + s];
}

/* ---- results: copies in one arena; a first pass with `arena->base` NULL only measures them
 * ---- */

static const void *copy(struct arena *arena, const void *from, size_t count, size_t size) {
  void *to = arena_allocate(arena, size, count, 1, 1);
  if (to != NULL && count > 0) memcpy(to, from, count * size);
  return to;
}

static const char *copy_text(struct arena *arena, struct text text) {
  char *to = arena_allocate(arena, 1, text.length + 1, 1, 1);
  if (to == NULL) return NULL; /* the arena only measures */
  if (text.length > 0) memcpy(to, text.bytes, text.length);
  to[text.length] = '\0';
  return to;
}

/* Copy the tokens without their marks, which are internal to a model. */
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

static struct spans allocate_spans(struct arena *arena, size_t count) {
  struct spans spans;
  spans.starts = arena_allocate(arena, sizeof *spans.starts, count, 1, 1);
  spans.ends = arena_allocate(arena, sizeof *spans.ends, count, 1, 1);
  return spans;
}

/* Copy the source, which all hypotheses of an item share. */
static elman_status copy_source(elman_translation *view, struct arena *arena,
                                const struct translator *translator,
                                const struct translator_item *item, elman_error *error) {
  const struct model_config *config = &translator->model->config;
  const struct text given = {item->given->text, item->given->length};
  const size_t S = item->source.tokens.count;
  const struct spans spans = allocate_spans(arena, S);
  bool *known = arena_allocate(arena, sizeof *known, S, 1, 1);
  view->source = copy_text(arena, given);
  view->source_count = S;
  view->heads = ensemble_heads(translator->model, &translator->options);
  view->source_tokens = copy_tokens(arena, &item->source.tokens);
  view->source_ids = copy(arena, item->source.ids, S, sizeof *item->source.ids);
  view->source_known = known;
  view->source_starts = spans.starts;
  view->source_ends = spans.ends;
  view->source_subwords = token_mode_row(config->source_tokens)->has_subwords;
  if (arena->base == NULL) return ELMAN_OK; /* the arena only measures */
  for (size_t s = 0; s < S; s++) known[s] = item->source.ids[s] != TOKEN_UNKNOWN;
  return locate_tokens(spans, &item->source.tokens, given, config->source_tokens,
                       config->source_normalization, error);
}

static elman_status copy_target(elman_translation *view, struct arena *arena,
                                const struct rendering *rendering,
                                const struct model_config *config, elman_error *error) {
  const elman_token_mode mode = config->target_tokens;
  const size_t T = rendering->tokens.count;
  const struct spans spans = allocate_spans(arena, T);
  const struct text text = buffer_text(&rendering->text);
  view->text = copy_text(arena, text);
  view->ended = rendering->ended;
  view->target_count = T;
  view->target_tokens = copy_tokens(arena, &rendering->tokens);
  view->target_ids = copy(arena, rendering->ids, T, sizeof *rendering->ids);
  view->target_starts = spans.starts;
  view->target_ends = spans.ends;
  view->target_subwords = token_mode_row(mode)->has_subwords;
  if (arena->base == NULL) return ELMAN_OK; /* the arena only measures */
  if (view->forced)
    return locate_tokens(spans, &rendering->tokens, text, mode, config->target_normalization,
                         error);
  locate_joined(spans, &rendering->tokens, T - view->ended, mode, text);
  return ELMAN_OK;
}

/* Return the number of source segments. Write the end of each unless `ends` is NULL. */
static size_t cut_source(size_t *ends, const struct translator *translator,
                         const struct encoding *source) {
  const struct attention_cuts cuts = ensemble_cuts(translator->model, &translator->options);
  const struct vocabulary *words = translator->model->source_vocabulary;
  return cuts.clauses ? clauses_of(ends, source->ids, source->tokens.count, words)
                      : attention_segments(ends, source->tokens.count, cuts.length);
}

static void copy_attention(elman_translation *view, struct arena *arena,
                           const struct translator *translator, const struct translator_item *item,
                           size_t n) {
  const struct located_path at = path_of(item, n);
  const bool has_sentinel = ensemble_has_sentinel(translator->model, &translator->options);
  const size_t T = view->target_count, S = view->source_count, K = view->heads;
  const size_t G = cut_source(NULL, translator, &item->source);
  float *attention = arena_allocate(arena, sizeof *attention, T, S, 1);
  float *heads = K > 1 ? arena_allocate(arena, sizeof *heads, K, T, S) : attention;
  double *log_probabilities = arena_allocate(arena, sizeof *log_probabilities, T, 1, 1);
  float *sentinel = has_sentinel ? arena_allocate(arena, sizeof *sentinel, T, 1, 1) : NULL;
  size_t *ends = G > 0 ? arena_allocate(arena, sizeof *ends, G, 1, 1) : NULL;
  float *segments = G > 0 ? arena_allocate(arena, sizeof *segments, T, G, 1) : NULL;
  view->attention = attention;
  view->head_attention = heads;
  view->log_probabilities = log_probabilities;
  view->sentinel = sentinel;
  view->segment_count = G;
  view->segment_ends = ends;
  view->segments = segments;
  if (at.beam == NULL || arena->base == NULL) return;
  const size_t rank = (size_t)(at.path - at.beam->ended);
  view->log_probability = at.path->log_probability;
  view->score = at.path->score;
  hypothesis_log_probabilities(log_probabilities, at.beam, rank);
  hypothesis_attention(attention, heads, at.beam, rank);
  if (sentinel != NULL) hypothesis_sentinel(sentinel, at.beam, rank);
  if (ends != NULL) cut_source(ends, translator, &item->source);
  for (size_t t = 0; t < T && segments != NULL; t++)
    attention_sum_segments(segments + t * G, attention + t * S, ends, G);
}

static elman_status copy_self_attention(elman_translation *view, struct arena *arena,
                                        struct translator *translator,
                                        const struct translator_item *item, size_t n,
                                        elman_error *error) {
  const struct model_config *config = &translator->model->config;
  const size_t S = view->source_count, T = view->target_count;
  const size_t sources = config->encoder_self_attention, targets = config->decoder_self_attention;
  if (!translator->options.self_attention || item->beam == NULL || sources + targets == 0)
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
                       translator->renderings[n].ids, T - view->ended, error);
  if (status != ELMAN_OK) return status;
  if (source != NULL) self_weights_copy(source, &translator->self, ELMAN_SOURCE, sources, S);
  if (target != NULL) self_weights_copy(target, &translator->self, ELMAN_TARGET, targets, T);
  return ELMAN_OK;
}

/* Describe the translation as one sentence. */
static void copy_sentence(elman_translation *view, struct arena *arena,
                          const struct translator_item *item, const struct rendering *rendering) {
  elman_translated_sentence *sentence = arena_allocate(arena, sizeof *sentence, 1, 1, 1);
  view->sentence_count = 1;
  view->sentences = sentence;
  if (sentence == NULL) return;
  *sentence = (elman_translated_sentence){.source = {0, item->given->length},
                                          .text = {0, rendering->text.length},
                                          .source_count = view->source_count,
                                          .target_count = view->target_count,
                                          .log_probability = view->log_probability,
                                          .score = view->score,
                                          .ended = view->ended};
}

static elman_status copy_into(struct owned_translation **owned, struct arena *arena,
                              struct translator *translator, const struct translator_item *item,
                              size_t count, elman_error *error) {
  elman_translation view = {.forced = item->given->reference != NULL && item->beam != NULL};
  *owned = arena_allocate(arena, sizeof **owned, 1, 1, 1);
  elman_translation *others = arena_allocate(arena, sizeof *others, count - 1, 1, 1);
  elman_status status = copy_source(&view, arena, translator, item, error);
  for (size_t n = 0; n < count && status == ELMAN_OK; n++) {
    status =
        copy_target(&view, arena, &translator->renderings[n], &translator->model->config, error);
    if (status != ELMAN_OK) break;
    copy_attention(&view, arena, translator, item, n);
    status = copy_self_attention(&view, arena, translator, item, n, error);
    copy_sentence(&view, arena, item, &translator->renderings[n]);
    view.next = n + 1 < count ? &others[n] : NULL;
    if (arena->base != NULL) *(n == 0 ? &(*owned)->view : &others[n - 1]) = view;
  }
  return status;
}

elman_status translation_create(elman_translation **translation, struct translator *translator,
                                size_t i, elman_error *error) {
  const struct translator_item *item = &translator->items[i];
  const size_t count = item->beam == NULL     ? 1
                       : item->others == NULL ? item->beam->finished
                                              : 1 + item->others->finished;
  struct owned_translation *owned = NULL;
  struct arena arena = {0};
  struct arena_fit fit = {0};
  elman_status status = render_best(translator, item, count, error);
  while (status == ELMAN_OK && arena_fit(&fit, &arena, error))
    status = copy_into(&owned, fit.now, translator, item, count, error);
  if (status == ELMAN_OK) status = fit.status;
  if (status != ELMAN_OK) {
    arena_free(&arena);
    return status;
  }
  owned->arena = arena;
  *translation = &owned->view;
  return ELMAN_OK;
}

void elman_translation_free(elman_translation *translation) {
  if (translation == NULL) return;
  struct arena arena = ((struct owned_translation *)translation)->arena;
  arena_free(&arena);
}
