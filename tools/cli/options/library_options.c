#include "options/library_options.h"

#include <ctype.h>
#include <string.h>

/* Return the name of the option: the field with '-' in place of '_'. */
static const char *option_name_of(const elman_option *row) {
  enum { LONGEST = 40 };
  static char names[ELMAN_MAX_OPTIONS][LONGEST];
  char *name = names[row->index];
  if (name[0] == '\0')
    for (size_t i = 0; row->name[i] != '\0' && i + 1 < LONGEST; i++)
      name[i] = (char)(row->name[i] == '_' ? '-' : row->name[i]);
  return name;
}

/* Return the words that describe the default of a row if a command takes this default from
 * somewhere else, such as the model; NULL for other rows. */
static const char *default_words_of(const elman_option *row) {
  static const struct {
    unsigned scope;
    const char *name, *words;
  } others[] = {{ELMAN_SCOPE_SEARCH, "beam", "1, or as stored in the model"},
                {ELMAN_SCOPE_SCORE, "length_penalty", "1, or as stored in the model"},
                {ELMAN_SCOPE_LIST, "replace_unknown", "as stored in the model"},
                {ELMAN_SCOPE_PRECISION, "precision", "float32, or int8 for an int8 file"},
                {ELMAN_SCOPE_MODEL, "source_language", "from the names of the files"},
                {ELMAN_SCOPE_MODEL, "target_language", "from the names of the files"},
                {ELMAN_SCOPE_TRAINING, "guide_weight", "0.3 with --guide"}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (row->scope == others[i].scope && strcmp(row->name, others[i].name) == 0)
      return others[i].words;
  return NULL;
}

static struct option option_of(const elman_option *row, void *field) {
  const elman_value value = row->value;
  const bool is_size = value == ELMAN_VALUE_SIZE;
  return (struct option){.name = option_name_of(row),
                         .also = row->also,
                         .letter = strcmp(row->name, "threads") == 0 ? 't' : 0,
                         .argument = row->argument,
                         .help = row->help,
                         .default_words = default_words_of(row),
                         .row = row,
                         .group = row->group,
                         .choice = row->choice,
                         .flag = value == ELMAN_VALUE_FLAG ? field : NULL,
                         .text = value == ELMAN_VALUE_NAME ? field : NULL,
                         .index = value == ELMAN_VALUE_ENUM ? field : NULL,
                         .count = is_size ? field : NULL,
                         .seed = value == ELMAN_VALUE_SEED ? field : NULL,
                         .real = value == ELMAN_VALUE_REAL ? field : NULL,
                         .language = value == ELMAN_VALUE_LANGUAGE ? field : NULL,
                         .least = is_size ? (size_t)row->minimum : 0,
                         .most = is_size ? (size_t)row->maximum : 0,
                         .lowest = row->minimum,
                         .highest = row->maximum};
}

struct option library_option(unsigned scopes, const char *name, void *field) {
  return option_of(elman_option_find(scopes, name), field);
}

void library_options(struct option table[MAX_OPTIONS], unsigned scopes, void *fields) {
  const elman_option *row = NULL;
  while ((row = elman_option_next(row, scopes)) != NULL) {
    const struct option option = option_of(row, (char *)fields + row->offset);
    option_append(table, &option);
  }
}

const bool *library_options_given(bool given[ELMAN_MAX_OPTIONS], const struct usage *usage,
                                  const struct operands *operands) {
  memset(given, 0, ELMAN_MAX_OPTIONS * sizeof *given);
  for (const struct option *option = usage->options; option->name != NULL; option++)
    if (option->row != NULL && operands->given[option - usage->options])
      given[option->row->index] = true;
  return given;
}

/* ---- values ---- */

/* Return the words that replace a value of 0, or NULL. Help contains them after "0 = "; for "0
 * disables", they are "off". If a number follows "0 = ", return "none": only the mechanism that
 * uses the setting replaces 0 by that number. */
static const char *zero_words(const elman_option *row) {
  const char *words = strstr(row->help, "0 = ");
  if (words == NULL) return strstr(row->help, "0 disables") != NULL ? "off" : NULL;
  words += strlen("0 = ");
  return isdigit((unsigned char)*words) ? "none" : words;
}

static struct figure figure_of(const elman_option *row, const void *fields) {
  const struct option option = option_of(row, (char *)fields + row->offset);
  const bool is_zero =
      (option.count != NULL && *option.count == 0) || (option.real != NULL && *option.real <= 0);
  const bool is_unstated = option.language != NULL && option.language->code[0] == '\0';
  return (struct figure){.key = row->name,
                         .label = row->label,
                         .text = option.choice != NULL     ? elman_option_choice(row, fields)
                                 : option.language != NULL ? option.language->code
                                                           : NULL,
                         .flag = option.flag,
                         .count = option.count,
                         .number = option.seed,
                         .real = option.real,
                         .format = "%g",
                         .words = is_zero       ? zero_words(row)
                                  : is_unstated ? "not stated"
                                                : NULL};
}

void library_options_write(struct json *json, unsigned scopes, const void *fields,
                           const char *excluded) {
  const elman_option *row = NULL;
  while ((row = elman_option_next(row, scopes)) != NULL)
    if (excluded == NULL || strcmp(row->name, excluded) != 0)
      figures_write(json, (const struct figure[]){figure_of(row, fields), {0}});
}

/* ---- option files ---- */

/* Return false for a row of models whose value, if given as an option, would break a rule: a model
 * also stores values that its mechanisms do not use. */
static bool has_effect(const elman_option *row, const void *fields) {
  bool given[ELMAN_MAX_OPTIONS] = {false};
  if ((row->scope & ELMAN_SCOPES_MODEL) == 0) return true;
  given[row->index] = true;
  return elman_options_check(ELMAN_SCOPES_MODEL, fields, given, ELMAN_NAMES_FIELD, NULL) ==
         ELMAN_OK;
}

void library_options_config(FILE *stream, const char *start, unsigned scopes, const void *fields,
                            const struct config_choice *choice) {
  const elman_option *row = NULL;
  char value[VALUE_SIZE], otherwise[VALUE_SIZE];
  while ((row = elman_option_next(row, scopes)) != NULL) {
    const struct option option = option_of(row, (char *)fields + row->offset);
    const struct option other = option_of(row, (char *)choice->defaults + row->offset);
    const bool differs =
        strcmp(option_format_value(value, &option), option_format_value(otherwise, &other)) != 0;
    if (differs == choice->differing && has_effect(row, fields))
      fprintf(stream, "%s%s = %s\n", start, option.name, value);
  }
}
