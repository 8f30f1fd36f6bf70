#include "request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_KEY = 64 };

elman_status request_fail(elman_error *error, elman_status code, const char *format, ...) {
  va_list values;
  *error = (elman_error){.code = code};
  va_start(values, format);
  vsnprintf(error->message, sizeof error->message, format, values);
  va_end(values);
  return code;
}

/* ---- values ---- */

char *value_text(const json_t *value) {
  const char *inexpressible = json_string_value(json_object_get(value, ""));
  return inexpressible != NULL ? strdup(inexpressible)
                               : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
}

elman_status read_option(const elman_option *row, void *fields, const json_t *value,
                         elman_error *error) {
  char *text = value_text(value);
  if (text == NULL) return request_fail(error, ELMAN_NO_MEMORY, "out of memory");
  const elman_status status =
      elman_option_set(row, fields, text, ELMAN_FORM_JSON, ELMAN_NAMES_CAMEL, error);
  free(text);
  return status;
}

/* Refuse a value: "text must be a string, not 5". */
static elman_status refuse_value(const char *key, const json_t *value, const char *allowed,
                                 elman_error *error) {
  char name[LONGEST_KEY], *text = value_text(value);
  const bool is_plain_object = json_is_object(value) && json_object_get(value, "") == NULL;
  elman_option_write_name(name, sizeof name, key, ELMAN_NAMES_CAMEL);
  (void)request_fail(error, ELMAN_INVALID_ARGUMENT, "%s must be %s, not %s", name, allowed,
                     json_is_string(value)  ? "a string"
                     : json_is_array(value) ? "an array"
                     : is_plain_object      ? "an object"
                     : text == NULL         ? "this"
                                            : text);
  free(text);
  return ELMAN_INVALID_ARGUMENT;
}

static elman_status read_list(const struct field *field, const json_t *value, elman_error *error) {
  if (!json_is_array(value)) return refuse_value(field->name, value, "an array", error);
  if ((double)json_array_size(value) > field->most)
    return request_fail(error, ELMAN_INVALID_ARGUMENT,
                        "%s must have at most %.0f elements, not %zu", field->name, field->most,
                        json_array_size(value));
  *field->list = value;
  return ELMAN_OK;
}

elman_status read_value(const struct field *field, const json_t *value, elman_error *error) {
  elman_option row = {.name = field->name, .minimum = field->least, .maximum = field->most};
  if (field->text != NULL) {
    if (!json_is_string(value)) return refuse_value(field->name, value, "a string", error);
    *field->text = json_string_value(value);
    return ELMAN_OK;
  }
  if (field->object != NULL) {
    if (!json_is_object(value) || json_object_get(value, "") != NULL)
      return refuse_value(field->name, value, "an object", error);
    *field->object = value;
    return ELMAN_OK;
  }
  if (field->list != NULL) return read_list(field, value, error);
  row.value = field->flag != NULL    ? ELMAN_VALUE_FLAG
              : field->count != NULL ? ELMAN_VALUE_SIZE
                                     : ELMAN_VALUE_REAL;
  return read_option(&row,
                     field->flag != NULL    ? (void *)field->flag
                     : field->count != NULL ? (void *)field->count
                                            : (void *)field->real,
                     value, error);
}

/* ---- objects ---- */

elman_status refuse_key(unsigned scopes, const char *key, const char *const *others,
                        elman_error *error) {
  char typed[LONGEST_KEY];
  const unsigned settings = ELMAN_SCOPES_MODEL | ELMAN_SCOPES_TRAIN;
  /* elman.mjs has converted the key. A key without '_' was not changed, or was typed with '_', as
   * n_best, which became nBest. */
  const bool is_field = strchr(key, '_') != NULL;
  elman_option_write_name(typed, sizeof typed, key,
                          is_field ? ELMAN_NAMES_CAMEL : ELMAN_NAMES_FIELD);
  if ((scopes & settings) == 0 &&
      (elman_option_find(settings, key) != NULL || strcmp(key, "preset") == 0))
    return request_fail(error, ELMAN_INVALID_ARGUMENT,
                        "unknown option '%s'; it is one of the settings", typed);
  return elman_option_refuse(scopes, typed, others, ELMAN_NAMES_CAMEL, error);
}

elman_status read_fields(const struct field *fields, size_t count, unsigned scopes,
                         const json_t *object, elman_error *error) {
  enum { MOST_FIELDS = 32 };
  const char *names[MOST_FIELDS + 1] = {NULL}, *key;
  json_t *value;
  for (size_t i = 0; i < count && i < MOST_FIELDS; i++) names[i] = fields[i].name;
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    size_t i = 0;
    while (i < count && strcmp(fields[i].name, key) != 0) i++;
    const elman_status status = i < count ? read_value(&fields[i], value, error)
                                : elman_option_find(scopes, key) != NULL
                                    ? ELMAN_OK
                                    : refuse_key(scopes, key, names, error);
    if (status != ELMAN_OK) return status;
  }
  for (size_t i = 0; i < count; i++)
    if (fields[i].needed && json_object_get(object, fields[i].name) == NULL)
      return request_fail(error, ELMAN_INVALID_ARGUMENT, "%s is missing", fields[i].name);
  return ELMAN_OK;
}
