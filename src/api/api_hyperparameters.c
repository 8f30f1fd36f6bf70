#include <limits.h>
#include <string.h>

#include "api/call.h"
#include "attention/kinds.h"
#include "model/hyperparameters.h"
#include "rnn/cell.h"

const char *elman_cell_name(size_t index) {
  return cell_name(index);
}

const char *elman_attention_name(size_t index) {
  return attention_name(index);
}

const char *elman_schedule_name(size_t index) {
  return schedule_name(index);
}

const char *elman_measure_name(size_t index) {
  return measure_name(index);
}

const elman_hyperparameter *elman_hyperparameter_next(const elman_hyperparameter *row,
                                                      unsigned scopes) {
  return hyperparameter_next(row, scopes);
}

const elman_hyperparameter *elman_hyperparameter_find(const char *name) {
  const elman_hyperparameter *row = NULL;
  while ((row = hyperparameter_next(row, UINT_MAX)) != NULL && strcmp(row->name, name) != 0) {
  }
  return row;
}

const char *elman_hyperparameter_choice(const elman_hyperparameter *row, const void *fields) {
  return hyperparameter_choice(row, fields);
}
