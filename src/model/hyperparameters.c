#include "model/hyperparameters.h"

#include <assert.h>

#include "attention/kinds.h"
#include "model/parameters.h"
#include "rnn/cell.h"
#include "vocab/tokens.h"

/* ---- choices ---- */

const char *schedule_name(size_t index) {
  static const char *const names[] = {"constant", "plateau", "inverse-sqrt"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

const char *measure_name(size_t index) {
  static const char *const names[] = {"bleu", "chrf", "loss"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

/* Without the form for full-width text, which training chooses by itself. */
static const char *normalization_choice(size_t index) {
  return index <= ELMAN_NFKC ? normalization_name(index) : NULL;
}

/* ---- the table ---- */

/* Fields of a row by its type. */
#define KIND_SIZE .value = ELMAN_VALUE_SIZE, .argument = "N"
#define KIND_SEED .value = ELMAN_VALUE_SEED, .argument = "N"
#define KIND_REAL .value = ELMAN_VALUE_REAL, .argument = "X"
#define KIND_SHARE .value = ELMAN_VALUE_REAL, .argument = "P"
#define KIND_FLAG .value = ELMAN_VALUE_FLAG
#define KIND_CELL .value = ELMAN_VALUE_NAME, .argument = "KIND", .choice = cell_name
#define KIND_ATTENTION .value = ELMAN_VALUE_NAME, .argument = "KIND", .choice = attention_name
#define KIND_SCHEDULE .value = ELMAN_VALUE_NAME, .argument = "NAME", .choice = schedule_name
#define KIND_MEASURE .value = ELMAN_VALUE_NAME, .argument = "NAME", .choice = measure_name
#define KIND_TOKENS .value = ELMAN_VALUE_ENUM, .argument = "MODE", .choice = token_mode_name
#define KIND_NORMALIZATION                                                                         \
  .value = ELMAN_VALUE_ENUM, .argument = "FORM", .choice = normalization_choice

#define ROW(type, field, word, text, low, high, otherwise, place, version, line)                   \
  .name = #field, .option = (word), .label = (text), .help = (line), .least = (low),               \
  .most = (high), .scope = ELMAN_SCOPE_##place, .since = (version), KIND_##type
#define MODEL_ROW(type, field, ...)                                                                \
  {ROW(type, field, __VA_ARGS__), .offset = offsetof(elman_model_options, field)},
#define TRAIN_ROW(type, field, ...)                                                                \
  {ROW(type, field, __VA_ARGS__), .offset = offsetof(elman_train_options, field)},

static const elman_hyperparameter rows[] = {ELMAN_MODEL_HYPERPARAMETERS(MODEL_ROW)
                                                ELMAN_TRAIN_HYPERPARAMETERS(TRAIN_ROW)};

/* Other structs that begin with the fields of the options. */
#define SAME_PLACE(other, options, field)                                                          \
  static_assert(offsetof(other, field) == offsetof(options, field), "the fields come first");
#define SAME_IN_INFO(type, field, ...) SAME_PLACE(elman_model_info, elman_model_options, field)
#define SAME_IN_CONFIG(type, field, ...) SAME_PLACE(struct model_config, elman_model_options, field)
#define SAME_IN_SETTINGS(type, field, ...)                                                         \
  SAME_PLACE(elman_train_settings, elman_train_options, field)
ELMAN_MODEL_HYPERPARAMETERS(SAME_IN_INFO)
ELMAN_MODEL_HYPERPARAMETERS(SAME_IN_CONFIG)
ELMAN_TRAIN_HYPERPARAMETERS(SAME_IN_SETTINGS)

const elman_hyperparameter *hyperparameter_next(const elman_hyperparameter *row, unsigned scopes) {
  const elman_hyperparameter *end = rows + sizeof rows / sizeof *rows;
  for (row = row == NULL ? rows : row + 1; row < end; row++)
    if ((row->scope & scopes) != 0) return row;
  return NULL;
}

/* ---- values ---- */

const char *hyperparameter_choice(const elman_hyperparameter *row, const void *fields) {
  const void *field = (const char *)fields + row->offset;
  if (row->value == ELMAN_VALUE_ENUM) return row->choice(*(const unsigned *)field);
  const char *word = *(const char *const *)field;
  size_t index = 0;
  return word == NULL || choice_parse(&index, row->choice, word) ? row->choice(index) : NULL;
}

void hyperparameters_keep_names(void *fields, unsigned scopes) {
  const elman_hyperparameter *row = NULL;
  while ((row = hyperparameter_next(row, scopes)) != NULL) {
    const char *word = row->value == ELMAN_VALUE_NAME ? hyperparameter_choice(row, fields) : NULL;
    if (word != NULL) *(const char **)((char *)fields + row->offset) = word;
  }
}

static elman_status check_choice(const elman_hyperparameter *row, const void *fields,
                                 elman_error *error) {
  if (hyperparameter_choice(row, fields) != NULL) return ELMAN_OK;
  const void *field = (const char *)fields + row->offset;
  if (row->value == ELMAN_VALUE_ENUM)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s: there is no choice number %u", row->label,
                *(const unsigned *)field);
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s: there is no \"%s\"", row->label,
              *(const char *const *)field);
}

static elman_status check_row(const elman_hyperparameter *row, const void *fields,
                              elman_error *error) {
  const void *field = (const char *)fields + row->offset;
  if (row->choice != NULL) return check_choice(row, fields, error);
  if (row->value == ELMAN_VALUE_SIZE) {
    const size_t size = *(const size_t *)field;
    if (!((double)size >= row->least && (double)size <= row->most))
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "the %s must lie between %.0f and %.0f, not %td", row->label, row->least,
                  row->most, (ptrdiff_t)size); /* what a file has below 0 became huge */
  } else if (row->value == ELMAN_VALUE_REAL) {
    const double number = *(const double *)field;
    if (!(number >= row->least && number <= row->most))
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the %s must lie between %g and %g, not %g",
                  row->label, row->least, row->most, number);
  }
  return ELMAN_OK;
}

elman_status hyperparameters_check(const void *fields, unsigned scopes, elman_error *error) {
  const elman_hyperparameter *row = NULL;
  elman_status status = ELMAN_OK;
  while (status == ELMAN_OK && (row = hyperparameter_next(row, scopes)) != NULL)
    status = check_row(row, fields, error);
  return status;
}
