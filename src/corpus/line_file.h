/* A file with a sentence a line, every line kept, also an empty one: what is scored line by line.
 */
#ifndef ELMAN_CORPUS_LINE_FILE_H
#define ELMAN_CORPUS_LINE_FILE_H

#include "base/status.h"
#include "base/text.h"

struct line_file {
  struct buffer bytes; /* each line ends in a NUL that was written over its end */
  const char **lines;
  size_t count, capacity;
};

/* Reads a whole file; "-" is standard input. UTF-8 with LF or CRLF; a byte order mark is dropped.
 * The last line need not end in LF. Errors: no such file (ELMAN_NO_INPUT), a line that is not
 * valid UTF-8 and a file without a line (ELMAN_BAD_DATA). After an error nothing is left to free.
 */
elman_status line_file_read(struct line_file *file, const char *path, elman_error *error) CHECKED;
void line_file_free(struct line_file *file);

#endif
