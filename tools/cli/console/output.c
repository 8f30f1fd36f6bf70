#include "console/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "console/messages.h"

bool is_standard(const char *path) {
  return path == NULL || strcmp(path, "-") == 0;
}

const char *input_name(const char *path) {
  return is_standard(path) ? "standard input" : path;
}

/* ---- pictures that another program draws ---- */

#define CONVERTER "rsvg-convert"

extern char **environ;

/* PNG has twice the size of the SVG, so that it is sharp on a slide. PDF contains its fonts. */
static const struct {
  const char *name, *suffix, *title;
  char *const arguments[4];
} drawn_formats[] = {{"png", ".png", "PNG", {CONVERTER, "--zoom=2", "--format=png", NULL}},
                     {"pdf", ".pdf", "PDF", {CONVERTER, "--format=pdf", NULL}}};

enum { DRAWN = sizeof drawn_formats / sizeof *drawn_formats };

const char *drawn_format_name(size_t index) {
  return index < DRAWN ? drawn_formats[index].name : NULL;
}

const char *drawn_format_suffix(size_t index) {
  return index < DRAWN ? drawn_formats[index].suffix : NULL;
}

/* Return the index of a drawn format; DRAWN for any other format. */
static size_t drawn_index(const char *format) {
  size_t i = 0;
  while (i < DRAWN && strcmp(format, drawn_formats[i].name) != 0) i++;
  return i;
}

const char *format_written(const char *format) {
  return drawn_index(format) < DRAWN ? "svg" : format;
}

/* ---- formats ---- */

int report_suffix(const char *path, const struct formats *formats) {
  char suffixes[128] = "";
  size_t used = 0;
  for (size_t i = 0; formats->suffix(i) != NULL && used < sizeof suffixes; i++)
    used += (size_t)snprintf(suffixes + used, sizeof suffixes - used, " %s", formats->suffix(i));
  report(path, "unknown suffix; use one of:%s", suffixes);
  return EX_USAGE;
}

static bool ends_with(const char *path, const char *suffix) {
  const size_t length = strlen(path), size = strlen(suffix);
  return length > size && strcmp(path + length - size, suffix) == 0;
}

const char *format_by_suffix(const struct formats *formats, const char *path) {
  for (size_t i = 0; formats->name(i) != NULL; i++)
    if (ends_with(path, formats->suffix(i))) return formats->name(i);
  return NULL;
}

int format_choose(const char **format, const struct formats *formats, const char *path) {
  if (is_standard(path)) return EX_OK;
  if (*format != NULL) {
    const char *other = format_by_suffix(formats, path);
    if (other != NULL && strcmp(other, *format) != 0)
      note("%s will contain %s, although its suffix is that of %s", path, *format, other);
    return EX_OK;
  }
  *format = format_by_suffix(formats, path);
  if (*format != NULL) return EX_OK;
  /* A suffix begins with a dot that is neither the first nor the last character of the name. */
  const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
  const char *dot = strrchr(name, '.');
  return dot != NULL && dot > name && dot[1] != '\0' ? report_suffix(path, formats) : EX_OK;
}

int format_check_terminal(const char *command, const char *format, const char *path) {
  if (!is_standard(path) || !isatty(STDOUT_FILENO) ||
      (strcmp(format, "npy") != 0 && drawn_index(format) == DRAWN))
    return EX_OK;
  return report_usage(
      command, "%s is a binary format and cannot be shown on a terminal; name a file with -o FILE",
      format);
}

/* ---- drawing ---- */

/* Open a file that is deleted when it is closed. On failure, print a message and return NULL. */
static FILE *drawing_temporary(void) {
  FILE *file = tmpfile();
  if (file == NULL) report("a temporary file", "cannot be created: %m");
  return file;
}

/* Run the converter with `in` as its standard input and `out` as its standard output. Return an
 * exit code; print a message for EX_OSERR, but none for EX_UNAVAILABLE, which means that the
 * converter is missing or fails. */
static int run_converter(char *const *arguments, int in, int out) {
  posix_spawn_file_actions_t actions;
  pid_t child;
  int ending = 0, problem = in < 0 ? errno : posix_spawn_file_actions_init(&actions);
  /* A PDF contains the date of this variable, or the current date. With a fixed date, equal
   * pictures give equal files.
   */
  (void)setenv("SOURCE_DATE_EPOCH", "0", false);
  if (problem == 0) {
    problem = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (problem == 0) problem = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (problem == 0) problem = posix_spawnp(&child, CONVERTER, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
  }
  while (problem == 0 && waitpid(child, &ending, 0) < 0)
    if (errno != EINTR) problem = errno;
  if (problem == 0 && WIFEXITED(ending) && WEXITSTATUS(ending) == 0) return EX_OK;
  if (problem == 0 || problem == ENOENT) return EX_UNAVAILABLE;
  errno = problem;
  report(CONVERTER, "cannot be started: %m");
  return EX_OSERR;
}

static char *const version_arguments[] = {CONVERTER, "--version", NULL};

/* Check that the converter is installed. Return an exit code; print a message if it is not 0. */
static int check_converter(const char *title) {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int code = run_converter(version_arguments, nowhere, nowhere);
  if (nowhere >= 0) close(nowhere);
  if (code == EX_UNAVAILABLE)
    report(NULL,
           "%s needs " CONVERTER ", which is not installed (Debian: apt-get install "
           "librsvg2-bin); svg does not need it",
           title);
  return code;
}

static int draw(FILE *svg, FILE *picture, size_t format) {
  rewind(svg);
  const int code = run_converter(drawn_formats[format].arguments, fileno(svg), fileno(picture));
  if (code != EX_UNAVAILABLE) return code;
  report(CONVERTER, "failed to draw the %s; use svg, or fewer sentences at once",
         drawn_formats[format].title);
  return EX_SOFTWARE;
}

static int copy_drawn(FILE *from, FILE *to) {
  char bytes[BUFSIZ];
  size_t count;
  rewind(from);
  while ((count = fread(bytes, 1, sizeof bytes, from)) > 0) fwrite(bytes, 1, count, to);
  if (!ferror(from)) return EX_OK;
  report("a temporary file", "cannot be read: %m");
  return EX_IOERR;
}

/* Convert the temporary file `svg` to `drawn`. Return an exit code; print a message if it is not 0.
 * A write error sets the error flag of `drawn`. */
static int draw_into(FILE *svg, FILE *drawn, size_t format) {
  /* Draw into a temporary file first: `drawn` may have no descriptor, and must not get an
   * incomplete picture. */
  FILE *picture = drawing_temporary();
  if (picture == NULL) return EX_CANTCREAT;
  int code = draw(svg, picture, format);
  if (code == EX_OK) code = copy_drawn(picture, drawn);
  fclose(picture);
  return code;
}

/* ---- existing files ---- */

bool output_force;

bool output_exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
         !elman_file_is_direct(path);
}

bool output_holds_model(const char *path) {
  enum { LENGTH = 8 }; /* bytes of the header's length, lowest first; the header is JSON */
  unsigned char start[LENGTH + 1];
  struct stat info;
  if (!output_exists(path) || stat(path, &info) != 0) return false;
  FILE *file = fopen(path, "rbe");
  const size_t count = file == NULL ? 0 : fread(start, 1, sizeof start, file);
  if (file != NULL) fclose(file);
  uint64_t header = 0;
  for (size_t i = LENGTH; count == sizeof start && i > 0; i--) header = header << 8 | start[i - 1];
  return header > 0 && start[LENGTH] == '{' && header <= (uint64_t)info.st_size - LENGTH;
}

int output_check_free(const char *path) {
  if (output_force || !output_exists(path)) return EX_OK;
  report(path, "already exists%s; add --force to overwrite it, or name another file",
         output_holds_model(path) ? " and is a model or checkpoint" : "");
  return EX_CANTCREAT;
}

/* ---- outputs ---- */

static int create(struct output *output, const char *path) {
  elman_error error;
  *output = (struct output){.path = path};
  const elman_status status = elman_file_create(&output->file, path, &output->stream, &error);
  return status == ELMAN_OK ? EX_OK : report_error(&error);
}

int output_open(struct output *output, const char *path) {
  if (!is_standard(path)) {
    const int code = output_check_free(path);
    return code == EX_OK ? create(output, path) : code;
  }
  *output = (struct output){.path = "standard output", .stream = stdout};
  return EX_OK;
}

int output_open_as(struct output *output, const char *path, const char *format) {
  const size_t drawn_as = format == NULL ? DRAWN : drawn_index(format);
  int code = drawn_as < DRAWN ? check_converter(drawn_formats[drawn_as].title) : EX_OK;
  if (code == EX_OK) code = output_open(output, path);
  if (code != EX_OK || drawn_as == DRAWN) return code;
  output->drawn = output->stream;
  output->drawn_as = drawn_as;
  output->stream = drawing_temporary();
  if (output->stream != NULL) return EX_OK;
  output_abandon(output);
  return EX_CANTCREAT;
}

bool output_is(const char *path, const char *other) {
  struct stat a, b;
  return path != NULL && other != NULL && stat(path, &a) == 0 && stat(other, &b) == 0 &&
         S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int output_check_room(const char *path, uint64_t size) {
  struct stat info;
  struct output output;
  elman_error error;
  /* Do not open a pipe: that would wait for its reader. */
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return EX_OK;
  int code = create(&output, path);
  if (code != EX_OK) return code;
  if (elman_file_reserve(output.file, size, &error) != ELMAN_OK) code = report_error(&error);
  output_abandon(&output);
  return code;
}

int output_check(const char *path) {
  return output_check_room(path, 0);
}

int output_claim(elman_lock **lock, const char *path) {
  elman_error error;
  if (elman_lock_acquire(lock, path, &error) != ELMAN_OK) return report_error(&error);
  if (elman_lock_problem(*lock) != NULL)
    note("%s: cannot be locked (%s); make sure that no other process writes this file", path,
         elman_lock_problem(*lock));
  return EX_OK;
}

bool output_flush(struct output *output) {
  const int write_error =
      errno; /* errno of the last write, if that write set the stream's error flag */
  if (output->problem != 0) return false;
  if (ferror(output->stream))
    output->problem = write_error != 0 ? write_error : EIO;
  else if (fflush(output->stream) != 0)
    output->problem = errno;
  return output->problem == 0;
}

static int report_problem(const struct output *output) {
  /* Print no message if the reader closed the pipe, as in `elman translate | head`. */
  if (output->problem == EPIPE) return 128 + SIGPIPE;
  errno = output->problem;
  report(output->path, "cannot write: %m");
  return EX_IOERR;
}

int output_store(struct output *output) {
  elman_error error;
  errno = 0;
  if (!output_flush(output)) return report_problem(output);
  return elman_file_store(output->file, &error) == ELMAN_OK ? EX_OK : report_error(&error);
}

static int convert(struct output *output) {
  const int code = draw_into(output->stream, output->drawn, output->drawn_as);
  fclose(output->stream);
  output->stream = output->drawn;
  output->drawn = NULL;
  return code;
}

int output_close(struct output *output, int code) {
  elman_error error;
  const int converted = output->drawn != NULL && output_flush(output) ? convert(output) : EX_OK;
  if (converted != EX_OK) {
    output_abandon(output);
    return converted;
  }
  if (!output_flush(output)) {
    output_abandon(output);
    return report_problem(output);
  }
  if (output->file != NULL && !output_force && output_exists(output->path)) {
    report(output->path, "was created by another program while this command ran, and is kept; add "
                         "--force to overwrite it, or name another file");
    output_abandon(output);
    return EX_CANTCREAT;
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
  if (output->drawn != NULL && output->stream != NULL) fclose(output->stream);
  elman_file_discard(output->file);
}

int output_finish(struct output *output, int code, bool is_usable) {
  if (is_usable) return output_close(output, code);
  output_abandon(output);
  return code;
}
