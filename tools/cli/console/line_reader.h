/* Lines of a file or of standard input, as they arrive. gzip-compressed input is decompressed. */
#ifndef ELMAN_CLI_LINE_READER_H
#define ELMAN_CLI_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "elman.h"

struct line_reader {
  int file;         /* descriptor */
  const char *name; /* for messages */
  size_t number;    /* of the last line, from 1 */
  elman_decompressor *decompressor;
  char *piece;       /* what was read last; the part that is not decompressed yet: */
  const char *input; /* starts here */
  size_t input_size; /* and has this many bytes */
  bool has_more;     /* the decompressor may have more output than there was room for */
  char *bytes;       /* decompressed text; from `start` to `end` it has not been returned yet */
  size_t start, end, capacity;
  size_t max_line;  /* bytes; of a longer line only enough is kept to detect it */
  size_t searched;  /* no line ends before this */
  int problem;      /* errno of a read that failed, or 0 */
  elman_status bad; /* why the data could not be decompressed */
  elman_error error;
  bool ended; /* the end of the file was reached */
};

struct line {
  const char *text; /* valid until the next call with the same reader */
  size_t length;
};

/* Open a file; NULL or "-" is standard input. Return an exit code; print a message if it is not 0.
 */
int line_reader_open(struct line_reader *lines, const char *path, size_t max_line);
void line_reader_close(struct line_reader *lines);

/* Get the next line without line end and byte order mark. A line longer than `max_line` bytes is
 * cut to `max_line` + 1 bytes. Return false at the end. Return false with *code set, after a
 * message, if reading fails or a signal came. */
bool line_reader_next(struct line_reader *lines, struct line *line, int *code);

/* Return whether the next line, or the end, can be read without waiting. */
bool line_reader_ready(struct line_reader *lines);

#endif
