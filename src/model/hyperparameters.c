#include "model/hyperparameters.h"

#include <assert.h>
#include <stdio.h>

#include "attention/kinds.h"
#include "base/suggestion.h"
#include "base/text.h"
#include "rnn/cell.h"
#include "vocab/tokens.h"

/* ---- choices ---- */

const char *arithmetic_name(size_t index) {
  static const char *const names[] = {
      [ARITHMETIC_FAST] = "fast", [ARITHMETIC_PORTABLE] = "portable"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

const char *precision_name(size_t index) {
  static const char *const names[] = {[ELMAN_PRECISION_FLOAT32] = "float32",
                                      [ELMAN_PRECISION_BFLOAT16] = "bfloat16",
                                      [ELMAN_PRECISION_INT8] = "int8"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

const char *schedule_name(size_t index) {
  static const char *const names[] = {"constant", "plateau", "inverse-sqrt", "linear",
                                      "late-linear"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

const char *measure_name(size_t index) {
  static const char *const names[] = {"bleu", "chrf", "loss"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

/* Return the name of a normalization that users can choose; NULL after the last. Users cannot
 * choose the form for full-width text; training itself chooses it. */
static const char *normalization_choice(size_t index) {
  return index <= ELMAN_NFKC ? normalization_name(index) : NULL;
}

/* Return the name of a precision of training; NULL after the last. */
static const char *training_precision(size_t index) {
  return index <= ELMAN_PRECISION_BFLOAT16 ? precision_name(index) : NULL;
}

/* ---- the table ---- */

/* Fields of a table row for each type of value. */
#define KIND_SIZE .value = ELMAN_VALUE_SIZE, .argument = "N"
#define KIND_SEED .value = ELMAN_VALUE_SEED, .argument = "N"
#define KIND_REAL .value = ELMAN_VALUE_REAL, .argument = "X"
#define KIND_SHARE .value = ELMAN_VALUE_REAL, .argument = "P"
#define KIND_FLAG .value = ELMAN_VALUE_FLAG
#define KIND_CELL .value = ELMAN_VALUE_NAME, .argument = "KIND", .choice = cell_name
#define KIND_ATTENTION .value = ELMAN_VALUE_NAME, .argument = "KIND", .choice = attention_name
#define KIND_ARITHMETIC .value = ELMAN_VALUE_NAME, .argument = "NAME", .choice = arithmetic_name
#define KIND_SCHEDULE .value = ELMAN_VALUE_NAME, .argument = "NAME", .choice = schedule_name
#define KIND_MEASURE .value = ELMAN_VALUE_NAME, .argument = "NAME", .choice = measure_name
#define KIND_PRECISION .value = ELMAN_VALUE_ENUM, .argument = "NAME", .choice = training_precision
#define KIND_TOKENS .value = ELMAN_VALUE_ENUM, .argument = "MODE", .choice = token_mode_name
#define KIND_NORMALIZATION                                                                         \
  .value = ELMAN_VALUE_ENUM, .argument = "FORM", .choice = normalization_choice
#define ROW(type, field, word, text, low, high, otherwise, place, version, heading, line)          \
  .name = #field, .option = (word), .label = (text), .group = (heading), .help = (line),           \
  .minimum = (low), .maximum = (high), .scope = ELMAN_SCOPE_##place, .since = (version),           \
  KIND_##type
#define MODEL_ROW(type, field, ...)                                                                \
  {ROW(type, field, __VA_ARGS__), .offset = offsetof(elman_model_options, field)},
#define TRAIN_ROW(type, field, ...)                                                                \
  {ROW(type, field, __VA_ARGS__), .offset = offsetof(elman_train_options, field)},

static const elman_hyperparameter rows[] = {ELMAN_MODEL_HYPERPARAMETERS(MODEL_ROW)
                                                ELMAN_TRAIN_HYPERPARAMETERS(TRAIN_ROW)};

/* Check that other structs begin with the same fields as the options, so that one table describes
 * all of them. */
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

/* Format the names that users can choose, separated by commas. Offer them in place of `typed`. */
static void list_choices(char *text, size_t size, elman_suggestion *suggestion, const char *typed,
                         const elman_hyperparameter *row) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; row->choice(i) != NULL && used < size; i++) {
    used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "" : ", ", row->choice(i));
    suggestion_offer(suggestion, typed, row->choice(i));
  }
}

static elman_status check_choice(const elman_hyperparameter *row, const void *fields,
                                 elman_error *error) {
  if (hyperparameter_choice(row, fields) != NULL) return ELMAN_OK;
  const void *field = (const char *)fields + row->offset;
  const bool is_enum = row->value == ELMAN_VALUE_ENUM;
  const char *name = is_enum ? "" : *(const char *const *)field;
  elman_suggestion meant = {0};
  char choices[256];
  list_choices(choices, sizeof choices, &meant, name, row);
  if (is_enum)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "%s: %u is not a value of the enum, or is not allowed here; use one of: %s",
                row->label, *(const unsigned *)field, choices);
  if (meant.best != NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "%s: \"%s\" is not one of: %s; did you mean \"%s\"?", row->label, name, choices,
                meant.best);
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s: \"%s\" is not one of: %s", row->label, name,
              choices);
}

static elman_status check_row(const elman_hyperparameter *row, const void *fields,
                              elman_error *error) {
  const void *field = (const char *)fields + row->offset;
  if (row->choice != NULL) return check_choice(row, fields, error);
  if (row->value == ELMAN_VALUE_SIZE) {
    const size_t size = *(const size_t *)field;
    if (!((double)size >= row->minimum && (double)size <= row->maximum))
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "the %s must be between %.0f and %.0f, not %td", row->label, row->minimum,
                  row->maximum,
                  (ptrdiff_t)size); /* restores the sign of a negative size in a file */
  } else if (row->value == ELMAN_VALUE_REAL) {
    return check_range(row->label, *(const double *)field, row->minimum, row->maximum, error);
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

/* ---- values as JSON ---- */

json_t *hyperparameter_to_json(const elman_hyperparameter *row, const void *fields) {
  const void *field = (const char *)fields + row->offset;
  switch (row->value) {
  case ELMAN_VALUE_SIZE:
    return json_integer((json_int_t) * (const size_t *)field);
  case ELMAN_VALUE_SEED:
    return json_integer((json_int_t) * (const uint64_t *)field);
  case ELMAN_VALUE_REAL:
    return json_real(*(const double *)field);
  case ELMAN_VALUE_FLAG:
    return json_boolean(*(const bool *)field);
  case ELMAN_VALUE_NAME:
  case ELMAN_VALUE_ENUM:
    return json_string(hyperparameter_choice(row, fields));
  }
  return NULL;
}

bool hyperparameter_is_omitted(const elman_hyperparameter *row, const void *fields) {
  if (row->since < 3) return false;
  if (row->value == ELMAN_VALUE_FLAG) return !*(const bool *)((const char *)fields + row->offset);
  return row->choice != NULL && hyperparameter_choice(row, fields) == row->choice(0);
}

int hyperparameters_to_json(json_t *object, unsigned scopes, const void *fields) {
  const elman_hyperparameter *row = NULL;
  int result = 0;
  while ((row = hyperparameter_next(row, scopes)) != NULL) {
    if (hyperparameter_is_omitted(row, fields)) continue;
    result |= json_object_set_new(object, row->name, hyperparameter_to_json(row, fields));
  }
  return result;
}

static bool from_json(const elman_hyperparameter *row, void *fields, const json_t *value) {
  void *field = (char *)fields + row->offset;
  size_t index;
  if (row->choice != NULL) {
    if (!json_is_string(value) || !choice_parse(&index, row->choice, json_string_value(value)))
      return false;
    if (row->value == ELMAN_VALUE_NAME)
      *(const char **)field = row->choice(index);
    else
      *(unsigned *)field = (unsigned)index;
  } else if (row->value == ELMAN_VALUE_FLAG) {
    if (!json_is_boolean(value)) return false;
    *(bool *)field = json_is_true(value);
  } else if (row->value == ELMAN_VALUE_REAL) {
    if (!json_is_number(value)) return false;
    *(double *)field = json_number_value(value);
  } else {
    if (!json_is_integer(value)) return false;
    /* A negative size becomes a huge one, which the check of the limits refuses. */
    if (row->value == ELMAN_VALUE_SIZE)
      *(size_t *)field = (size_t)json_integer_value(value);
    else
      *(uint64_t *)field = (uint64_t)json_integer_value(value);
  }
  return true;
}

const elman_hyperparameter *hyperparameters_from_json(void *fields, unsigned scopes, size_t *found,
                                                      const json_t *object) {
  const elman_hyperparameter *row = NULL;
  while ((row = hyperparameter_next(row, scopes)) != NULL) {
    const json_t *value = json_object_get(object, row->name);
    if (value == NULL && row->since > 1) continue;
    if (!from_json(row, fields, value)) return row;
    ++*found;
  }
  return NULL;
}

/* ---- the configuration of a network ---- */

enum { MAX_VOCABULARY = 1 << 24 };

struct model_config model_config_default(void) {
  struct model_config config = {ELMAN_MODEL_HYPERPARAMETERS(FIELD_DEFAULT).source_vocabulary = 1,
                                .target_vocabulary = 1};
  model_config_complete(&config);
  return config;
}

/* Return the mechanism. Unknown names do not occur, because the check has refused them. */
static enum attention_kind kind_of(const struct model_config *config) {
  enum attention_kind kind = ATTENTION_DOT;
  if (config->attention != NULL) (void)attention_parse(&kind, config->attention);
  return kind;
}

static enum cell_kind cell_of(const struct model_config *config) {
  enum cell_kind kind = CELL_ELMAN;
  if (config->cell != NULL) (void)cell_parse(&kind, config->cell);
  return kind;
}

enum arithmetic arithmetic_of(const struct model_config *config) {
  size_t index = ARITHMETIC_FAST;
  if (config->arithmetic != NULL) (void)choice_parse(&index, arithmetic_name, config->arithmetic);
  return (enum arithmetic)index;
}

void model_config_complete(struct model_config *config) {
  hyperparameters_keep_names(config, ELMAN_SCOPE_MODEL);
  attention_config_complete(&config->attention_heads, &config->attention_window,
                            config->clause_segments, kind_of(config));
}

/* Return the configuration of self-attention. With projections and one head it also equals
 * nn.MultiheadAttention. */
static struct attention_config self_attention_of(const struct model_config *config, size_t heads) {
  return (struct attention_config){.kind = config->plain_self_attention ? ATTENTION_SCALED
                                                                        : ATTENTION_MULTIHEAD,
                                   .size = config->hidden_size,
                                   .heads = heads};
}

struct encoder_sizes encoder_sizes_of(const struct model_config *config) {
  return (struct encoder_sizes){.cell = rnn_cell_of(cell_of(config)),
                                .layer_norm = config->layer_norm,
                                .residual = config->residual,
                                .embedding = config->embedding_size,
                                .hidden = config->hidden_size,
                                .layers = config->layers,
                                .directions = config->bidirectional ? 2 : 1,
                                .self_attention =
                                    self_attention_of(config, config->encoder_self_attention)};
}

struct decoder_sizes decoder_sizes_of(const struct model_config *config) {
  const size_t attentional = config->tie_embeddings ? config->embedding_size : config->hidden_size;
  return (struct decoder_sizes){
      .cell = rnn_cell_of(cell_of(config)),
      .layer_norm = config->layer_norm,
      .residual = config->residual,
      .embedding = config->embedding_size,
      .hidden = config->hidden_size,
      .vocabulary = config->target_vocabulary,
      .layers = config->layers,
      .self_attention = self_attention_of(config, config->decoder_self_attention),
      .attention = {.kind = kind_of(config),
                    .size = config->hidden_size,
                    .heads = config->attention_heads,
                    .window = config->attention_window,
                    .clauses = config->clause_segments},
      .attentional = config->attentional_layer ? attentional : 0,
      .features = config->attentional_layer ? attentional : 2 * config->hidden_size,
      .input_feeding = config->input_feeding,
      .bridge = config->bidirectional};
}

static elman_status check_size(const char *name, size_t size, size_t limit, elman_error *error) {
  if (size >= 1 && size <= limit) return ELMAN_OK;
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the %s must be between 1 and %zu, not %zu",
              name, limit, size);
}

static elman_status check_attention(const struct model_config *config, elman_error *error) {
  const struct attention_config layers[] = {decoder_sizes_of(config).attention,
                                            encoder_sizes_of(config).self_attention,
                                            decoder_sizes_of(config).self_attention};
  const bool self = layers[1].heads > 0 || layers[2].heads > 0;
  elman_status status = ELMAN_OK;
  for (size_t i = 0; i < sizeof layers / sizeof *layers && status == ELMAN_OK; i++)
    if (i == 0 || layers[i].heads > 0) status = attention_config_check(&layers[i], error);
  if (status == ELMAN_OK) status = attention_config_check_translator(&layers[0], error);
  if (status == ELMAN_OK && config->plain_self_attention && !self)
    status = fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "plain self-attention needs self-attention in the encoder or the decoder");
  return status;
}

elman_status model_config_check(const struct model_config *config, elman_error *error) {
  elman_status status = hyperparameters_check(config, ELMAN_SCOPE_MODEL, error);
  if (status == ELMAN_OK)
    status = check_size("source vocabulary", config->source_vocabulary, MAX_VOCABULARY, error);
  if (status == ELMAN_OK)
    status = check_size("target vocabulary", config->target_vocabulary, MAX_VOCABULARY, error);
  if (status == ELMAN_OK && config->bidirectional && config->hidden_size % 2 != 0)
    status =
        fail(error, ELMAN_INVALID_ARGUMENT, NULL,
             "a bidirectional encoder needs an even hidden size, not %zu", config->hidden_size);
  if (status == ELMAN_OK && config->layer_norm &&
      encoder_direction_size(encoder_sizes_of(config)) < 2)
    status = fail(
        error, ELMAN_INVALID_ARGUMENT, NULL,
        "layer normalization needs at least two units in each direction; use a larger hidden size");
  if (status == ELMAN_OK && config->residual && config->layers < 2)
    status = fail(
        error, ELMAN_INVALID_ARGUMENT, NULL,
        "residual connections need at least two layers; raise the number of layers (--layers)");
  if (status == ELMAN_OK) status = check_attention(config, error);
  if (status == ELMAN_OK && !config->attentional_layer &&
      (config->input_feeding || config->tie_embeddings))
    status = fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s needs the attentional layer",
                  config->tie_embeddings ? "tying the embeddings" : "input feeding");
  return status;
}
