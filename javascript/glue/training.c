/* Training. */
#include <stdlib.h>

#include "glue.h"

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
                                  "updates_so_far", (json_int_t)r->updates_so_far, "tokens",
                                  (json_int_t)r->tokens, "loss", number_json(r->loss),
                                  "update_loss", number_json(r->update_loss), "gradient_norm",
                                  number_json(r->gradient_norm), "learning_rate", r->learning_rate,
                                  "skipped", (json_int_t)r->skipped, "unknown_source",
                                  r->unknown_source, "unknown_target", r->unknown_target));
  return true;
}

static bool note_validation(void *context, const elman_validation *v) {
  struct training_log *log = context;
  json_array_append_new(log->validations,
                        json_pack("{s:I,s:I,s:o,s:o,s:f,s:f,s:f,s:s,s:s,s:b}", "epoch",
                                  (json_int_t)v->epoch, "update", (json_int_t)v->update, "loss",
                                  number_json(v->loss), "perplexity", number_json(v->perplexity),
                                  "exact_match", v->exact_match, "bleu", v->bleu, "chrf", v->chrf,
                                  "bleu_signature", v->bleu_signature, "measure", v->measure,
                                  "best", v->best));
  return true;
}

/* Read the options of a training. The file /checkpoint has the state to resume. */
static elman_status read_training(elman_train_options *options, struct object **dev,
                                  const struct object *model, const struct object *pairs,
                                  const json_t *given, json_t *notes, elman_error *error) {
  enum { MAX_EPOCHS = 1000000 };
  struct settings settings;
  const json_t *wanted = NULL;
  size_t number = 0, epochs = ELMAN_EPOCHS_AUTO;
  bool resume = false;
  const struct field fields[] = {{.name = "settings", .object = &wanted},
                                 {.name = "epochs", .count = &epochs, .most = MAX_EPOCHS},
                                 {.name = "dev", .count = &number, .least = 1, .most = MAX_OBJECTS},
                                 {.name = "checkpoint", .flag = &resume}};
  *dev = NULL;
  elman_status status = READ_FIELDS(fields, given, error);
  if (status == ELMAN_OK && json_object_get(given, "dev") != NULL)
    status = object_get(dev, number, PAIRS, "dev", error);
  if (status == ELMAN_OK) status = read_settings(&settings, wanted, notes, error);
  if (status == ELMAN_OK) status = check_settings(model->model, &settings, error);
  if (status != ELMAN_OK) return status;
  *options = settings.training;
  options->epochs = epochs;
  options->checkpoint = "checkpoint";
  options->resume = resume;
  if (*dev != NULL) options->dev = (*dev)->pairs;
  status = elman_preset_apply(NULL, options, &settings.preset, error);
  if (status == ELMAN_OK)
    status =
        elman_options_check(ELMAN_SCOPES_TRAIN, options, settings.given, ELMAN_NAMES_CAMEL, error);
  if (status == ELMAN_OK)
    status = elman_preset_fit(options, model->model, elman_pairs_count(pairs->pairs),
                              &settings.preset, error);
  return status;
}

elman_status method_create_training(json_t **result, const json_t *request, elman_error *error) {
  struct object *model, *pairs, *dev;
  elman_train_options options;
  struct object object = {.kind = TRAINING};
  const json_t *given = NULL;
  size_t number = 0, model_number = 0, pairs_number = 0;
  const struct field fields[] = {OBJECT_FIELD("model", model_number),
                                 OBJECT_FIELD("pairs", pairs_number),
                                 {.name = "options", .object = &given}};
  elman_status status = READ_FIELDS(fields, request, error);
  if (status == ELMAN_OK) status = object_get(&model, model_number, MODEL, "model", error);
  if (status == ELMAN_OK) status = object_get(&pairs, pairs_number, PAIRS, "pairs", error);
  if (status != ELMAN_OK) return status;
  json_t *notes = json_array();
  status = read_training(&options, &dev, model, pairs, given, notes, error);
  object.log = status == ELMAN_OK ? calloc(1, sizeof *object.log) : NULL;
  if (status == ELMAN_OK && object.log == NULL)
    status = request_fail(error, ELMAN_NO_MEMORY, "out of memory");
  if (status != ELMAN_OK) {
    json_decref(notes);
    return status;
  }
  object.trained = model;
  object.dev = dev;
  options.report = note_update;
  options.validated = note_validation;
  options.context = object.log;
  forget_parameters(model); /* a checkpoint has others */
  status = elman_training_create(&object.training, model->model, pairs->pairs, &options, error);
  if (status == ELMAN_OK) {
    status = object_add(&number, object, error);
    if (status != ELMAN_OK) elman_training_free(object.training);
  }
  if (status != ELMAN_OK) free(object.log);
  *result = json_pack("{s:I,s:o}", "training", (json_int_t)number, "notes", notes);
  return status;
}

/* Do `updates` updates. The answer has their reports. */
elman_status method_advance(json_t **result, const json_t *request, elman_error *error) {
  struct object *object;
  size_t number = 0, updates = 1, limit = 1;
  double milliseconds = 0; /* elman.mjs measures the time and counts the updates */
  bool finished = false;
  const struct field fields[] = {
      OBJECT_FIELD("training", number),
      {.name = "updates", .count = &updates, .least = 1, .most = UINT32_MAX},
      {.name = "limit", .needed = true, .count = &limit, .least = 1, .most = UINT32_MAX},
      {.name = "milliseconds", .real = &milliseconds, .most = 1e9}};
  elman_status status = READ_FIELDS(fields, request, error);
  if (status == ELMAN_OK) status = object_get(&object, number, TRAINING, "training", error);
  if (status != ELMAN_OK) return status;
  *object->log = (struct training_log){json_array(), json_array()};
  forget_parameters(object->trained);
  status = elman_training_advance(object->training, updates, &finished, error);
  *result = json_pack("{s:o,s:o,s:b}", "reports", object->log->reports, "validations",
                      object->log->validations, "finished", finished);
  return status;
}

elman_status method_finish(json_t **result, const json_t *request, elman_error *error) {
  struct object *object;
  (void)result;
  const elman_status status = read_object(&object, request, "training", TRAINING, error);
  if (status != ELMAN_OK) return status;
  forget_parameters(object->trained);
  return elman_training_finish(object->training, error);
}

/* Write the state of the training to the file /checkpoint. */
elman_status method_save_training(json_t **result, const json_t *request, elman_error *error) {
  struct object *object;
  (void)result;
  const elman_status status = read_object(&object, request, "training", TRAINING, error);
  return status == ELMAN_OK ? elman_training_save(object->training, error) : status;
}
