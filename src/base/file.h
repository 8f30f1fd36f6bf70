/* Reading whole files, also gzip-compressed files. */
#ifndef ELMAN_BASE_FILE_H
#define ELMAN_BASE_FILE_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"

/* Return the text of an errno value, in `buffer` of `size` bytes or as a constant. Thread-safe. */
const char *errno_text(int number, char *buffer, size_t size);
#define REASON(number, buffer) errno_text(number, buffer, sizeof buffer)

/* Return the name of a file for messages; "-" is standard input. */
const char *file_name(const char *path);

/* Set *exists to whether the file exists. Only ENOENT means that the file does not exist; any other
 * failure of stat() is an error. */
elman_status file_exists(bool *exists, const char *path, elman_error *error) CHECKED;

/* Return whether `name` still refers to the open file directly, not through a link. */
bool is_named(int descriptor, const char *name);

/* Read a whole file into an empty buffer and decompress it if it is gzip-compressed. "-" is
 * standard input. More than `limit` bytes are an error. */
elman_status file_read(struct buffer *into, const char *path, size_t limit,
                       elman_error *error) CHECKED;

/* Limits of text in bytes; 0 = unlimited. */
struct text_limits {
  size_t line;     /* a line, without its LF */
  size_t unpacked; /* a gzip-compressed file after decompression */
  bool fixed;      /* no option sets the limits, so messages do not name `max_bytes` */
};

/* Like file_read, for text. Return ELMAN_BAD_DATA as soon as a limit is exceeded or the start shows
 * that the file is not text. The message states what the file is (file_kind.h). */
elman_status file_read_text(struct buffer *into, const char *path, const struct text_limits *limits,
                            elman_error *error) CHECKED;

/* Check the first FILE_START bytes of a file, or all bytes of a shorter file. Return a description
 * of a file that is refused, and NULL for a file that is read. Set *has_lines to whether the limit
 * of lines applies. */
typedef const char *file_check(bool *has_lines, struct text start);

/* Like file_read_text, with another check of the start. */
elman_status file_read_checked(struct buffer *into, const char *path,
                               const struct text_limits *limits, file_check *check,
                               elman_error *error) CHECKED;

#endif
