#include "model/options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention/kinds.h"
#include "base/text.h"
#include "elman/metric.h"
#include "elman/suggestion.h"
#include "rnn/cell.h"
#include "tensor/operand.h"
#include "vocab/tokens.h"

/* ---- choices ---- */

const char *elman_arithmetic_name(size_t index) {
  static const char *const names[] = {
      [ARITHMETIC_FAST] = "fast", [ARITHMETIC_PORTABLE] = "portable"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

const char *elman_precision_name(size_t index) {
  static const char *const names[] = {[ELMAN_PRECISION_FLOAT32] = "float32",
                                      [ELMAN_PRECISION_BFLOAT16] = "bfloat16",
                                      [ELMAN_PRECISION_INT8] = "int8"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

const char *elman_schedule_name(size_t index) {
  static const char *const names[] = {"constant", "plateau", "inverse-sqrt", "linear",
                                      "late-linear"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

const char *elman_optimizer_name(size_t index) {
  static const char *const names[] = {"adam", "muon"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

const char *elman_measure_name(size_t index) {
  static const char *const names[] = {"auto", "bleu", "chrf", "loss"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

const char *elman_length_norm_name(size_t index) {
  static const char *const names[] = {[ELMAN_LENGTH_POWER] = "power", [ELMAN_LENGTH_WU] = "wu"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

/* Return the name of a normalization that users can choose; NULL after the last. Users cannot
 * choose the form for full-width text; training itself chooses it. */
static const char *normalization_choice(size_t index) {
  return index <= ELMAN_NORMALIZATION_AUTO_LOWER ? elman_normalization_name(index) : NULL;
}

/* Return the name of a precision of training; NULL after the last. */
static const char *training_precision(size_t index) {
  return index <= ELMAN_PRECISION_BFLOAT16 ? elman_precision_name(index) : NULL;
}

/* Return the name of a precision of translation. */
static const char *translation_precision(size_t index) {
  return index == ELMAN_PRECISION_BFLOAT16 ? "" : elman_precision_name(index);
}

/* ---- the table ---- */

/* Fields of a table row for each type of value. */
#define KIND_SIZE .value = ELMAN_VALUE_SIZE, .argument = "N"
#define KIND_SEED .value = ELMAN_VALUE_SEED, .argument = "N"
#define KIND_REAL .value = ELMAN_VALUE_REAL, .argument = "X"
#define KIND_SHARE .value = ELMAN_VALUE_REAL, .argument = "P"
#define KIND_FLAG .value = ELMAN_VALUE_FLAG
#define KIND_CELL .value = ELMAN_VALUE_NAME, .argument = "KIND", .choice = elman_cell_name
#define KIND_ATTENTION .value = ELMAN_VALUE_NAME, .argument = "KIND", .choice = elman_attention_name
#define KIND_ARITHMETIC                                                                            \
  .value = ELMAN_VALUE_NAME, .argument = "NAME", .choice = elman_arithmetic_name
#define KIND_SCHEDULE .value = ELMAN_VALUE_NAME, .argument = "NAME", .choice = elman_schedule_name
#define KIND_OPTIMIZER .value = ELMAN_VALUE_NAME, .argument = "NAME", .choice = elman_optimizer_name
#define KIND_MEASURE .value = ELMAN_VALUE_NAME, .argument = "NAME", .choice = elman_measure_name
#define KIND_BLEU_TOKENS                                                                           \
  .value = ELMAN_VALUE_NAME, .argument = "NAME", .choice = elman_bleu_tokens_name
#define KIND_PRECISION .value = ELMAN_VALUE_ENUM, .argument = "NAME", .choice = training_precision
#define KIND_TRANSLATE_PRECISION                                                                   \
  .value = ELMAN_VALUE_ENUM, .argument = "NAME", .choice = translation_precision
#define KIND_LENGTH_NORM                                                                           \
  .value = ELMAN_VALUE_ENUM, .argument = "NAME", .choice = elman_length_norm_name
#define KIND_SPLIT                                                                                 \
  .value = ELMAN_VALUE_ENUM, .argument = "WHEN", .choice = elman_split_sentences_name
#define KIND_TOKENS .value = ELMAN_VALUE_ENUM, .argument = "MODE", .choice = elman_token_mode_name
#define KIND_NORMALIZATION                                                                         \
  .value = ELMAN_VALUE_ENUM, .argument = "FORM", .choice = normalization_choice

#define KIND_LANGUAGE .value = ELMAN_VALUE_LANGUAGE, .argument = "CODE"

#define MODEL_INDEX(type, field, ...) INDEX_MODEL_##field,
#define TRAIN_INDEX(type, field, ...) INDEX_TRAIN_##field,
#define TRANSLATE_INDEX(type, field, ...) INDEX_TRANSLATE_##field,
enum {
  ELMAN_MODEL_OPTIONS(MODEL_INDEX) ELMAN_TRAIN_OPTIONS(TRAIN_INDEX)
      ELMAN_TRANSLATE_OPTIONS(TRANSLATE_INDEX)
};

#define ROW(table, struct, type, field, second, text, low, high, otherwise, place, heading, line)  \
  {.name = #field,                                                                                 \
   .also = (second),                                                                               \
   .label = (text),                                                                                \
   .group = (heading),                                                                             \
   .help = (line),                                                                                 \
   .minimum = (double)(low),                                                                       \
   .maximum = (double)(high),                                                                      \
   .scope = ELMAN_SCOPE_##place,                                                                   \
   KIND_##type,                                                                                    \
   .offset = offsetof(struct, field),                                                              \
   .index = INDEX_##table##_##field},
#define MODEL_ROW(...) ROW(MODEL, elman_model_options, __VA_ARGS__)
#define TRAIN_ROW(...) ROW(TRAIN, elman_train_options, __VA_ARGS__)
#define TRANSLATE_ROW(...) ROW(TRANSLATE, elman_translate_options, __VA_ARGS__)

static const elman_option rows[] = {ELMAN_MODEL_OPTIONS(MODEL_ROW) ELMAN_TRAIN_OPTIONS(TRAIN_ROW)
                                        ELMAN_TRANSLATE_OPTIONS(TRANSLATE_ROW)};

static_assert(sizeof rows / sizeof *rows < ELMAN_MAX_OPTIONS, "there is an index for each row");

/* Check that other structs begin with the same fields as the options, so that one table describes
 * all of them. */
#define SAME_PLACE(other, options, field)                                                          \
  static_assert(offsetof(other, field) == offsetof(options, field), "the fields come first");
#define SAME_IN_INFO(type, field, ...) SAME_PLACE(elman_model_info, elman_model_options, field)
#define SAME_IN_SETTINGS(type, field, ...)                                                         \
  SAME_PLACE(elman_train_settings, elman_train_options, field)

ELMAN_MODEL_OPTIONS(SAME_IN_INFO)
ELMAN_TRAIN_OPTIONS(SAME_IN_SETTINGS)

const elman_option *elman_option_next(const elman_option *row, unsigned scopes) {
  for (size_t i = row == NULL ? 0 : row->index + 1; i < sizeof rows / sizeof *rows; i++)
    if ((rows[i].scope & scopes) != 0) return &rows[i];
  return NULL;
}

const elman_option *elman_option_find(unsigned scopes, const char *name) {
  const elman_option *row = NULL;
  while ((row = elman_option_next(row, scopes)) != NULL && strcmp(row->name, name) != 0) {
  }
  return row;
}

static const void *field_of(const elman_option *row, const void *fields) {
  return (const char *)fields + row->offset;
}

static size_t size_of(const elman_option *row) {
  static const size_t sizes[] = {[ELMAN_VALUE_SIZE] = sizeof(size_t),
                                 [ELMAN_VALUE_SEED] = sizeof(uint64_t),
                                 [ELMAN_VALUE_REAL] = sizeof(double),
                                 [ELMAN_VALUE_FLAG] = sizeof(bool),
                                 [ELMAN_VALUE_NAME] = sizeof(char *),
                                 [ELMAN_VALUE_ENUM] = sizeof(unsigned),
                                 [ELMAN_VALUE_LANGUAGE] = sizeof(elman_language)};
  return sizes[row->value];
}

/* ---- names ---- */

enum { NAME_SIZE = 48 };

const char *elman_option_write_name(char *text, size_t size, const char *name,
                                    elman_naming naming) {
  size_t used = 0;
  text[0] = '\0';
  if (naming == ELMAN_NAMES_OPTION) used = (size_t)snprintf(text, size, "--");
  for (; *name != '\0' && used + 2 < size; name++) {
    char letter = *name;
    if (isupper((unsigned char)letter) && naming == ELMAN_NAMES_FIELD) {
      text[used++] = '_';
      letter = (char)tolower((unsigned char)letter);
    }
    if (letter == '_' && (naming == ELMAN_NAMES_OPTION || naming == ELMAN_NAMES_SETTING))
      letter = '-';
    if (letter == '_' && naming == ELMAN_NAMES_CAMEL && name[1] != '\0')
      letter = (char)toupper((unsigned char)*++name);
    text[used++] = letter;
    text[used] = '\0';
  }
  return text;
}

/* Return the length of the name in backquotes at the start of `message`, without the backquotes; 0
 * if there is none. */
static size_t marked_name(const char *message) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
  if (message[0] != '`') return 0;
  const size_t length = strspn(message + 1, letters);
  return length < NAME_SIZE && message[length + 1] == '`' ? length : 0;
}

const char *elman_option_write_message(char *text, size_t size, const char *message,
                                       elman_naming naming) {
  char name[NAME_SIZE], written[NAME_SIZE];
  size_t used = 0;
  while (*message != '\0' && used + 1 < size) {
    const size_t length = marked_name(message);
    if (length == 0) {
      text[used++] = *message++;
      continue;
    }
    snprintf(name, sizeof name, "%.*s", (int)length, message + 1);
    elman_option_write_name(written, sizeof written, name, naming);
    used += (size_t)snprintf(text + used, size - used, "%s", written);
    message += length + 2;
  }
  text[used < size ? used : size - 1] = '\0';
  return text;
}

enum { SHOWN_SIZE = 64, MOST_TYPED = 40 };

/* Return the length of the start of a word: whole characters, at most `most` bytes. */
static int start_of(const char *word, int most) {
  if (strlen(word) <= (size_t)most) return (int)strlen(word);
  while (most > 0 && ((unsigned char)word[most] & 0xC0U) == 0x80U) most--;
  return most;
}

/* Write a value as messages show it: words in quotation marks, numbers and others as they are. */
static void show_value(char shown[SHOWN_SIZE], const char *word, bool is_text) {
  const int length = start_of(word, SHOWN_SIZE - 6);
  snprintf(shown, SHOWN_SIZE, "%s%.*s%s%s", is_text ? "'" : "", length, word,
           word[length] == '\0' ? "" : "...", is_text ? "'" : "");
}

elman_status elman_option_refuse(unsigned scopes, const char *name, const char *const *others,
                                 elman_naming naming, elman_error *error) {
  char typed[NAME_SIZE], meant[NAME_SIZE], field[NAME_SIZE], option[NAME_SIZE];
  elman_suggestion suggestion = {0};
  const elman_option *row = NULL;
  elman_option_write_name(field, sizeof field, name, ELMAN_NAMES_FIELD);
  elman_option_write_name(option, sizeof option, field, ELMAN_NAMES_OPTION);
  while ((row = elman_option_next(row, scopes)) != NULL) {
    elman_suggestion_offer(&suggestion, field, row->name);
    if (row->also == NULL || strcmp(row->also, option + strlen("--")) != 0) continue;
    suggestion.best = row->name;
    break;
  }
  for (; row == NULL && others != NULL && *others != NULL; others++)
    elman_suggestion_offer(&suggestion, field, *others);
  const char *reason = elman_suggestion_reason(field);
  snprintf(typed, sizeof typed, "%s%.*s", naming == ELMAN_NAMES_OPTION ? "--" : "",
           start_of(name, MOST_TYPED), name);
  if (suggestion.best != NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "unknown option '%s'; did you mean '%s'?",
                typed, elman_option_write_name(meant, sizeof meant, suggestion.best, naming));
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "unknown option '%s'%s%s", typed,
              reason == NULL ? "" : "; ", reason == NULL ? "" : reason);
}

/* ---- choices of a row ---- */

/* Find a word among the choices of a row. */
static bool find_choice(size_t *index, const elman_option *row, const char *word) {
  return word[0] != '\0' && choice_parse(index, row->choice, word);
}

const char *elman_option_choice(const elman_option *row, const void *fields) {
  const void *field = field_of(row, fields);
  size_t index = 0;
  if (row->choice == NULL) return NULL;
  if (row->value == ELMAN_VALUE_ENUM) {
    const char *name = row->choice(*(const unsigned *)field);
    return name == NULL || name[0] == '\0' ? NULL : name;
  }
  const char *word = *(const char *const *)field;
  return word == NULL || find_choice(&index, row, word) ? row->choice(index) : NULL;
}

void options_keep_names(void *fields, unsigned scopes) {
  const elman_option *row = NULL;
  while ((row = elman_option_next(row, scopes)) != NULL) {
    const char *word = row->value == ELMAN_VALUE_NAME ? elman_option_choice(row, fields) : NULL;
    if (word != NULL) *(const char **)((char *)fields + row->offset) = word;
  }
}

/* ---- values that users give ---- */

enum { ALLOWED_SIZE = 256 };

/* Describe the values that a row allows in this form: "a whole number from 1 to 1024". */
static void describe_allowed(char text[ALLOWED_SIZE], const elman_option *row, elman_form form) {
  size_t used = 0;
  switch (row->value) {
  case ELMAN_VALUE_SIZE:
    snprintf(text, ALLOWED_SIZE, "a whole number from %.0f to %.0f", row->minimum, row->maximum);
    break;
  case ELMAN_VALUE_SEED:
    snprintf(text, ALLOWED_SIZE, "a whole number from 0 to %" PRIu64, UINT64_MAX);
    break;
  case ELMAN_VALUE_REAL:
    snprintf(text, ALLOWED_SIZE, "a number from %g to %g", row->minimum, row->maximum);
    break;
  case ELMAN_VALUE_FLAG:
    snprintf(text, ALLOWED_SIZE, form == ELMAN_FORM_JSON ? "true or false" : "on or off");
    break;
  case ELMAN_VALUE_LANGUAGE:
    snprintf(text, ALLOWED_SIZE, "the code of a language, such as de, pt-BR or zh-Hans, or none");
    break;
  default:
    used = (size_t)snprintf(text, ALLOWED_SIZE, "one of ");
    for (size_t i = 0; row->choice(i) != NULL && used < ALLOWED_SIZE; i++)
      if (row->choice(i)[0] != '\0')
        used += (size_t)snprintf(text + used, ALLOWED_SIZE - used, "%s%s", i == 0 ? "" : ", ",
                                 row->choice(i));
  }
}

/* Refuse a value. `shown` is the value in the form of show_value, `word` the text of a choice. */
static elman_status refuse_value(const elman_option *row, const char *shown, const char *word,
                                 elman_form form, elman_naming naming, elman_error *error) {
  char name[NAME_SIZE], allowed[ALLOWED_SIZE], hint[NAME_SIZE + 24] = "";
  elman_suggestion meant = {0};
  describe_allowed(allowed, row, form);
  for (size_t i = 0; word != NULL && row->choice != NULL && row->choice(i) != NULL; i++)
    elman_suggestion_offer(&meant, word, row->choice(i));
  if (word != NULL && row->value == ELMAN_VALUE_LANGUAGE) meant.best = elman_language_named(word);
  if (meant.best != NULL) snprintf(hint, sizeof hint, "; did you mean '%s'?", meant.best);
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s must be %s, not %s%s",
              elman_option_write_name(name, sizeof name, row->name, naming), allowed, shown, hint);
}

static bool is_whole(uint64_t *number, const char *text) {
  char *end;
  if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text)) return false;
  errno = 0;
  *number = strtoull(text, &end, 10);
  return errno == 0;
}

/* Parse a finite number with optional sign and exponent. Refuse other forms that strtod accepts. */
static bool is_real(double *number, const char *text) {
  if (text[0] == '\0' || strspn(text, "0123456789.eE+-") != strlen(text)) return false;
  const char *end = real_parse(number, text);
  return end != NULL && *end == '\0' && isfinite(*number);
}

static bool is_flag(bool *flag, const char *text, elman_form form) {
  static const char *const words[] = {"false", "true", "no", "yes", "off", "on", NULL};
  const size_t count = form == ELMAN_FORM_JSON ? 2 : 6;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(words[i], text) != 0) continue;
    *flag = i % 2 == 1;
    return true;
  }
  return false;
}

/* The word for a language that is not stated. */
static const char NO_LANGUAGE[] = "none";

/* Store the value that `word` denotes. `is_text` states that the value is a text, not a number or
 * another value of JSON. Return false if the row does not allow it. */
static bool store(const elman_option *row, void *field, const char *word, bool is_text,
                  elman_form form) {
  const bool is_word = form == ELMAN_FORM_WORD;
  uint64_t whole;
  double number;
  size_t index;
  if (row->choice != NULL) {
    if (!(is_text || is_word) || !find_choice(&index, row, word)) return false;
    if (row->value == ELMAN_VALUE_NAME)
      *(const char **)field = row->choice(index);
    else
      *(unsigned *)field = (unsigned)index;
    return true;
  }
  if (row->value == ELMAN_VALUE_LANGUAGE)
    return (is_text || is_word) &&
           elman_language_parse(field, strcmp(word, NO_LANGUAGE) == 0 ? "" : word);
  if (is_text && !is_word) return false;
  switch (row->value) {
  case ELMAN_VALUE_FLAG:
    return is_flag(field, word, form);
  case ELMAN_VALUE_REAL:
    if (!is_real(&number, word) || number < row->minimum || number > row->maximum) return false;
    *(double *)field = number;
    return true;
  case ELMAN_VALUE_SEED:
    if (!is_whole(&whole, word)) return false;
    *(uint64_t *)field = whole;
    return true;
  default:
    if (!is_whole(&whole, word) || (double)whole < row->minimum || (double)whole > row->maximum)
      return false;
    *(size_t *)field = (size_t)whole;
    return true;
  }
}

static bool is_number(const char *word) {
  double number;
  return is_real(&number, word);
}

/* Show a number of JSON without the digits that a program adds to a fraction: 10.300000000000001 is
 * 10.3. Return false if the number is to be shown as it is. */
static bool show_fraction(char shown[SHOWN_SIZE], const char *word) {
  enum { DIGITS = 15 };
  double number;
  if (!is_real(&number, word) || strpbrk(word, ".e") == NULL) return false;
  if (strlen(word) <= DIGITS && strchr(word, 'e') == NULL) return false;
  snprintf(shown, SHOWN_SIZE, "%.*g", DIGITS, number);
  const double rounded = strtod(shown, NULL);
  return memcmp(&rounded, &number, sizeof number) == 0;
}

elman_status elman_option_set(const elman_option *row, void *fields, const char *value,
                              elman_form form, elman_naming naming, elman_error *error) {
  void *field = (char *)fields + row->offset;
  char shown[SHOWN_SIZE];
  json_t *text = form == ELMAN_FORM_JSON && value[0] == '"'
                     ? json_loads(value, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL)
                     : NULL;
  const char *word = text != NULL ? json_string_value(text) : value;
  const bool is_text = text != NULL || (form == ELMAN_FORM_WORD && !is_number(value));
  elman_status status = ELMAN_OK;
  const bool is_cut = text != NULL && strlen(word) != json_string_length(text); /* at NUL */
  if (is_cut || !store(row, field, word, is_text, form)) {
    if (is_text || form != ELMAN_FORM_JSON || !show_fraction(shown, word))
      show_value(shown, word, is_text);
    status = refuse_value(row, shown, is_text ? word : NULL, form, naming, error);
  }
  json_decref(text);
  return status;
}

/* ---- checks of a struct ---- */

static elman_status check_row(const elman_option *row, const void *fields, elman_naming naming,
                              elman_error *error) {
  const void *field = field_of(row, fields);
  char shown[SHOWN_SIZE];
  const char *word = NULL;
  if (row->choice != NULL) {
    if (elman_option_choice(row, fields) != NULL) return ELMAN_OK;
    if (row->value == ELMAN_VALUE_NAME) {
      word = *(const char *const *)field;
      show_value(shown, word, true);
    } else {
      snprintf(shown, sizeof shown, "%u", *(const unsigned *)field);
    }
  } else if (row->value == ELMAN_VALUE_SIZE) {
    const size_t size = *(const size_t *)field;
    if ((double)size >= row->minimum && (double)size <= row->maximum) return ELMAN_OK;
    /* restores the sign of a negative size in a file */
    snprintf(shown, sizeof shown, "%td", (ptrdiff_t)size);
  } else if (row->value == ELMAN_VALUE_REAL) {
    const double number = *(const double *)field; /* the condition is false for NaN */
    if (number >= row->minimum && number <= row->maximum) return ELMAN_OK;
    snprintf(shown, sizeof shown, "%g", number);
  } else if (row->value == ELMAN_VALUE_LANGUAGE) {
    elman_language parsed;
    char code[ELMAN_LANGUAGE_SIZE + 1] = ""; /* ends with a NUL even if the code has none */
    memcpy(code, field, sizeof parsed.code);
    if (elman_language_parse(&parsed, code) && memcmp(&parsed, field, sizeof parsed) == 0)
      return ELMAN_OK;
    show_value(shown, code, true);
  } else {
    return ELMAN_OK;
  }
  return refuse_value(row, shown, word, ELMAN_FORM_WORD, naming, error);
}

/* ---- rules ---- */

enum relation { NEEDS, EXCLUDES };

static const struct option_rule {
  unsigned scopes;
  const char *option;
  enum relation relation;
  const char *condition, *unless;
} rules[] = {
#define RULE(table, option, relation, condition, unless)                                           \
  {ELMAN_SCOPES_##table, #option, relation, condition, unless},
    ELMAN_OPTION_RULES(RULE)};

/* Facts that are not rows, and how messages name them. */
static const struct {
  const char *name, *words;
} facts[] = {{"dev", NULL}, /* named like an option */
             {"scores", "scores"},
             {"overrides", "overrides"},
             {"shuffle", "an override of kind shuffle"},
             {"places", "an override of a position or cell"},
             {"ensemble", "an ensemble"},
             {"assumed", NULL}}; /* only in exceptions */

static const char *fact_words(const char *name) {
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    if (strcmp(facts[i].name, name) == 0) return facts[i].words;
  return NULL;
}

static bool fact_holds(const char *name, const void *fields, const bool *given) {
  if (strcmp(name, "assumed") == 0) return given == NULL;
  if (strcmp(name, "dev") == 0) {
    const elman_train_options *training = fields;
    return training->dev != NULL || training->dev_name != NULL;
  }
  const elman_translate_options *options = fields;
  if (strcmp(name, "scores") == 0) return !options->without_scores;
  if (strcmp(name, "overrides") == 0) return options->override_count > 0;
  if (strcmp(name, "ensemble") == 0) return options->ensemble_count > 0;
  const bool places = strcmp(name, "places") == 0;
  bool found = false;
  assert(places || strcmp(name, "shuffle") == 0);
  for (size_t i = 0; i < options->override_count; i++) {
    const elman_override_kind kind = options->overrides[i].kind;
    found |= places ? kind == ELMAN_OVERRIDE_POSITION || kind == ELMAN_OVERRIDE_CELL
                    : kind == ELMAN_OVERRIDE_SHUFFLE;
  }
  return found;
}

static double number_of(const elman_option *row, const void *fields) {
  const void *field = field_of(row, fields);
  return row->value == ELMAN_VALUE_REAL       ? *(const double *)field
         : row->value == ELMAN_VALUE_FLAG     ? *(const bool *)field
         : row->value == ELMAN_VALUE_SEED     ? (double)*(const uint64_t *)field
         : row->value == ELMAN_VALUE_LANGUAGE ? *(const char *)field != '\0'
                                              : (double)*(const size_t *)field;
}

static const void *defaults_of(unsigned scope) {
  static elman_model_options of_model = {ELMAN_MODEL_OPTIONS(FIELD_DEFAULT)};
  static elman_train_options of_training = {ELMAN_TRAIN_OPTIONS(FIELD_DEFAULT).epochs = 0};
  static elman_translate_options of_translation = {
      ELMAN_TRANSLATE_OPTIONS(FIELD_DEFAULT).overrides = NULL};
  return (scope & ELMAN_SCOPES_MODEL) != 0   ? (const void *)&of_model
         : (scope & ELMAN_SCOPES_TRAIN) != 0 ? (const void *)&of_training
                                             : (const void *)&of_translation;
}

/* Return whether two structs have equal values of a row. */
static bool is_equal(const elman_option *row, const void *one, const void *other) {
  if (row->value == ELMAN_VALUE_NAME)
    return elman_option_choice(row, one) == elman_option_choice(row, other);
  return memcmp(field_of(row, one), field_of(row, other), size_of(row)) == 0;
}

bool elman_options_equal(unsigned scopes, const void *one, const void *other) {
  const elman_option *row = NULL;
  while ((row = elman_option_next(row, scopes)) != NULL)
    if (!is_equal(row, one, other)) return false;
  return true;
}

void options_hash(struct xxh64 *sum, unsigned scopes, const void *fields) {
  const elman_option *row = NULL;
  while ((row = elman_option_next(row, scopes)) != NULL) {
    if (row->choice == NULL) {
      xxh64_add(sum, field_of(row, fields), size_of(row));
      continue;
    }
    const char *choice = elman_option_choice(row, fields);
    const struct text word = text_of(choice == NULL ? "" : choice);
    xxh64_add(sum, &word.length, sizeof word.length);
    xxh64_add(sum, word.bytes, word.length);
  }
}

/* Return whether an option is given and has an effect: a flag that is true, a number that is not
 * 0, any choice. */
static bool is_active(const elman_option *row, const void *fields, const bool *given) {
  if (given != NULL ? !given[row->index] : is_equal(row, fields, defaults_of(row->scope)))
    return false;
  return row->choice != NULL || number_of(row, fields) != 0;
}

/* A part of a condition: NAME, NAME > NUMBER, NAME >= NAME, or NAME = WORD. */
struct condition {
  char name[NAME_SIZE], sign[3], value[NAME_SIZE];
};

/* Parse the part at the start of `text`. Return the next part, or NULL. */
static const char *condition_parse(struct condition *condition, const char *text) {
  static const char alternative[] = " or ";
  const char *end = strstr(text, alternative);
  const size_t length = end == NULL ? strlen(text) : (size_t)(end - text);
  char part[3 * NAME_SIZE];
  *condition = (struct condition){.sign = ""};
  snprintf(part, sizeof part, "%.*s", (int)length, text);
  (void)sscanf(part, "%47s %2s %47s", condition->name, condition->sign, condition->value);
  return end == NULL ? NULL : end + strlen(alternative);
}

/* Return whether a part holds. If the part has no comparison, the row must be on for NEEDS, whether
 * given or by default; for EXCLUDES it must be given. */
static bool condition_holds(const struct condition *condition, const struct option_rule *rule,
                            const void *fields, const bool *given) {
  const elman_option *row = elman_option_find(rule->scopes, condition->name), *other;
  if (row == NULL) return fact_holds(condition->name, fields, given);
  if (strcmp(condition->sign, "=") == 0) {
    const char *choice = elman_option_choice(row, fields);
    return choice != NULL && strcmp(choice, condition->value) == 0;
  }
  if (strcmp(condition->sign, ">=") == 0) {
    other = elman_option_find(rule->scopes, condition->value);
    return number_of(row, fields) >= number_of(other, fields);
  }
  if (strcmp(condition->sign, ">") == 0)
    return number_of(row, fields) > strtod(condition->value, NULL);
  return rule->relation == NEEDS ? number_of(row, fields) != 0 : is_active(row, fields, given);
}

/* Append a part of a condition in words: "beam above 1". */
static void condition_describe(char *text, size_t size, const struct condition *condition,
                               unsigned scopes, const void *fields, elman_naming naming) {
  char name[NAME_SIZE];
  const char *words = fact_words(condition->name);
  const elman_option *row = elman_option_find(scopes, condition->value);
  elman_option_write_name(name, sizeof name, condition->name, naming);
  if (words != NULL)
    snprintf(text, size, "%s", words);
  else if (strcmp(condition->sign, "=") == 0)
    snprintf(text, size, "%s %s", name, condition->value);
  else if (strcmp(condition->sign, ">=") == 0)
    snprintf(text, size, "%s %.0f or more", name, number_of(row, fields));
  else if (condition->sign[0] == '>')
    snprintf(text, size, "%s above %s", name, condition->value);
  else
    snprintf(text, size, "%s", name);
}

static elman_status break_rule(const struct option_rule *rule, const elman_option *row,
                               const void *fields, const bool *given, elman_naming naming,
                               elman_error *error) {
  char name[NAME_SIZE], words[2 * ALLOWED_SIZE] = "", value[NAME_SIZE] = "";
  struct condition condition;
  elman_option_write_name(name, sizeof name, row->name, naming);
  for (const char *rest = rule->condition; rest != NULL;) {
    rest = condition_parse(&condition, rest);
    if (rule->relation == EXCLUDES && !condition_holds(&condition, rule, fields, given)) continue;
    const size_t used = strlen(words);
    snprintf(words + used, sizeof words - used, "%s", used == 0 ? "" : " or ");
    const size_t start = strlen(words);
    condition_describe(words + start, sizeof words - start, &condition, rule->scopes, fields,
                       naming);
  }
  if (row->value == ELMAN_VALUE_SIZE)
    snprintf(value, sizeof value, " %.0f", number_of(row, fields));
  if (row->choice != NULL) snprintf(value, sizeof value, " %s", elman_option_choice(row, fields));
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s%s %s %s", name, value,
              rule->relation == NEEDS ? "needs" : "cannot be combined with", words);
}

static elman_status check_rule(const struct option_rule *rule, unsigned scopes, const void *fields,
                               const bool *given, elman_naming naming, elman_error *error) {
  struct condition option, condition;
  bool holds = false;
  (void)condition_parse(&option, rule->option);
  const elman_option *row = elman_option_find(rule->scopes, option.name);
  if ((row->scope & scopes) == 0 || !is_active(row, fields, given)) return ELMAN_OK;
  if (option.sign[0] != '\0' && !condition_holds(&option, rule, fields, given)) return ELMAN_OK;
  if (rule->unless != NULL && fact_holds(rule->unless, fields, given)) return ELMAN_OK;
  for (const char *rest = rule->condition; rest != NULL;) {
    rest = condition_parse(&condition, rest);
    holds |= condition_holds(&condition, rule, fields, given);
  }
  return holds == (rule->relation == NEEDS) ? ELMAN_OK
                                            : break_rule(rule, row, fields, given, naming, error);
}

elman_status options_check_values(unsigned scopes, const void *fields, elman_naming naming,
                                  elman_error *error) {
  const elman_option *row = NULL;
  elman_status status = ELMAN_OK;
  while (status == ELMAN_OK && (row = elman_option_next(row, scopes)) != NULL)
    status = check_row(row, fields, naming, error);
  return status;
}

elman_status elman_options_check(unsigned scopes, const void *fields, const bool *given,
                                 elman_naming naming, elman_error *error) {
  elman_status status = options_check_values(scopes, fields, naming, error);
  for (size_t i = 0; i < sizeof rules / sizeof *rules && status == ELMAN_OK; i++)
    if ((scopes & rules[i].scopes) != 0)
      status = check_rule(&rules[i], scopes, fields, given, naming, error);
  return status;
}

elman_status elman_options_unused(unsigned scopes, const void *fields, const bool *given,
                                  const char *reason, elman_naming naming, elman_error *error) {
  const elman_option *row = NULL;
  char name[NAME_SIZE];
  while ((row = elman_option_next(row, scopes)) != NULL)
    if (is_active(row, fields, given))
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s has no effect: %s",
                  elman_option_write_name(name, sizeof name, row->name, naming), reason);
  return ELMAN_OK;
}

/* ---- JSON of files ---- */

json_t *option_to_json(const elman_option *row, const void *fields) {
  const void *field = field_of(row, fields);
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
    return json_string(elman_option_choice(row, fields));
  case ELMAN_VALUE_LANGUAGE:
    return json_string(field);
  }
  return NULL;
}

int options_to_json(json_t *object, unsigned scopes, const void *fields) {
  const elman_option *row = NULL;
  int result = 0;
  while ((row = elman_option_next(row, scopes)) != NULL)
    result |= json_object_set_new(object, row->name, option_to_json(row, fields));
  return result;
}

static bool from_json(const elman_option *row, void *fields, const json_t *value) {
  void *field = (char *)fields + row->offset;
  size_t index;
  if (row->choice != NULL) {
    if (!json_is_string(value) || !find_choice(&index, row, json_string_value(value))) return false;
    if (row->value == ELMAN_VALUE_NAME)
      *(const char **)field = row->choice(index);
    else
      *(unsigned *)field = (unsigned)index;
  } else if (row->value == ELMAN_VALUE_LANGUAGE) {
    return json_is_string(value) && elman_language_parse(field, json_string_value(value));
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

const elman_option *options_from_json(void *fields, unsigned scopes, const json_t *object) {
  const elman_option *row = NULL;
  while ((row = elman_option_next(row, scopes)) != NULL)
    if (!from_json(row, fields, json_object_get(object, row->name))) break;
  return row;
}
