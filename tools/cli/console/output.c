#include "console/output.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "console/messages.h"
#include "console/png.h"

int output_open(struct output *output, const char *path) {
  *output = (struct output){.path = path};
  if (path == NULL || strcmp(path, "-") == 0) {
    output->path = "standard output";
    output->stream = stdout;
    return EX_OK;
  }
  elman_error error;
  const elman_status status = elman_file_create(&output->file, path, &output->stream, &error);
  return status == ELMAN_OK ? EX_OK : report_error(&error);
}

int output_open_as(struct output *output, const char *path, const char *format) {
  const bool png = format != NULL && strcmp(format, PNG) == 0;
  int code = png ? png_check() : EX_OK;
  if (code == EX_OK) code = output_open(output, path);
  if (code != EX_OK || !png) return code;
  output->png = output->stream;
  output->stream = png_temporary();
  if (output->stream != NULL) return EX_OK;
  output_abandon(output);
  return EX_CANTCREAT;
}

bool output_is(const char *path, const char *other) {
  struct stat a, b;
  return path != NULL && other != NULL && stat(path, &a) == 0 && stat(other, &b) == 0 &&
         S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
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

int output_claim(elman_lock **lock, const char *path) {
  elman_error error;
  if (elman_lock_take(lock, path, &error) != ELMAN_OK) return report_error(&error);
  if (elman_lock_problem(*lock) != NULL)
    note("%s: cannot be locked (%s); see to it that no other process writes there", path,
         elman_lock_problem(*lock));
  return EX_OK;
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
  /* The reader has what it wanted, as in `elman translate | head`. */
  if (output->problem == EPIPE) return 128 + SIGPIPE;
  errno = output->problem;
  report(output->path, "cannot write: %m");
  return EX_IOERR;
}

static int convert(struct output *output) {
  const int code = png_convert(output->stream, output->png);
  fclose(output->stream);
  output->stream = output->png;
  output->png = NULL;
  return code;
}

int output_close(struct output *output, int code) {
  elman_error error;
  const int converted = output->png != NULL && output_flush(output) ? convert(output) : EX_OK;
  if (converted != EX_OK) {
    output_abandon(output);
    return converted;
  }
  if (!output_flush(output)) {
    output_abandon(output);
    return report_problem(output);
  }
  if (output->file != NULL)
    return elman_file_commit(output->file, &error) == ELMAN_OK ? code : report_error(&error);
  if (fclose(output->stream) == 0) return code;
  output->problem = errno;
  return report_problem(output);
}

int output_end(int code) {
  struct output output = {.stream = stdout, .path = "standard output"};
  return output_close(&output, code);
}

void output_abandon(struct output *output) {
  if (output->png != NULL && output->stream != NULL) fclose(output->stream);
  elman_file_discard(output->file);
}
