#include "options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "messages.h"
#include "output.h"
#include "suggestion.h"

/* ---- values ---- */

bool parse_whole_number(const char *text, uint64_t *number) {
  if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text)) return false;
  errno = 0;
  const unsigned long long parsed = strtoull(text, NULL, 10);
  if (errno != 0 || parsed > UINT64_MAX) return false;
  *number = parsed;
  return true;
}

const char *take_decimal(double *number, const char *text) {
  char *end;
  *number = strtod(text, &end);
  return end > text && end == text + strspn(text, "0123456789.") ? end : NULL;
}

static bool parse_real(const char *text, double *number) {
  /* Keeps out what strtod also reads: spaces, "inf", "nan", hexadecimal. */
  if (text[0] == '\0' || strspn(text, "0123456789.eE+-") != strlen(text)) return false;
  char *end;
  *number = strtod(text, &end);
  return *end == '\0' && isfinite(*number);
}

static bool set_choice(const struct option *option, const char *value) {
  for (size_t i = 0; option->choice(i) != NULL; i++) {
    if (strcmp(option->choice(i), value) == 0) {
      if (option->index != NULL)
        *option->index = (unsigned)i;
      else
        *option->text = option->choice(i);
      return true;
    }
  }
  return false;
}

static void print_choices(char *into, size_t size, const struct option *option) {
  size_t used = 0;
  into[0] = '\0';
  for (size_t i = 0; option->choice(i) != NULL && used < size; i++)
    used += (size_t)snprintf(into + used, size - used, i == 0 ? "%s" : ", %s", option->choice(i));
}

static int set_value(const struct usage *usage, const struct option *option, const char *value) {
  uint64_t number;
  double real;
  if (value[0] == '\0' && strcmp(option->argument, "FILE") == 0)
    return report_usage(usage->command, "--%s: '' is not the name of a file", option->name);
  if (option->choice != NULL) {
    char choices[256];
    if (set_choice(option, value)) return EX_OK;
    print_choices(choices, sizeof choices, option);
    return report_usage(usage->command, "--%s: '%s' is not one of: %s", option->name, value,
                        choices);
  }
  if (option->text != NULL) {
    *option->text = value;
  } else if (option->list != NULL) {
    if (option->list->count == option->most)
      return report_usage(usage->command, "--%s can be given %zu times at most", option->name,
                          option->most);
    option->list->words[option->list->count++] = value;
  } else if (option->count != NULL) {
    if (!parse_whole_number(value, &number) || number < option->least || number > option->most)
      return report_usage(usage->command, "--%s: '%s' is not a whole number from %zu to %zu",
                          option->name, value, option->least, option->most);
    *option->count = (size_t)number;
  } else if (option->seed != NULL) {
    if (!parse_whole_number(value, option->seed))
      return report_usage(usage->command, "--%s: '%s' is not a whole number from 0 to %" PRIu64,
                          option->name, value, UINT64_MAX);
  } else {
    if (!parse_real(value, &real) || real < option->lowest || real > option->highest)
      return report_usage(usage->command, "--%s: '%s' is not a number from %g to %g", option->name,
                          value, option->lowest, option->highest);
    *option->real = real;
  }
  return EX_OK;
}

/* ---- help ---- */

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

static void print_default(FILE *stream, const struct option *option) {
  const bool nothing = option->list != NULL || (option->text != NULL && *option->text == NULL) ||
                       (option->flag != NULL && !*option->flag);
  if (option->default_words == NULL && nothing) return;
  fputs(" (default: ", stream);
  if (option->default_words != NULL || option->flag != NULL)
    fputs(option->flag != NULL ? "on" : option->default_words, stream);
  else
    option_print_value(stream, option);
  putc(')', stream);
}

static void print_option(FILE *stream, const struct option *option) {
  char names[64];
  const char *argument = option->argument == NULL ? "" : option->argument;
  snprintf(names, sizeof names, "--%s%s%s", option->name, argument[0] == '\0' ? "" : " ", argument);
  if (option->letter != 0)
    fprintf(stream, "  -%c, %-26s ", option->letter, names);
  else
    fprintf(stream, "      %-26s ", names);
  fputs(option->help, stream);
  if (option->choice != NULL) {
    char choices[256];
    print_choices(choices, sizeof choices, option);
    fprintf(stream, ": %s", choices);
  }
  print_default(stream, option);
  putc('\n', stream);
}

static int print_help(const struct usage *usage) {
  printf("Usage: elman %s %s\n\n%s\n\nOptions:\n", usage->command, usage->operands,
         usage->description);
  for (const struct option *option = usage->options; option->name != NULL; option++)
    print_option(stdout, option);
  bool no = false;
  print_option(stdout, &(struct option){"help", 'h', .help = "show this and leave", .flag = &no});
  return output_end(EX_OK);
}

/* ---- the command line ---- */

static const struct option *find_long(const struct option *options, const char *name) {
  for (const struct option *option = options; option->name != NULL; option++)
    if (strcmp(option->name, name) == 0) return option;
  return NULL;
}

static const struct option *find_short(const struct option *options, char letter) {
  for (const struct option *option = options; option->name != NULL && letter != '\0'; option++)
    if (option->letter == letter) return option;
  return NULL;
}

static int report_unknown(const struct usage *usage, const char *word, const char *name) {
  struct suggestion suggestion = {0};
  for (const struct option *option = usage->options; option->name != NULL; option++)
    suggestion_offer(&suggestion, name, option->name);
  suggestion_offer(&suggestion, name, "help");
  if (suggestion.best != NULL)
    return report_usage(usage->command, "unknown option '%s'; did you mean '--%s'?", word,
                        suggestion.best);
  return report_usage(usage->command,
                      "unknown option '%s'; words that start with '-' go after '--'", word);
}

/* Where parsing stands in argv. */
struct cursor {
  char **argv;
  int next, argc;
  struct operands *operands; /* where it goes */
};

/* Whether it had been given before. */
static bool note_given(struct cursor *cursor, const struct usage *usage,
                       const struct option *option) {
  bool *given = &cursor->operands->given[option - usage->options];
  const bool before = *given;
  *given = true;
  return before;
}

/* `value` is NULL if the value is the next word of the command line. */
static int take_value(const struct usage *usage, const struct option *option, const char *value,
                      struct cursor *cursor) {
  if (note_given(cursor, usage, option) && option->list == NULL)
    return report_usage(usage->command, "--%s is given twice, and takes one value", option->name);
  if (value == NULL) {
    if (cursor->next == cursor->argc)
      return report_usage(usage->command, "--%s needs a value: %s", option->name, option->argument);
    value = cursor->argv[cursor->next++];
  }
  return set_value(usage, option, value);
}

static int parse_long(const struct usage *usage, char *word, struct cursor *cursor) {
  char *name = word + 2;
  const size_t length = strcspn(name, "=");
  const char *value = name[length] == '=' ? name + length + 1 : NULL;
  name[length] = '\0';
  const struct option *option = find_long(usage->options, name);
  /* Without a value it was found before all others. */
  if (strcmp(name, "help") == 0) return report_usage(usage->command, "--help takes no value");
  if (option == NULL) return report_unknown(usage, word, name);
  if (option->flag == NULL) return take_value(usage, option, value, cursor);
  if (value != NULL) return report_usage(usage->command, "--%s takes no value", name);
  note_given(cursor, usage, option);
  *option->flag = true;
  return EX_OK;
}

/* "-q", "-qm FILE", "-mFILE" */
static int parse_short(const struct usage *usage, const char *word, struct cursor *cursor) {
  for (const char *letter = word + 1; *letter != '\0'; letter++) {
    const struct option *option = find_short(usage->options, *letter);
    if (option == NULL) return report_unknown(usage, word, word + 1);
    if (option->flag == NULL)
      return take_value(usage, option, letter[1] == '\0' ? NULL : letter + 1, cursor);
    note_given(cursor, usage, option);
    *option->flag = true;
  }
  return EX_OK;
}

/* Looked for first: help shows the defaults, and options that were parsed have replaced them. */
static bool asks_for_help(const struct usage *usage, int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--help") == 0) return true;
    if (argv[i][0] != '-') continue;
    /* "-h", or behind letters that take no value: "-qh" */
    const struct option *flag;
    const char *letter = argv[i] + 1;
    while ((flag = find_short(usage->options, *letter)) != NULL && flag->flag != NULL) letter++;
    if (*letter == 'h') return true;
  }
  return false;
}

/* ---- what does not go together ---- */

bool option_given(const struct usage *usage, const struct operands *operands, const char *name) {
  const struct option *option = find_long(usage->options, name);
  return option != NULL && operands->given[option - usage->options];
}

static bool has_option(const struct usage *usage, const struct operands *operands,
                       const char *name) {
  const struct option *option = find_long(usage->options, name);
  assert(option != NULL);
  if (option->flag != NULL) return *option->flag;
  return option_given(usage, operands, name) && (option->count == NULL || *option->count > 0);
}

/* The first that is there of the names, which are taken apart; NULL = none. */
static const char *find_given(const struct usage *usage, const struct operands *operands,
                              char *names) {
  char *rest;
  for (char *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
    if (isupper((unsigned char)*name)) {
      if (operands->count > 0) return operands->words[0];
    } else if (isdigit((unsigned char)*name)) {
      if (operands->count == (size_t)(*name - '0')) return name;
    } else if (has_option(usage, operands, name)) {
      return name;
    }
  }
  return NULL;
}

static int check_rules(const struct usage *usage, const struct operands *operands) {
  for (const struct rule *rule = usage->rules; rule != NULL && rule->message != NULL; rule++) {
    const char *conditions[] = {rule->one, rule->other}, *found[2];
    char names[2][256];
    bool broken = true;
    for (size_t i = 0; i < 2; i++) {
      const bool none = conditions[i][0] == '!';
      snprintf(names[i], sizeof names[i], "%s", conditions[i] + none);
      found[i] = find_given(usage, operands, names[i]);
      broken = broken && (conditions[i][0] == '\0' || (found[i] == NULL) == none);
    }
    if (broken) return report_usage(usage->command, rule->message, found[0]);
  }
  return EX_OK;
}

/* ---- the command line, parsed ---- */

bool options_parse(const struct usage *usage, int argc, char **argv, struct operands *operands,
                   int *code) {
  if (asks_for_help(usage, argc, argv)) {
    *code = print_help(usage);
    return false;
  }
  struct cursor cursor = {argv, 1, argc, operands};
  bool only_operands = false;
  /* Operands move to the front of argv, over words that have been dealt with. */
  *operands = (struct operands){.words = argv + 1};
  *code = EX_OK;
  while (cursor.next < argc && *code == EX_OK) {
    char *word = argv[cursor.next++];
    if (only_operands || word[0] != '-' || word[1] == '\0')
      operands->words[operands->count++] = word;
    else if (strcmp(word, "--") == 0)
      only_operands = true;
    else if (word[1] == '-')
      *code = parse_long(usage, word, &cursor);
    else
      *code = parse_short(usage, word, &cursor);
  }
  if (*code == EX_OK) *code = check_rules(usage, operands);
  return *code == EX_OK;
}

void options_preset(struct option *options, const char *settings) {
  const struct usage usage = {.options = options};
  char words[256], *rest;
  snprintf(words, sizeof words, "%s", settings);
  for (char *name = strtok_r(words, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(name, '=');
    if (value != NULL) *value++ = '\0';
    struct option *option = options + (find_long(options, name) - options);
    if (value == NULL)
      *option->flag = true;
    else
      (void)set_value(&usage, option, value);
    option->default_words = NULL;
  }
}
