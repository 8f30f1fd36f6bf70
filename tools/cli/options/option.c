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

/* Parse a finite number with optional sign and exponent. Return false for any other text. */
static bool parse_real(const char *text, double *number) {
  /* Refuse other forms that strtod accepts: spaces, "inf", "nan", hexadecimal numbers. */
  if (text[0] == '\0' || strspn(text, "0123456789.eE+-") != strlen(text)) return false;
  char *end;
  *number = strtod(text, &end);
  return *end == '\0' && isfinite(*number);
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

const struct option *option_row_n(const struct option *options, const char *name, size_t length) {
  for (const struct option *option = options; option->name != NULL; option++)
    if (strlen(option->name) == length && memcmp(option->name, name, length) == 0) return option;
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
  for (const struct option *option = options; option->name != NULL; option++) {
    elman_suggestion_offer(suggestion, name, option->name);
    if (option->field == NULL) continue;
    elman_suggestion_offer(suggestion, name, option->field);
    if (suggestion->best == option->field) suggestion->best = option->name;
  }
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

/* Return why word `i` cannot be chosen, or NULL. */
static const char *refusal_of(const struct option *option, size_t i) {
  return option->refused == NULL ? NULL : option->refused(i);
}

static bool set_choice(const struct option *option, const char *value) {
  for (size_t i = 0; option->choice(i) != NULL; i++) {
    if (strcmp(option->choice(i), value) == 0 && refusal_of(option, i) == NULL) {
      if (option->index != NULL)
        *option->index = (unsigned)i;
      else
        *option->text = option->choice(i);
      return true;
    }
  }
  return false;
}

void option_print_choices(char *into, size_t size, const struct option *option) {
  size_t used = 0;
  into[0] = '\0';
  for (size_t i = 0; option->choice(i) != NULL && used < size; i++)
    if (refusal_of(option, i) == NULL)
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

static int set_flag(const struct option *option, const char *value,
                    const struct option_place *place) {
  static const char *const words[] = {"no", "yes", "off", "on", "false", "true"};
  enum { COUNT = sizeof words / sizeof *words };
  size_t word = 0;
  while (value != NULL && word < COUNT && strcmp(words[word], value) != 0) word++;
  if (word == COUNT)
    return option_refuse(place, "%s%s: '%s' is not one of: yes, no, on, off, true, false",
                         place->dashes, option->name, value);
  *option->flag = value == NULL || word % 2 == 1;
  return EX_OK;
}

/* Refuse a word that is no choice. Suggest the choice that was probably meant. */
static int refuse_choice(const struct option *option, const char *value,
                         const struct option_place *place) {
  char choices[256], words[MESSAGE_SIZE];
  elman_suggestion suggestion = {0};
  for (size_t i = 0; option->choice(i) != NULL; i++) {
    const char *refusal = refusal_of(option, i);
    if (refusal != NULL && strcmp(option->choice(i), value) == 0)
      return option_refuse(place, "%s%s: %s", place->dashes, option->name, refusal);
    if (refusal == NULL) elman_suggestion_offer(&suggestion, value, option->choice(i));
  }
  option_print_choices(choices, sizeof choices, option);
  return option_refuse(
      place, "%s%s: '%s' is not one of: %s%s", place->dashes, option->name, value, choices,
      suggestion.best == NULL ? "" : suggestion_words(words, &suggestion, value, ""));
}

static int set_number(const struct option *option, const char *value,
                      const struct option_place *place) {
  const char *dashes = place->dashes, *name = option->name;
  uint64_t number;
  double real;
  if (option->count != NULL) {
    if (!parse_whole_number(value, &number) || number < option->least || number > option->most)
      return option_refuse(place, "%s%s: '%s' is not a whole number from %zu to %zu", dashes, name,
                           value, option->least, option->most);
    *option->count = (size_t)number;
  } else if (option->seed != NULL) {
    if (!parse_whole_number(value, option->seed))
      return option_refuse(place, "%s%s: '%s' is not a whole number from 0 to %" PRIu64, dashes,
                           name, value, UINT64_MAX);
  } else {
    if (!parse_real(value, &real) || real < option->lowest || real > option->highest)
      return option_refuse(place, "%s%s: '%s' is not a number from %g to %g", dashes, name, value,
                           option->lowest, option->highest);
    *option->real = real;
  }
  return EX_OK;
}

int option_set(const struct option *option, const char *value, const struct option_place *place) {
  const char *dashes = place->dashes, *name = option->name;
  if (option->flag != NULL) return set_flag(option, value, place);
  if (value == NULL)
    return option_refuse(place, "%s%s needs a value: %s", dashes, name, option->argument);
  if (value[0] == '\0' && strcmp(option->argument, "FILE") == 0)
    return option_refuse(place, "%s%s: '' is not the name of a file", dashes, name);
  if (option->choice != NULL)
    return set_choice(option, value) ? EX_OK : refuse_choice(option, value, place);
  if (option->text != NULL) {
    *option->text = value;
  } else if (option->list != NULL) {
    if (option->list->count == option->most)
      return option_refuse(place, "%s%s can be given at most %zu times", dashes, name,
                           option->most);
    option->list->words[option->list->count++] = value;
  } else {
    return set_number(option, value, place);
  }
  return EX_OK;
}

void option_print_value(FILE *stream, const struct option *option) {
  if (option->text != NULL)
    fputs(*option->text, stream);
  else if (option->index != NULL)
    fputs(option->choice(*option->index), stream);
  else if (option->count != NULL)
    fprintf(stream, "%zu", *option->count);
  else if (option->seed != NULL)
    fprintf(stream, "%" PRIu64, *option->seed);
  else if (option->real != NULL)
    fprintf(stream, "%g", *option->real);
  else
    fputs(*option->flag ? "yes" : "no", stream);
}

void option_format_value(char *text, size_t size, const struct option *option) {
  FILE *stream = fmemopen(text, size, "w");
  const bool unset =
      option->default_words != NULL && ((option->count != NULL && *option->count < option->least) ||
                                        (option->real != NULL && *option->real < option->lowest));
  text[0] = '\0';
  if (stream == NULL) return;
  if (unset)
    fputs(option->default_words, stream);
  else
    option_print_value(stream, option);
  fclose(stream);
}

void option_copy(const struct option *to, const struct option *from) {
  if (to->text != NULL)
    *to->text = *from->text;
  else if (to->index != NULL)
    *to->index = *from->index;
  else if (to->count != NULL)
    *to->count = *from->count;
  else if (to->seed != NULL)
    *to->seed = *from->seed;
  else if (to->real != NULL)
    *to->real = *from->real;
  else
    *to->flag = *from->flag;
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
      "Input",     "Output",       "Access",   "Limits",       "Training",       "Validation",
      "Scoring",   "Search",       "Sampling", "Optimization", "Regularization", "Network",
      "Attention", "Tokenization", "Summary",  "Matrices",     "General"};
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
