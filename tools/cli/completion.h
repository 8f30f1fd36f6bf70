/* Completions for shells, written from the tables of commands and options. */
#ifndef ELMAN_CLI_COMPLETION_H
#define ELMAN_CLI_COMPLETION_H

#include <stddef.h>

/* From index 0 up; NULL past the last. */
const char *completion_shell_name(size_t index);

/* Gives an exit code, after a message if that is not 0. */
int completion_print(const char *shell);

#endif
