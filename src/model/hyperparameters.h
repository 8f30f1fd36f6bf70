/* The rows of elman/hyperparameters.h as a table, their values in files, and the configuration of a
 * network, which some of them fix. */
#ifndef ELMAN_MODEL_HYPERPARAMETERS_H
#define ELMAN_MODEL_HYPERPARAMETERS_H

#include <jansson.h>

#include "base/status.h"
#include "decoder/decoder.h"
#include "elman/hyperparameters.h"
#include "elman/train.h"
#include "encoder/encoder.h"

/* The next row of these scopes after `row`, NULL = from the first; NULL past the last. */
const elman_hyperparameter *hyperparameter_next(const elman_hyperparameter *row, unsigned scopes);

/* Initializers of structs that begin with the fields: with the defaults, and from another. */
#define FIELD_DEFAULT(type, field, option, label, minimum, maximum, otherwise, ...)                \
  .field = (otherwise),
#define FIELD_COPY(type, field, ...) .field = from->field,

/* The word that stands for a name or an enum; NULL if the value is none of the choices. */
const char *hyperparameter_choice(const elman_hyperparameter *row, const void *fields);

/* Lets the names of these scopes point to the choices' own: what options point to is the caller's,
 * and may be gone after the call. NULL becomes the first choice; a name of no choice stays. */
void hyperparameters_keep_names(void *fields, unsigned scopes);

/* Holds the values of these scopes against their limits, each by itself. */
elman_status hyperparameters_check(const void *fields, unsigned scopes, elman_error *error) CHECKED;

/* "constant", "plateau", "inverse-sqrt"; NULL past the last. */
const char *schedule_name(size_t index);
const char *measure_name(size_t index);

/* The value of a row in the struct at `fields`; NULL when memory runs out. */
json_t *hyperparameter_to_json(const elman_hyperparameter *row, const void *fields);

/* Adds the rows of these scopes by their names, but for those that files have only where they say
 * something; not 0 when memory runs out. */
int hyperparameters_to_json(json_t *object, unsigned scopes, const void *fields);

/* Reads the rows of these scopes, counting them in *found; what version 0.1 did not have may be
 * missing and stays as it is. Gives the first row that is missing or has a wrong type or an unknown
 * name, or NULL. Limits are not checked. */
const elman_hyperparameter *hyperparameters_from_json(void *fields, unsigned scopes, size_t *found,
                                                      const json_t *object);

/* Everything that fixes the shapes and the arithmetic of a network, and its words. */
struct model_config {
  ELMAN_MODEL_HYPERPARAMETERS(ELMAN_FIELD)
  size_t source_vocabulary, target_vocabulary; /* V_src, V_tgt, specials included */
  elman_normalization source_normalization, target_normalization;
};

/* The default network with vocabularies of one token, which are never right. */
struct model_config model_config_default(void);

/* Replaces 0 and NULL by the values that they stand for. */
void model_config_complete(struct model_config *config);

/* Sizes within their limits and parts that go together, or ELMAN_INVALID_ARGUMENT. */
elman_status model_config_check(const struct model_config *config, elman_error *error) CHECKED;
struct encoder_sizes encoder_sizes_of(const struct model_config *config);
struct decoder_sizes decoder_sizes_of(const struct model_config *config);

#endif
