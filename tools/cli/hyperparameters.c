#include "hyperparameters.h"

#include <inttypes.h>

/* ---- options ---- */

static struct option option_of(const elman_hyperparameter *row, void *field) {
  struct option option = {
      .name = row->option, .argument = row->argument, .help = row->help, .choice = row->choice};
  switch (row->value) {
  case ELMAN_VALUE_SIZE:
    option.count = field;
    option.least = (size_t)row->least;
    option.most = (size_t)row->most;
    break;
  case ELMAN_VALUE_SEED:
    option.seed = field;
    break;
  case ELMAN_VALUE_REAL:
    option.real = field;
    option.lowest = row->least;
    option.highest = row->most;
    break;
  case ELMAN_VALUE_FLAG:
    option.flag = field;
    break;
  case ELMAN_VALUE_NAME:
    option.text = field;
    break;
  case ELMAN_VALUE_ENUM:
    option.index = field;
    break;
  }
  return option;
}

struct option hyperparameter_option(const char *name, void *field) {
  return option_of(elman_hyperparameter_find(name), field);
}

void hyperparameter_options(struct option *table, size_t capacity, unsigned scopes, void *fields) {
  const elman_hyperparameter *row = NULL;
  size_t count = 0;
  while (table[count].name != NULL) count++;
  while (count + 1 < capacity && (row = elman_hyperparameter_next(row, scopes)) != NULL)
    table[count++] = option_of(row, (char *)fields + row->offset);
}

/* ---- values ---- */

void print_hyperparameters(FILE *stream, unsigned scopes, const void *fields) {
  const elman_hyperparameter *row = NULL;
  while ((row = elman_hyperparameter_next(row, scopes)) != NULL) {
    const void *field = (const char *)fields + row->offset;
    fprintf(stream, "%-26s ", row->label);
    switch (row->value) {
    case ELMAN_VALUE_SIZE:
      fprintf(stream, "%zu\n", *(const size_t *)field);
      break;
    case ELMAN_VALUE_SEED:
      fprintf(stream, "%" PRIu64 "\n", *(const uint64_t *)field);
      break;
    case ELMAN_VALUE_REAL:
      fprintf(stream, "%g\n", *(const double *)field);
      break;
    case ELMAN_VALUE_FLAG:
      fprintf(stream, "%s\n", *(const bool *)field ? "yes" : "no");
      break;
    case ELMAN_VALUE_NAME:
    case ELMAN_VALUE_ENUM:
      fprintf(stream, "%s\n", elman_hyperparameter_choice(row, fields));
      break;
    }
  }
}

void json_hyperparameters(struct json *json, unsigned scopes, const void *fields) {
  const elman_hyperparameter *row = NULL;
  while ((row = elman_hyperparameter_next(row, scopes)) != NULL) {
    const void *field = (const char *)fields + row->offset;
    switch (row->value) {
    case ELMAN_VALUE_SIZE:
      json_count(json, row->name, *(const size_t *)field);
      break;
    case ELMAN_VALUE_SEED:
      json_count(json, row->name, *(const uint64_t *)field);
      break;
    case ELMAN_VALUE_REAL:
      json_number(json, row->name, *(const double *)field);
      break;
    case ELMAN_VALUE_FLAG:
      json_flag(json, row->name, *(const bool *)field);
      break;
    case ELMAN_VALUE_NAME:
    case ELMAN_VALUE_ENUM:
      json_text(json, row->name, elman_hyperparameter_choice(row, fields));
      break;
    }
  }
}
