/* Reading a whole file, and writing one so that a reader sees the old file or the new one, never a
 * part: temporary file in the same directory, write, fsync, close, rename, fsync of the directory.
 */
#ifndef ELMAN_BASE_FILE_H
#define ELMAN_BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "base/text.h"

/* Appends all of `path` to `into`; "-" is standard input. A directory, and a file of more than
 * `limit` bytes, are errors. */
enum status file_read(struct buffer *into, const char *path, size_t limit,
                      struct error *error) CHECKED;

struct safe_file {
  FILE *stream;    /* write here */
  char *path;      /* the final name, symbolic links resolved */
  char *temporary; /* NULL when the target is a device or a pipe, which is written directly */
};

/* After an error nothing needs to be closed. */
enum status safe_file_open(struct safe_file *file, const char *path, struct error *error) CHECKED;

/* Puts the file in place, or removes every trace of it and says why; when only the directory could not be
 * synced, it is in place and the message says so. Either way it is closed. */
enum status safe_file_commit(struct safe_file *file, struct error *error) CHECKED;

/* Closes and removes the temporary file; the old file stays as it was. */
void safe_file_abandon(struct safe_file *file);

#endif
