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

#endif
