#include "restart.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char self[] = "/proc/self/exe";

/* What was installed in the meantime is another program, and so may be what has the name that the
 * system shows for one that was removed. */
static bool is_this_program(const char *path) {
  struct stat named, running;
  return stat(path, &named) == 0 && stat(self, &running) == 0 && named.st_dev == running.st_dev &&
         named.st_ino == running.st_ino;
}

static void restart_with(char **argv, const char *name, const char *value) {
  char path[4096]; /* the link itself would give the process another name */
  const ssize_t length = readlink(self, path, sizeof path);
  if (length <= 0 || (size_t)length >= sizeof path) return;
  path[length] = '\0';
  if (is_this_program(path) && setenv(name, value, 1) == 0) execv(path, argv);
}

static bool is_memory_limited(void) {
  struct rlimit space, data;
  return (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) ||
         (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur != RLIM_INFINITY);
}

void leave_out_blas_threads(char **argv) {
  static const char name[] = "OPENBLAS_NUM_THREADS";
  const char *set = getenv(name);
  if (set != NULL && strcmp(set, "1") == 0) return;
  if (is_memory_limited()) restart_with(argv, name, "1");
}
