/* Read lines from a file or from standard input as they arrive. Decompress gzip-compressed
 * input. Refuse input whose start shows that it is not text. */
#ifndef ELMAN_CLI_LINE_READER_H
#define ELMAN_CLI_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "elman.h"

struct line_reader {
  int file;         /* file descriptor */
  const char *name; /* name of the file for messages */
  size_t number;    /* number of the last line, from 1 */
  elman_decompressor *decompressor;
  char *piece;       /* buffer for one read */
  const char *input; /* start of the bytes in `piece` that are not decompressed yet */
  size_t input_size; /* number of these bytes */
  bool has_more;     /* the decompressor filled the buffer and may have more output */
  char *bytes; /* decompressed text; the text from `start` to `end` has not been returned yet */
  size_t start, end, capacity;
  size_t max_line;  /* limit in bytes; the excess of a longer line is dropped */
  size_t searched;  /* `bytes` contains no line end from `start` to this position */
  int problem;      /* errno of a failed read; 0 = none */
  elman_status bad; /* status of bad input: damaged gzip data, not text; ELMAN_OK = none */
  elman_error error;
  bool ended;        /* the end of the file was reached */
  bool is_regular;   /* the file is neither a pipe nor a device */
  bool noted_return; /* a note about CR within a line was printed */
};

struct line {
  const char *text; /* valid until the next call with the same reader */
  size_t length;
};

/* Open a file; NULL or "-" is standard input. Return an exit code; print a message if it is not 0.
 */
int line_reader_open(struct line_reader *lines, const char *path, size_t max_line);
void line_reader_close(struct line_reader *lines);

/* Get the next line without line end and byte order mark. Print a note about the first line that
 * contains a CR. Truncate a line longer than `max_line`
 * bytes to `max_line` + 1 bytes. Return false at the end of the file, if reading fails, or if a
 * signal came. Set *code in the last two cases; report a failed read. */
bool line_reader_next(struct line_reader *lines, struct line *line, int *code);

/* Return whether the next line, or the end of the file, can be read without waiting. */
bool line_reader_ready(struct line_reader *lines);

#endif
