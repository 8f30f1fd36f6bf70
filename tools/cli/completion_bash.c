#include "completion.h"

/* A command's rows set `words` or `files` for a value or an operand; `options` stays empty where a
 * value is asked for. */
static const char head[] =
    "# Completion of elman for bash, made by 'elman help --completion bash'.\n"
    "_elman() {\n"
    "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "  local command=${COMP_WORDS[1]} words= files= options= ended= at\n"
    "  COMPREPLY=()\n"
    "  # --name=value is three words.\n"
    "  if [[ $current == = ]]; then\n"
    "    current=\n"
    "  elif [[ $before == = ]]; then\n"
    "    before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "  fi\n"
    "  ((COMP_CWORD > 1)) || command=\n"
    "  for ((at = 2; at < COMP_CWORD; at++)); do\n"
    "    [[ ${COMP_WORDS[at]} != -- ]] || before= ended=1\n"
    "  done\n";

static const char tail[] =
    "  esac\n"
    "  [[ ! $ended ]] || options=\n"
    "  [[ ! $options || ( $current != -* && $files$words ) ]] || words=$options files=\n"
    "  if [[ $files ]]; then\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
    "  else\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
    "  fi\n"
    "}\n"
    "complete -F _elman elman\n";

static void begin(void) {
  fputs(head, stdout);
  for (const struct command *group = commands; group->name != NULL; group++)
    if (group->run == no_command)
      printf("  [[ $command != %s ]] || ((COMP_CWORD < 3)) || command+=\" ${COMP_WORDS[2]}\"\n",
             group->name);
  fputs("  case $command in\n    '') words='", stdout);
  print_commands_in(NULL);
  fputs("' ;;\n", stdout);
  for (const struct command *group = commands; group->name != NULL; group++) {
    if (group->run != no_command) continue;
    printf("    %s) words='", group->name);
    print_commands_in(group);
    fputs("' ;;\n", stdout);
  }
}

static void print_name(const struct option *option) {
  printf("--%s ", option->name);
}

static void print_value(const struct option *option) {
  if (option->argument == NULL) return;
  printf("        --%s", option->name);
  if (option->letter != 0) printf(" | -%c", option->letter);
  if (option->choice != NULL) {
    fputs(") words='", stdout);
    print_choices_of(option);
    fputs("' ;;\n", stdout);
  } else {
    puts(is_file(option->argument) ? ") files=1 ;;" : ") ;;");
  }
}

static void print_command(const struct usage *usage) {
  printf("    '%s')\n      case $before in\n", usage->command);
  each_option(usage, print_value);
  fputs("        *)\n          options='", stdout);
  each_option(usage, print_name);
  puts("'");
  if (is_command(usage->operands)) {
    fputs("          words='", stdout);
    print_commands_in(NULL);
    puts("'");
    for (const struct command *group = commands; group->name != NULL; group++) {
      if (group->run != no_command) continue;
      printf("          [[ $before != %s ]] || words='", group->name);
      print_commands_in(group);
      puts("'");
    }
  } else if (is_file(usage->operands)) {
    puts("          files=1");
  }
  puts("          ;;\n      esac\n      ;;");
}

static void end(void) {
  fputs(tail, stdout);
}

const struct completion_shell completion_bash = {"bash", begin, print_command, end};
