/* Common code of the measuring programs. Each prints one JSON object on standard output; after an
 * error it prints a message and exits with 1. */
#ifndef ELMAN_TESTS_BENCH_H
#define ELMAN_TESTS_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline _Noreturn void bench_fail(const char *message) {
  fprintf(stderr, "%s\n", message);
  exit(1);
}

/* Return the whole number in an argument. */
static inline size_t bench_size(const char *text) {
  char *end;
  const long value = strtol(text, &end, 10);
  if (end == text || *end != '\0' || value < 0) bench_fail("an argument is not a whole number");
  return (size_t)value;
}

static inline void *bench_allocate(size_t count, size_t size) {
  void *memory = calloc(count > 0 ? count : 1, size);
  if (memory == NULL) bench_fail("out of memory");
  return memory;
}

static inline void bench_print_list(const char *name, const double *seconds, size_t count) {
  printf("\"%s\": [", name);
  for (size_t i = 0; i < count; i++) printf("%s%.9f", i > 0 ? ", " : "", seconds[i]);
  printf("]");
}

static inline void bench_print_seconds(const double *seconds, size_t count) {
  bench_print_list("seconds", seconds, count);
}

/* Return the peak memory of this program in KiB, or 0 if the system does not report it. This is
 * VmHWM, not getrusage's ru_maxrss, which also counts the program that started this one. */
static inline long bench_peak_kib(void) {
  FILE *status = fopen("/proc/self/status", "r");
  char line[256];
  long peak = 0;
  while (status != NULL && peak == 0 && fgets(line, sizeof line, status) != NULL) {
    if (sscanf(line, "VmHWM: %ld", &peak) != 1) peak = 0;
  }
  if (status != NULL) fclose(status);
  return peak;
}

#endif
