#include "options/option.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* ---- numbers ---- */

bool parse_whole_number(const char *text, uint64_t *number) {
  if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text)) return false;
  errno = 0;
  const unsigned long long parsed = strtoull(text, NULL, 10);
  if (errno != 0 || parsed > UINT64_MAX) return false;
  *number = parsed;
  return true;
}

const char *parse_decimal(double *number, const char *text) {
  char *end;
  *number = strtod(text, &end);
  return end > text && end == text + strspn(text, "0123456789.") ? end : NULL;
}

const char *parse_position(size_t *position, const char *text) {
  const size_t digits = text == NULL ? 0 : strspn(text, "0123456789");
  if (digits == 0 || digits > 9 || text[0] == '0') return NULL;
  *position = (size_t)strtoul(text, NULL, 10);
  return text + digits;
}

/* ---- suggestions ---- */

const char *suggestion_words(char words[MESSAGE_SIZE], const elman_suggestion *suggestion,
                             const char *typed, const char *dashes) {
  const char *reason = elman_suggestion_reason(typed);
  words[0] = '\0';
  if (suggestion->best != NULL)
    snprintf(words, MESSAGE_SIZE, "; did you mean '%s%s'?", dashes, suggestion->best);
  else if (reason != NULL)
    snprintf(words, MESSAGE_SIZE, "; %s", reason);
  return words;
}

/* ---- rows of a table ---- */

static bool is_name(const char *own, const char *name, size_t length) {
  return own != NULL && strlen(own) == length && memcmp(own, name, length) == 0;
}

const struct option *option_row_n(const struct option *options, const char *name, size_t length) {
  for (const struct option *option = options; option->name != NULL; option++)
    if (is_name(option->name, name, length) || is_name(option->also, name, length)) return option;
  return NULL;
}

const struct option *option_row(const struct option *options, const char *name) {
  return option_row_n(options, name, strlen(name));
}

void option_append(struct option table[MAX_OPTIONS], const struct option *option) {
  size_t count = 0;
  while (table[count].name != NULL) count++;
  assert(count + 1 < MAX_OPTIONS);
  table[count] = *option;
}

void options_offer(elman_suggestion *suggestion, const struct option *options, const char *name) {
  for (const struct option *option = options; option->name != NULL; option++)
    elman_suggestion_offer(suggestion, name, option->name);
}

const struct option *option_find(const struct option *options, const char *name,
                                 const struct option_place *place) {
  const struct option *option = option_row(options, name);
  char words[MESSAGE_SIZE];
  elman_suggestion suggestion = {0};
  if (option != NULL) return option;
  options_offer(&suggestion, options, name);
  (void)option_refuse(place, "unknown option '%s'%s", name,
                      suggestion_words(words, &suggestion, name, ""));
  return NULL;
}

/* ---- values ---- */

void option_print_choices(char *into, size_t size, const struct option *option) {
  size_t used = 0;
  into[0] = '\0';
  for (size_t i = 0; option->choice(i) != NULL && used < size; i++)
    if (option->choice(i)[0] != '\0')
      used +=
          (size_t)snprintf(into + used, size - used, used == 0 ? "%s" : ", %s", option->choice(i));
}

int option_refuse(const struct option_place *place, const char *format, ...) {
  char message[MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (strcmp(place->dashes, "--") == 0) return report_usage(place->where, "%s", message);
  report(place->where, "%s", message);
  return EX_USAGE;
}

/* Read a value as the library reads those of its own rows. */
static int set_value(const struct option *option, const char *value,
                     const struct option_place *place) {
  const struct {
    elman_value value;
    void *field;
  } kinds[] = {{ELMAN_VALUE_FLAG, option->flag},        {ELMAN_VALUE_NAME, option->text},
               {ELMAN_VALUE_ENUM, option->index},       {ELMAN_VALUE_SIZE, option->count},
               {ELMAN_VALUE_SEED, option->seed},        {ELMAN_VALUE_REAL, option->real},
               {ELMAN_VALUE_LANGUAGE, option->language}};
  size_t kind = 0;
  while (kinds[kind].field == NULL) kind++;
  const bool is_whole = option->count != NULL;
  const elman_option row = {.name = option->name,
                            .choice = option->choice,
                            .value = kinds[kind].value,
                            .minimum = is_whole ? (double)option->least : option->lowest,
                            .maximum = is_whole ? (double)option->most : option->highest};
  const elman_naming naming =
      strcmp(place->dashes, "--") == 0 ? ELMAN_NAMES_OPTION : ELMAN_NAMES_SETTING;
  elman_error error;
  const elman_status status =
      elman_option_set(&row, kinds[kind].field, value, ELMAN_FORM_WORD, naming, &error);
  return status == ELMAN_OK ? EX_OK : option_refuse(place, "%s", error.message);
}

int option_set(const struct option *option, const char *value, const struct option_place *place) {
  const char *dashes = place->dashes, *name = option->name;
  if (option->flag != NULL && value == NULL) value = "on";
  if (value == NULL)
    return option_refuse(place, "%s%s needs a value: %s", dashes, name, option->argument);
  if (value[0] == '\0' && option->argument != NULL && strcmp(option->argument, "FILE") == 0)
    return option_refuse(place, "%s%s: '' is not the name of a file", dashes, name);
  if (option->list != NULL) {
    if (option->list->count == option->most)
      return option_refuse(place, "%s%s can be given at most %zu times", dashes, name,
                           option->most);
    option->list->words[option->list->count++] = value;
    return EX_OK;
  }
  if (option->text == NULL || option->choice != NULL) return set_value(option, value, place);
  *option->text = value;
  return EX_OK;
}

/* Format a number with as few digits as restore it exactly. */
static void format_exactly(char text[VALUE_SIZE], double number) {
  enum { USUAL = 6, ENOUGH = 17 };
  int digits = USUAL;
  do snprintf(text, VALUE_SIZE, "%.*g", digits, number);
  while (strtod(text, NULL) != number && digits++ < ENOUGH);
}

static const char *word_of(const struct option *option) {
  if (option->index != NULL) return option->choice(*option->index);
  return *option->text != NULL ? *option->text : option->choice(0);
}

void option_print_value(FILE *stream, const struct option *option) {
  char text[VALUE_SIZE];
  const bool is_word = option->text != NULL || option->index != NULL;
  fputs(is_word ? word_of(option) : option_format_value(text, option), stream);
}

const char *option_format_value(char text[VALUE_SIZE], const struct option *option) {
  if (option->text != NULL || option->index != NULL)
    snprintf(text, VALUE_SIZE, "%s", word_of(option));
  else if (option->count != NULL)
    snprintf(text, VALUE_SIZE, "%zu", *option->count);
  else if (option->seed != NULL)
    snprintf(text, VALUE_SIZE, "%" PRIu64, *option->seed);
  else if (option->real != NULL)
    format_exactly(text, *option->real);
  else if (option->language != NULL)
    snprintf(text, VALUE_SIZE, "%s",
             option->language->code[0] == '\0' ? "none" : option->language->code);
  else
    snprintf(text, VALUE_SIZE, "%s", *option->flag ? "on" : "off");
  return text;
}

/* ---- options of a command ---- */

bool usage_has_config(const struct usage *usage) {
  return option_row(usage->options, CONFIG_OPTION) == NULL;
}

void options_common(struct option rows[MAX_COMMON], const struct usage *usage) {
  static const char *none = NULL;
  static bool no = false;
  size_t count = 0;
  if (usage_has_config(usage))
    rows[count++] = (struct option){
        CONFIG_OPTION, 0, "FILE",
        "file of options, one 'name = value' per line; the command line overrides it",
        .text = &none};
  rows[count++] = (struct option){"help", 'h', .help = "print this help", .flag = &no};
  rows[count] = (struct option){0};
}

const char *option_group(size_t index) {
  static const char *const groups[] = {
      "Input",   "Output",    "Access",       "Limits",       "Training",       "Validation",
      "Scoring", "Search",    "Sampling",     "Optimization", "Regularization", "Augmentation",
      "Network", "Attention", "Tokenization", "Summary",      "Matrices",       "General"};
  return index < sizeof groups / sizeof *groups ? groups[index] : NULL;
}

size_t option_group_of(const struct option *option) {
  size_t group = 0;
  while (option_group(group + 1) != NULL &&
         (option->group == NULL || strcmp(option_group(group), option->group) != 0))
    group++;
  return group;
}

static void add_rows(struct option_rows *rows, const struct option *options, size_t group) {
  for (const struct option *option = options; option->name != NULL; option++)
    if (!rows->grouped || option_group_of(option) == group) rows->list[rows->count++] = option;
}

void options_list(struct option_rows *rows, const struct usage *usage) {
  enum { MAX_UNGROUPED = 13 };
  options_common(rows->common, usage);
  rows->count = 0;
  rows->grouped = false;
  add_rows(rows, usage->options, 0);
  add_rows(rows, rows->common, 0);
  if (rows->count <= MAX_UNGROUPED) return;
  rows->count = 0;
  rows->grouped = true;
  for (size_t group = 0; option_group(group) != NULL; group++) {
    add_rows(rows, usage->options, group);
    add_rows(rows, rows->common, group);
  }
}

bool option_given(const struct usage *usage, const struct operands *operands, const char *name) {
  const struct option *option = option_row(usage->options, name);
  return option != NULL && operands->given[option - usage->options];
}
