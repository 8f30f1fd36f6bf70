/* Completions for shells, written from the tables of commands and options. A shell is a file
 * completion_NAME.c and a row in completion.c. */
#ifndef ELMAN_CLI_COMPLETION_H
#define ELMAN_CLI_COMPLETION_H

#include "commands.h"
#include "options/command_line.h"

/* All write to standard output. */
struct completion_shell {
  const char *name;
  void (*begin)(void);
  void (*command)(const struct usage *usage); /* of each command that is no group */
  void (*end)(void);
};

extern const struct completion_shell completion_bash, completion_fish, completion_zsh;

/* From index 0 up; NULL past the last. */
const char *completion_shell_name(size_t index);

/* Gives an exit code, after a message if that is not 0. */
int completion_print(const char *shell);

/* ---- for the shells ---- */

/* The rows of the table and those that every command has. */
void each_option(const struct usage *usage, void (*write)(const struct option *option));

/* What a value or an operand is, by the words that help has for it, such as "[PAIRS...]". */
bool is_file(const char *words);
bool is_command(const char *words);

/* What `option` may be, with spaces between. */
void print_choices_of(const struct option *option);

/* The commands that are in no group if `group` is NULL, otherwise those in it; likewise. */
void print_commands_in(const struct command *group);

/* `text` with a backslash in front of each character that is one of `special`. A quotation mark
 * (') becomes `mark`. */
void print_escaped(const char *text, const char *special, const char *mark);

#endif
