#include "completion.h"

/* Inside single quotes. */
#define MARK "'\\''"

static void print_described(const struct command *group) {
  fputs("commands=(", stdout);
  for (const struct command *command = commands; command->name != NULL; command++) {
    const char *name = command_name_in(group, command->name);
    if (name == NULL) continue;
    printf("\n      '%s:", name);
    print_escaped(command->summary, "", MARK);
    putchar('\'');
  }
  puts(")");
}

/* words[1] becomes the command's name and the rest what belongs to it, as _arguments wants it. */
static void begin(void) {
  fputs("#compdef elman\n"
        "# Completion of elman for zsh, made by 'elman help --completion zsh'.\n"
        "_elman() {\n"
        "  local -a commands\n"
        "  if (( CURRENT == 2 )); then\n"
        "    ",
        stdout);
  print_described(NULL);
  puts("    _describe -t commands command commands\n    return\n  fi\n  shift words\n"
       "  (( CURRENT -= 1 ))\n  case $words[1] in");
  for (const struct command *group = commands; group->name != NULL; group++) {
    if (group->run != no_command) continue;
    printf("  %s)\n    if (( CURRENT == 2 )); then\n    ", group->name);
    print_described(group);
    printf("      _describe -t commands command commands\n      return\n    fi\n    shift words\n"
           "    words[1]=\"%s $words[1]\"\n    (( CURRENT -= 1 ))\n    ;;\n",
           group->name);
  }
  puts("  esac\n  case $words[1] in");
}

/* '(-o --output)'{-o+,--output=}'[where the model goes]:FILE:_files' */
static void print_option(const struct option *option) {
  const bool value = option->argument != NULL;
  fputs("      ", stdout);
  if (option->list != NULL) fputs("'*'", stdout);
  if (option->letter == 0)
    printf("--%s%s", option->name, value ? "=" : "");
  else if (option->list != NULL)
    printf("{-%c+,--%s=}", option->letter, option->name);
  else
    printf("'(-%c --%s)'{-%c%s,--%s%s}", option->letter, option->name, option->letter,
           value ? "+" : "", option->name, value ? "=" : "");
  fputs("'[", stdout);
  print_escaped(option->help, "[]\\", MARK);
  putchar(']');
  if (value) {
    putchar(':');
    print_escaped(option->argument, ":\\", MARK);
    putchar(':');
    if (option->choice != NULL) {
      putchar('(');
      print_choices_of(option);
      putchar(')');
    } else {
      fputs(is_file(option->argument) ? "_files" : " ", stdout);
    }
  }
  puts("' \\");
}

static void print_command(const struct usage *usage) {
  printf("  '%s')\n    _arguments -s -S \\\n", usage->command);
  each_option(usage, print_option);
  if (is_command(usage->operands)) {
    fputs("      '1:command:(", stdout);
    print_commands_in(NULL);
    fputs(")' \\\n      '2:command:{case $words[CURRENT-1] in", stdout);
    for (const struct command *group = commands; group->name != NULL; group++) {
      if (group->run != no_command) continue;
      printf(" %s) compadd ", group->name);
      print_commands_in(group);
      fputs(";;", stdout);
    }
    puts(" esac}'");
  } else {
    puts(is_file(usage->operands) ? "      '*:file:_files'" : "      '*:text: '");
  }
  puts("    ;;");
}

/* Where the file lies in $fpath it is run as the function itself. */
static void end(void) {
  puts("  esac\n}\nif [[ $funcstack[1] == _elman ]]; then\n  _elman \"$@\"\nelse\n"
       "  compdef _elman elman\nfi");
}

const struct completion_shell completion_zsh = {"zsh", begin, print_command, end};
