/* Translations and their scores. */
#include <math.h>
#include <string.h>

#include "glue.h"

static void set_source(struct search *search, const char *text, bool is_text) {
  search->sentence.text = text;
  search->sentence.length = strlen(text);
  search->sentence.is_text = is_text;
}

/* Translate a text with the search of the request. */
static elman_status find_translations(elman_translation **found, struct object *model,
                                      struct search *search, elman_error *error) {
  elman_error own = {0};
  const elman_status status = elman_translate_batch(found, &own, model->translator,
                                                    &search->sentence, 1, &search->options, error);
  if (status != ELMAN_OK && own.code != ELMAN_OK) *error = own;
  return status;
}

/* Write why a translation is probably wrong, if it is. */
static void write_warning(FILE *answer, const elman_model *model,
                          const elman_translation *translation) {
  const elman_warning warning = elman_translation_warning(model, translation);
  if (warning.kind == ELMAN_WARNING_NONE) return;
  fprintf(answer,
          ",\"warning\":{\"kind\":\"%s\",\"message\":", elman_warning_kind_name(warning.kind));
  elman_write_json_text(answer, warning.message);
  fputc('}', answer);
}

elman_status write_translations(FILE *answer, const json_t *request, elman_error *error) {
  struct object *model;
  struct search search = {0};
  elman_translation *found = NULL;
  const char *text = "";
  const json_t *options = NULL;
  size_t number = 0;
  const struct field fields[] = {OBJECT_FIELD("model", number),
                                 {.name = "text", .needed = true, .text = &text},
                                 {.name = "options", .object = &options}};
  elman_status status = READ_FIELDS(fields, request, error);
  if (status == ELMAN_OK) status = object_get(&model, number, MODEL, "model", error);
  if (status == ELMAN_OK) status = read_search(&search, model->model, options, true, error);
  set_source(&search, text, true);
  if (status == ELMAN_OK) status = find_translations(&found, model, &search, error);
  for (const elman_translation *t = found; t != NULL; t = t->next) {
    fputs(t == found ? "{\"result\":[{" : ",{", answer);
    elman_translation_write_json(answer, t, ~(unsigned)ELMAN_JSON_MEASURES, DIGITS);
    if (t == found) write_warning(answer, model->model, t);
    fputs(t->next == NULL ? "}]}" : "}", answer);
  }
  elman_translation_free(found);
  search_options_free(&search);
  return status;
}

/* A beam search that adds one token finds the most probable ones. */
elman_status method_alternatives(json_t **result, const json_t *request, elman_error *error) {
  enum { MAX_LENGTH = 1000000 };
  struct object *model;
  struct search search = {.options = elman_translate_options_default(), .sentence.number = 1};
  elman_translation *found = NULL;
  const char *text = "";
  const json_t *ids = NULL;
  size_t number = 0, at = 0, count = 1;
  const struct field fields[] = {
      OBJECT_FIELD("model", number),
      {.name = "text", .needed = true, .text = &text},
      {.name = "target_ids", .needed = true, .list = &ids, .most = MAX_LENGTH},
      {.name = "position", .needed = true, .count = &at, .most = MAX_LENGTH},
      {.name = "count", .needed = true, .count = &count, .least = 1, .most = ELMAN_MAX_BEAM}};
  elman_status status = READ_FIELDS(fields, request, error);
  if (status == ELMAN_OK) status = object_get(&model, number, MODEL, "model", error);
  if (status == ELMAN_OK && at > json_array_size(ids))
    status = request_fail(error, ELMAN_INVALID_ARGUMENT,
                          "position %zu is beyond the %zu `target_ids`", at, json_array_size(ids));
  if (status == ELMAN_OK) status = read_prefix(&search, ids, at, error);
  if (status == ELMAN_OK)
    search.options.replace_unknown = elman_model_translate_options(model->model).replace_unknown;
  if (status == ELMAN_OK)
    search.options.precision = elman_model_get_info(model->model).translate_precision;
  search.options.beam = search.options.n_best = count;
  search.options.equal_texts =
      search.options.n_best > 1; /* different tokens are wanted, whatever their text */
  search.options.max_length = 1;
  set_source(&search, text, false);
  if (status == ELMAN_OK) status = find_translations(&found, model, &search, error);
  if (status == ELMAN_OK) {
    *result = json_array();
    for (const elman_translation *t = found; t != NULL && at < t->target_count; t = t->next)
      json_array_append_new(*result, json_pack("{s:s,s:I,s:f}", "token", t->target_tokens[at], "id",
                                               (json_int_t)t->target_ids[at], "probability",
                                               exp(t->log_probabilities[at])));
    elman_translation_free(found);
  }
  search_options_free(&search);
  return status;
}

elman_status method_evaluate(json_t **result, const json_t *request, elman_error *error) {
  struct object *model, *pairs;
  struct search search = {0};
  elman_scores scores;
  elman_evaluate_options options = elman_evaluate_options_default();
  const json_t *given = NULL;
  size_t number = 0, pairs_number = 0;
  const struct field fields[] = {OBJECT_FIELD("model", number),
                                 OBJECT_FIELD("pairs", pairs_number),
                                 {.name = "options", .object = &given}};
  elman_status status = READ_FIELDS(fields, request, error);
  if (status == ELMAN_OK) status = object_get(&model, number, MODEL, "model", error);
  if (status == ELMAN_OK) status = object_get(&pairs, pairs_number, PAIRS, "pairs", error);
  if (status == ELMAN_OK) status = read_search(&search, model->model, given, false, error);
  if (status == ELMAN_OK) {
    search.options.max_bytes = options.translate.max_bytes;
    options.translate = search.options;
    status = elman_evaluate(&scores, model->model, pairs->pairs, &options, error);
  }
  if (status == ELMAN_OK)
    *result = json_pack("{s:o,s:o,s:I,s:f,s:f,s:f}", "loss", number_json(scores.loss), "perplexity",
                        number_json(scores.perplexity), "sentences", (json_int_t)scores.sentences,
                        "exact_match", scores.exact_match, "bleu", scores.metrics.bleu, "chrf",
                        scores.metrics.chrf);
  search_options_free(&search);
  return status;
}
