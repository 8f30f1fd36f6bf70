/* The table of options: checks, rules, and conversion of values from text and JSON.
 * elman/options.h declares the public part, which options.c defines. */
#ifndef ELMAN_MODEL_OPTIONS_H
#define ELMAN_MODEL_OPTIONS_H

#include <jansson.h>

#include "base/status.h"
#include "base/xxh64.h"
#include "elman/options.h"
#include "elman/train.h"
#include "elman/translate.h"

/* Initializers for the fields of a struct: the first takes the default, the second copies from
 * another struct. */
#define FIELD_DEFAULT(type, field, also, label, minimum, maximum, otherwise, ...)                  \
  .field = (otherwise),
#define FIELD_COPY(type, field, ...) .field = from->field,

/* Replace the names of these scopes by the equal strings of the table, because strings in options
 * belong to the caller and may not outlive the call. Replace NULL by the first choice. Leave
 * unknown names unchanged. */
void options_keep_names(void *fields, unsigned scopes);

/* Check each value of these scopes, but not the rules, which need all fields of the options. */
elman_status options_check_values(unsigned scopes, const void *fields, elman_naming naming,
                                  elman_error *error) CHECKED;

/* Add the values of these scopes to a hash. */
void options_hash(struct xxh64 *sum, unsigned scopes, const void *fields);

/* ---- JSON of files ---- */

/* Return the value of a row in the struct at `fields` as JSON; NULL when memory runs out. */
json_t *option_to_json(const elman_option *row, const void *fields);

/* Add the rows of these scopes to the object, under their names. Return nonzero when memory runs
 * out. */
int options_to_json(json_t *object, unsigned scopes, const void *fields);

/* Read the rows of these scopes. Return the first row that is missing, or whose value has the wrong
 * type or is an unknown name; NULL if there is none. Limits are not checked. */
const elman_option *options_from_json(void *fields, unsigned scopes, const json_t *object);

#endif
