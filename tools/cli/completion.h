/* Shell completions, generated from the tables of commands and options. */
#ifndef ELMAN_CLI_COMPLETION_H
#define ELMAN_CLI_COMPLETION_H

#include <stddef.h>

/* Return the name of the shell at `index`, from 0; NULL past the last. */
const char *completion_shell_name(size_t index);

/* Print the completion script for the shell `name`. Return an exit code; print a message if it is
 * not 0. */
int completion_print(const char *name);

#endif
