/* The rows of elman/hyperparameters.h as a table, conversion of their values to and from JSON, and
 * the configuration of a network. */
#ifndef ELMAN_MODEL_HYPERPARAMETERS_H
#define ELMAN_MODEL_HYPERPARAMETERS_H

#include <jansson.h>

#include "base/status.h"
#include "base/team.h"
#include "decoder/decoder.h"
#include "elman/hyperparameters.h"
#include "elman/train.h"
#include "encoder/encoder.h"

/* Return the next row of these scopes after `row` (NULL = the first row), or NULL after the last.
 */
const elman_hyperparameter *hyperparameter_next(const elman_hyperparameter *row, unsigned scopes);

/* Initializers for the fields of a struct: the first takes the default, the second copies from
 * another struct. */
#define FIELD_DEFAULT(type, field, option, label, minimum, maximum, otherwise, ...)                \
  .field = (otherwise),
#define FIELD_COPY(type, field, ...) .field = from->field,

/* Return the name that the value of this row selects; NULL if there is no such choice. */
const char *hyperparameter_choice(const elman_hyperparameter *row, const void *fields);

/* Replace the names of these scopes by the equal strings of the table, because strings in options
 * belong to the caller and may not outlive the call. Replace NULL by the first choice. Leave
 * unknown names unchanged. */
void hyperparameters_keep_names(void *fields, unsigned scopes);

/* Check each value of these scopes against the limits of its row. Do not check whether values
 * contradict each other. */
elman_status hyperparameters_check(const void *fields, unsigned scopes, elman_error *error) CHECKED;

/* Return the name of an arithmetic, a precision, a schedule or a validation measure by index; NULL
 * after the last. */
const char *arithmetic_name(size_t index);
const char *precision_name(size_t index);
const char *schedule_name(size_t index);
const char *measure_name(size_t index);

/* Return the value of a row in the struct at `fields` as JSON; NULL when memory runs out. */
json_t *hyperparameter_to_json(const elman_hyperparameter *row, const void *fields);

/* Return whether model files omit the row. A row that was added in a later version is omitted if it
 * has its default value, so that earlier programs can read the file. */
bool hyperparameter_is_omitted(const elman_hyperparameter *row, const void *fields);

/* Add the rows of these scopes to the object, under their names. Some rows are written to files
 * only if the value differs from the default; omit such a row at its default. Return nonzero when
 * memory runs out. */
int hyperparameters_to_json(json_t *object, unsigned scopes, const void *fields);

/* Read the rows of these scopes and add their number to *found. Rows that version 0.1 lacked may be
 * missing; their fields are not changed. Return the first row that is missing, or whose value has
 * the wrong type or is an unknown name; NULL if there is none. Limits are not checked. */
const elman_hyperparameter *hyperparameters_from_json(void *fields, unsigned scopes, size_t *found,
                                                      const json_t *object);

/* All settings that determine the shapes, the arithmetic and the words of a network. */
struct model_config {
  ELMAN_MODEL_HYPERPARAMETERS(ELMAN_FIELD)
  size_t source_vocabulary, target_vocabulary; /* V_src, V_tgt, including special tokens */
  elman_normalization source_normalization, target_normalization;
};

/* Return the default configuration. Its vocabularies have one token and must be set, because this
 * size is never valid. */
struct model_config model_config_default(void);

/* Replace 0 and NULL by the default values. */
void model_config_complete(struct model_config *config);

/* Return ELMAN_INVALID_ARGUMENT if a size is outside its limits or if settings contradict each
 * other. */
elman_status model_config_check(const struct model_config *config, elman_error *error) CHECKED;

/* Return the arithmetic that the configuration names. */
enum arithmetic arithmetic_of(const struct model_config *config);
struct encoder_sizes encoder_sizes_of(const struct model_config *config);
struct decoder_sizes decoder_sizes_of(const struct model_config *config);

#endif
