#include "options/options.h"

#include <assert.h>
#include <string.h>
#include <sysexits.h>

#include "options/arguments.h"
#include "options/config_file.h"
#include "options/option_files.h"
#include "options/option_help.h"
#include "options/option_rules.h"
#include "options/suggestion.h"

/* ---- presets and the file of options: what holds unless the command line says otherwise ---- */

/* Makes them defaults, and notes whose. */
static void apply_settings(const struct usage *usage, const char *settings,
                           bool preset[MOST_OPTIONS]) {
  const struct option_place place = {usage->command, "--"};
  char words[256], *rest;
  snprintf(words, sizeof words, "%s", settings);
  for (char *name = strtok_r(words, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(name, '=');
    if (value != NULL) *value++ = '\0';
    const struct option *option = option_row(usage->options, name);
    assert(option != NULL);
    (void)option_set(option, value, &place);
    preset[option - usage->options] = true;
  }
}

/* Of a choice that does not exist its own option will tell. */
static void apply_choice(const struct usage *usage, const struct option *option, const char *value,
                         bool preset[MOST_OPTIONS]) {
  for (size_t i = 0; value != NULL && option->choice(i) != NULL; i++)
    if (strcmp(option->choice(i), value) == 0) apply_settings(usage, option->settings(i), preset);
}

/* Options point into it until the program ends. */
static struct config_file config;

static void apply_presets(const struct arguments *start, bool preset[MOST_OPTIONS]) {
  const struct usage *usage = start->usage;
  for (const struct option *option = usage->options; option->name != NULL; option++) {
    if (option->settings == NULL) continue;
    const char *value = arguments_value(start, option->name);
    for (size_t i = 0; value == NULL && i < config.count; i++)
      if (strcmp(config.lines[i].name, option->name) == 0) value = config.lines[i].value;
    apply_choice(usage, option, value, preset);
  }
}

static int apply_line(const struct usage *usage, const struct config_line *line,
                      struct operands *operands) {
  char where[MESSAGE_SIZE];
  config_line_name(where, sizeof where, &config, line);
  const struct option_place place = {where, ""};
  const struct option *option = option_find(usage->options, line->name, &place);
  if (option == NULL) return EX_USAGE;
  bool *given = &operands->given[option - usage->options];
  if (*given && option->list == NULL)
    return option_refuse(&place, "%s is given twice, and takes one value", line->name);
  *given = true;
  return option_set(option, line->value, &place);
}

static int apply_config(const struct usage *usage, struct operands *operands) {
  int code = EX_OK;
  for (size_t i = 0; i < config.count && code == EX_OK; i++)
    code = apply_line(usage, &config.lines[i], operands);
  return code;
}

/* ---- the command line ---- */

/* Whether it had been given before. The values that a file of options gave a list are forgotten. */
static bool note_given(struct operands *operands, const struct usage *usage,
                       const struct option *option) {
  const size_t row = (size_t)(option - usage->options);
  const bool before = operands->typed[row];
  if (!before && option->list != NULL) option->list->count = 0;
  operands->typed[row] = operands->given[row] = true;
  return before;
}

/* Without its value, which is not what is wrong. */
static int report_unknown(const struct arguments *start, const struct argument *argument) {
  const struct usage *usage = start->usage;
  struct suggestion suggestion = {0};
  argument->name[argument->length] = '\0';
  options_offer(&suggestion, usage->options, argument->name);
  options_offer(&suggestion, start->common, argument->name);
  if (suggestion.best != NULL)
    return report_usage(usage->command, "unknown option '%s'; did you mean '--%s'?", argument->word,
                        suggestion.best);
  return report_usage(usage->command,
                      "unknown option '%s'; words that start with '-' go after '--'",
                      argument->word);
}

static int report_twice(const struct usage *usage, const char *name) {
  return report_usage(usage->command, "--%s is given twice, and takes one value", name);
}

/* The file of options has been read already. */
static int take_option(const struct usage *usage, const struct argument *argument,
                       struct operands *operands, bool *config_seen) {
  const struct option *option = argument->option;
  const struct option_place place = {usage->command, "--"};
  const bool own = option_row(usage->options, option->name) == option;
  if (option->flag != NULL && argument->value != NULL)
    return report_usage(usage->command, "--%s%s takes no value", argument->negated ? "no-" : "",
                        option->name);
  const bool before = own ? note_given(operands, usage, option) : *config_seen;
  if (before && option->list == NULL && option->flag == NULL)
    return report_twice(usage, option->name);
  if (before && own && option->flag != NULL && *option->flag == argument->negated)
    return report_usage(usage->command, "--%s and --no-%s contradict each other; leave one out",
                        option->name, option->name);
  if (!own) *config_seen = true;
  return option_set(option, argument->negated ? "no" : argument->value, &place);
}

static int parse_words(const struct arguments *start, struct operands *operands) {
  struct arguments arguments = *start;
  struct argument argument;
  bool config_seen = false;
  int code = EX_OK;
  while (code == EX_OK && arguments_next(&arguments, &argument)) {
    if (argument.name == NULL)
      operands->words[operands->count++] = argument.word;
    else if (argument.option == NULL)
      code = report_unknown(start, &argument);
    else
      code = take_option(start->usage, &argument, operands, &config_seen);
  }
  return code;
}

/* Looked for first: help shows the defaults, and options that were parsed have replaced them. */
static bool asks_for_help(const struct arguments *start) {
  struct argument argument;
  return arguments_find(start, "help", &argument) && argument.value == NULL;
}

static void fill_lists(const struct usage *usage) {
  for (const struct option *option = usage->options; option->name != NULL; option++)
    if (option->list != NULL && option->list->count == 0 && option->default_words != NULL)
      option->list->words[option->list->count++] = option->default_words;
}

bool options_parse(const struct usage *usage, int argc, char **argv, struct operands *operands,
                   int *code) {
  bool preset[MOST_OPTIONS] = {false};
  struct option common[MOST_COMMON];
  options_common(common, usage);
  const struct arguments start = {usage, common, argv, 1, argc, .letters = NULL};
  const bool help = asks_for_help(&start);
  const char *path =
      !help && usage_has_config(usage) ? arguments_value(&start, CONFIG_OPTION) : NULL;
  /* Operands move to the front of argv, over words that have been dealt with. */
  *operands = (struct operands){.words = argv + 1};
  config.count = config.used = 0;
  *code = path == NULL ? EX_OK : config_file_read(&config, path);
  if (*code != EX_OK) return false;
  apply_presets(&start, preset);
  if (help) {
    *code = options_help(usage, preset);
    return false;
  }
  *code = apply_config(usage, operands);
  if (*code == EX_OK) *code = parse_words(&start, operands);
  if (*code == EX_OK) *code = options_check_rules(usage, operands);
  fill_lists(usage);
  const struct extra_file config_use = {FILE_IS_READ, CONFIG_OPTION, path};
  if (*code == EX_OK) *code = options_check_files(usage, operands, &config_use, 1);
  return *code == EX_OK;
}
