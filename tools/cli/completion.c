#include "completion.h"

#include <string.h>
#include <sysexits.h>

#include "console/output.h"
#include "options/command_line.h"

static const struct completion_shell *const shells[] = {&completion_bash, &completion_zsh,
                                                        &completion_fish};

const char *completion_shell_name(size_t index) {
  return index < sizeof shells / sizeof *shells ? shells[index]->name : NULL;
}

/* The tables are known to the functions of the commands only, which hand them to --help. */
static void (*shell_command)(const struct usage *usage);

static int show_command(const struct usage *usage, const bool preset[MOST_OPTIONS]) {
  (void)preset;
  shell_command(usage);
  return EX_OK;
}

int completion_print(const char *shell) {
  size_t index = 0;
  while (strcmp(completion_shell_name(index), shell) != 0) index++;
  shells[index]->begin();
  shell_command = shells[index]->command;
  options_help_by(show_command);
  for (const struct command *command = commands; command->name != NULL; command++) {
    char name[] = "", help[] = "--help";
    if (command->run != no_command) (void)command->run(2, (char *[]){name, help, NULL});
  }
  options_help_by(NULL);
  shells[index]->end();
  return output_end(EX_OK);
}

void each_option(const struct usage *usage, void (*write)(const struct option *option)) {
  struct option common[MOST_COMMON];
  options_common(common, usage);
  for (const struct option *option = usage->options; option->name != NULL; option++) write(option);
  for (const struct option *option = common; option->name != NULL; option++) write(option);
}

bool is_file(const char *words) {
  static const char *const names[] = {"FILE", "MODEL", "PAIRS", "PREFIX"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strstr(words, names[i]) != NULL) return true;
  return false;
}

bool is_command(const char *words) {
  return strstr(words, "COMMAND") != NULL;
}

void print_choices_of(const struct option *option) {
  for (size_t i = 0; option->choice(i) != NULL; i++)
    printf(i == 0 ? "%s" : " %s", option->choice(i));
}

void print_commands_in(const struct command *group) {
  const char *between = "";
  for (const struct command *command = commands; command->name != NULL; command++) {
    const char *name = command_name_in(group, command->name);
    if (name != NULL) printf("%s%s", between, name), between = " ";
  }
}

void print_escaped(const char *text, const char *special, const char *mark) {
  for (; *text != '\0'; text++) {
    if (*text == '\'') {
      fputs(mark, stdout);
      continue;
    }
    if (strchr(special, *text) != NULL) putchar('\\');
    putchar(*text);
  }
}
