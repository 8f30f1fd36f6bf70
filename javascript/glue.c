/* The module's only entry: a call with a request in JSON that returns an answer in JSON. elman.mjs
 * wraps it in classes. Files in requests are files in memory, which elman.mjs provides.
 *
 *   request   {"method": "translate", "model": 1, "text": "...", ...}
 *   answer    {"result": ...} or {"error": {"code": "bad data", "message": "...", "where": "..."}}
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elman.h"

/* ---- objects ---- */

/* Objects of JavaScript are numbers here: 1 + index in this list. */
enum kind { FREE, MODEL, PAIRS, TRAINING };

struct object {
  enum kind kind;
  elman_model *model;
  elman_translator *translator; /* of a model */
  elman_pairs *pairs;
  elman_training *training;
  struct training_log *log;           /* of a training */
  const struct object *trained, *dev; /* of a training: the model, and the dev pairs or NULL */
};

enum { MAX_OBJECTS = 4096 };
static struct object objects[MAX_OBJECTS];

static elman_status fail(elman_error *error, elman_status code, const char *message) {
  *error = (elman_error){.code = code};
  snprintf(error->message, sizeof error->message, "%s", message);
  return code;
}

static elman_status add(size_t *number, struct object object, elman_error *error) {
  for (size_t i = 0; i < MAX_OBJECTS; i++) {
    if (objects[i].kind != FREE) continue;
    objects[i] = object;
    *number = i + 1;
    return ELMAN_OK;
  }
  return fail(error, ELMAN_NO_MEMORY, "too many objects are in use; free() some");
}

static struct object *find(const json_t *request, const char *name, enum kind kind) {
  const json_int_t number = json_integer_value(json_object_get(request, name));
  if (number < 1 || number > MAX_OBJECTS || objects[number - 1].kind != kind) return NULL;
  return &objects[number - 1];
}

/* Find an object that a request must name. */
static elman_status require(struct object **object, const json_t *request, const char *name,
                            enum kind kind, elman_error *error) {
  *object = find(request, name, kind);
  if (*object != NULL) return ELMAN_OK;
  fail(error, ELMAN_INVALID_ARGUMENT, "");
  snprintf(error->message, sizeof error->message, "%s was freed, or is missing", name);
  return ELMAN_INVALID_ARGUMENT;
}

/* ---- reading requests ---- */

static const char *text_in(const json_t *request, const char *name) {
  const char *text = json_string_value(json_object_get(request, name));
  return text == NULL ? "" : text;
}

static elman_status bad_value(elman_error *error, const char *name, const char *problem) {
  fail(error, ELMAN_INVALID_ARGUMENT, "");
  snprintf(error->message, sizeof error->message, "%s %s", name, problem);
  return ELMAN_INVALID_ARGUMENT;
}

/* Read a whole number between two limits; keep *value if it is absent. */
static elman_status read_size(size_t *value, const json_t *request, const char *name, double least,
                              double most, elman_error *error) {
  const json_t *found = json_object_get(request, name);
  if (found == NULL || json_is_null(found)) return ELMAN_OK;
  const double number = json_number_value(found);
  if (!json_is_number(found) || number != floor(number) || number < least || number > most) {
    char problem[96];
    snprintf(problem, sizeof problem, "must be a whole number between %.0f and %.0f", least, most);
    return bad_value(error, name, problem);
  }
  *value = (size_t)number;
  return ELMAN_OK;
}

static elman_status read_real(double *value, const json_t *request, const char *name,
                              elman_error *error) {
  const json_t *found = json_object_get(request, name);
  if (found == NULL || json_is_null(found)) return ELMAN_OK;
  if (!json_is_number(found)) return bad_value(error, name, "must be a number");
  *value = json_number_value(found);
  return ELMAN_OK;
}

static elman_status read_flag(bool *value, const json_t *request, const char *name,
                              elman_error *error) {
  const json_t *found = json_object_get(request, name);
  if (found == NULL || json_is_null(found)) return ELMAN_OK;
  if (!json_is_boolean(found)) return bad_value(error, name, "must be true or false");
  *value = json_is_true(found);
  return ELMAN_OK;
}

/* ---- hyperparameters ---- */

/* Set the field of one row. The library checks limits. */
static elman_status set_value(void *fields, const elman_hyperparameter *row, const json_t *value,
                              elman_error *error) {
  enum { MAX_EXACT = 53 };
  char *field = (char *)fields + row->offset;
  const double number = json_number_value(value);
  const bool is_whole = json_is_number(value) && number == floor(number) && number >= 0;
  if (row->value == ELMAN_VALUE_FLAG) {
    if (!json_is_boolean(value)) return bad_value(error, row->name, "must be true or false");
    *(bool *)field = json_is_true(value);
  } else if (row->value == ELMAN_VALUE_SIZE) {
    if (!is_whole || number < row->minimum || number > row->maximum) {
      char problem[96];
      snprintf(problem, sizeof problem, "must be a whole number between %.0f and %.0f",
               row->minimum, row->maximum);
      return bad_value(error, row->name, problem);
    }
    *(size_t *)(void *)field = (size_t)number;
  } else if (row->value == ELMAN_VALUE_SEED) {
    if (!is_whole || number > ldexp(1, MAX_EXACT))
      return bad_value(error, row->name, "must be a whole number below 2^53");
    *(uint64_t *)(void *)field = (uint64_t)number;
  } else if (row->value == ELMAN_VALUE_REAL) {
    if (!json_is_number(value) || !(number >= row->minimum && number <= row->maximum)) {
      char problem[96];
      snprintf(problem, sizeof problem, "must be a number between %g and %g", row->minimum,
               row->maximum);
      return bad_value(error, row->name, problem);
    }
    *(double *)(void *)field = number;
  } else {
    size_t index = 0;
    const char *name = json_string_value(value), *choice;
    while ((choice = row->choice(index)) != NULL && (name == NULL || strcmp(choice, name) != 0))
      index++;
    if (choice == NULL) return bad_value(error, row->name, "has no such choice");
    if (row->value == ELMAN_VALUE_NAME)
      *(const char **)(void *)field = choice;
    else
      memcpy(field, &(int){(int)index}, sizeof(int));
  }
  return ELMAN_OK;
}

/* Apply settings to the options of models or of training. A name of the other scope is ignored,
 * because one object may hold both; an unknown name is an error. */
static elman_status apply_settings(void *fields, unsigned scopes, const json_t *settings,
                                   elman_error *error) {
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)settings, name, value) {
    const elman_hyperparameter *row = elman_hyperparameter_find(name);
    if (row == NULL) return bad_value(error, name, "is no hyperparameter");
    if ((row->scope & scopes) == 0) continue;
    const elman_status status = set_value(fields, row, value, error);
    if (status != ELMAN_OK) return status;
  }
  return ELMAN_OK;
}

static json_t *value_of(const elman_hyperparameter *row, const void *fields) {
  const char *field = (const char *)fields + row->offset;
  switch (row->value) {
  case ELMAN_VALUE_FLAG:
    return json_boolean(*(const bool *)field);
  case ELMAN_VALUE_SIZE:
    return json_integer((json_int_t) * (const size_t *)(const void *)field);
  case ELMAN_VALUE_SEED:
    return json_real((double)*(const uint64_t *)(const void *)field);
  case ELMAN_VALUE_REAL:
    return json_real(*(const double *)(const void *)field);
  default:
    return json_string(elman_hyperparameter_choice(row, fields));
  }
}

static void put_settings(json_t *into, unsigned scopes, const void *fields) {
  const elman_hyperparameter *row = NULL;
  while ((row = elman_hyperparameter_next(row, scopes)) != NULL)
    json_object_set_new(into, row->name, value_of(row, fields));
}

enum {
  MODEL_SCOPES = ELMAN_SCOPE_MODEL | ELMAN_SCOPE_START,
  TRAIN_SCOPES = ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END
};

static elman_status describe(json_t **result, const json_t *request, elman_error *error) {
  (void)request, (void)error;
  static const char *const types[] = {"size", "seed", "real", "flag", "choice", "choice"};
  const elman_model_options model = elman_model_options_default();
  const elman_train_options training = elman_train_options_default();
  json_t *rows = json_array();
  const elman_hyperparameter *row = NULL;
  while ((row = elman_hyperparameter_next(row, MODEL_SCOPES | TRAIN_SCOPES)) != NULL) {
    const bool of_model = (row->scope & MODEL_SCOPES) != 0;
    json_t *choices = json_array();
    for (size_t i = 0; row->choice != NULL && row->choice(i) != NULL; i++)
      json_array_append_new(choices, json_string(row->choice(i)));
    json_array_append_new(
        rows,
        json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:f,s:f,s:o,s:o}", "name", row->name, "option",
                  row->option, "label", row->label, "group", row->group, "help", row->help, "scope",
                  of_model ? "model" : "training", "type", types[row->value], "minimum",
                  row->minimum, "maximum", row->maximum, "choices", choices, "default",
                  value_of(row, of_model ? (const void *)&model : (const void *)&training)));
  }
  *result = json_pack("{s:s,s:o}", "version", elman_version(), "hyperparameters", rows);
  return ELMAN_OK;
}

/* ---- pairs ---- */

struct skipped_lines {
  json_t *list;
  size_t count;
};

static void note_skipped(void *context, const char *file, size_t line, elman_finding fault,
                         const char *problem) {
  enum { MOST = 1000 };
  struct skipped_lines *lines = context;
  (void)file;
  if (lines->count++ < MOST)
    json_array_append_new(lines->list, json_pack("{s:I,s:s,s:s}", "line", (json_int_t)line, "fault",
                                                 elman_finding_name(fault), "problem", problem));
}

/* Read the pairs in the file /pairs. */
static elman_status read_pairs(json_t **result, const json_t *request, elman_error *error) {
  (void)request;
  static const char *const files[] = {"/pairs"};
  struct skipped_lines lines = {.list = json_array()};
  elman_pairs_options options = elman_pairs_options_default();
  options.files = files;
  options.file_count = 1;
  options.skipped = note_skipped;
  options.context = &lines;
  elman_pairs *pairs;
  size_t number = 0;
  elman_status status = elman_pairs_read(&pairs, &options, error);
  if (status == ELMAN_OK) {
    status = add(&number, (struct object){.kind = PAIRS, .pairs = pairs}, error);
    if (status != ELMAN_OK) elman_pairs_free(pairs);
  }
  *result = json_pack("{s:I,s:I,s:I,s:O}", "pairs", (json_int_t)number, "count",
                      (json_int_t)(number == 0 ? 0 : elman_pairs_count(pairs)), "skippedCount",
                      (json_int_t)lines.count, "skipped", lines.list);
  json_decref(lines.list);
  return status;
}

/* ---- models ---- */

static elman_status add_model(json_t **result, elman_model *model, elman_error *error) {
  size_t number = 0;
  struct object object = {.kind = MODEL, .model = model};
  elman_status status = elman_translator_create(&object.translator, model, error);
  if (status == ELMAN_OK) status = add(&number, object, error);
  if (status != ELMAN_OK) {
    elman_translator_free(object.translator);
    elman_model_free(model);
  }
  *result = json_pack("{s:I}", "model", (json_int_t)number);
  return status;
}

static elman_status create_model(json_t **result, const json_t *request, elman_error *error) {
  struct object *pairs;
  elman_model *model;
  elman_model_options options = elman_model_options_default();
  const json_t *settings = json_object_get(request, "settings");
  elman_train_options training = elman_train_options_default(); /* its seed is also the model's */
  elman_status status = require(&pairs, request, "pairs", PAIRS, error);
  if (status == ELMAN_OK) status = apply_settings(&options, MODEL_SCOPES, settings, error);
  if (status == ELMAN_OK) status = apply_settings(&training, TRAIN_SCOPES, settings, error);
  options.seed = training.seed;
  options.max_length = training.max_length;
  if (status == ELMAN_OK) status = elman_model_create(&model, pairs->pairs, &options, error);
  return status == ELMAN_OK ? add_model(result, model, error) : status;
}

/* Load the model in the file /model. */
static elman_status load_model(json_t **result, const json_t *request, elman_error *error) {
  (void)request;
  elman_model *model;
  const elman_status status = elman_model_load(&model, "/model", error);
  return status == ELMAN_OK ? add_model(result, model, error) : status;
}

/* Write the model to the file /model. */
static elman_status save_model(json_t **result, const json_t *request, elman_error *error) {
  struct object *model;
  (void)result;
  const elman_status status = require(&model, request, "model", MODEL, error);
  return status == ELMAN_OK ? elman_model_save(model->model, "/model", error) : status;
}

static elman_status model_info(json_t **result, const json_t *request, elman_error *error) {
  struct object *object;
  const elman_status status = require(&object, request, "model", MODEL, error);
  if (status != ELMAN_OK) return status;
  const elman_model_info info = elman_model_get_info(object->model);
  json_t *settings = json_object();
  put_settings(settings, info.start_known ? MODEL_SCOPES : ELMAN_SCOPE_MODEL, &info);
  if (info.training != NULL) put_settings(settings, TRAIN_SCOPES, info.training);
  json_t *search = info.search.beam == 0
                       ? json_null()
                       : json_pack("{s:I,s:f}", "beam", (json_int_t)info.search.beam,
                                   "lengthPenalty", info.search.length_penalty);
  *result =
      json_pack("{s:o,s:I,s:I,s:I,s:s,s:s,s:{s:I,s:I,s:I},s:o}", "settings", settings, "parameters",
                (json_int_t)info.parameters, "sourceVocabulary", (json_int_t)info.source_vocabulary,
                "targetVocabulary", (json_int_t)info.target_vocabulary, "sourceTokens",
                elman_token_mode_name(info.source_tokens), "targetTokens",
                elman_token_mode_name(info.target_tokens), "history", "epochs",
                (json_int_t)info.history.epochs, "updates", (json_int_t)info.history.updates,
                "tokens", (json_int_t)info.history.tokens, "search", search);
  return ELMAN_OK;
}

/* ---- translations ---- */

/* Options of a translation, and the memory to which they point. */
struct search {
  elman_translate_options options;
  elman_override *overrides;
  uint32_t *prefix;
  elman_sentence sentence;
};

static void search_free(struct search *search) {
  free(search->overrides);
  free(search->prefix);
}

static elman_status read_override(elman_override *override, const json_t *from,
                                  elman_error *error) {
  static const char *const kinds[] = {"uniform", "shuffle", "position", "cell"};
  enum { MOST = 1000000 };
  size_t kind = 0;
  while (kind < 4 && strcmp(kinds[kind], text_in(from, "kind")) != 0) kind++;
  if (kind == 4) return bad_value(error, "kind", "must be uniform, shuffle, position or cell");
  *override = (elman_override){.kind = (elman_override_kind)kind};
  elman_status status = read_size(&override->row, from, "row", 0, MOST, error);
  if (status == ELMAN_OK) status = read_size(&override->column, from, "column", 0, MOST, error);
  return status == ELMAN_OK ? read_real(&override->weight, from, "weight", error) : status;
}

static elman_status read_overrides(struct search *search, const json_t *request,
                                   elman_error *error) {
  const json_t *list = json_object_get(request, "overrides");
  const size_t count = json_array_size(list);
  elman_status status = ELMAN_OK;
  search->overrides = calloc(count + 1, sizeof *search->overrides);
  if (search->overrides == NULL) return fail(error, ELMAN_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < count && status == ELMAN_OK; i++)
    status = read_override(&search->overrides[i], json_array_get(list, i), error);
  search->options.overrides = search->overrides;
  search->options.override_count = count;
  return status;
}

static elman_status read_prefix(struct search *search, const json_t *request, elman_error *error) {
  const json_t *list = json_object_get(request, "prefix");
  const size_t count = json_array_size(list);
  search->prefix = calloc(count + 1, sizeof *search->prefix);
  if (search->prefix == NULL) return fail(error, ELMAN_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < count; i++)
    search->prefix[i] = (uint32_t)json_number_value(json_array_get(list, i));
  search->sentence.prefix = search->prefix;
  search->sentence.prefix_count = count;
  return ELMAN_OK;
}

/* Read the options of a search; defaults are those of elman_translate. Whoever calls frees them,
 * also after an error. */
static elman_status read_search(struct search *search, const json_t *request, elman_error *error) {
  enum { MAX_LENGTH = 1000000 };
  *search = (struct search){.options = elman_translate_options_default()};
  elman_translate_options *options = &search->options;
  size_t seed = 1;
  const json_t *reference = json_object_get(request, "reference");
  elman_status status = read_size(&options->beam, request, "beam", 1, ELMAN_MAX_BEAM, error);
  if (status == ELMAN_OK)
    status = read_size(&options->n_best, request, "nBest", 1, ELMAN_MAX_BEAM, error);
  if (status == ELMAN_OK)
    status = read_size(&options->max_length, request, "maxLength", 0, MAX_LENGTH, error);
  if (status == ELMAN_OK)
    status = read_size(&options->top_k, request, "topK", 0, ELMAN_MAX_TOP_K, error);
  if (status == ELMAN_OK) status = read_size(&seed, request, "seed", 0, 4294967295.0, error);
  if (status == ELMAN_OK)
    status = read_real(&options->length_penalty, request, "lengthPenalty", error);
  if (status == ELMAN_OK) status = read_real(&options->temperature, request, "temperature", error);
  if (status == ELMAN_OK) status = read_flag(&options->sample, request, "sample", error);
  if (status == ELMAN_OK) status = read_overrides(search, request, error);
  if (status == ELMAN_OK) status = read_prefix(search, request, error);
  options->sample_seed = options->override_seed = seed;
  search->sentence.text = text_in(request, "text");
  search->sentence.length = json_string_length(json_object_get(request, "text"));
  search->sentence.number = 1;
  if (json_is_string(reference)) {
    search->sentence.reference = json_string_value(reference);
    search->sentence.reference_length = json_string_length(reference);
  }
  return status;
}

static json_t *strings(const char *const *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(values[i]));
  return list;
}

static json_t *integers(const void *values, size_t count, size_t width) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    const json_int_t value = width == sizeof(uint64_t) ? (json_int_t)((const uint64_t *)values)[i]
                                                       : (json_int_t)((const uint32_t *)values)[i];
    json_array_append_new(list, json_integer(value));
  }
  return list;
}

static json_t *sizes(const size_t *values, size_t count) {
  return integers(values, count, sizeof *values);
}

static json_t *flags(const bool *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_boolean(values[i]));
  return list;
}

/* A number of JSON; null if it is not finite. */
static json_t *number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

static json_t *doubles(const double *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, number(values[i]));
  return list;
}

static json_t *double_matrix(const double *values, size_t rows, size_t columns) {
  json_t *list = json_array();
  for (size_t i = 0; i < rows; i++)
    json_array_append_new(list, doubles(values + i * columns, columns));
  return list;
}

static json_t *floats(const float *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, number((double)values[i]));
  return list;
}

static json_t *matrix(const float *values, size_t rows, size_t columns) {
  json_t *list = json_array();
  for (size_t i = 0; i < rows; i++)
    json_array_append_new(list, floats(values + i * columns, columns));
  return list;
}

static json_t *matrices(const float *values, size_t count, size_t rows, size_t columns) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, matrix(values + i * rows * columns, rows, columns));
  return list;
}

static json_t *translation_json(const elman_translation *t) {
  const size_t S = t->source_count, T = t->target_count;
  json_t *json = json_object();
  json_object_set_new(json, "text", json_string(t->text));
  json_object_set_new(json, "source", json_string(t->source));
  json_object_set_new(json, "logProbability", number(t->log_probability));
  json_object_set_new(json, "score", number(t->score));
  json_object_set_new(json, "sourceTokens", strings(t->source_tokens, S));
  json_object_set_new(json, "sourceIds", integers(t->source_ids, S, sizeof *t->source_ids));
  json_object_set_new(json, "sourceKnown", flags(t->source_known, S));
  json_object_set_new(json, "sourceStarts", sizes(t->source_starts, S));
  json_object_set_new(json, "sourceEnds", sizes(t->source_ends, S));
  json_object_set_new(json, "targetTokens", strings(t->target_tokens, T));
  json_object_set_new(json, "targetIds", integers(t->target_ids, T, sizeof *t->target_ids));
  json_object_set_new(json, "targetStarts", sizes(t->target_starts, T));
  json_object_set_new(json, "targetEnds", sizes(t->target_ends, T));
  json_object_set_new(json, "logProbabilities", doubles(t->log_probabilities, T));
  json_object_set_new(json, "ended", json_boolean(t->ended));
  json_object_set_new(json, "forced", json_boolean(t->forced));
  json_object_set_new(json, "attention", matrix(t->attention, T, S));
  json_object_set_new(json, "headAttention", matrices(t->head_attention, t->heads, T, S));
  json_object_set_new(json, "sentinel", t->sentinel == NULL ? json_null() : floats(t->sentinel, T));
  return json;
}

/* Translate one sentence with the search of the request. */
static elman_status find_translations(elman_translation **found, struct object *model,
                                      struct search *search, elman_error *error) {
  elman_error own = {0};
  const elman_status status = elman_translate_batch(found, &own, model->translator,
                                                    &search->sentence, 1, &search->options, error);
  if (status != ELMAN_OK && own.code != ELMAN_OK) *error = own;
  return status;
}

static elman_status translate(json_t **result, const json_t *request, elman_error *error) {
  struct object *model;
  struct search search = {0};
  elman_translation *found = NULL;
  elman_status status = require(&model, request, "model", MODEL, error);
  if (status == ELMAN_OK) status = read_search(&search, request, error);
  if (status == ELMAN_OK) status = find_translations(&found, model, &search, error);
  if (status == ELMAN_OK) {
    *result = json_array();
    for (const elman_translation *t = found; t != NULL; t = t->next)
      json_array_append_new(*result, translation_json(t));
    elman_translation_free(found);
  }
  search_free(&search);
  return status;
}

/* A beam search that adds one token finds the most probable ones. */
static elman_status alternatives(json_t **result, const json_t *request, elman_error *error) {
  struct object *model;
  struct search search = {0};
  elman_translation *found = NULL;
  elman_status status = require(&model, request, "model", MODEL, error);
  if (status == ELMAN_OK) status = read_search(&search, request, error);
  search.options.n_best = search.options.beam;
  search.options.max_length = 1;
  if (status == ELMAN_OK) status = find_translations(&found, model, &search, error);
  if (status == ELMAN_OK) {
    const size_t at = search.sentence.prefix_count;
    *result = json_array();
    for (const elman_translation *t = found; t != NULL && at < t->target_count; t = t->next)
      json_array_append_new(*result, json_pack("{s:s,s:I,s:f}", "token", t->target_tokens[at], "id",
                                               (json_int_t)t->target_ids[at], "probability",
                                               exp(t->log_probabilities[at])));
    elman_translation_free(found);
  }
  search_free(&search);
  return status;
}

static elman_status evaluate(json_t **result, const json_t *request, elman_error *error) {
  struct object *model, *pairs;
  struct search search = {0};
  elman_scores scores;
  elman_evaluate_options options = elman_evaluate_options_default();
  elman_status status = require(&model, request, "model", MODEL, error);
  if (status == ELMAN_OK) status = require(&pairs, request, "pairs", PAIRS, error);
  if (status == ELMAN_OK) status = read_search(&search, request, error);
  if (status == ELMAN_OK) {
    options.translate = search.options;
    status = elman_evaluate(&scores, model->model, pairs->pairs, &options, error);
  }
  if (status == ELMAN_OK)
    *result = json_pack("{s:o,s:o,s:I,s:f,s:f,s:f}", "loss", number(scores.loss), "perplexity",
                        number(scores.perplexity), "sentences", (json_int_t)scores.sentences,
                        "exactMatch", scores.exact_match, "bleu", scores.metrics.bleu, "chrf",
                        scores.metrics.chrf);
  search_free(&search);
  return status;
}

/* ---- gradients ---- */

static elman_status trace(json_t **result, const json_t *request, elman_error *error) {
  struct object *model;
  size_t step = 0;
  elman_gradient_trace *trace;
  elman_status status = require(&model, request, "model", MODEL, error);
  if (status == ELMAN_OK) status = read_size(&step, request, "step", 0, 1000000, error);
  if (status == ELMAN_OK)
    status = elman_trace(&trace, model->model, text_in(request, "source"),
                         text_in(request, "target"), step, error);
  if (status != ELMAN_OK) return status;
  json_t *layers = json_array();
  for (size_t i = 0; i < trace->layer_count; i++) {
    const elman_traced_layer *layer = &trace->layers[i];
    json_array_append_new(
        layers, json_pack("{s:s,s:I,s:b,s:I,s:o,s:o,s:o,s:o}", "side",
                          layer->side == ELMAN_SOURCE ? "source" : "target", "layer",
                          (json_int_t)layer->layer, "reverse", layer->reverse, "units",
                          (json_int_t)layer->units, "states", doubles(layer->states, layer->steps),
                          "inputs", doubles(layer->inputs, layer->steps), "saturated",
                          doubles(layer->saturated, layer->steps), "hidden",
                          double_matrix(layer->hidden, layer->steps, layer->units)));
  }
  *result = json_pack("{s:o,s:o,s:o,s:o,s:o}", "loss", number(trace->loss), "sourceTokens",
                      strings(trace->source_tokens, trace->source_count), "targetTokens",
                      strings(trace->target_tokens, trace->target_count), "losses",
                      doubles(trace->losses, trace->target_count), "layers", layers);
  elman_trace_free(trace);
  return ELMAN_OK;
}

static elman_status gradient_check(json_t **result, const json_t *request, elman_error *error) {
  struct object *model;
  elman_gradient_report *report;
  elman_gradient_options options = elman_gradient_options_default();
  const char *source = text_in(request, "source"), *target = text_in(request, "target");
  elman_status status = require(&model, request, "model", MODEL, error);
  if (status == ELMAN_OK)
    status = read_size(&options.samples, request, "samples", 0, 1000000, error);
  if (status == ELMAN_OK)
    status = elman_gradient_check(&report, model->model, &source, &target, 1, &options, error);
  if (status != ELMAN_OK) return status;
  json_t *tensors = json_array();
  for (size_t i = 0; i < report->tensor_count; i++) {
    const elman_checked_tensor *tensor = &report->tensors[i];
    json_array_append_new(
        tensors,
        json_pack("{s:s,s:I,s:I,s:I,s:o,s:o,s:o,s:s}", "name", tensor->name, "rows",
                  (json_int_t)tensor->rows, "columns", (json_int_t)tensor->columns, "checked",
                  (json_int_t)tensor->checked, "analytic", number(tensor->analytic), "numerical",
                  number(tensor->numerical), "error", number(tensor->error), "verdict",
                  elman_verdict_name(tensor->verdict)));
  }
  *result = json_pack("{s:o,s:b,s:b,s:o}", "loss", number(report->loss), "passed", report->passed,
                      "failed", report->failed, "tensors", tensors);
  elman_gradient_report_free(report);
  return ELMAN_OK;
}

/* ---- training ---- */

/* Reports of the updates and validations of one call. */
struct training_log {
  json_t *reports, *validations;
};

static bool note_update(void *context, const elman_train_report *r) {
  struct training_log *log = context;
  json_array_append_new(log->reports,
                        json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:o,s:o,s:f,s:I,s:f,s:f}", "epoch",
                                  (json_int_t)r->epoch, "epochs", (json_int_t)r->epochs, "update",
                                  (json_int_t)r->update, "updates", (json_int_t)r->updates,
                                  "updatesSoFar", (json_int_t)r->updates_so_far, "tokens",
                                  (json_int_t)r->tokens, "loss", number(r->loss), "updateLoss",
                                  number(r->update_loss), "gradientNorm", number(r->gradient_norm),
                                  "learningRate", r->learning_rate, "skipped",
                                  (json_int_t)r->skipped, "unknownSource", r->unknown_source,
                                  "unknownTarget", r->unknown_target));
  return true;
}

static bool note_validation(void *context, const elman_validation *v) {
  struct training_log *log = context;
  json_array_append_new(
      log->validations,
      json_pack("{s:I,s:I,s:o,s:o,s:f,s:f,s:f,s:b}", "epoch", (json_int_t)v->epoch, "update",
                (json_int_t)v->update, "loss", number(v->loss), "perplexity", number(v->perplexity),
                "exactMatch", v->exact_match, "bleu", v->bleu, "chrf", v->chrf, "best", v->best));
  return true;
}

static elman_status create_training(json_t **result, const json_t *request, elman_error *error) {
  enum { MAX_EPOCHS = 1000000 };
  struct object *model, *pairs, *dev = find(request, "dev", PAIRS);
  elman_train_options options = elman_train_options_default();
  struct object object = {.kind = TRAINING, .log = calloc(1, sizeof *object.log)};
  size_t number = 0, epochs = 0;
  if (object.log == NULL) return fail(error, ELMAN_NO_MEMORY, "out of memory");
  elman_status status = require(&model, request, "model", MODEL, error);
  if (status == ELMAN_OK) status = require(&pairs, request, "pairs", PAIRS, error);
  if (status == ELMAN_OK)
    status = apply_settings(&options, TRAIN_SCOPES, json_object_get(request, "settings"), error);
  if (status == ELMAN_OK) status = read_size(&epochs, request, "epochs", 0, MAX_EPOCHS, error);
  if (json_object_get(request, "epochs") != NULL) options.epochs = epochs;
  if (dev != NULL) options.dev = dev->pairs;
  options.report = note_update;
  options.validated = note_validation;
  options.context = object.log;
  if (status == ELMAN_OK)
    status = elman_training_create(&object.training, model->model, pairs->pairs, &options, error);
  if (status == ELMAN_OK) {
    object.trained = model;
    object.dev = dev;
    status = add(&number, object, error);
    if (status != ELMAN_OK) elman_training_free(object.training);
  }
  if (status != ELMAN_OK) free(object.log);
  *result = json_pack("{s:I}", "training", (json_int_t)number);
  return status;
}

/* Do `updates` updates. The answer has their reports. */
static elman_status advance(json_t **result, const json_t *request, elman_error *error) {
  struct object *object;
  size_t updates = 1;
  bool finished = false;
  elman_status status = require(&object, request, "training", TRAINING, error);
  if (status == ELMAN_OK) status = read_size(&updates, request, "updates", 1, 1000000, error);
  if (status != ELMAN_OK) return status;
  *object->log = (struct training_log){json_array(), json_array()};
  status = elman_training_advance(object->training, updates, &finished, error);
  *result = json_pack("{s:o,s:o,s:b}", "reports", object->log->reports, "validations",
                      object->log->validations, "finished", finished);
  return status;
}

static elman_status finish(json_t **result, const json_t *request, elman_error *error) {
  struct object *object;
  (void)result;
  const elman_status status = require(&object, request, "training", TRAINING, error);
  return status == ELMAN_OK ? elman_training_finish(object->training, error) : status;
}

/* ---- freeing ---- */

/* A training borrows its model and its dev pairs. */
static bool is_borrowed(const struct object *object) {
  for (size_t i = 0; i < MAX_OBJECTS; i++)
    if (objects[i].trained == object || objects[i].dev == object) return true;
  return false;
}

static elman_status free_object(json_t **result, const json_t *request, elman_error *error) {
  const json_int_t number = json_integer_value(json_object_get(request, "object"));
  (void)result;
  if (number < 1 || number > MAX_OBJECTS) return ELMAN_OK;
  struct object *object = &objects[number - 1];
  if (is_borrowed(object))
    return fail(error, ELMAN_INVALID_ARGUMENT,
                "a training uses this object; free the training first");
  elman_training_free(object->training);
  elman_translator_free(object->translator);
  elman_model_free(object->model);
  elman_pairs_free(object->pairs);
  free(object->log);
  *object = (struct object){0};
  return ELMAN_OK;
}

/* ---- the entry ---- */

static const struct {
  const char *name;
  elman_status (*run)(json_t **result, const json_t *request, elman_error *error);
} methods[] = {
    {"describe", describe},
    {"readPairs", read_pairs},
    {"createModel", create_model},
    {"loadModel", load_model},
    {"saveModel", save_model},
    {"modelInfo", model_info},
    {"translate", translate},
    {"alternatives", alternatives},
    {"evaluate", evaluate},
    {"trace", trace},
    {"gradientCheck", gradient_check},
    {"createTraining", create_training},
    {"advance", advance},
    {"finish", finish},
    {"free", free_object},
};

static elman_status run(json_t **result, const json_t *request, elman_error *error) {
  const char *name = text_in(request, "method");
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strcmp(methods[i].name, name) == 0) return methods[i].run(result, request, error);
  return bad_value(error, "method", "is unknown");
}

static json_t *error_json(elman_status status, const elman_error *error) {
  static const char *const names[] = {
      "",          "invalid argument", "bad data",     "no input",
      "no memory", "cannot create",    "input/output", "interrupted"};
  return json_pack("{s:s,s:s,s:s}", "code", names[status], "message", error->message, "where",
                   error->where);
}

/* Memory for a request. */
__attribute__((export_name("elman_allocate"))) void *elman_allocate(size_t bytes) {
  return malloc(bytes);
}

__attribute__((export_name("elman_free"))) void elman_free(void *memory) {
  free(memory);
}

/* Answer a request of `length` bytes of JSON. Return the answer, which the caller frees; NULL if
 * memory is exhausted. */
__attribute__((export_name("elman_call"))) char *elman_call(const char *text, size_t length) {
  enum { DIGITS = 17 };
  elman_error error = {0};
  json_t *result = NULL, *request = json_loadb(text, length, 0, NULL);
  const elman_status status = request == NULL ? fail(&error, ELMAN_INVALID_ARGUMENT, "bad request")
                                              : run(&result, request, &error);
  json_t *answer = json_object();
  if (status != ELMAN_OK) json_object_set_new(answer, "error", error_json(status, &error));
  if (result != NULL) json_object_set_new(answer, "result", result);
  char *dumped = json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
  json_decref(answer);
  json_decref(request);
  return dumped;
}
