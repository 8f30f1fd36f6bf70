#include "options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "config_file.h"
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
  if (value != NULL && strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
    return option_refuse(place, "%s%s: '%s' is neither yes nor no", place->dashes, option->name,
                         value);
  *option->flag = value == NULL || value[0] == 'y';
  return EX_OK;
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
  if (option->choice != NULL) {
    char choices[256];
    if (set_choice(option, value)) return EX_OK;
    print_choices(choices, sizeof choices, option);
    return option_refuse(place, "%s%s: '%s' is not one of: %s", dashes, name, value, choices);
  }
  if (option->text != NULL) {
    *option->text = value;
  } else if (option->list != NULL) {
    if (option->list->count == option->most)
      return option_refuse(place, "%s%s can be given %zu times at most", dashes, name,
                           option->most);
    option->list->words[option->list->count++] = value;
  } else {
    return set_number(option, value, place);
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

/* `preset`: a choice has made the value the default. */
static void print_default(FILE *stream, const struct option *option, bool preset) {
  const char *words = preset ? NULL : option->default_words;
  const bool nothing = option->list != NULL || (option->text != NULL && *option->text == NULL) ||
                       (option->flag != NULL && !*option->flag);
  if (words == NULL && nothing) return;
  fputs(" (default: ", stream);
  if (words != NULL || option->flag != NULL)
    fputs(option->flag != NULL ? "on" : words, stream);
  else
    option_print_value(stream, option);
  putc(')', stream);
}

static void print_option(FILE *stream, const struct option *option, bool preset) {
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
  print_default(stream, option, preset);
  putc('\n', stream);
}

static const char CONFIG[] = "config";

static const struct option *find_named(const struct option *options, const char *name,
                                       size_t length) {
  for (const struct option *option = options; option->name != NULL; option++)
    if (strlen(option->name) == length && memcmp(option->name, name, length) == 0) return option;
  return NULL;
}

static const struct option *find_long(const struct option *options, const char *name) {
  return find_named(options, name, strlen(name));
}

static bool reads_config(const struct usage *usage) {
  return find_long(usage->options, CONFIG) == NULL;
}

void options_common(struct option rows[MOST_COMMON], const struct usage *usage) {
  static const char *none = NULL;
  static bool no = false;
  size_t count = 0;
  if (reads_config(usage))
    rows[count++] = (struct option){
        CONFIG, 0, "FILE", "read options from lines 'name = value'; those given here replace them",
        .text = &none};
  rows[count++] = (struct option){"help", 'h', .help = "show this and leave", .flag = &no};
  rows[count] = (struct option){0};
}

static int print_help(const struct usage *usage, const bool preset[MOST_OPTIONS]) {
  printf("Usage: elman %s %s\n\n%s\n\nOptions:\n", usage->command, usage->operands,
         usage->description);
  for (const struct option *option = usage->options; option->name != NULL; option++)
    print_option(stdout, option, preset[option - usage->options]);
  struct option common[MOST_COMMON];
  options_common(common, usage);
  for (const struct option *option = common; option->name != NULL; option++)
    print_option(stdout, option, false);
  return output_end(EX_OK);
}

static int (*show_help)(const struct usage *usage, const bool preset[MOST_OPTIONS]) = print_help;

void options_help_by(int (*show)(const struct usage *usage, const bool preset[MOST_OPTIONS])) {
  show_help = show == NULL ? print_help : show;
}

/* ---- the command line ---- */

static const struct option *find_short(const struct option *options, char letter) {
  for (const struct option *option = options; option->name != NULL && letter != '\0'; option++)
    if (option->letter == letter) return option;
  return NULL;
}

static void offer_all(struct suggestion *suggestion, const struct option *options,
                      const char *name) {
  for (const struct option *option = options; option->name != NULL; option++)
    suggestion_offer(suggestion, name, option->name);
}

const struct option *option_find(const struct option *options, const char *name,
                                 const struct option_place *place) {
  const struct option *option = find_long(options, name);
  struct suggestion suggestion = {0};
  if (option != NULL) return option;
  offer_all(&suggestion, options, name);
  if (suggestion.best != NULL)
    (void)option_refuse(place, "there is no option '%s'; did you mean '%s'?", name,
                        suggestion.best);
  else
    (void)option_refuse(place, "there is no option '%s'", name);
  return NULL;
}

/* An option or an operand of the command line. */
struct item {
  char *word;                  /* where it stands */
  char *name;                  /* of an option, behind its dashes; NULL = an operand */
  size_t length;               /* of that name */
  const struct option *option; /* NULL = there is none of that name */
  const char *value;           /* NULL = none */
};

/* Goes through a command line and changes nothing: which word is an option and which the value of
 * the one before is found out here alone. */
struct reader {
  const struct usage *usage;
  const struct option *common; /* rows beside those of the table */
  char **argv;
  int next, argc;
  char *letters; /* that are left of a word as "-qt"; NULL = none */
  bool only_operands;
};

static const struct option *either(const struct option *own, const struct option *common) {
  return own != NULL ? own : common;
}

/* `value`, or if that is NULL the next word of an option that needs one; NULL at the end. */
static const char *value_at(struct reader *reader, const struct option *option, const char *value) {
  const bool needed = option != NULL && option->flag == NULL && value == NULL;
  return needed && reader->next < reader->argc ? reader->argv[reader->next++] : value;
}

/* "--name", "--name=VALUE" */
static void read_long(struct reader *reader, struct item *item) {
  item->name = item->word + 2;
  item->length = strcspn(item->name, "=");
  item->option = either(find_named(reader->usage->options, item->name, item->length),
                        find_named(reader->common, item->name, item->length));
  const char *rest = item->name + item->length;
  item->value = value_at(reader, item->option, *rest == '=' ? rest + 1 : NULL);
}

/* A letter of "-q", "-qm FILE", "-mFILE". */
static void read_letter(struct reader *reader, struct item *item) {
  char *letter = reader->letters, *rest = letter[1] == '\0' ? NULL : letter + 1;
  item->option =
      either(find_short(reader->usage->options, *letter), find_short(reader->common, *letter));
  /* What nobody knows is told of as a whole. */
  item->name = item->option == NULL ? item->word + 1 : letter;
  item->length = item->option == NULL ? strlen(item->name) : 1;
  const bool flag = item->option != NULL && item->option->flag != NULL;
  reader->letters = flag ? rest : NULL;
  if (!flag) item->value = value_at(reader, item->option, rest);
}

/* False at the end. */
static bool read_item(struct reader *reader, struct item *item) {
  if (reader->letters == NULL) {
    if (reader->next < reader->argc && !reader->only_operands &&
        strcmp(reader->argv[reader->next], "--") == 0) {
      reader->only_operands = true;
      reader->next++;
    }
    if (reader->next == reader->argc) return false;
    *item = (struct item){.word = reader->argv[reader->next++]};
    if (reader->only_operands || item->word[0] != '-' || item->word[1] == '\0') return true;
    if (item->word[1] != '-') reader->letters = item->word + 1;
  } else {
    *item = (struct item){.word = item->word};
  }
  if (reader->letters == NULL)
    read_long(reader, item);
  else
    read_letter(reader, item);
  return true;
}

/* The first of that option. */
static bool find_item(const struct reader *start, const char *name, struct item *item) {
  struct reader reader = *start;
  while (read_item(&reader, item))
    if (item->option != NULL && strcmp(item->option->name, name) == 0) return true;
  return false;
}

/* What an option says, or NULL: for those that others depend on. */
static const char *find_value(const struct reader *start, const char *name) {
  struct item item;
  return find_item(start, name, &item) ? item.value : NULL;
}

/* Looked for first: help shows the defaults, and options that were parsed have replaced them. */
static bool asks_for_help(const struct reader *start) {
  struct item item;
  return find_item(start, "help", &item) && item.value == NULL;
}

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
static int report_unknown(const struct usage *usage, const struct item *item) {
  struct suggestion suggestion = {0};
  item->name[item->length] = '\0';
  offer_all(&suggestion, usage->options, item->name);
  suggestion_offer(&suggestion, item->name, CONFIG);
  suggestion_offer(&suggestion, item->name, "help");
  if (suggestion.best != NULL)
    return report_usage(usage->command, "unknown option '%s'; did you mean '--%s'?", item->word,
                        suggestion.best);
  return report_usage(usage->command,
                      "unknown option '%s'; words that start with '-' go after '--'", item->word);
}

static int report_twice(const struct usage *usage, const char *name) {
  return report_usage(usage->command, "--%s is given twice, and takes one value", name);
}

/* The file of options has been read already. */
static int take_option(const struct usage *usage, const struct item *item,
                       struct operands *operands, bool *config_seen) {
  const struct option *option = item->option;
  const struct option_place place = {usage->command, "--"};
  const bool own = find_long(usage->options, option->name) == option;
  if (option->flag != NULL && item->value != NULL)
    return report_usage(usage->command, "--%s takes no value", option->name);
  const bool before = own ? note_given(operands, usage, option) : *config_seen;
  if (before && option->list == NULL && option->flag == NULL)
    return report_twice(usage, option->name);
  if (!own) *config_seen = true;
  return option_set(option, item->value, &place);
}

/* ---- what does not go together ---- */

bool option_given(const struct usage *usage, const struct operands *operands, const char *name) {
  const struct option *option = find_long(usage->options, name);
  return option != NULL && operands->given[option - usage->options];
}

static bool has_option(const struct usage *usage, const bool given[MOST_OPTIONS],
                       const char *name) {
  const struct option *option = find_long(usage->options, name);
  assert(option != NULL);
  if (option->flag != NULL) return *option->flag;
  return given[option - usage->options] && (option->count == NULL || *option->count > 0);
}

/* The first that is there of the names, which are taken apart; NULL = none. */
static const char *find_given(const struct usage *usage, const struct operands *operands,
                              const bool given[MOST_OPTIONS], char *names) {
  char *rest;
  for (char *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
    if (isupper((unsigned char)*name)) {
      if (operands->count > 0) return operands->words[0];
    } else if (isdigit((unsigned char)*name)) {
      if (operands->count == (size_t)(*name - '0')) return name;
    } else if (has_option(usage, given, name)) {
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
      const bool none = conditions[i][0] == '!', typed = conditions[i][0] == '+';
      snprintf(names[i], sizeof names[i], "%s", conditions[i] + (none || typed));
      found[i] = find_given(usage, operands, typed ? operands->typed : operands->given, names[i]);
      broken = broken && (conditions[i][0] == '\0' || (found[i] == NULL) == none);
    }
    if (broken) return report_usage(usage->command, rule->message, found[0]);
  }
  return EX_OK;
}

/* ---- what is read before the command line ---- */

/* Makes them defaults, and notes whose. */
static void apply_settings(const struct usage *usage, const char *settings,
                           bool preset[MOST_OPTIONS]) {
  const struct option_place place = {usage->command, "--"};
  char words[256], *rest;
  snprintf(words, sizeof words, "%s", settings);
  for (char *name = strtok_r(words, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(name, '=');
    if (value != NULL) *value++ = '\0';
    const struct option *option = find_long(usage->options, name);
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

static void apply_presets(const struct reader *start, bool preset[MOST_OPTIONS]) {
  const struct usage *usage = start->usage;
  for (const struct option *option = usage->options; option->name != NULL; option++) {
    if (option->settings == NULL) continue;
    const char *value = find_value(start, option->name);
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

/* ---- all of it ---- */

static int parse_words(const struct reader *start, struct operands *operands) {
  struct reader reader = *start;
  struct item item;
  bool config_seen = false;
  int code = EX_OK;
  while (code == EX_OK && read_item(&reader, &item)) {
    if (item.name == NULL)
      operands->words[operands->count++] = item.word;
    else if (item.option == NULL)
      code = report_unknown(start->usage, &item);
    else
      code = take_option(start->usage, &item, operands, &config_seen);
  }
  return code;
}

bool options_parse(const struct usage *usage, int argc, char **argv, struct operands *operands,
                   int *code) {
  bool preset[MOST_OPTIONS] = {false};
  struct option common[MOST_COMMON];
  options_common(common, usage);
  const struct reader start = {usage, common, argv, 1, argc, .letters = NULL};
  const bool help = asks_for_help(&start);
  const char *path = !help && reads_config(usage) ? find_value(&start, CONFIG) : NULL;
  /* Operands move to the front of argv, over words that have been dealt with. */
  *operands = (struct operands){.words = argv + 1};
  *code = path == NULL ? EX_OK : config_file_read(&config, path);
  if (*code != EX_OK) return false;
  apply_presets(&start, preset);
  if (help) {
    *code = show_help(usage, preset);
    return false;
  }
  *code = apply_config(usage, operands);
  if (*code == EX_OK) *code = parse_words(&start, operands);
  if (*code == EX_OK) *code = check_rules(usage, operands);
  return *code == EX_OK;
}
