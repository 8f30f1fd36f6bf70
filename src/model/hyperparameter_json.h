/* Hyperparameters in files. */
#ifndef ELMAN_MODEL_HYPERPARAMETER_JSON_H
#define ELMAN_MODEL_HYPERPARAMETER_JSON_H

#include <jansson.h>

#include "model/hyperparameters.h"

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

#endif
