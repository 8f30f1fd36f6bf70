#include "request.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

elman_status request_fail(elman_error *error, elman_status code, const char *format, ...) {
  va_list values;
  *error = (elman_error){.code = code};
  va_start(values, format);
  vsnprintf(error->message, sizeof error->message, format, values);
  va_end(values);
  return code;
}

elman_status refuse_name(const char *name, const char *const *names, const char *kind,
                         elman_error *error) {
  elman_suggestion suggestion = {0};
  for (; *names != NULL; names++) elman_suggestion_offer(&suggestion, name, *names);
  if (suggestion.best == NULL)
    return request_fail(error, ELMAN_INVALID_ARGUMENT, "unknown %s '%.100s'", kind, name);
  return request_fail(error, ELMAN_INVALID_ARGUMENT, "unknown %s '%.100s'; did you mean '%s'?",
                      kind, name, suggestion.best);
}

/* ---- values ---- */

void show_value(char *shown, size_t size, const json_t *value) {
  const char *inexpressible = json_string_value(json_object_get(value, ""));
  if (inexpressible != NULL || json_is_array(value) || json_is_object(value)) {
    snprintf(shown, size, "%s",
             inexpressible != NULL  ? inexpressible
             : json_is_array(value) ? "an array"
                                    : "an object");
    return;
  }
  if (json_is_number(value)) {
    const double number = json_number_value(value);
    const bool is_exact = number == floor(number) && fabs(number) <= 2 * MAX_WHOLE;
    snprintf(shown, size, is_exact ? "%.0f" : "%.15g", number);
    return;
  }
  char *dumped = json_dumps(value, JSON_ENCODE_ANY);
  const bool is_long = dumped != NULL && strlen(dumped) >= size;
  snprintf(shown, size, "%s", dumped == NULL ? "?" : dumped);
  if (is_long) { /* do not end within a character */
    size_t end = size - 4;
    while (end > 0 && ((unsigned char)shown[end] & 0xC0U) == 0x80U) end--;
    memcpy(shown + end, "...", 4);
  }
  free(dumped);
}

/* Refuse a value: "beam must be a whole number from 1 to 1024, not 0". */
static elman_status refuse(const char *name, const json_t *value, const char *allowed,
                           elman_error *error) {
  char shown[60];
  show_value(shown, sizeof shown, value);
  return request_fail(error, ELMAN_INVALID_ARGUMENT, "%s must be %s, not %s", name, allowed, shown);
}

/* Read a number. Only this function converts numbers of requests. */
static elman_status read_number(double *number, const struct field *field, const char *name,
                                const json_t *value, elman_error *error) {
  const bool is_whole = field->real == NULL;
  *number = json_number_value(value);
  if (json_is_number(value) && *number >= field->least && *number <= field->most &&
      (!is_whole || *number == floor(*number)))
    return ELMAN_OK;
  char allowed[96];
  snprintf(allowed, sizeof allowed,
           is_whole ? "a whole number from %.0f to %.0f" : "a number from %g to %g", field->least,
           field->most);
  return refuse(name, value, allowed, error);
}

static elman_status read_choice(const struct field *field, const char *name, const json_t *value,
                                elman_error *error) {
  char allowed[300] = "one of ";
  const char *word = json_string_value(value), *choice;
  for (unsigned i = 0; (choice = field->choice(i)) != NULL; i++) {
    if (word != NULL && strcmp(choice, word) == 0) {
      *field->index = i;
      return ELMAN_OK;
    }
    const size_t used = strlen(allowed);
    snprintf(allowed + used, sizeof allowed - used, "%s%s", i == 0 ? "" : ", ", choice);
  }
  return refuse(name, value, allowed, error);
}

elman_status read_value(const struct field *field, const char *name, const json_t *value,
                        elman_error *error) {
  double number;
  if (field->flag != NULL) {
    if (!json_is_boolean(value)) return refuse(name, value, "true or false", error);
    *field->flag = json_is_true(value);
  } else if (field->text != NULL) {
    if (!json_is_string(value)) return refuse(name, value, "a string", error);
    *field->text = json_string_value(value);
  } else if (field->index != NULL) {
    return read_choice(field, name, value, error);
  } else if (field->object != NULL) {
    if (!json_is_object(value) || json_object_get(value, "") != NULL)
      return refuse(name, value, "an object", error);
    *field->object = value;
  } else if (field->list != NULL) {
    if (!json_is_array(value)) return refuse(name, value, "an array", error);
    if ((double)json_array_size(value) > field->most)
      return request_fail(error, ELMAN_INVALID_ARGUMENT,
                          "%s must have at most %.0f elements, not %zu", name, field->most,
                          json_array_size(value));
    *field->list = value;
  } else {
    const elman_status status = read_number(&number, field, name, value, error);
    if (status != ELMAN_OK) return status;
    if (field->real != NULL) *field->real = number;
    if (field->count != NULL) *field->count = (size_t)number;
    if (field->seed != NULL) *field->seed = (uint64_t)number;
  }
  return ELMAN_OK;
}

/* ---- objects ---- */

enum { LONGEST_PLACE = 128, MOST_FIELDS = 32 };

static elman_status refuse_key(const struct field *fields, size_t count, const char *key,
                               elman_error *error) {
  const char *names[MOST_FIELDS + 1] = {NULL};
  for (size_t i = 0; i < count && i < MOST_FIELDS; i++) names[i] = fields[i].name;
  return refuse_name(key, names, "option", error);
}

elman_status read_fields(const struct field *fields, size_t count, const json_t *object,
                         const char *prefix, elman_error *error) {
  const char *key;
  json_t *value;
  char name[LONGEST_PLACE];
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    size_t i = 0;
    while (i < count && strcmp(fields[i].name, key) != 0) i++;
    snprintf(name, sizeof name, "%s%s", prefix, key);
    const elman_status status = i == count ? refuse_key(fields, count, key, error)
                                           : read_value(&fields[i], name, value, error);
    if (status != ELMAN_OK) return status;
  }
  for (size_t i = 0; i < count; i++)
    if (fields[i].needed && json_object_get(object, fields[i].name) == NULL)
      return request_fail(error, ELMAN_INVALID_ARGUMENT, "%s%s is missing", prefix, fields[i].name);
  return ELMAN_OK;
}

const char *first_given(const json_t *object, const char *const *keys) {
  for (; *keys != NULL; keys++)
    if (json_object_get(object, *keys) != NULL) return *keys;
  return NULL;
}
