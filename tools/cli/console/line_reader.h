/* The lines of a file or of standard input, as they come; unpacked if gzip packed them. */
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
  char *piece;        /* what was read last; of it is not yet unpacked: */
  const char *packed; /* from here */
  size_t packed_size; /* so many bytes */
  bool unpacks;       /* the decompressor may have more than there was room for */
  char *bytes;        /* what is unpacked: start up to end is not yet given out */
  size_t start, end, capacity;
  size_t max_line;  /* bytes; of a longer line only so much is kept that it is known as one */
  size_t searched;  /* no line ends before this */
  int problem;      /* errno of a read that failed, or 0 */
  elman_status bad; /* why it could not be unpacked */
  elman_error error;
  bool ended; /* nothing more can be read */
};

struct line {
  const char *text; /* valid until the next one is read or asked for */
  size_t length;
};

/* `path` NULL or "-" is standard input. Gives an exit code, after a message if that is not 0. */
int line_reader_open(struct line_reader *lines, const char *path, size_t max_line);
void line_reader_close(struct line_reader *lines);

/* Without line end and byte order mark; of a line of more than `max_line` bytes the first
 * `max_line`
 * + 1. False at the end and, with *code set after a message, when reading fails or a signal came.
 */
bool line_reader_next(struct line_reader *lines, struct line *line, int *code);

/* Whether the next line, or the end, is there without waiting for whoever writes it. */
bool line_reader_ready(struct line_reader *lines);

#endif
