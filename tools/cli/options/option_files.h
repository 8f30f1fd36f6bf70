/* Check the files that a command line names: an output must not be an input, and must not replace a
 * file without --force. */
#ifndef ELMAN_CLI_OPTION_FILES_H
#define ELMAN_CLI_OPTION_FILES_H

#include "options/option.h"

/* A file that a command uses but its option table does not list. */
struct extra_file {
  enum option_use use;
  const char *option, *path;
};

/* Check the names of files. Refuse an empty name. Refuse an output in three cases:
 *
 *   - The command also reads the file.
 *   - Another option also writes the file.
 *   - The name is derived from another output.
 *
 * Refuse an output whose name promises compression. Refuse an output that would replace a file
 * without --force, and --force without an output file. For a model or a log of a training run,
 * which may replace another one, `train` checks this.
 *
 * Two names of the same file are recognized, even if the file does not exist yet.
 *
 * options_parse calls this function for the table, the operands and --config. A command calls it
 * again with `extra` for names that it derives later. The options must already have their defaults.
 * Return an exit code; print a message if it is not 0. */
int options_check_files(const struct usage *usage, const struct operands *operands,
                        const struct extra_file *extra, size_t count);

#endif
