#include "console/png.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "console/messages.h"

#define CONVERTER "rsvg-convert"

extern char **environ;

/* Runs the converter from one descriptor to another. Gives 0 and how it ended, or why it did not
 * start. */
static int run(char *const *arguments, int in, int out, int *ending) {
  posix_spawn_file_actions_t actions;
  pid_t child;
  int problem = posix_spawn_file_actions_init(&actions);
  if (problem != 0) return problem;
  problem = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  if (problem == 0) problem = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (problem == 0) problem = posix_spawnp(&child, CONVERTER, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) return problem;
  while (waitpid(child, ending, 0) < 0)
    if (errno != EINTR) return errno;
  return 0;
}

/* What people see at twice the size, as on a slide, shall not be blurred. */
static char *const convert[] = {CONVERTER, "--zoom=2", "--format=png", NULL};
static char *const ask[] = {CONVERTER, "--version", NULL};

int png_check(void) {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  int ending = 0;
  const int problem = nowhere < 0 ? errno : run(ask, nowhere, nowhere, &ending);
  if (nowhere >= 0) close(nowhere);
  if (problem == 0 && WIFEXITED(ending) && WEXITSTATUS(ending) == 0) return EX_OK;
  if (problem == 0 || problem == ENOENT) {
    report(NULL, "PNG is drawn by " CONVERTER ", which is not there (Debian: apt-get install "
                 "librsvg2-bin); svg needs nothing");
    return EX_UNAVAILABLE;
  }
  errno = problem;
  report(CONVERTER, "cannot be started: %m");
  return EX_OSERR;
}

static int draw(FILE *svg, FILE *drawn) {
  int ending;
  rewind(svg);
  const int problem = run(convert, fileno(svg), fileno(drawn), &ending);
  if (problem == 0 && WIFEXITED(ending) && WEXITSTATUS(ending) == 0) return EX_OK;
  if (problem == 0) {
    report(CONVERTER, "could not draw the PNG; take svg, or fewer sentences at once");
    return EX_SOFTWARE;
  }
  errno = problem;
  report(CONVERTER, "cannot be started: %m");
  return EX_OSERR;
}

static int copy(FILE *from, FILE *to) {
  char bytes[BUFSIZ];
  size_t count;
  rewind(from);
  while ((count = fread(bytes, 1, sizeof bytes, from)) > 0) fwrite(bytes, 1, count, to);
  if (!ferror(from)) return EX_OK;
  report("a temporary file", "cannot be read: %m");
  return EX_IOERR;
}

int png_convert(FILE *svg, FILE *png) {
  /* Not all streams have a descriptor, and half a picture shall go nowhere. */
  FILE *drawn = png_temporary();
  if (drawn == NULL) return EX_CANTCREAT;
  int code = draw(svg, drawn);
  if (code == EX_OK) code = copy(drawn, png);
  fclose(drawn);
  return code;
}

FILE *png_temporary(void) {
  FILE *file = tmpfile();
  if (file == NULL) report("a temporary file", "cannot be made: %m");
  return file;
}
