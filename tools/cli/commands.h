/* The subcommands. A new one is a file with its function, a line here and a row in main.c. */
#ifndef ELMAN_CLI_COMMANDS_H
#define ELMAN_CLI_COMMANDS_H

#include <stdio.h>

struct command {
  const char *name; /* NULL ends the table */
  const char *summary;
  int (*run)(int argc, char **argv); /* argv[0] is the command's name; gives the exit code */
};

extern const struct command commands[];

/* Looks in `table`. NULL, after a message, if there is no command of that name; `parent` is the
 * command whose subcommands the table lists, or NULL. */
const struct command *command_find(const struct command *table, const char *parent,
                                   const char *name);

int attention_command(int argc, char **argv);
int corpus_command(int argc, char **argv);
int corpus_check_command(int argc, char **argv);
int corpus_split_command(int argc, char **argv);
int evaluate_command(int argc, char **argv);
int gradcheck_command(int argc, char **argv);
int help_command(int argc, char **argv);
int inspect_command(int argc, char **argv);
int repl_command(int argc, char **argv);
int trace_command(int argc, char **argv);
int train_command(int argc, char **argv);
int translate_command(int argc, char **argv);

/* What `elman` alone (on standard error) and `elman help` (on standard output) have to say. */
int help_overview(void);
void help_print_commands(FILE *stream, const struct command *table);
void help_hint(void);

#endif
