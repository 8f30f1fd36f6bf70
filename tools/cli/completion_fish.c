#include "completion.h"

/* Inside single quotes. */
static void print_text(const char *text) {
  putchar('\'');
  print_escaped(text, "\\", "\\'");
  putchar('\'');
}

static const char head[] =
    "# Completion of elman for fish, made by 'elman help --completion fish'.\n"
    "function __elman_words\n"
    "    set -l words (commandline -opc)\n"
    "    set -e words[1]\n"
    "    echo \"$words \"\n"
    "end\n"
    "function __elman_at\n"
    "    test (__elman_words) = \"$argv \"\n"
    "end\n"
    "function __elman_in\n"
    "    string match -q -- \"$argv *\" (__elman_words)\n"
    "end\n"
    "complete -c elman -f\n";

static void print_members(const struct command *group) {
  for (const struct command *command = commands; command->name != NULL; command++) {
    const char *name = command_name_in(group, command->name);
    if (name == NULL) continue;
    printf("complete -c elman -n '__elman_at%s%s' -a %s -d ", group == NULL ? "" : " ",
           group == NULL ? "" : group->name, name);
    print_text(command->summary);
    putchar('\n');
  }
}

static void begin(void) {
  fputs(head, stdout);
  print_members(NULL);
  for (const struct command *group = commands; group->name != NULL; group++)
    if (group->run == no_command) print_members(group);
}

/* Of the command whose options are being written. */
static const char *name;

static void print_option(const struct option *option) {
  printf("complete -c elman -n '__elman_in %s' -l %s", name, option->name);
  if (option->letter != 0) printf(" -s %c", option->letter);
  if (option->choice != NULL) {
    fputs(" -x -a '", stdout);
    print_choices_of(option);
    putchar('\'');
  } else if (option->argument != NULL) {
    fputs(is_file(option->argument) ? " -r -F" : " -x", stdout);
  }
  fputs(" -d ", stdout);
  print_text(option->help);
  putchar('\n');
}

/* The commands, and behind the name of a group those in it. */
static void print_operands(void) {
  printf("complete -c elman -n '__elman_at %s' -a '", name);
  print_commands_in(NULL);
  puts("'");
  for (const struct command *group = commands; group->name != NULL; group++) {
    if (group->run != no_command) continue;
    printf("complete -c elman -n '__elman_at %s %s' -a '", name, group->name);
    print_commands_in(group);
    puts("'");
  }
}

static void print_command(const struct usage *usage) {
  name = usage->command;
  each_option(usage, print_option);
  if (is_command(usage->operands)) {
    print_operands();
  } else if (is_file(usage->operands)) {
    printf("complete -c elman -n '__elman_in %s' -F\n", name);
  }
}

static void end(void) {}

const struct completion_shell completion_fish = {"fish", begin, print_command, end};
