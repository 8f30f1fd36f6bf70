/* Completion for shells: scripts that are made from the tables of commands and options. */
#include "commands.h"

#include <string.h>
#include <sysexits.h>

#include "console/output.h"
#include "options/command_line.h"

/* Each shell has one row in `shells`. The functions of the row write to standard output. */

/* Call `write` for every option of a command, in the order of help. */
static void each_option(const struct usage *usage, void (*write)(const struct option *option)) {
  struct option_rows rows;
  options_list(&rows, usage);
  for (size_t i = 0; i < rows.count; i++) write(rows.list[i]);
}

/* Return whether a placeholder for a value or an operand, such as "[PAIRS...]", stands for
 * files. */
static bool is_file(const char *words) {
  static const char *const names[] = {"FILE", "MODEL", "PAIRS", "PREFIX"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strstr(words, names[i]) != NULL) return true;
  return false;
}

/* Return whether a placeholder stands for a command. */
static bool is_command(const char *words) {
  return strstr(words, "COMMAND") != NULL;
}

/* Print the words that can be chosen for `option`, separated by spaces. */
static void print_choices_of(const char *before, const struct option *option, const char *after) {
  const char *between = before;
  for (size_t i = 0; option->choice(i) != NULL; i++)
    if (option->choice(i)[0] != '\0') printf("%s%s", between, option->choice(i)), between = " ";
  fputs(after, stdout);
}

/* Print the commands in `group`, separated by spaces, after its name between `before` and `middle`.
 * For NULL, print the commands with one-word names; the name is empty. */
static void print_commands_in(const char *before, const struct command *group, const char *middle,
                              const char *after) {
  const char *between = "";
  printf("%s%s%s", before, group == NULL ? "" : group->name, middle);
  for (const struct command *command = commands; command->name != NULL; command++) {
    const char *name = command_name_in(group, command->name);
    if (name != NULL) printf("%s%s", between, name), between = " ";
  }
  fputs(after, stdout);
}

/* Print `text` with a backslash before each character of `special`, and with `mark` in place of
 * each single quotation mark. */
static void print_escaped(const char *text, const char *special, const char *mark) {
  for (; *text != '\0'; text++) {
    if (*text == '\'') {
      fputs(mark, stdout);
      continue;
    }
    if (strchr(special, *text) != NULL) putchar('\\');
    putchar(*text);
  }
}

/* Return the first group at or after this row; NULL if there is none. */
static const struct command *find_group(const struct command *command) {
  while (command->name != NULL && command->run != no_command) command++;
  return command->name == NULL ? NULL : command;
}

/* ---- bash ---- */

/* The script has one branch per command, which sets `words` (candidates) or `files` (complete file
 * names). The branch leaves `options` empty if the word before the cursor needs a value. */
static const char bash_head[] =
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

static const char bash_tail[] =
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

static void bash_begin(void) {
  fputs(bash_head, stdout);
  for (const struct command *group = commands; (group = find_group(group)) != NULL; group++)
    printf("  [[ $command != %s ]] || ((COMP_CWORD < 3)) || command+=\" ${COMP_WORDS[2]}\"\n",
           group->name);
  print_commands_in("  case $command in\n    ''", NULL, ") words='", "' ;;\n");
  for (const struct command *group = commands; (group = find_group(group)) != NULL; group++)
    print_commands_in("    ", group, ") words='", "' ;;\n");
}

static void bash_name(const struct option *option) {
  printf("--%s ", option->name);
}

static void bash_value(const struct option *option) {
  if (option->argument == NULL) return;
  printf("        --%s", option->name);
  if (option->letter != 0) printf(" | -%c", option->letter);
  if (option->choice != NULL)
    print_choices_of(") words='", option, "' ;;\n");
  else
    puts(is_file(option->argument) ? ") files=1 ;;" : ") ;;");
}

static void bash_command(const struct usage *usage) {
  printf("    '%s')\n      case $before in\n", usage->command);
  each_option(usage, bash_value);
  fputs("        *)\n          options='", stdout);
  each_option(usage, bash_name);
  puts("'");
  if (is_command(usage->operands)) {
    print_commands_in("          words='", NULL, "", "'\n");
    for (const struct command *group = commands; (group = find_group(group)) != NULL; group++)
      print_commands_in("          [[ $before != ", group, " ]] || words='", "'\n");
  } else if (is_file(usage->operands)) {
    puts("          files=1");
  }
  puts("          ;;\n      esac\n      ;;");
}

/* ---- zsh ---- */

/* Text for a single quotation mark inside a single-quoted string. */
#define MARK "'\\''"

static void zsh_described(const struct command *group) {
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

/* Print code that joins the words of the command's name into words[1], because _arguments expects
 * its own command there. */
static void zsh_begin(void) {
  fputs("#compdef elman\n"
        "# Completion of elman for zsh, made by 'elman help --completion zsh'.\n"
        "_elman() {\n"
        "  local -a commands\n"
        "  if (( CURRENT == 2 )); then\n"
        "    ",
        stdout);
  zsh_described(NULL);
  puts("    _describe -t commands command commands\n    return\n  fi\n  shift words\n"
       "  (( CURRENT -= 1 ))\n  case $words[1] in");
  for (const struct command *group = commands; (group = find_group(group)) != NULL; group++) {
    printf("  %s)\n    if (( CURRENT == 2 )); then\n    ", group->name);
    zsh_described(group);
    printf("      _describe -t commands command commands\n      return\n    fi\n    shift words\n"
           "    words[1]=\"%s $words[1]\"\n    (( CURRENT -= 1 ))\n    ;;\n",
           group->name);
  }
  puts("  esac\n  case $words[1] in");
}

/* Print one option, for example '(-o --output)'{-o+,--output=}'[model file to
 * write]:FILE:_files' */
static void zsh_option(const struct option *option) {
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
    if (option->choice != NULL)
      print_choices_of("(", option, ")");
    else
      fputs(is_file(option->argument) ? "_files" : " ", stdout);
  }
  puts("' \\");
}

static void zsh_command(const struct usage *usage) {
  printf("  '%s')\n    _arguments -s -S \\\n", usage->command);
  each_option(usage, zsh_option);
  if (is_command(usage->operands)) {
    print_commands_in("      '1:command:(", NULL, "",
                      ")' \\\n      '2:command:{case $words[CURRENT-1] in");
    for (const struct command *group = commands; (group = find_group(group)) != NULL; group++)
      print_commands_in(" ", group, ") compadd ", ";;");
    puts(" esac}'");
  } else {
    puts(is_file(usage->operands) ? "      '*:file:_files'" : "      '*:text: '");
  }
  puts("    ;;");
}

/* The end of the script. zsh runs a file in a directory of $fpath as the body of the function
 * _elman. If zsh runs the script in another way, the script registers that function with
 * compdef. */
static const char zsh_tail[] =
    "  esac\n}\nif [[ $funcstack[1] == _elman ]]; then\n  _elman \"$@\"\nelse\n"
    "  compdef _elman elman\nfi\n";

/* ---- fish ---- */

/* Print `text` in single quotes. */
static void fish_text(const char *text) {
  putchar('\'');
  print_escaped(text, "\\", "\\'");
  putchar('\'');
}

static const char fish_head[] =
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

static void fish_members(const struct command *group) {
  for (const struct command *command = commands; command->name != NULL; command++) {
    const char *name = command_name_in(group, command->name);
    if (name == NULL) continue;
    printf("complete -c elman -n '__elman_at%s%s' -a %s -d ", group == NULL ? "" : " ",
           group == NULL ? "" : group->name, name);
    fish_text(command->summary);
    putchar('\n');
  }
}

static void fish_begin(void) {
  fputs(fish_head, stdout);
  fish_members(NULL);
  for (const struct command *group = commands; (group = find_group(group)) != NULL; group++)
    fish_members(group);
}

/* Name of the command whose options are being written. */
static const char *fish_name;

static void fish_option(const struct option *option) {
  printf("complete -c elman -n '__elman_in %s' -l %s", fish_name, option->name);
  if (option->letter != 0) printf(" -s %c", option->letter);
  if (option->choice != NULL)
    print_choices_of(" -x -a '", option, "'");
  else if (option->argument != NULL)
    fputs(is_file(option->argument) ? " -r -F" : " -x", stdout);
  fputs(" -d ", stdout);
  fish_text(option->help);
  putchar('\n');
}

static void fish_command(const struct usage *usage) {
  fish_name = usage->command;
  each_option(usage, fish_option);
  if (is_file(usage->operands)) printf("complete -c elman -n '__elman_in %s' -F\n", fish_name);
  if (!is_command(usage->operands)) return;
  /* Complete the names of commands; after the name of a group, complete its members. */
  printf("complete -c elman -n '__elman_at %s", fish_name);
  print_commands_in("", NULL, "' -a '", "'\n");
  for (const struct command *group = commands; (group = find_group(group)) != NULL; group++) {
    printf("complete -c elman -n '__elman_at %s ", fish_name);
    print_commands_in("", group, "' -a '", "'\n");
  }
}

/* ---- the shells ---- */

static const struct completion_shell {
  const char *name;
  void (*begin)(void);
  void (*command)(const struct usage *usage); /* called for each command that is not a group */
  const char *end;
} shells[] = {{"bash", bash_begin, bash_command, bash_tail},
              {"zsh", zsh_begin, zsh_command, zsh_tail},
              {"fish", fish_begin, fish_command, ""}};

const char *completion_shell_name(size_t index) {
  return index < sizeof shells / sizeof *shells ? shells[index].name : NULL;
}

/* Function that writes the completions of one command. Only the command's own function has its
 * option table. With --help, it passes this table to another function. Completion therefore runs
 * each command with --help. */
static void (*shell_command)(const struct usage *usage);

static int show_command(const struct usage *usage, const bool preset[MAX_OPTIONS]) {
  (void)preset;
  shell_command(usage);
  return EX_OK;
}

int completion_print(const char *name) {
  const struct completion_shell *shell = shells;
  while (strcmp(shell->name, name) != 0) shell++;
  shell->begin();
  shell_command = shell->command;
  commands_visit(show_command);
  fputs(shell->end, stdout);
  return output_end(EX_OK);
}
