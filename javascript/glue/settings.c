/* Settings: hyperparameters by name. */
#include <string.h>

#include "glue.h"

/* Set the field of one row. */
static elman_status set_value(void *fields, const elman_option *row, const json_t *value,
                              elman_error *error) {
  void *to = (char *)fields + row->offset;
  unsigned index = 0;
  struct field field = {.least = row->minimum, .most = row->maximum};
  switch (row->value) {
  case ELMAN_VALUE_FLAG:
    field.flag = to;
    break;
  case ELMAN_VALUE_SIZE:
    field.count = to;
    break;
  case ELMAN_VALUE_SEED:
    field.seed = to;
    field.most = MAX_WHOLE;
    break;
  case ELMAN_VALUE_REAL:
    field.real = to;
    break;
  default:
    field.index = &index;
    field.choice = row->choice;
  }
  const elman_status status = read_value(&field, row->name, value, error);
  if (status != ELMAN_OK || field.index == NULL) return status;
  if (row->value == ELMAN_VALUE_NAME)
    *(const char **)to = row->choice(index);
  else
    memcpy(to, &index, sizeof index);
  return ELMAN_OK;
}

static elman_status refuse_hyperparameter(const char *name, elman_error *error) {
  enum { MOST = 100 };
  const char *names[MOST + 1] = {NULL};
  const elman_option *row = NULL;
  for (size_t i = 0; i < MOST; i++) {
    row = elman_option_next(row, MODEL_SCOPES | TRAIN_SCOPES);
    if (row == NULL) break;
    names[i] = row->name;
    if (strcmp(row->option, name) == 0)
      return request_fail(error, ELMAN_INVALID_ARGUMENT,
                          "unknown hyperparameter '%s'; did you mean '%s'?", name, row->name);
  }
  return refuse_name(name, names, "hyperparameter", error);
}

elman_status read_settings(struct settings *settings, const json_t *given, elman_error *error) {
  const char *name;
  json_t *value;
  elman_status status = ELMAN_OK;
  settings->model = elman_model_options_default();
  settings->training = elman_train_options_default();
  json_object_foreach((json_t *)(uintptr_t)given, name, value) {
    const elman_option *row = elman_option_find(ELMAN_SCOPES_MODEL | ELMAN_SCOPES_TRAIN, name);
    if (row == NULL) return refuse_hyperparameter(name, error);
    void *fields =
        (row->scope & MODEL_SCOPES) != 0 ? (void *)&settings->model : (void *)&settings->training;
    status = set_value(fields, row, value, error);
    if (status != ELMAN_OK) return status;
  }
  return ELMAN_OK;
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
  default:
    return json_string(elman_option_choice(row, fields));
  }
}

void put_settings(json_t *into, unsigned scopes, const void *fields) {
  const elman_option *row = NULL;
  while ((row = elman_option_next(row, scopes)) != NULL)
    json_object_set_new(into, row->name, value_of(row, fields));
}

elman_status check_settings(const elman_model *model, const json_t *given, elman_error *error) {
  const elman_model_info info = elman_model_get_info(model);
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)given, name, value) {
    const elman_option *row = elman_option_find(ELMAN_SCOPES_MODEL | ELMAN_SCOPES_TRAIN, name);
    const char *word = json_string_value(value);
    if ((row->scope & MODEL_SCOPES) == 0 || (word != NULL && strncmp(word, "auto", 4) == 0) ||
        (json_is_number(value) && json_number_value(value) == 0))
      continue;
    char then[60], now[60];
    json_t *own = value_of(row, &info);
    const bool same = json_is_number(own) ? json_number_value(own) == json_number_value(value)
                                          : json_equal(own, value) != 0;
    show_value(then, sizeof then, own);
    show_value(now, sizeof now, value);
    json_decref(own);
    if (!same)
      return request_fail(error, ELMAN_INVALID_ARGUMENT,
                          "%s of the model is %s; training cannot change it to %s", name, then,
                          now);
  }
  return ELMAN_OK;
}
