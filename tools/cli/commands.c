#include "commands.h"

#include <ctype.h>
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"
#include "options/command_line.h"

#define COMMAND_ROW(name, run, processes, summary) {name, summary, run, processes},
const struct command commands[] = {COMMANDS(COMMAND_ROW){NULL, NULL, NULL, ALONE}};

const char *command_name_in(const struct command *group, const char *name) {
  if (group == NULL) return strchr(name, ' ') == NULL ? name : NULL;
  const size_t length = strlen(group->name);
  return strncmp(name, group->name, length) == 0 && name[length] == ' ' ? name + length + 1 : NULL;
}

static const struct command *find_in(const struct command *group, const char *word) {
  elman_suggestion suggestion = {0};
  for (const struct command *command = commands; command->name != NULL; command++) {
    const char *name = command_name_in(group, command->name);
    const char *last = strrchr(command->name, ' ');
    if (name != NULL && strcmp(name, word) == 0) return command;
    if (name != NULL) elman_suggestion_offer(&suggestion, word, name);
    /* Offer "corpus check" for "check", because the user may have omitted the group. */
    if (group != NULL || last == NULL) continue;
    const char *before = suggestion.best;
    elman_suggestion_offer(&suggestion, word, last + 1);
    if (suggestion.best != before) suggestion.best = command->name;
  }
  const char *parent = group == NULL ? NULL : group->name;
  if (group == NULL) elman_suggestion_offer(&suggestion, word, "--version");
  if (suggestion.best != NULL)
    report(parent, "unknown %s '%s'; did you mean '%s'?", word[0] == '-' ? "option" : "command",
           word, suggestion.best);
  else if (word[0] == '-')
    report(parent, "unknown option '%s'; the command comes first, as in 'elman train --help'",
           word);
  else
    report(parent, "unknown command '%s'; 'elman help%s%s' lists the commands", word,
           parent == NULL ? "" : " ", parent == NULL ? "" : parent);
  return NULL;
}

const struct command *command_find(int argc, char **argv, int *words) {
  const struct command *command = find_in(NULL, argv[0]);
  *words = 1;
  if (command == NULL || command->run != no_command || argc == 1 ||
      strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
    return command;
  *words = 2;
  return find_in(command, argv[1]);
}

void commands_visit(int (*visit)(const struct usage *usage, const bool *preset)) {
  char name[] = "", help[] = "--help";
  options_help_by(visit);
  for (const struct command *command = commands; command->name != NULL; command++)
    if (command->run != no_command) (void)command->run(2, (char *[]){name, help, NULL});
  options_help_by(NULL);
}

static struct { const char *option, *command; } search;

static int search_command(const struct usage *usage, const bool preset[MAX_OPTIONS]) {
  (void)preset;
  if (search.command == NULL && option_row(usage->options, search.option) != NULL)
    search.command = usage->command;
  return EX_OK;
}

const char *command_with_option(const char *name) {
  search.option = name;
  search.command = NULL;
  commands_visit(search_command);
  return search.command;
}

void commands_print(FILE *stream, const struct command *group) {
  if (group == NULL)
    fputs("Usage: elman COMMAND [options] ...\n"
          "\n"
          "Trains recurrent translators between any two languages and translates with them.\n",
          stream);
  else
    fprintf(stream, "Usage: elman %s COMMAND [options] ...\n\n%c%s.\n", group->name,
            toupper((unsigned char)group->summary[0]), group->summary + 1);
  fputs("\nCommands:\n", stream);
  for (const struct command *command = commands; command->name != NULL; command++) {
    const char *name = command_name_in(group, command->name);
    if (name != NULL) fprintf(stream, "  %-10s %s\n", name, command->summary);
  }
  if (group == NULL)
    fputs(
        "\n"
        "'elman help COMMAND' explains a command. 'elman --version --verbose' prints the version\n"
        "with CPU and BLAS details, for bug reports.\n",
        stream);
  else
    fprintf(stream, "\n'elman help %s COMMAND' explains a command.\n", group->name);
}
