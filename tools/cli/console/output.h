/* Where a command's data goes: standard output, or a file that is replaced as a whole. */
#ifndef ELMAN_CLI_OUTPUT_H
#define ELMAN_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "elman.h"

/* Whether `path` is standard output or input: NULL or "-". */
bool is_standard(const char *path);

/* ---- formats of an output, and the one that the suffix of its name stands for ---- */

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
int format_choose(const char **format, const struct formats *formats, const char *path);

/* Whether data that are no text would go to a terminal. Gives an exit code, after a message if that
 * is not 0. */
int format_check_terminal(const char *command, const char *format, const char *path);

/* The program rsvg-convert draws PNG from SVG, with the system's fonts, Chinese ones included. It
 * is a process of its own that runs only for a PNG, since its library loads some thirty others at
 * every start and ends the program when memory runs out. */
#define PNG "png"
#define PNG_SUFFIX ".png"

/* ---- outputs ---- */

struct output {
  FILE *stream;
  elman_file *file; /* NULL for standard output */
  const char *path; /* the caller's, for messages */
  FILE *png;        /* where the PNG goes that `stream`, which is SVG, becomes; else NULL */
  int problem;      /* errno of the first write that failed, or 0 */
};

/* NULL or "-" is standard output. Gives an exit code, after a message if that is not 0. */
int output_open(struct output *output, const char *path);

/* The same for a picture: with the format "png" the stream is SVG, which is converted when it is
 * closed. Other formats, and NULL, are as above. */
int output_open_as(struct output *output, const char *path, const char *format);

/* Closes standard output, where a command printed all it had to; otherwise as output_close. */
int output_end(int code);

/* Whether both paths lead to one regular file; either may be NULL. */
bool output_is(const char *path, const char *other);

/* Whether the file could be written. Creates and removes the temporary file. */
int output_check(const char *path);

/* Claims the file for this process, which then releases *lock; NULL after an error. Where nothing
 * can be claimed, a note says so. Gives an exit code, after a message if that is not 0. */
int output_claim(elman_lock **lock, const char *path);

/* Hands on what was written so far, to be called right after it. False when that failed: there is
 * no use in going on. */
bool output_flush(struct output *output);

/* Puts the file in place. Gives `code`, or the exit code of what failed, after a message. */
int output_close(struct output *output, int code);

/* Leaves the file as it was. */
void output_abandon(struct output *output);

#endif
