/* Checks of the files that a command line names: an output must not be an input. */
#ifndef ELMAN_CLI_OPTION_FILES_H
#define ELMAN_CLI_OPTION_FILES_H

#include "options/option.h"

/* A file that a command uses and that is not in its option table. */
struct extra_file {
  enum option_use use;
  const char *option, *path;
};

/* Refuse an empty name, and an output that the command also reads, that another option writes, or
 * that has a name derived from another output. Call it when the options have their defaults.
 * options_parse calls it for the table, the operands and --config; a command calls it again with
 * `extra` for names that it derives later. Two names of one file are recognized, even if the file
 * does not exist yet. Return an exit code; print a message if it is not 0. */
int options_check_files(const struct usage *usage, const struct operands *operands,
                        const struct extra_file *extra, size_t count);

#endif
