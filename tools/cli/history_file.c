#include "history_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "messages.h"

/* $XDG_STATE_HOME/elman/history; a relative XDG_STATE_HOME does not count. NULL if there is no
 * home. */
static char *history_path(void) {
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  char *path = NULL;
  int length = -1;
  if (state != NULL && state[0] == '/')
    length = asprintf(&path, "%s/elman/history", state);
  else if (home != NULL && home[0] == '/')
    length = asprintf(&path, "%s/.local/state/elman/history", home);
  return length < 0 ? NULL : path;
}

/* Creates what is missing of the directories above `path`. */
static bool make_directories(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    const bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
    *slash = '/';
    if (!made) return false;
  }
  return true;
}

static bool make_private_file(const char *path) {
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  const bool private = fchmod(descriptor, 0600) == 0;
  close(descriptor);
  return private;
}

char *history_file_open(bool quiet) {
  char buffer[128];
  char *path = history_path();
  if (path == NULL) return NULL;
  if (make_directories(path) && make_private_file(path)) return path;
  if (!quiet) note("%s: no history is kept: %s", path, reason(errno, buffer, sizeof buffer));
  free(path);
  return NULL;
}
