#include "model/hyperparameter_json.h"

#include "base/text.h"

json_t *hyperparameter_to_json(const elman_hyperparameter *row, const void *fields) {
  const void *field = (const char *)fields + row->offset;
  switch (row->value) {
  case ELMAN_VALUE_SIZE:
    return json_integer((json_int_t) * (const size_t *)field);
  case ELMAN_VALUE_SEED:
    return json_integer((json_int_t) * (const uint64_t *)field);
  case ELMAN_VALUE_REAL:
    return json_real(*(const double *)field);
  case ELMAN_VALUE_FLAG:
    return json_boolean(*(const bool *)field);
  case ELMAN_VALUE_NAME:
  case ELMAN_VALUE_ENUM:
    return json_string(hyperparameter_choice(row, fields));
  }
  return NULL;
}

/* A file without what came later is read by programs of before. */
static bool is_left_out(const elman_hyperparameter *row, const void *fields) {
  if (row->since < 3) return false;
  if (row->value == ELMAN_VALUE_FLAG) return !*(const bool *)((const char *)fields + row->offset);
  return row->value == ELMAN_VALUE_NAME && hyperparameter_choice(row, fields) == row->choice(0);
}

int hyperparameters_to_json(json_t *object, unsigned scopes, const void *fields) {
  const elman_hyperparameter *row = NULL;
  int result = 0;
  while ((row = hyperparameter_next(row, scopes)) != NULL) {
    if (is_left_out(row, fields)) continue;
    result |= json_object_set_new(object, row->name, hyperparameter_to_json(row, fields));
  }
  return result;
}

static bool from_json(const elman_hyperparameter *row, void *fields, const json_t *value) {
  void *field = (char *)fields + row->offset;
  size_t index;
  if (row->choice != NULL) {
    if (!json_is_string(value) || !choice_parse(&index, row->choice, json_string_value(value)))
      return false;
    if (row->value == ELMAN_VALUE_NAME)
      *(const char **)field = row->choice(index);
    else
      *(unsigned *)field = (unsigned)index;
  } else if (row->value == ELMAN_VALUE_FLAG) {
    if (!json_is_boolean(value)) return false;
    *(bool *)field = json_is_true(value);
  } else if (row->value == ELMAN_VALUE_REAL) {
    if (!json_is_number(value)) return false;
    *(double *)field = json_number_value(value);
  } else {
    if (!json_is_integer(value)) return false;
    /* A negative size becomes a huge one and is refused by the check. */
    if (row->value == ELMAN_VALUE_SIZE)
      *(size_t *)field = (size_t)json_integer_value(value);
    else
      *(uint64_t *)field = (uint64_t)json_integer_value(value);
  }
  return true;
}

const elman_hyperparameter *hyperparameters_from_json(void *fields, unsigned scopes, size_t *found,
                                                      const json_t *object) {
  const elman_hyperparameter *row = NULL;
  while ((row = hyperparameter_next(row, scopes)) != NULL) {
    const json_t *value = json_object_get(object, row->name);
    if (value == NULL && row->since > 1) continue;
    if (!from_json(row, fields, value)) return row;
    ++*found;
  }
  return NULL;
}
