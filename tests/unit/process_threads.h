/* The number of threads of this process. */
#ifndef ELMAN_TESTS_PROCESS_THREADS_H
#define ELMAN_TESTS_PROCESS_THREADS_H

#include <stdio.h>

/* Return 0 on systems that do not report it. */
static inline int threads_of_process(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  int threads = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "Threads: %d", &threads) == 1) break;
  if (file != NULL) fclose(file);
  return threads;
}

#endif
