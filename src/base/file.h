/* Looking for a file and reading it whole. */
#ifndef ELMAN_BASE_FILE_H
#define ELMAN_BASE_FILE_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"

/* strerror_r in its GNU form; strerror shares one buffer between threads. */
#define REASON(number, buffer) strerror_r(number, buffer, sizeof buffer)

/* The name of a file for messages; "-" is standard input. */
const char *file_name(const char *path);

/* Only a name that leads nowhere is absence; a file that cannot be looked at is an error. */
elman_status file_exists(bool *exists, const char *path, elman_error *error) CHECKED;

/* Whether the name is (still) that of the open file, and no link to it. */
bool is_named(int descriptor, const char *name);

/* Puts all of a file, "-" is standard input, into an empty buffer, unpacked if gzip packed it. More
 * than `limit` bytes are an error. */
elman_status file_read(struct buffer *into, const char *path, size_t limit,
                       elman_error *error) CHECKED;

/* Bytes that text may have; 0 = any number. */
struct text_limits {
  size_t line;     /* a line, without its LF */
  size_t unpacked; /* a whole file that gzip packed */
};

/* file_read of text: ELMAN_BAD_DATA, as soon as it is found, where the first block is that of a
 * binary file, of which the message says what it is, and where a limit is exceeded. */
elman_status file_read_text(struct buffer *into, const char *path, const struct text_limits *limits,
                            elman_error *error) CHECKED;

#endif
