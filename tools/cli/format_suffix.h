/* The format of attention matrices that a file's name asks for by its suffix. */
#ifndef ELMAN_CLI_FORMAT_SUFFIX_H
#define ELMAN_CLI_FORMAT_SUFFIX_H

/* Says that the suffix of `path` names no format, and which do. Gives the exit code. */
int report_suffix(const char *path);

/* Chooses *format where it is NULL; it stays so where `path` is standard output (NULL or "-") or
 * has no suffix. Gives an exit code, after a message if that is not 0. */
int format_settle(const char **format, const char *path);

#endif
