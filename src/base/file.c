#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/unpack.h"

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

/* Appends what a piece of the file gives, unpacked, of which `limit` bytes may be there in all. */
static elman_status append(struct buffer *into, struct unpacker *unpacker, struct text input,
                           size_t limit, elman_error *error) {
  enum { ROOM = 1 << 16 };
  char piece[ROOM];
  size_t filled = ROOM;
  elman_status status = ELMAN_OK;
  while (status == ELMAN_OK && (input.length > 0 || filled == ROOM)) {
    status = unpack(unpacker, &input, piece, ROOM, &filled, error);
    if (status == ELMAN_OK && filled > limit - into->length)
      status = fail(error, ELMAN_BAD_DATA, NULL, "is larger than %zu bytes", limit);
    if (status == ELMAN_OK) buffer_append(into, piece, filled);
    if (status == ELMAN_OK && into->failed) status = fail_no_memory(error);
  }
  return status;
}

static elman_status read_all(struct buffer *into, FILE *stream, size_t limit, elman_error *error) {
  char reason[128];
  struct unpacker unpacker = {0};
  char *chunk = malloc(READ_CHUNK);
  size_t got;
  elman_status status = chunk == NULL ? fail_no_memory(error) : ELMAN_OK;
  while (status == ELMAN_OK && (got = read_chunk(chunk, stream)) > 0)
    status = append(into, &unpacker, (struct text){chunk, got}, limit, error);
  if (status == ELMAN_OK && ferror(stream))
    status = fail(error, ELMAN_IO, NULL, "cannot read the file: %s", REASON(errno, reason));
  if (status == ELMAN_OK) status = unpack_end(&unpacker, error);
  unpack_free(&unpacker);
  free(chunk);
  return status;
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
    elman_error problem;
    status = read_all(into, stream, limit, &problem);
    if (status == ELMAN_NO_MEMORY)
      status = fail_again(error, &problem);
    else if (status != ELMAN_OK)
      status = fail(error, status, name, "%s", problem.message);
  }
  if (!is_stdin) fclose(stream);
  return status;
}
