/* The formats of a command's output, and the one that a file's name asks for. */
#ifndef ELMAN_CLI_FORMATS_H
#define ELMAN_CLI_FORMATS_H

#include <stddef.h>

/* By index from 0 up, NULL past the last: names, and the suffixes of their files, with the dot. */
struct formats {
  const char *(*name)(size_t index), *(*suffix)(size_t index);
};

/* Says that the suffix of `path` names no format, and which do. Gives the exit code. */
int report_suffix(const char *path, const struct formats *formats);

/* The format whose suffix the path has; NULL = none. */
const char *format_by_suffix(const struct formats *formats, const char *path);

/* Chooses *format where it is NULL; it stays so where `path` is standard output (NULL or "-") or
 * has no suffix. Gives an exit code, after a message if that is not 0. */
int format_settle(const char **format, const struct formats *formats, const char *path);

/* Whether data that are no text would go to a terminal. Gives an exit code, after a message if that
 * is not 0. */
int format_check_terminal(const char *command, const char *format, const char *path);

#endif
