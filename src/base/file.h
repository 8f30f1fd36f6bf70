/* Looking for a file and reading it whole. */
#ifndef ELMAN_BASE_FILE_H
#define ELMAN_BASE_FILE_H

#include <stdbool.h>
#include <zlib.h>

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

/* Input that gzip may have packed: input that begins with gzip's two bytes is unpacked, and other
 * input stays as it is. Several consecutive members are one input, and zero bytes after the last
 * are padding, as for gzip. Starts from all zero. */
struct decompressor {
  z_stream stream;
  enum {
    INPUT_UNKNOWN, /* as long as it may be one of gzip's */
    INPUT_PLAIN,
    INPUT_PACKED,  /* within a member */
    INPUT_BETWEEN, /* after one */
    INPUT_PADDING, /* zero bytes after the last */
  } state;
  size_t matched; /* bytes of a member's beginning that were read; 0 within one */
};

/* Moves bytes from the front of `input`, unpacked, into `into`: *filled of them, at most `room`,
 * which is not 0. If *filled is less than `room`, the whole input has been used. */
elman_status unpack(struct decompressor *decompressor, struct text *input, char *into, size_t room,
                    size_t *filled, elman_error *error) CHECKED;

/* No input is left: ELMAN_BAD_DATA in the midst of a member. */
elman_status decompress_end(const struct decompressor *decompressor, elman_error *error) CHECKED;
void decompress_free(struct decompressor *decompressor);

#endif
