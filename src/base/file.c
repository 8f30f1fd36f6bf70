#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_CHUNK = 1 << 20, NAME_ATTEMPTS = 100 };

/* strerror_r in its GNU form; strerror shares one buffer between threads. */
#define REASON(buffer) strerror_r(errno, buffer, sizeof buffer)

enum status file_read(struct buffer *into, const char *path, size_t limit, struct error *error) {
  char reason[128];
  const bool is_stdin = strcmp(path, "-") == 0;
  const char *name = is_stdin ? "standard input" : path;
  FILE *stream = is_stdin ? stdin : fopen(path, "rb");
  if (stream == NULL)
    return fail(error, STATUS_NO_INPUT, name, "cannot open the file: %s", REASON(reason));

  struct stat info;
  enum status status = STATUS_OK;
  if (fstat(fileno(stream), &info) == 0 && S_ISDIR(info.st_mode)) {
    status = fail(error, STATUS_NO_INPUT, name, "is a directory; name a file");
  } else {
    char *chunk = malloc(READ_CHUNK);
    if (chunk == NULL) status = fail_no_memory(error);
    while (status == STATUS_OK) {
      const size_t got = fread(chunk, 1, READ_CHUNK, stream);
      if (got == 0) break;
      if (got > limit - into->length) {
        status = fail(error, STATUS_BAD_DATA, name, "is larger than %zu bytes", limit);
        break;
      }
      buffer_append(into, chunk, got);
      if (into->failed) status = fail_no_memory(error);
    }
    if (status == STATUS_OK && ferror(stream))
      status = fail(error, STATUS_IO, name, "cannot read the file: %s", REASON(reason));
    free(chunk);
  }
  if (!is_stdin) fclose(stream);
  return status;
}

static char *join(const char *a, const char *b) {
  const size_t length_a = strlen(a), length_b = strlen(b);
  char *joined = malloc(length_a + length_b + 1);
  if (joined == NULL) return NULL;
  memcpy(joined, a, length_a);
  memcpy(joined + length_a, b, length_b + 1);
  return joined;
}

static void safe_file_close(struct safe_file *file) {
  free(file->path);
  free(file->temporary);
  *file = (struct safe_file){0};
}

enum status safe_file_open(struct safe_file *file, const char *path, struct error *error) {
  char reason[128];
  *file = (struct safe_file){0};
  if (path[0] == '\0')
    return fail(error, STATUS_CANNOT_CREATE, NULL, "the name of the output file is empty");
  struct stat info;
  const bool exists = stat(path, &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return fail(error, STATUS_CANNOT_CREATE, path, "is a directory; name a file");

  /* rename() would replace a link by a file and leave what it points to as it was. */
  file->path = exists ? realpath(path, NULL) : join(path, "");
  if (file->path == NULL) return fail_no_memory(error);

  if (exists && !S_ISREG(info.st_mode)) {
    file->stream = fopen(file->path, "wb");
  } else {
    /* A file that forbids writing is not replaced, although its directory would allow it. */
    if (exists && access(file->path, W_OK) != 0) {
      safe_file_close(file);
      return fail(error, STATUS_CANNOT_CREATE, path, "cannot write the file: %s", REASON(reason));
    }
    int descriptor = -1;
    for (int attempt = 0; attempt < NAME_ATTEMPTS && descriptor < 0; attempt++) {
      char suffix[48];
      snprintf(suffix, sizeof suffix, ".%ld-%d.tmp", (long)getpid(), attempt);
      free(file->temporary);
      file->temporary = join(file->path, suffix);
      if (file->temporary == NULL) {
        safe_file_close(file);
        return fail_no_memory(error);
      }
      descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                        exists ? info.st_mode & 0777 : 0666);
      if (descriptor < 0 && errno != EEXIST) break;
    }
    if (descriptor >= 0) {
      file->stream = fdopen(descriptor, "wb");
      if (file->stream == NULL) {
        close(descriptor);
        unlink(file->temporary);
      }
    }
  }
  if (file->stream == NULL) {
    const char *why = REASON(reason);
    safe_file_close(file);
    return fail(error, STATUS_CANNOT_CREATE, path, "cannot create the file: %s", why);
  }
  return STATUS_OK;
}

/* Without this a crash after the rename could bring the old directory entry back. */
static int sync_directory_of(const char *path) {
  char *directory = join(path, "");
  if (directory == NULL) return -1;
  char *slash = strrchr(directory, '/');
  if (slash != NULL) slash[slash == directory ? 1 : 0] = '\0';
  const int descriptor = open(slash == NULL ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(directory);
  if (descriptor < 0) return -1;
  /* Some file systems cannot sync a directory and say so with EINVAL; the rename stands. */
  const int result = fsync(descriptor) == 0 || errno == EINVAL ? 0 : -1;
  close(descriptor);
  return result;
}

enum status safe_file_commit(struct safe_file *file, struct error *error) {
  char reason[128];
  const bool direct = file->temporary == NULL;
  /* errno of a write that failed earlier is long gone: EIO stands for it. */
  int first_error = ferror(file->stream) ? EIO : 0;
  if (first_error == 0 &&
      (fflush(file->stream) != 0 || (!direct && fsync(fileno(file->stream)) != 0)))
    first_error = errno;
  /* close() reports what a network file system could not store. */
  if (fclose(file->stream) != 0 && first_error == 0) first_error = errno;
  if (first_error == 0 && !direct && rename(file->temporary, file->path) != 0) first_error = errno;
  enum status status = STATUS_OK;
  if (first_error != 0) {
    if (!direct) unlink(file->temporary);
    errno = first_error;
    status = fail(error, STATUS_IO, file->path, "cannot write the file: %s%s", REASON(reason),
                  direct ? "" : "; what was there before is unchanged");
  } else if (!direct && sync_directory_of(file->path) != 0) {
    status = fail(error, STATUS_IO, file->path, "written, but not yet safe from a power cut: %s",
                  REASON(reason));
  }
  safe_file_close(file);
  return status;
}

void safe_file_abandon(struct safe_file *file) {
  if (file->stream == NULL) return;
  fclose(file->stream);
  if (file->temporary != NULL) unlink(file->temporary);
  safe_file_close(file);
}
