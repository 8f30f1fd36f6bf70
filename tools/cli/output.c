#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "messages.h"

enum { NAME_ATTEMPTS = 100 };

static void release(struct output *output) {
  free(output->path);
  free(output->temporary);
  *output = (struct output){0};
}

static int no_memory(struct output *output) {
  release(output);
  report(NULL, "out of memory");
  return EX_OSERR;
}

/* A new file beside output->path, with the permissions of the one it will replace, if there is one.
 * Returns a descriptor, or -1 with errno. */
static int create_temporary(struct output *output, const struct stat *replaced) {
  for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
    free(output->temporary);
    if (asprintf(&output->temporary, "%s.%ld-%d.tmp", output->path, (long)getpid(), attempt) < 0) {
      output->temporary = NULL;
      errno = ENOMEM;
      return -1;
    }
    const int descriptor = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;
    /* Who may not set the permissions still gets a file. */
    if (descriptor >= 0 && replaced != NULL && fchmod(descriptor, replaced->st_mode & 0777) != 0)
      errno = 0;
    return descriptor;
  }
  return -1;
}

static int cannot_create(struct output *output, const char *path, int error_number) {
  char buffer[128];
  if (error_number == ENOMEM) return no_memory(output);
  release(output);
  report(path, "cannot create the file: %s", reason(error_number, buffer, sizeof buffer));
  return EX_CANTCREAT;
}

int output_open(struct output *output, const char *path) {
  *output = (struct output){0};
  if (path == NULL || strcmp(path, "-") == 0) {
    output->stream = stdout;
    return EX_OK;
  }
  if (path[0] == '\0') {
    report(NULL, "the name of the output file is empty");
    return EX_CANTCREAT;
  }
  struct stat info;
  const bool exists = stat(path, &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    report(path, "is a directory; name a file");
    return EX_CANTCREAT;
  }
  /* rename() would replace a symbolic link instead of what it points to. */
  output->path = exists ? realpath(path, NULL) : strdup(path);
  if (output->path == NULL) return cannot_create(output, path, errno);

  const bool direct = exists && !S_ISREG(info.st_mode);
  int descriptor = -1;
  if (direct)
    descriptor = open(output->path, O_WRONLY | O_CLOEXEC);
  else if (!exists || access(output->path, W_OK) == 0)
    descriptor = create_temporary(output, exists ? &info : NULL);
  if (descriptor < 0) return cannot_create(output, path, errno);
  output->stream = fdopen(descriptor, "w");
  if (output->stream == NULL) {
    close(descriptor);
    if (!direct) unlink(output->temporary);
    return no_memory(output);
  }
  return EX_OK;
}

int output_check(const char *path) {
  struct stat info;
  /* Opening a pipe would wait for its reader. */
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return EX_OK;
  struct output output;
  const int code = output_open(&output, path);
  if (code == EX_OK) output_abandon(&output);
  return code;
}

bool output_flush(struct output *output) {
  const int write_error = errno; /* of the last write, if that set the stream's error flag */
  if (output->problem != 0) return false;
  if (ferror(output->stream))
    output->problem = write_error != 0 ? write_error : EIO;
  else if (fflush(output->stream) != 0)
    output->problem = errno;
  return output->problem == 0;
}

static int report_problem(const struct output *output) {
  char buffer[128];
  /* The reader has what it wanted, as in `elman translate | head`. */
  if (output->problem == EPIPE) return 128 + SIGPIPE;
  report(output->path == NULL ? "standard output" : output->path, "cannot write: %s",
         reason(output->problem, buffer, sizeof buffer));
  return EX_IOERR;
}

/* Without this a crash could bring the old directory entry back. 0 or errno. */
static int sync_directory_of(char *path) {
  char *slash = strrchr(path, '/');
  const char kept = slash == NULL ? '\0' : slash[1];
  if (slash != NULL) slash[1] = '\0';
  const int descriptor = open(slash == NULL ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (slash != NULL) slash[1] = kept;
  if (descriptor < 0) return errno;
  /* Some file systems cannot sync a directory and say so with EINVAL. */
  const int problem = fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
  close(descriptor);
  return problem;
}

int output_close(struct output *output, int code) {
  output_flush(output);
  if (output->problem == 0 && output->temporary != NULL && fsync(fileno(output->stream)) != 0)
    output->problem = errno;
  if (fclose(output->stream) != 0 && output->problem == 0) output->problem = errno;
  if (output->temporary != NULL) {
    if (output->problem == 0 && rename(output->temporary, output->path) != 0)
      output->problem = errno;
    if (output->problem != 0)
      unlink(output->temporary);
    else
      output->problem = sync_directory_of(output->path);
  }
  if (output->problem != 0) code = report_problem(output);
  release(output);
  return code;
}

void output_abandon(struct output *output) {
  fclose(output->stream);
  if (output->temporary != NULL) unlink(output->temporary);
  release(output);
}
