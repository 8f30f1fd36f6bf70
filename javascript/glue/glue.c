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

#include "glue.h"

/* ---- objects ---- */

static struct object objects[MAX_OBJECTS];

elman_status object_add(size_t *number, struct object object, elman_error *error) {
  for (size_t i = 0; i < MAX_OBJECTS; i++) {
    if (objects[i].kind != FREE) continue;
    objects[i] = object;
    *number = i + 1;
    return ELMAN_OK;
  }
  return request_fail(error, ELMAN_NO_MEMORY, "too many objects are in use; free() some");
}

elman_status object_get(struct object **object, size_t number, enum kind kind, const char *name,
                        elman_error *error) {
  *object = number < 1 || number > MAX_OBJECTS ? NULL : &objects[number - 1];
  if (*object != NULL && (*object)->kind == kind) return ELMAN_OK;
  return request_fail(error, ELMAN_INVALID_ARGUMENT, "%s was freed, or is missing", name);
}

elman_status read_object(struct object **object, const json_t *request, const char *name,
                         enum kind kind, elman_error *error) {
  size_t number = 0;
  const struct field fields[] = {OBJECT_FIELD(name, number)};
  const elman_status status = READ_FIELDS(fields, request, error);
  return status == ELMAN_OK ? object_get(object, number, kind, name, error) : status;
}

/* ---- hyperparameters ---- */

static elman_status method_describe(json_t **result, const json_t *request, elman_error *error) {
  const elman_status status = read_fields(NULL, 0, 0, request, error);
  if (status != ELMAN_OK) return status;
  enum { DASHES = 2 };
  static const char *const types[] = {"size",   "seed",   "real",    "flag",
                                      "choice", "choice", "language"};
  const elman_model_options model = elman_model_options_default();
  const elman_train_options training = elman_train_options_default();
  json_t *rows = json_array();
  const elman_option *row = NULL;
  while ((row = elman_option_next(row, ELMAN_SCOPES_MODEL | ELMAN_SCOPES_TRAIN)) != NULL) {
    const bool of_model = (row->scope & ELMAN_SCOPES_MODEL) != 0;
    char option[64];
    elman_option_write_name(option, sizeof option, row->name, ELMAN_NAMES_OPTION);
    json_t *choices = json_array();
    for (size_t i = 0; row->choice != NULL && row->choice(i) != NULL; i++)
      json_array_append_new(choices, json_string(row->choice(i)));
    json_array_append_new(
        rows,
        json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:f,s:f,s:o,s:o}", "name", row->name, "option",
                  option + DASHES, "label", row->label, "group", row->group, "help", row->help,
                  "scope", of_model ? "model" : "training", "type", types[row->value], "minimum",
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
static elman_status method_read_pairs(json_t **result, const json_t *request, elman_error *error) {
  static const char *const files[] = {"pairs"};
  struct skipped_lines lines = {.list = json_array()};
  elman_pairs_options options = elman_pairs_options_default();
  options.files = files;
  options.file_count = 1;
  options.max_bytes = 0;
  options.skipped = note_skipped;
  options.context = &lines;
  elman_pairs *pairs;
  size_t number = 0;
  elman_status status = read_fields(NULL, 0, 0, request, error);
  if (status == ELMAN_OK) status = elman_pairs_read(&pairs, &options, error);
  if (status == ELMAN_OK) {
    status = object_add(&number, (struct object){.kind = PAIRS, .pairs = pairs}, error);
    if (status != ELMAN_OK) elman_pairs_free(pairs);
  }
  *result = json_pack("{s:I,s:I,s:I,s:O}", "pairs", (json_int_t)number, "count",
                      (json_int_t)(number == 0 ? 0 : elman_pairs_count(pairs)), "skipped_count",
                      (json_int_t)lines.count, "skipped", lines.list);
  json_decref(lines.list);
  return status;
}

/* ---- models ---- */

static elman_status add_model(json_t **result, elman_model *model, elman_error *error) {
  size_t number = 0;
  struct object object = {.kind = MODEL, .model = model};
  elman_status status = elman_translator_create(&object.translator, model, error);
  if (status == ELMAN_OK) status = object_add(&number, object, error);
  if (status != ELMAN_OK) {
    elman_translator_free(object.translator);
    elman_model_free(model);
  }
  *result = json_pack("{s:I}", "model", (json_int_t)number);
  return status;
}

static elman_status method_create_model(json_t **result, const json_t *request,
                                        elman_error *error) {
  struct object *pairs;
  struct settings settings;
  const json_t *given = NULL;
  size_t number = 0;
  elman_model *model;
  const struct field fields[] = {OBJECT_FIELD("pairs", number),
                                 {.name = "settings", .object = &given}};
  elman_status status = READ_FIELDS(fields, request, error);
  if (status == ELMAN_OK) status = object_get(&pairs, number, PAIRS, "pairs", error);
  if (status != ELMAN_OK) return status;
  json_t *notes = json_array();
  status = read_settings(&settings, given, notes, error);
  if (status == ELMAN_OK)
    status = elman_options_check(ELMAN_SCOPES_TRAIN, &settings.training, settings.given,
                                 ELMAN_NAMES_CAMEL, error);
  if (status == ELMAN_OK)
    status = elman_preset_apply(&settings.model, NULL, &settings.preset, error);
  if (status == ELMAN_OK)
    status = elman_options_check(ELMAN_SCOPES_MODEL, &settings.model, settings.given,
                                 ELMAN_NAMES_CAMEL, error);
  if (status == ELMAN_OK)
    status = elman_model_create(&model, pairs->pairs, &settings.model, &settings.training, error);
  if (status == ELMAN_OK) status = add_model(result, model, error);
  if (status == ELMAN_OK) json_object_set(*result, "notes", notes);
  json_decref(notes);
  return status;
}

/* Load the model in the file /model. */
static elman_status method_load_model(json_t **result, const json_t *request, elman_error *error) {
  elman_model *model;
  elman_status status = read_fields(NULL, 0, 0, request, error);
  if (status == ELMAN_OK) status = elman_model_load(&model, "model", error);
  return status == ELMAN_OK ? add_model(result, model, error) : status;
}

/* Write the model to the file /model. */
static elman_status method_save_model(json_t **result, const json_t *request, elman_error *error) {
  struct object *model;
  (void)result;
  const elman_status status = read_object(&model, request, "model", MODEL, error);
  return status == ELMAN_OK ? elman_model_save(model->model, "model", error) : status;
}

static elman_status method_model_info(json_t **result, const json_t *request, elman_error *error) {
  struct object *object;
  const elman_status status = read_object(&object, request, "model", MODEL, error);
  if (status != ELMAN_OK) return status;
  const elman_model_info info = elman_model_get_info(object->model);
  json_t *settings = json_object();
  put_settings(settings, ELMAN_SCOPES_MODEL, &info);
  put_settings(settings, ELMAN_SCOPES_TRAIN, &info.training);
  json_t *search = info.search.beam == 0
                       ? json_null()
                       : json_pack("{s:I,s:f}", "beam", (json_int_t)info.search.beam,
                                   "length_penalty", info.search.length_penalty);
  *result = json_pack("{s:o,s:I,s:I,s:I,s:s,s:s,s:{s:I,s:I,s:I},s:o,s:s}", "settings", settings,
                      "parameters", (json_int_t)info.parameters, "source_vocabulary",
                      (json_int_t)info.source_vocabulary, "target_vocabulary",
                      (json_int_t)info.target_vocabulary, "source_tokens",
                      elman_token_mode_name(info.source_tokens), "target_tokens",
                      elman_token_mode_name(info.target_tokens), "history", "epochs",
                      (json_int_t)info.history.epochs, "updates", (json_int_t)info.history.updates,
                      "tokens", (json_int_t)info.history.tokens, "search", search,
                      "translate_precision", elman_precision_name(info.translate_precision));
  return ELMAN_OK;
}

/* ---- freeing ---- */

/* A training borrows its model and its dev pairs. */
static bool is_borrowed(const struct object *object) {
  for (size_t i = 0; i < MAX_OBJECTS; i++)
    if (objects[i].trained == object || objects[i].dev == object) return true;
  return false;
}

static elman_status method_free_object(json_t **result, const json_t *request, elman_error *error) {
  size_t number = 0;
  const struct field fields[] = {OBJECT_FIELD("object", number)};
  const elman_status status = READ_FIELDS(fields, request, error);
  (void)result;
  if (status != ELMAN_OK) return status;
  struct object *object = &objects[number - 1];
  if (is_borrowed(object))
    return request_fail(error, ELMAN_INVALID_ARGUMENT,
                        "a training uses this object; free the training first");
  elman_training_free(object->training);
  elman_translator_free(object->translator);
  forget_parameters(object);
  elman_model_free(object->model);
  elman_pairs_free(object->pairs);
  free(object->log);
  *object = (struct object){0};
  return ELMAN_OK;
}

/* ---- the entry ---- */

json_t *number_json(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

static const struct {
  const char *name;
  method *run;
  writing_method *write; /* given in place of `run` */
} methods[] = {
    {"describe", .run = method_describe},
    {"readPairs", .run = method_read_pairs},
    {"createModel", .run = method_create_model},
    {"loadModel", .run = method_load_model},
    {"saveModel", .run = method_save_model},
    {"modelInfo", .run = method_model_info},
    {"alternatives", .run = method_alternatives},
    {"evaluate", .run = method_evaluate},
    {"translate", .write = write_translations},
    {"trace", .write = write_trace},
    {"attend", .write = write_attend},
    {"gradientCheck", .run = method_gradient_check},
    {"createTraining", .run = method_create_training},
    {"advance", .run = method_advance},
    {"finish", .run = method_finish},
    {"saveTraining", .run = method_save_training},
    {"free", .run = method_free_object},
};

/* Run the method of a request of the form {"method": NAME, ...}. */
static elman_status run(FILE *answer, json_t **result, json_t *request, elman_error *error) {
  const char *name = json_string_value(json_object_get(request, "method"));
  for (size_t i = 0; name != NULL && i < sizeof methods / sizeof *methods; i++) {
    if (strcmp(methods[i].name, name) != 0) continue;
    json_object_del(request, "method");
    return methods[i].write != NULL ? methods[i].write(answer, request, error)
                                    : methods[i].run(result, request, error);
  }
  return request_fail(error, ELMAN_INVALID_ARGUMENT, "unknown method");
}

static json_t *error_json(elman_status status, elman_error *error) {
  static const char *const names[] = {
      "",          "invalid argument", "bad data",     "no input",
      "no memory", "cannot create",    "input/output", "interrupted"};
  char message[sizeof error->message];
  elman_option_write_message(message, sizeof message, error->message, ELMAN_NAMES_CAMEL);
  elman_clean_text(message);
  elman_clean_text(error->where);
  return json_pack("{s:s,s:s,s:s}", "code", names[status], "message", message, "where",
                   error->where);
}

/* Memory for a request. */
__attribute__((export_name("elman_allocate"))) void *elman_allocate(size_t bytes) {
  return malloc(bytes);
}

__attribute__((export_name("elman_free"))) void elman_free(void *memory) {
  free(memory);
}

/* Write the answer to a request, unless its method has written it. Return false if memory is
 * exhausted. */
static bool write_answer(FILE *answer, elman_status status, json_t *result, elman_error *error) {
  if (status == ELMAN_OK && ftell(answer) > 0) return true;
  json_t *object = json_object();
  bool good = object != NULL;
  if (status != ELMAN_OK)
    good = json_object_set_new(object, "error", error_json(status, error)) == 0;
  if (result != NULL) (void)json_object_set_new(object, "result", result);
  good = good && json_dumpf(object, answer, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS)) == 0;
  json_decref(object);
  return good;
}

/* Answer a request of `length` bytes of JSON. Return the answer, which the caller frees; NULL if
 * memory is exhausted. */
__attribute__((export_name("elman_call"))) char *elman_call(const char *text, size_t length) {
  elman_error error = {0};
  char *written = NULL;
  size_t size;
  FILE *answer = open_memstream(&written, &size);
  if (answer == NULL) return NULL;
  json_t *result = NULL, *request;
  elman_status status = elman_json_read(&request, text, length, &error);
  if (status == ELMAN_BAD_DATA) status = ELMAN_INVALID_ARGUMENT; /* half of a surrogate pair */
  if (status == ELMAN_OK) status = run(answer, &result, request, &error);
  bool good = write_answer(answer, status, result, &error);
  json_decref(request);
  good = ferror(answer) == 0 && good;
  if (fclose(answer) == 0 && good) return written;
  free(written);
  return NULL;
}
