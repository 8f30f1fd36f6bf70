#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { READ_CHUNK = 1 << 20 };

const char *file_name(const char *path) {
  return strcmp(path, "-") == 0 ? "standard input" : path;
}

elman_status file_exists(bool *exists, const char *path, elman_error *error) {
  char reason[128];
  struct stat info;
  *exists = stat(path, &info) == 0;
  if (*exists || errno == ENOENT) return ELMAN_OK;
  return fail(error, ELMAN_NO_INPUT, path, "cannot look at the file: %s", REASON(errno, reason));
}

bool is_named(int descriptor, const char *name) {
  struct stat open, named;
  return fstat(descriptor, &open) == 0 && lstat(name, &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

/* Another chunk; 0 bytes at the end and after an error. An interrupted read is repeated. */
static size_t read_chunk(char *chunk, FILE *stream) {
  size_t got;
  do {
    clearerr(stream);
    got = fread(chunk, 1, READ_CHUNK, stream);
  } while (got == 0 && ferror(stream) && errno == EINTR);
  return got;
}

elman_status file_read(struct buffer *into, const char *path, size_t limit, elman_error *error) {
  char reason[128];
  const bool is_stdin = strcmp(path, "-") == 0;
  const char *name = file_name(path);
  FILE *stream = is_stdin ? stdin : fopen(path, "rb");
  if (stream == NULL)
    return fail(error, ELMAN_NO_INPUT, name, "cannot open the file: %s", REASON(errno, reason));

  struct stat info;
  elman_status status = ELMAN_OK;
  if (fstat(fileno(stream), &info) == 0 && S_ISDIR(info.st_mode)) {
    status = fail(error, ELMAN_NO_INPUT, name, "is a directory; name a file");
  } else {
    size_t read = 0;
    char *chunk = malloc(READ_CHUNK);
    if (chunk == NULL) status = fail_no_memory(error);
    while (status == ELMAN_OK) {
      const size_t got = read_chunk(chunk, stream);
      if (got == 0) break;
      if (got > limit - read) {
        status = fail(error, ELMAN_BAD_DATA, name, "is larger than %zu bytes", limit);
        break;
      }
      read += got;
      buffer_append(into, chunk, got);
      if (into->failed) status = fail_no_memory(error);
    }
    if (status == ELMAN_OK && ferror(stream))
      status = fail(error, ELMAN_IO, name, "cannot read the file: %s", REASON(errno, reason));
    free(chunk);
  }
  if (!is_stdin) fclose(stream);
  return status;
}
