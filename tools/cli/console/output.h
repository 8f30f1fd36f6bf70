/* Destination of a command's data: standard output, or a file that is replaced as a whole. */
#ifndef ELMAN_CLI_OUTPUT_H
#define ELMAN_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "elman.h"

/* Return whether `path` means standard output or input: NULL or "-". */
bool is_standard(const char *path);

/* ---- formats of an output, and the format that a file name's suffix selects ---- */

/* Names of formats and their suffixes with the dot, by index from 0; NULL past the last. */
struct formats {
  const char *(*name)(size_t index), *(*suffix)(size_t index);
};

/* Report that the suffix of `path` selects no format, and list the suffixes. Return the exit code.
 */
int report_suffix(const char *path, const struct formats *formats);

/* Return the format that the suffix of `path` selects; NULL = none. */
const char *format_by_suffix(const struct formats *formats, const char *path);

/* Choose *format by the suffix of `path` if *format is NULL. It stays NULL for standard output
 * (NULL or "-") and for a path without a suffix. Return an exit code; print a message if it is not
 * 0. */
int format_choose(const char **format, const struct formats *formats, const char *path);

/* Refuse to write a binary format to a terminal. Return an exit code; print a message if it is not
 * 0. */
int format_check_terminal(const char *command, const char *format, const char *path);

/* rsvg-convert draws PNG from SVG with the fonts of the system, including Chinese ones. It runs as
 * a separate process, and only for PNG: its library would load about thirty other libraries at
 * every start, and it ends the program when memory runs out. */
#define PNG "png"
#define PNG_SUFFIX ".png"

/* ---- outputs ---- */

struct output {
  FILE *stream;
  elman_file *file; /* NULL for standard output */
  const char *path; /* owned by the caller, for messages */
  FILE *png;   /* destination of the PNG that is converted from `stream`; NULL for other formats */
  int problem; /* errno of the first write that failed, or 0 */
};

/* Open an output; NULL or "-" is standard output. Return an exit code; print a message if it is not
 * 0. */
int output_open(struct output *output, const char *path);

/* Open an output for a picture. With the format "png", write SVG to the stream; output_close
 * converts it. Other formats, and NULL, are opened as by output_open. */
int output_open_as(struct output *output, const char *path, const char *format);

/* Close standard output after a command has printed everything. Return as output_close does. */
int output_end(int code);

/* Return whether both paths lead to the same regular file; either may be NULL. */
bool output_is(const char *path, const char *other);

/* Check that the file can be written, by creating and removing the temporary file. Return an exit
 * code; print a message if it is not 0. */
int output_check(const char *path);

/* Lock the file for this process; the caller releases *lock, which is NULL after an error. Print a
 * note if the file system cannot lock. Return an exit code; print a message if it is not 0. */
int output_claim(elman_lock **lock, const char *path);

/* Flush the output; call it right after a write. Return false after an error: more writing is
 * useless. */
bool output_flush(struct output *output);

/* Move the finished file to its path. Return `code`, or another exit code after a message if
 * something failed. */
int output_close(struct output *output, int code);

/* Discard the output and leave the existing file unchanged. */
void output_abandon(struct output *output);

#endif
