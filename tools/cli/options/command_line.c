#include "options/command_line.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "console/line_reader.h"
#include "console/messages.h"
#include "console/output.h"
#include "options/option_files.h"

/* ---- options and operands ---- */

/* One option or operand of the command line. */
struct argument {
  char *word;                  /* word of the command line that contains the argument */
  char *name;                  /* name of the option without dashes; NULL = an operand */
  size_t length;               /* length of the name */
  const struct option *option; /* row of the option; NULL = unknown */
  const char *value;           /* value of the option; NULL = none */
  bool negated;                /* the name is that of a flag with "no-" before it */
};

/* Iterator over a command line, which changes no option. Only this iterator decides which word is
 * an option and which word is the value of the option before it. */
struct arguments {
  const struct usage *usage;
  const struct option *common; /* options that all commands have */
  char **argv;
  int next, argc;
  char *letters; /* remaining letters of a word such as "-qt"; NULL = none */
  bool only_operands;
};

static const struct option *find_short(const struct option *options, char letter) {
  for (const struct option *option = options; option->name != NULL && letter != '\0'; option++)
    if (option->letter == letter) return option;
  return NULL;
}

static const struct option *either(const struct option *own, const struct option *common) {
  return own != NULL ? own : common;
}

/* Return `value`. If it is NULL and the option needs a value, return the next word, or NULL if no
 * word is left. */
static const char *value_at(struct arguments *arguments, const struct option *option,
                            const char *value) {
  const bool needed = option != NULL && option->flag == NULL && value == NULL;
  return needed && arguments->next < arguments->argc ? arguments->argv[arguments->next++] : value;
}

/* Return the flag that `name` switches off if it has the form "no-FLAG"; NULL otherwise. */
static const struct option *find_negated(const struct usage *usage, const char *name,
                                         size_t length) {
  if (length < 3 || strncmp(name, "no-", 3) != 0) return NULL;
  const struct option *option = option_row_n(usage->options, name + 3, length - 3);
  return option != NULL && option->flag != NULL ? option : NULL;
}

/* Read "--name", "--name=VALUE" or "--no-name". */
static void read_long(struct arguments *arguments, struct argument *argument) {
  argument->name = argument->word + 2;
  argument->length = strcspn(argument->name, "=");
  argument->option =
      either(option_row_n(arguments->usage->options, argument->name, argument->length),
             option_row_n(arguments->common, argument->name, argument->length));
  if (argument->option == NULL) {
    argument->option = find_negated(arguments->usage, argument->name, argument->length);
    argument->negated = argument->option != NULL;
  }
  const char *rest = argument->name + argument->length;
  argument->value = value_at(arguments, argument->option, *rest == '=' ? rest + 1 : NULL);
}

/* Read one letter of "-q", "-qm FILE" or "-mFILE". */
static void read_letter(struct arguments *arguments, struct argument *argument) {
  char *letter = arguments->letters, *rest = letter[1] == '\0' ? NULL : letter + 1;
  argument->option = either(find_short(arguments->usage->options, *letter),
                            find_short(arguments->common, *letter));
  /* Report an unknown option as a whole word. */
  argument->name = argument->option == NULL ? argument->word + 1 : letter;
  argument->length = argument->option == NULL ? strlen(argument->name) : 1;
  const bool flag = argument->option != NULL && argument->option->flag != NULL;
  arguments->letters = flag ? rest : NULL;
  if (!flag) argument->value = value_at(arguments, argument->option, rest);
}

/* Get the next option or operand; return false at the end. */
static bool arguments_next(struct arguments *arguments, struct argument *argument) {
  if (arguments->letters == NULL) {
    if (arguments->next < arguments->argc && !arguments->only_operands &&
        strcmp(arguments->argv[arguments->next], "--") == 0) {
      arguments->only_operands = true;
      arguments->next++;
    }
    if (arguments->next == arguments->argc) return false;
    *argument = (struct argument){.word = arguments->argv[arguments->next++]};
    if (arguments->only_operands || argument->word[0] != '-' || argument->word[1] == '\0')
      return true;
    if (argument->word[1] != '-') arguments->letters = argument->word + 1;
  } else {
    *argument = (struct argument){.word = argument->word};
  }
  if (arguments->letters == NULL)
    read_long(arguments, argument);
  else
    read_letter(arguments, argument);
  return true;
}

/* Find the first occurrence of an option. Return false if there is none. */
static bool arguments_find(const struct arguments *start, const char *name,
                           struct argument *argument) {
  struct arguments arguments = *start;
  while (arguments_next(&arguments, argument))
    if (argument->option != NULL && strcmp(argument->option->name, name) == 0) return true;
  return false;
}

/* Return the value of an option, or NULL. This works before parsing, and serves options that change
 * the defaults of others. */
static const char *arguments_value(const struct arguments *start, const char *name) {
  struct argument argument;
  return arguments_find(start, name, &argument) ? argument.value : NULL;
}

/* ---- option files ---- */

static const char BLANKS[] = " \t\r";

/* Format the file and line number for messages, for example "FILE:3". */
static void config_place(char where[MESSAGE_SIZE], const struct config_file *config,
                         size_t number) {
  snprintf(where, MESSAGE_SIZE, "%s:%zu", config->path, number);
}

static int refuse(const struct config_file *config, size_t number, const char *problem) {
  char where[MESSAGE_SIZE];
  config_place(where, config, number);
  report(where, "%s", problem);
  return EX_USAGE;
}

/* Remove a comment, and then the spaces at the end. */
static void cut_comment(char *text) {
  char *comment = text;
  while ((comment = strchr(comment, '#')) != NULL) {
    if (comment == text || strchr(BLANKS, comment[-1]) != NULL) {
      *comment = '\0';
      break;
    }
    comment++;
  }
  size_t length = strlen(text);
  while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL) text[--length] = '\0';
}

struct config_line config_line_split(char *text, size_t number) {
  char *end = text + strcspn(text, " \t\r=");
  char *value = end + strspn(end, BLANKS);
  const bool equals = *value == '=';
  if (equals) value += 1 + strspn(value + 1, BLANKS);
  const bool alone = *value == '\0' && !equals;
  *end = '\0';
  return (struct config_line){text, alone ? NULL : value, number};
}

static int add_line(struct config_file *config, const struct line *line, size_t number) {
  if (memchr(line->text, '\0', line->length) != NULL)
    return refuse(config, number, "contains a zero byte; this is not a text file");
  if (line->length >= sizeof config->text - config->used)
    return refuse(config, number, "the file has more than 65536 bytes of options");
  char *text = config->text + config->used;
  memcpy(text, line->text, line->length);
  text[line->length] = '\0';
  cut_comment(text);
  text += strspn(text, BLANKS);
  if (*text == '\0') return EX_OK;
  if (config->count == CONFIG_LINES)
    return refuse(config, number, "the file has more than 512 options");
  config->used = (size_t)(text + strlen(text) + 1 - config->text);
  config->lines[config->count++] = config_line_split(text, number);
  return EX_OK;
}

int config_file_read(struct config_file *config, const char *path) {
  struct line_reader lines;
  struct line line;
  config->path = path;
  if (path[0] == '\0') {
    report("--config", "'' is not the name of a file");
    return EX_USAGE;
  }
  if (strcmp(path, "-") == 0) {
    report("--config", "options are read from a file, not from standard input");
    return EX_USAGE;
  }
  int code = line_reader_open(&lines, path, sizeof config->text);
  if (code != EX_OK) return code;
  while (code == EX_OK && line_reader_next(&lines, &line, &code))
    code = add_line(config, &line, lines.number);
  line_reader_close(&lines);
  return code;
}

/* ---- rules ---- */

static bool has_option(const struct usage *usage, const bool given[MAX_OPTIONS], const char *name) {
  const struct option *option = option_row(usage->options, name);
  assert(option != NULL);
  if (option->flag != NULL) return *option->flag;
  return given[option - usage->options] && (option->count == NULL || *option->count > 0);
}

/* Return the first of `names` that is given; NULL if none is given. Split `names` in place. */
static const char *find_given(const struct usage *usage, const struct operands *operands,
                              const bool given[MAX_OPTIONS], char *names) {
  char *rest;
  for (char *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
    if (isupper((unsigned char)*name)) {
      if (operands->count > 0) return operands->words[0];
    } else if (isdigit((unsigned char)*name)) {
      if (operands->count == (size_t)(*name - '0')) return name;
    } else if (*name == '*') {
      for (const struct option *option = usage->options; option->name != NULL; option++)
        if (option->row != NULL && has_option(usage, given, option->name)) return option->name;
    } else if (has_option(usage, given, name)) {
      return name;
    }
  }
  return NULL;
}

/* Report the first rule that the command line breaks. Return an exit code; print a message if it is
 * not 0. */
static int options_check_rules(const struct usage *usage, const struct operands *operands) {
  for (const struct rule *rule = usage->rules; rule != NULL && rule->message != NULL; rule++) {
    const char *conditions[] = {rule->one, rule->other}, *found[2];
    char names[2][256];
    bool broken = true;
    for (size_t i = 0; i < 2; i++) {
      const bool none = conditions[i][0] == '!', typed = conditions[i][0] == '+';
      snprintf(names[i], sizeof names[i], "%s", conditions[i] + (none || typed));
      found[i] = find_given(usage, operands, typed ? operands->typed : operands->given, names[i]);
      broken = broken && (conditions[i][0] == '\0' || (found[i] == NULL) == none);
    }
    if (broken) return report_usage(usage->command, rule->message, found[0]);
  }
  return EX_OK;
}

/* ---- help ---- */

enum { HELP_WIDTH = 100, HELP_INDENT = 33, HELP_SIZE = 1024 };

/* Print the default of an option. `preset` states whether a preset set it. */
static void print_default(FILE *stream, const struct option *option, bool preset) {
  const char *words = preset ? NULL : option->default_words;
  const bool nothing = option->list != NULL || (option->text != NULL && *option->text == NULL) ||
                       (option->flag != NULL && !*option->flag);
  if (words == NULL && nothing) return;
  fputs(" (default: ", stream);
  if (words != NULL || option->flag != NULL)
    fputs(words != NULL ? words : "on", stream);
  else
    option_print_value(stream, option);
  putc(')', stream);
}

/* Format the help of an option, without its name, as one line. Return false if memory ran out. */
static bool format_help(char text[HELP_SIZE], const struct option *option, bool preset) {
  FILE *stream = fmemopen(text, HELP_SIZE, "w");
  if (stream == NULL) return false;
  /* Print the choices before the explanation that follows a semicolon. */
  const int clause = (int)strcspn(option->help, option->choice == NULL ? "" : ";");
  fprintf(stream, "%.*s", clause, option->help);
  if (option->choice != NULL) {
    char choices[256];
    option_print_choices(choices, sizeof choices, option);
    fprintf(stream, ": %s%s", choices, option->help + clause);
  }
  if (option->also != NULL) fprintf(stream, "; also --%s", option->also);
  print_default(stream, option, preset);
  return fclose(stream) == 0;
}

/* Return whether text[at] is a space where the line may be broken. Keep "(default:" and its value
 * on one line. */
static bool may_break(const char *text, size_t at) {
  static const char kept[] = "(default:";
  const size_t length = sizeof kept - 1;
  return text[at] == ' ' && (at < length || strncmp(text + at - length, kept, length) != 0);
}

/* Print the text in lines. The caller has already printed HELP_INDENT characters of the first
 * one. */
static void print_wrapped(FILE *stream, const char *text) {
  const size_t width = HELP_WIDTH - HELP_INDENT;
  while (strlen(text) > width) {
    size_t length = width;
    while (length > 0 && !may_break(text, length)) length--;
    if (length == 0) break;
    fprintf(stream, "%.*s\n%*s", (int)length, text, HELP_INDENT, "");
    text += length + 1;
  }
  fprintf(stream, "%s\n", text);
}

/* Return false if memory ran out. */
static bool print_option(FILE *stream, const struct option *option, bool preset) {
  char names[64], text[HELP_SIZE];
  const char *argument = option->argument == NULL ? "" : option->argument;
  snprintf(names, sizeof names, "--%s%s%s", option->name, argument[0] == '\0' ? "" : " ", argument);
  if (option->letter != 0)
    fprintf(stream, "  -%c, %-26s ", option->letter, names);
  else
    fprintf(stream, "      %-26s ", names);
  if (!format_help(text, option, preset)) return false;
  print_wrapped(stream, text);
  return true;
}

/* Print usage, description, and options with their defaults. preset[i] states whether a preset set
 * the default of row i. Return an exit code; print a message if it is not 0. */
static int print_help(const struct usage *usage, const bool preset[MAX_OPTIONS]) {
  struct option_rows rows;
  options_list(&rows, usage);
  printf("Usage: elman %s %s\n\n%s\n", usage->command, usage->operands, usage->description);
  if (!rows.grouped) puts("\nOptions:");
  for (size_t i = 0; i < rows.count; i++) {
    const struct option *option = rows.list[i];
    const size_t group = option_group_of(option);
    if (rows.grouped && (i == 0 || option_group_of(rows.list[i - 1]) != group))
      printf("\n%s:\n", option_group(group));
    const struct option *row = option_row(usage->options, option->name);
    if (!print_option(stdout, option, row != NULL && preset[row - usage->options]))
      return report_no_memory();
  }
  return output_end(EX_OK);
}

static int (*show_help)(const struct usage *usage, const bool preset[MAX_OPTIONS]) = print_help;

void options_help_by(int (*show)(const struct usage *usage, const bool preset[MAX_OPTIONS])) {
  show_help = show == NULL ? print_help : show;
}

/* ---- presets and option files: defaults that the command line overrides ---- */

/* Apply the settings of a preset as defaults; mark their rows in `preset`. */
static void apply_settings(const struct usage *usage, const char *settings,
                           bool preset[MAX_OPTIONS]) {
  const struct option_place place = {usage->command, "--"};
  char words[1024], *rest;
  const int length = snprintf(words, sizeof words, "%s", settings);
  assert(length >= 0 && (size_t)length < sizeof words);
  (void)length;
  for (char *name = strtok_r(words, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(name, '=');
    if (value != NULL) *value++ = '\0';
    char written[64];
    elman_option_write_name(written, sizeof written, name, ELMAN_NAMES_SETTING);
    const struct option *option = option_row(usage->options, written);
    assert(option != NULL);
    const int code = option_set(option, value, &place);
    assert(code == EX_OK);
    (void)code;
    preset[option - usage->options] = true;
  }
}

/* Lines of the option file. Values of options point into it until the program ends. */
static struct config_file config;

/* Ignore an unknown name of a preset, which is reported when the option itself is parsed. */
static void apply_presets(const struct arguments *start, bool preset[MAX_OPTIONS]) {
  const struct usage *usage = start->usage;
  for (const struct option *option = usage->options; option->name != NULL; option++) {
    if (option->settings == NULL) continue;
    const char *value = arguments_value(start, option->name);
    for (size_t i = 0; value == NULL && i < config.count; i++)
      if (strcmp(config.lines[i].name, option->name) == 0) value = config.lines[i].value;
    for (size_t i = 0; value != NULL && option->choice(i) != NULL; i++)
      if (strcmp(option->choice(i), value) == 0) apply_settings(usage, option->settings(i), preset);
  }
}

static int apply_line(const struct usage *usage, const struct config_line *line,
                      struct operands *operands) {
  char where[MESSAGE_SIZE];
  config_place(where, &config, line->number);
  const struct option_place place = {where, ""};
  const struct option *option = option_find(usage->options, line->name, &place);
  if (option == NULL) return EX_USAGE;
  bool *given = &operands->given[option - usage->options];
  if (*given && option->list == NULL)
    return option_refuse(&place, "%s is given twice but takes one value", line->name);
  *given = true;
  return option_set(option, line->value, &place);
}

/* ---- the command line ---- */

enum { OPERAND_SIZE = 16 };

/* Record that the option is given. Return whether the command line has already given it. Its first
 * value on the command line replaces the list from an option file. */
static bool record_given(struct operands *operands, const struct usage *usage,
                         const struct option *option) {
  const size_t row = (size_t)(option - usage->options);
  const bool before = operands->typed[row];
  if (!before && option->list != NULL) option->list->count = 0;
  operands->typed[row] = operands->given[row] = true;
  return before;
}

/* Copy to `operand` the placeholder of the operand that `word` means, such as PAIRS for "pairs" or
 * "data". Return whether there is one. */
static bool find_operand(char operand[OPERAND_SIZE], const struct usage *usage, const char *word) {
  bool is_value = false; /* the placeholder is that of an option, as in "-o FILE" */
  for (const char *at = usage->operands; *at != '\0'; at += strcspn(at, " ")) {
    at += strspn(at, " [");
    const size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    snprintf(operand, OPERAND_SIZE, "%.*s", (int)length, at);
    elman_suggestion suggestion = {0};
    elman_suggestion_offer(&suggestion, word, operand);
    if (!is_value && suggestion.best != NULL && suggestion.distance == 0) return true;
    is_value = at[0] == '-';
  }
  return false;
}

static const char *(*search_commands)(const char *name);

void options_search_by(const char *(*search)(const char *name)) {
  search_commands = search;
}

/* Report an unknown option by its name, without a value. */
static int report_unknown(const struct arguments *start, const struct argument *argument) {
  const struct usage *usage = start->usage;
  char words[MESSAGE_SIZE], operand[OPERAND_SIZE];
  elman_suggestion suggestion = {0};
  argument->name[argument->length] = '\0';
  if (find_operand(operand, usage, argument->name))
    return report_usage(usage->command,
                        "unknown option '%s'; give %s without an option: elman %s %s",
                        argument->word, operand, usage->command, usage->operands);
  options_offer(&suggestion, usage->options, argument->name);
  options_offer(&suggestion, start->common, argument->name);
  suggestion_words(words, &suggestion, argument->name, "--");
  /* The exact name of another command's option is no typing error. */
  const bool is_unclear = suggestion.best != NULL ? suggestion.distance > 0 : words[0] == '\0';
  const bool is_long = strncmp(argument->word, "--", 2) == 0;
  const char *owner =
      is_unclear && is_long && search_commands != NULL ? search_commands(argument->name) : NULL;
  if (owner != NULL)
    snprintf(words, sizeof words, "; it is an option of 'elman %s'", owner);
  else if (words[0] == '\0' && strstr(usage->operands, "TEXT") != NULL)
    snprintf(words, sizeof words, "; words that start with '-' go after '--'");
  return report_usage(usage->command, "unknown option '%s'%s", argument->word, words);
}

/* Apply an option of the command line. The caller has already applied --config. */
static int apply_option(const struct usage *usage, const struct argument *argument,
                        struct operands *operands, bool *config_seen) {
  const struct option *option = argument->option;
  const struct option_place place = {usage->command, "--"};
  const bool own = option_row(usage->options, option->name) == option;
  if (option->flag == NULL && argument->name[0] == option->letter && argument->value != NULL &&
      argument->value == argument->name + 1 && argument->value[0] == '=')
    return report_usage(usage->command, "-%c%s: write -%c %s or --%s%s", option->letter,
                        argument->value, option->letter, argument->value + 1, option->name,
                        argument->value);
  if (option->flag != NULL && argument->value != NULL)
    return report_usage(usage->command, "--%s%s takes no value", argument->negated ? "no-" : "",
                        option->name);
  const bool before = own ? record_given(operands, usage, option) : *config_seen;
  if (before && option->list == NULL && option->flag == NULL)
    return report_usage(usage->command, "--%s is given twice but takes one value", option->name);
  if (before && own && option->flag != NULL && *option->flag == argument->negated)
    return report_usage(usage->command,
                        "--%s and --no-%s contradict each other; remove one of them", option->name,
                        option->name);
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
      code = apply_option(start->usage, &argument, operands, &config_seen);
  }
  return code;
}

bool options_parse(const struct usage *usage, int argc, char **argv, struct operands *operands,
                   int *code) {
  bool preset[MAX_OPTIONS] = {false};
  struct option common[MAX_COMMON];
  options_common(common, usage);
  const struct arguments start = {usage, common, argv, 1, argc, .letters = NULL};
  /* Check this first, because parsing would overwrite the defaults that help shows. */
  struct argument found;
  const bool help = arguments_find(&start, "help", &found) && found.value == NULL;
  const char *path =
      !help && usage_has_config(usage) ? arguments_value(&start, CONFIG_OPTION) : NULL;
  /* Store operands at the front of argv, over words that have already been parsed. */
  *operands = (struct operands){.words = argv + 1};
  config.count = config.used = 0;
  *code = path == NULL ? EX_OK : config_file_read(&config, path);
  if (*code != EX_OK) return false;
  apply_presets(&start, preset);
  if (help) {
    *code = show_help(usage, preset);
    return false;
  }
  for (size_t i = 0; i < config.count && *code == EX_OK; i++)
    *code = apply_line(usage, &config.lines[i], operands);
  if (*code == EX_OK) *code = parse_words(&start, operands);
  if (*code == EX_OK) *code = options_check_rules(usage, operands);
  for (const struct option *option = usage->options; option->name != NULL; option++)
    if (option->list != NULL && option->list->count == 0 && option->default_words != NULL)
      option->list->words[option->list->count++] = option->default_words;
  const struct extra_file config_use = {FILE_IS_READ, CONFIG_OPTION, path};
  if (*code == EX_OK) *code = options_check_files(usage, operands, &config_use, 1);
  return *code == EX_OK;
}
