#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
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
    size_t read = 0;
    char *chunk = malloc(READ_CHUNK);
    if (chunk == NULL) status = fail_no_memory(error);
    while (status == STATUS_OK) {
      const size_t got = fread(chunk, 1, READ_CHUNK, stream);
      if (got == 0) break;
      if (got > limit - read) {
        status = fail(error, STATUS_BAD_DATA, name, "is larger than %zu bytes", limit);
        break;
      }
      read += got;
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

/* Where the bytes shall go in the end: rename() would replace a symbolic link by a file and leave
 * what it points to as it was. A link that points nowhere yet is followed as far as it goes. */
static char *resolve(const char *path) {
  char *real_path = realpath(path, NULL);
  if (real_path != NULL || errno != ENOENT) return real_path;
  char link[PATH_MAX];
  const ssize_t length = readlink(path, link, sizeof link - 1);
  if (length < 0) return join(path, "");
  link[length] = '\0';
  const char *slash = strrchr(path, '/');
  if (link[0] == '/' || slash == NULL) return join(link, "");
  char *directory = join(path, "");
  if (directory == NULL) return NULL;
  directory[slash - path + 1] = '\0';
  char *target = join(directory, link);
  free(directory);
  return target;
}

/* Removes what writers of the same file left behind that were killed: their process is gone. */
static void remove_abandoned(const char *path) {
  char *pattern = join(path, ".*-*.tmp");
  glob_t found;
  if (pattern != NULL && glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; i++) {
      long process;
      int attempt, end = 0;
      const char *suffix = found.gl_pathv[i] + strlen(path);
      if (strncmp(found.gl_pathv[i], path, strlen(path)) == 0 &&
          sscanf(suffix, ".%ld-%d.tmp%n", &process, &attempt, &end) == 2 && end > 0 &&
          suffix[end] == '\0' && process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH)
        unlink(found.gl_pathv[i]);
    }
    globfree(&found);
  }
  free(pattern);
}

/* A new file beside `file->path`, with the permissions of the one it will replace. -1 and errno. */
static int create_temporary(struct safe_file *file, const struct stat *replaced) {
  remove_abandoned(file->path);
  for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
    char suffix[48];
    snprintf(suffix, sizeof suffix, ".%ld-%d.tmp", (long)getpid(), attempt);
    free(file->temporary);
    file->temporary = join(file->path, suffix);
    if (file->temporary == NULL) return -1;
    const int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      /* Who may not keep the permissions still gets a file: the umask's. */
      if (replaced != NULL && fchmod(descriptor, replaced->st_mode & 0777) != 0) errno = 0;
      return descriptor;
    }
    if (errno != EEXIST) return -1;
  }
  return -1;
}

/* Opens file->stream; 0 or the reason as errno has it. */
static int open_stream(struct safe_file *file, const struct stat *existing) {
  if (existing != NULL && !S_ISREG(existing->st_mode)) {
    file->stream = fopen(file->path, "wb");
    return file->stream == NULL ? errno : 0;
  }
  /* A file that forbids writing is not replaced, although its directory would allow it. */
  if (existing != NULL && access(file->path, W_OK) != 0) return errno;
  const int descriptor = create_temporary(file, existing);
  if (descriptor < 0) return errno;
  file->stream = fdopen(descriptor, "wb");
  if (file->stream != NULL) return 0;
  const int reason = errno;
  close(descriptor);
  unlink(file->temporary);
  return reason;
}

enum status safe_file_open(struct safe_file *file, const char *path, struct error *error) {
  char reason[128];
  struct stat info;
  *file = (struct safe_file){0};
  if (path[0] == '\0')
    return fail(error, STATUS_CANNOT_CREATE, NULL, "the name of the output file is empty");
  const bool exists = stat(path, &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return fail(error, STATUS_CANNOT_CREATE, path, "is a directory; name a file");
  file->path = resolve(path);
  const int problem = file->path == NULL ? errno : open_stream(file, exists ? &info : NULL);
  if (problem == 0) return STATUS_OK;
  safe_file_close(file);
  errno = problem;
  return fail(error, STATUS_CANNOT_CREATE, path, "cannot create the file: %s", REASON(reason));
}

/* Without this a crash after the rename could bring the old directory entry back. 0 or a reason. */
static int sync_directory_of(const char *path) {
  char *directory = join(path, "");
  if (directory == NULL) return ENOMEM;
  char *slash = strrchr(directory, '/');
  if (slash != NULL) slash[slash == directory ? 1 : 0] = '\0';
  const int descriptor = open(slash == NULL ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int problem = descriptor < 0 ? errno : 0;
  free(directory);
  if (descriptor < 0) return problem;
  /* Some file systems cannot sync a directory and say so with EINVAL; the rename stands. */
  if (fsync(descriptor) != 0 && errno != EINVAL) problem = errno;
  close(descriptor);
  return problem;
}

/* The reason of an earlier write error is gone from errno; one more write to the file, which will
 * be removed, tells it again. */
static int write_error(const struct safe_file *file) {
  if (!ferror(file->stream)) return 0;
  if (file->temporary != NULL && write(fileno(file->stream), "", 1) < 0) return errno;
  return EIO;
}

enum status safe_file_commit(struct safe_file *file, struct error *error) {
  char reason[128];
  const bool direct = file->temporary == NULL;
  int first_error = write_error(file);
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
  } else if (!direct) {
    errno = sync_directory_of(file->path);
    if (errno != 0)
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
