#include "short_waits.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__GNUC__) && !defined(__clang__)

static const char self[] = "/proc/self/exe";

/* What was installed in the meantime is another program, and so may be what has the name that the
 * system shows for one that was removed. */
static bool is_this_program(const char *path) {
  struct stat named, running;
  return stat(path, &named) == 0 && stat(self, &running) == 0 && named.st_dev == running.st_dev &&
         named.st_ino == running.st_ino;
}

/* At the end of each piece of work libgomp's threads wait for each other in a loop, for
 * milliseconds. On a machine with other work they so take the processor from the very thread that
 * they wait for, and two threads become many times slower than one. A tenth of a millisecond is
 * enough where nothing else runs. The library reads the number once, when it is loaded. */
void wait_briefly(char **argv) {
  char path[4096]; /* the link itself would give the process another name */
  if (getenv("GOMP_SPINCOUNT") != NULL || getenv("OMP_WAIT_POLICY") != NULL) return;
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return;
  const ssize_t length = readlink(self, path, sizeof path);
  if (length <= 0 || (size_t)length >= sizeof path) return;
  path[length] = '\0';
  if (is_this_program(path) && setenv("GOMP_SPINCOUNT", "10000", 0) == 0) execv(path, argv);
}

#else

void wait_briefly(char **argv) {
  (void)argv;
}

#endif
