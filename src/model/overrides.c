/* Overrides as JSON, which the service and JavaScript have in common. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "elman/json.h"
#include "elman/options.h"

static const char *kind_name(size_t index) {
  static const char *const names[] = {[ELMAN_OVERRIDE_UNIFORM] = "uniform",
                                      [ELMAN_OVERRIDE_SHUFFLE] = "shuffle",
                                      [ELMAN_OVERRIDE_POSITION] = "position",
                                      [ELMAN_OVERRIDE_CELL] = "cell"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

enum { ALL_KINDS = ~0, MOST_TOKENS = 1000000 };

/* Fields, and the set of kinds that need them. No other kind uses them. */
static const struct override_field {
  elman_option row;
  int kinds;
} fields[] = {{{.name = "kind",
                .value = ELMAN_VALUE_ENUM,
                .choice = kind_name,
                .offset = offsetof(elman_override, kind)},
               ALL_KINDS},
              {{.name = "row",
                .value = ELMAN_VALUE_SIZE,
                .maximum = MOST_TOKENS,
                .offset = offsetof(elman_override, row)},
               1 << ELMAN_OVERRIDE_CELL},
              {{.name = "column",
                .value = ELMAN_VALUE_SIZE,
                .maximum = MOST_TOKENS,
                .offset = offsetof(elman_override, column)},
               1 << ELMAN_OVERRIDE_CELL | 1 << ELMAN_OVERRIDE_POSITION},
              {{.name = "weight",
                .value = ELMAN_VALUE_REAL,
                .maximum = 1,
                .offset = offsetof(elman_override, weight)},
               1 << ELMAN_OVERRIDE_CELL}};

enum { FIELDS = sizeof fields / sizeof *fields };

static elman_status refuse_unknown(const json_t *object, elman_error *error) {
  const char *names[FIELDS + 1] = {NULL}, *name;
  json_t *value;
  for (size_t i = 0; i < FIELDS; i++) names[i] = fields[i].row.name;
  json_object_foreach((json_t *)(uintptr_t)object, name, value) {
    size_t i = 0;
    while (i < FIELDS && strcmp(names[i], name) != 0) i++;
    if (i == FIELDS) return elman_option_refuse(0, name, names, ELMAN_NAMES_FIELD, error);
  }
  return ELMAN_OK;
}

static elman_status read_field(elman_override *override, const struct override_field *field,
                               const json_t *value, elman_error *error) {
  const char *kind = kind_name(override->kind), *name = field->row.name;
  const bool is_used = (field->kinds & 1 << override->kind) != 0;
  if (is_used != (value != NULL))
    return is_used ? fail(error, ELMAN_INVALID_ARGUMENT, NULL, "kind %s needs %s", kind, name)
                   : fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s has no effect: the kind is %s",
                          name, kind);
  if (value == NULL) return ELMAN_OK;
  char *text = write_json(value, JSON_ENCODE_ANY | JSON_COMPACT);
  if (text == NULL) return fail_no_memory(error);
  const elman_status status =
      elman_option_set(&field->row, override, text, ELMAN_FORM_JSON, ELMAN_NAMES_FIELD, error);
  free(text);
  return status;
}

static elman_status read_override(elman_override *override, const json_t *object,
                                  elman_error *error) {
  elman_status status = ELMAN_OK;
  *override = (elman_override){0};
  if (!json_is_object(object))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "an override must be an object");
  status = refuse_unknown(object, error);
  if (status == ELMAN_OK && json_object_get(object, "kind") == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "kind is missing");
  for (size_t i = 0; i < FIELDS && status == ELMAN_OK; i++)
    status = read_field(override, &fields[i], json_object_get(object, fields[i].row.name), error);
  return status;
}

elman_status elman_overrides_read(elman_override *overrides, size_t *count, const json_t *list,
                                  elman_error *error) {
  elman_error problem;
  elman_status status = ELMAN_OK;
  *count = json_array_size(list);
  if (!json_is_array(list) || *count > ELMAN_MAX_OVERRIDES)
    status = fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "overrides must be an array of at most %d objects", ELMAN_MAX_OVERRIDES);
  for (size_t i = 0; i < *count && status == ELMAN_OK; i++)
    if (read_override(&overrides[i], json_array_get(list, i), &problem) != ELMAN_OK)
      status = fail(error, problem.code, NULL, "overrides[%zu]: %.400s", i, problem.message);
  return status;
}
