/* Output of a command's data, to standard output or to a file. A complete new file replaces the
 * existing one; an incomplete one never does. */
#ifndef ELMAN_CLI_OUTPUT_H
#define ELMAN_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "elman.h"

/* Return whether `path` means standard input or output (NULL or "-"). */
bool is_standard(const char *path);

/* Return the name of an input for messages: "standard input", or `path`. */
const char *input_name(const char *path);

/* ---- formats of an output, selected by the suffix of a file name ---- */

/* Functions that return the name of the format at `index` (from 0), and its suffix with the dot.
 * They return NULL past the last format. */
struct formats {
  const char *(*name)(size_t index), *(*suffix)(size_t index);
};

/* Report that the suffix of `path` selects no format, and list the suffixes. Return the exit code.
 */
int report_suffix(const char *path, const struct formats *formats);

/* Return the name of the format that the suffix of `path` selects; NULL if there is none. */
const char *format_by_suffix(const struct formats *formats, const char *path);

/* If *format is NULL, choose the format by the suffix of `path`. Leave *format NULL for standard
 * output and for a path without a suffix. Return an exit code; print a message if it is not 0. */
int format_choose(const char **format, const struct formats *formats, const char *path);

/* Refuse to write a binary format to a terminal. Return an exit code; print a message if it is not
 * 0. */
int format_check_terminal(const char *command, const char *format, const char *path);

/* Formats of pictures that rsvg-convert draws from SVG with the system's fonts, including Chinese
 * ones. It is a separate process and runs only for these formats, because its library has two
 * drawbacks. The library would load about thirty others at every start, and it ends the program
 * when memory runs out. Return the name of the format at `index` (from 0), or its suffix with the
 * dot; NULL past the last. */
const char *drawn_format_name(size_t index);
const char *drawn_format_suffix(size_t index);

/* Return the format that the library writes for a format of the command: "svg" for a format that is
 * drawn from it. */
const char *format_written(const char *format);

/* ---- outputs ---- */

struct output {
  FILE *stream;
  elman_file *file; /* NULL for standard output */
  const char *path; /* path for messages, owned by the caller */
  FILE *drawn;      /* destination of the picture drawn from `stream`; NULL for other formats */
  size_t drawn_as;  /* index of its format */
  int problem;      /* errno of the first failed write; 0 = none */
};

/* Whether an output may replace an existing file: --force, or '!' after a command of the REPL. */
extern bool output_force;

/* Return whether the file exists and is not empty. Devices, pipes and open descriptors hold nothing
 * that an output replaces. */
bool output_exists(const char *path);

/* Return whether the file begins like a safetensors file: a model, snapshot or checkpoint, also of
 * another version. */
bool output_holds_model(const char *path);

/* Refuse to replace a file that is not empty, unless output_force is set: it may be a model, a
 * corpus or anything else. Return an exit code; print a message if it is not 0. */
int output_check_free(const char *path);

/* Open an output; NULL or "-" is standard output. A file must pass output_check_free. Return an
 * exit code; print a message if it is not 0. */
int output_open(struct output *output, const char *path);

/* Open an output for a picture. For a format that is drawn, the caller writes SVG to the stream,
 * and output_close converts it. For other formats and NULL, do as output_open does. Return an exit
 * code; print a message if it is not 0. */
int output_open_as(struct output *output, const char *path, const char *format);

/* Close standard output after a command has printed everything. Return `code`; if a write failed,
 * return another exit code. */
int output_end(int code);

/* Return whether both paths name the same regular file; either may be NULL. */
bool output_is(const char *path, const char *other);

/* Check that the file can be written: create its temporary file and remove it. Return an exit code;
 * print a message if it is not 0. */
int output_check(const char *path);

/* Do as output_check does. Also check that the file may have `size` bytes. */
int output_check_room(const char *path, uint64_t size);

/* Lock the file for this process. Set *lock, which the caller releases; it is NULL after an error.
 * Print a note if the file system does not support locks. Return an exit code; print a message if
 * it is not 0. */
int output_claim(elman_lock **lock, const char *path);

/* Flush the output. The caller must have just written to it, so that errno still has the reason for
 * a failure. Return false if a write failed; further writes are useless then. */
bool output_flush(struct output *output);

/* Write all data of a file to disk, before the first of several files is moved to its path. After
 * this call only moving the file can fail. Return an exit code; print a message if it is not 0. */
int output_store(struct output *output);

/* Close the output; move a finished file to its path, unless output_check_free would now refuse it,
 * because another program has created the file. Return `code`, or another exit code if this
 * fails. Report the failure, unless the output is a pipe that its reader closed. */
int output_close(struct output *output, int code);

/* Discard the output; leave an existing file unchanged. */
void output_abandon(struct output *output);

/* Close a usable output; discard one that is not. Return the exit code, as output_close does. */
int output_finish(struct output *output, int code, bool is_usable);

#endif
