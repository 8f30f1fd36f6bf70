/* The rows of elman/hyperparameters.h as a table, their values in files, and the configuration of a
 * network. */
#ifndef ELMAN_MODEL_HYPERPARAMETERS_H
#define ELMAN_MODEL_HYPERPARAMETERS_H

#include <jansson.h>

#include "base/status.h"
#include "decoder/decoder.h"
#include "elman/hyperparameters.h"
#include "elman/train.h"
#include "encoder/encoder.h"

/* Return the next row of these scopes after `row` (NULL = the first row), or NULL after the last.
 */
const elman_hyperparameter *hyperparameter_next(const elman_hyperparameter *row, unsigned scopes);

/* Initializers of structs that begin with the fields: from the defaults, and from another struct.
 */
#define FIELD_DEFAULT(type, field, option, label, minimum, maximum, otherwise, ...)                \
  .field = (otherwise),
#define FIELD_COPY(type, field, ...) .field = from->field,

/* Return the name of the choice that the value of this row selects; NULL if it selects none. */
const char *hyperparameter_choice(const elman_hyperparameter *row, const void *fields);

/* Let the names of these scopes point to the strings of the choices, because the strings in options
 * belong to the caller and may not outlive the call. NULL becomes the first choice; an unknown name
 * is not changed. */
void hyperparameters_keep_names(void *fields, unsigned scopes);

/* Check the values of these scopes against their limits, each by itself. */
elman_status hyperparameters_check(const void *fields, unsigned scopes, elman_error *error) CHECKED;

/* Return "constant", "plateau" or "inverse-sqrt" by index; NULL after the last. The second function
 * names the validation measures. */
const char *schedule_name(size_t index);
const char *measure_name(size_t index);

/* Return the value of a row in the struct at `fields`; NULL when memory runs out. */
json_t *hyperparameter_to_json(const elman_hyperparameter *row, const void *fields);

/* Add the rows of these scopes by their names, except those that files contain only if they differ
 * from the default. Return nonzero when memory runs out. */
int hyperparameters_to_json(json_t *object, unsigned scopes, const void *fields);

/* Read the rows of these scopes and add their number to *found. Rows that version 0.1 lacked may be
 * missing; their fields are not changed. Return the first row that is missing, has a wrong type or
 * an unknown name, or NULL. Limits are not checked. */
const elman_hyperparameter *hyperparameters_from_json(void *fields, unsigned scopes, size_t *found,
                                                      const json_t *object);

/* Everything that determines the shapes and the arithmetic of a network, and its words. */
struct model_config {
  ELMAN_MODEL_HYPERPARAMETERS(ELMAN_FIELD)
  size_t source_vocabulary, target_vocabulary; /* V_src, V_tgt, special tokens included */
  elman_normalization source_normalization, target_normalization;
};

/* Return the default network with vocabularies of one token, which are never valid. */
struct model_config model_config_default(void);

/* Replace 0 and NULL by the defaults that they represent. */
void model_config_complete(struct model_config *config);

/* Return ELMAN_INVALID_ARGUMENT if a size is outside its limits or settings contradict each other.
 */
elman_status model_config_check(const struct model_config *config, elman_error *error) CHECKED;
struct encoder_sizes encoder_sizes_of(const struct model_config *config);
struct decoder_sizes decoder_sizes_of(const struct model_config *config);

#endif
