/* The files that a command line names: an output is never also an input. */
#ifndef ELMAN_CLI_OPTION_FILES_H
#define ELMAN_CLI_OPTION_FILES_H

#include "options/option.h"

/* A file that a command uses and that its option table does not name. */
struct extra_file {
  enum option_use use;
  const char *option, *path;
};

/* Refuses an empty name, and a file to write that the command also reads, that it writes under
 * another option, or that another output puts beside itself. To be called once options have their
 * defaults: options_parse does so with the rows of the table, the operands and `config` (NULL =
 * none); a command calls it again with `extra` for names that it derives later. Two names of one
 * file count as that file, also where it does not exist yet. Gives an exit code, after a message if
 * that is not 0. */
int options_check_files(const struct usage *usage, const struct operands *operands,
                        const struct extra_file *extra, size_t count);

#endif
