/* Files of UTF-8 text, line by line, with LF or CRLF. A byte order mark is dropped. */
#ifndef ELMAN_CORPUS_LINE_FILE_H
#define ELMAN_CORPUS_LINE_FILE_H

#include "base/file.h"
#include "base/status.h"
#include "base/text.h"

/* The lines of a file that are still to come. */
struct lines {
  const char *name; /* for messages */
  struct text rest;
  size_t number; /* of the line that was taken last, from 1 */
};

/* Reads a whole file into `bytes`, which must be empty; "-" is standard input. */
elman_status lines_open(struct lines *lines, struct buffer *bytes, const char *path,
                        const struct text_limits *limits, elman_error *error) CHECKED;
/* Takes a line without its end. False when there is none left. */
bool lines_next(struct text *line, struct lines *lines);

/* Whether a line is not valid UTF-8; then `problem` says where. */
enum { LINE_PROBLEM = 160 };
bool line_is_not_utf8(char problem[LINE_PROBLEM], struct text line);

/* ELMAN_BAD_DATA for the line that was taken last. */
elman_status fail_at_line(elman_error *error, const struct lines *lines, const char *problem);

/* A sentence a line, every line kept, also an empty one: what is scored line by line. */
struct line_file {
  struct buffer bytes;
  const char **lines;
  size_t count, capacity;
};

/* A line that is not UTF-8, and no line at all, are ELMAN_BAD_DATA. Nothing is owned after that. */
elman_status line_file_read(struct line_file *file, const char *path, elman_error *error) CHECKED;
void line_file_free(struct line_file *file);

#endif
