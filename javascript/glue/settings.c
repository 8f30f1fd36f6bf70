/* Settings: options of models and of training by name. */
#include <stdlib.h>
#include <string.h>

#include "glue.h"

elman_status read_options(unsigned scopes, void *fields, bool given[ELMAN_MAX_OPTIONS],
                          const json_t *object, elman_error *error) {
  const elman_option *row = NULL;
  elman_status status = ELMAN_OK;
  while (status == ELMAN_OK && (row = elman_option_next(row, scopes)) != NULL) {
    const json_t *value = json_object_get(object, row->name);
    given[row->index] = value != NULL;
    if (value != NULL) status = read_option(row, fields, value, error);
  }
  return status;
}

/* Add a note of the library to an array. */
static void add_note(void *context, const char *message) {
  char text[512];
  json_array_append_new(context, json_string(elman_option_write_message(text, sizeof text, message,
                                                                        ELMAN_NAMES_CAMEL)));
}

elman_status read_settings(struct settings *settings, const json_t *object, json_t *notes,
                           elman_error *error) {
  settings->model = elman_model_options_default();
  settings->training = elman_train_options_default();
  settings->preset = (elman_preset){.given = settings->given, .note = add_note, .context = notes};
  const struct field fields[] = {{.name = "preset", .text = &settings->preset.name}};
  elman_status status =
      read_fields(fields, 1, ELMAN_SCOPES_MODEL | ELMAN_SCOPES_TRAIN, object, error);
  if (status == ELMAN_OK)
    status = read_options(ELMAN_SCOPES_MODEL, &settings->model, settings->given, object, error);
  if (status == ELMAN_OK)
    status = read_options(ELMAN_SCOPES_TRAIN, &settings->training, settings->given, object, error);
  return status;
}

json_t *value_of(const elman_option *row, const void *fields) {
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
  case ELMAN_VALUE_LANGUAGE:
    return json_string(field);
  default:
    return json_string(elman_option_choice(row, fields));
  }
}

void put_settings(json_t *into, unsigned scopes, const void *fields) {
  const elman_option *row = NULL;
  while ((row = elman_option_next(row, scopes)) != NULL)
    json_object_set_new(into, row->name, value_of(row, fields));
}

/* Refuse a value for an option whose value of the model is `own`. */
static elman_status refuse_change(const elman_option *row, const json_t *own, const json_t *value,
                                  elman_error *error) {
  char name[64], *then = value_text(own), *now = value_text(value);
  (void)request_fail(error, ELMAN_INVALID_ARGUMENT,
                     "%s of the model is %s; training cannot change it to %s",
                     elman_option_write_name(name, sizeof name, row->name, ELMAN_NAMES_CAMEL),
                     then == NULL ? "another" : then, now == NULL ? "this" : now);
  free(then);
  free(now);
  return ELMAN_INVALID_ARGUMENT;
}

elman_status check_settings(const elman_model *model, const struct settings *settings,
                            elman_error *error) {
  const elman_model_info info = elman_model_get_info(model);
  const elman_option *row = NULL;
  elman_status status = ELMAN_OK;
  while (status == ELMAN_OK && (row = elman_option_next(row, ELMAN_SCOPES_MODEL)) != NULL) {
    if (!settings->given[row->index]) continue;
    json_t *own = value_of(row, &info), *value = value_of(row, &settings->model);
    const char *word = json_string_value(value);
    const bool is_open = (word != NULL && (word[0] == '\0' || strncmp(word, "auto", 4) == 0)) ||
                         (json_is_number(value) && json_number_value(value) == 0);
    if (!is_open && !json_equal(own, value)) status = refuse_change(row, own, value, error);
    json_decref(own);
    json_decref(value);
  }
  return status;
}
