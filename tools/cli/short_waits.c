#include "short_waits.h"

#include <stdlib.h>
#include <unistd.h>

/* At the end of each piece of work libgomp's threads wait for each other in a loop, for
 * milliseconds. On a machine with other work they so take the processor from the very thread that
 * they wait for, and two threads become many times slower than one. A tenth of a millisecond is
 * enough where nothing else runs. The library reads the number once, when it is loaded. */
void wait_briefly(char **argv) {
#if defined(__GNUC__) && !defined(__clang__)
  char path[4096]; /* /proc/self/exe itself would give the process another name */
  if (getenv("GOMP_SPINCOUNT") != NULL || getenv("OMP_WAIT_POLICY") != NULL) return;
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return;
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0 || (size_t)length >= sizeof path) return;
  path[length] = '\0';
  if (setenv("GOMP_SPINCOUNT", "10000", 0) == 0) execv(path, argv);
#else
  (void)argv;
#endif
}
