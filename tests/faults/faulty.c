/* A library that is preloaded into the command and makes calls fail:
 *
 *   FAULT_ALLOCATION=K  the K-th allocation since just before main(), from 1, returns NULL
 *   FAULT_WAYS=FILE     every allocation writes a line with a hash of its call stack, which does not depend on
 *                       the addresses of the program and the libraries
 *   FAULT_WRITE=K       the K-th write() of more than one byte writes only half of them
 *   FAULT_CLOCK=K       the monotonic clock runs K times as fast
 *
 * Allocations by the C library itself (stdio, locales, threads) count, too. */
#include <dlfcn.h> /* dladdr, an extension of GNU */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

/* glibc's own functions, under names that no other library replaces. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static long failing_allocation, short_write, clock_speed; /* 0 = none */
static struct timespec clock_start;
static int ways = -1;
static bool started;
static atomic_long allocations, writes;
static _Thread_local bool looking; /* the call stack is being read, which may allocate */

static long number_of(const char *variable) {
  const char *value = getenv(variable);
  return value == NULL ? 0 : atol(value);
}

__attribute__((constructor)) static void start(void) {
  const char *file = getenv("FAULT_WAYS");
  failing_allocation = number_of("FAULT_ALLOCATION");
  short_write = number_of("FAULT_WRITE");
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &clock_start);
  clock_speed = number_of("FAULT_CLOCK");
  if (file != NULL) ways = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  started = true;
}

static _Unwind_Reason_Code add_function(struct _Unwind_Context *context, void *hash) {
  uint64_t *way = hash;
  Dl_info module;
  uintptr_t place = _Unwind_GetIP(context);
  if (dladdr((void *)place, &module) != 0) place -= (uintptr_t)module.dli_fbase;
  *way = (*way ^ place) * UINT64_C(0x100000001B3); /* FNV-1a */
  return _URC_NO_REASON;
}

static void write_way(void) {
  char line[32];
  uint64_t way = UINT64_C(0xCBF29CE484222325);
  looking = true;
  _Unwind_Backtrace(add_function, &way);
  const int length = snprintf(line, sizeof line, "%016llx\n", (unsigned long long)way);
  if (syscall(SYS_write, ways, line, (size_t)length) != length) _exit(99);
  looking = false;
}

static bool allocation_fails(void) {
  if (!started || looking) return false;
  if (ways >= 0) write_way();
  if (atomic_fetch_add(&allocations, 1) + 1 != failing_allocation) return false;
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size) {
  return allocation_fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  return allocation_fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  return allocation_fails() ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return allocation_fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = allocation_fails() ? NULL : __libc_memalign(alignment, size);
  return *memory == NULL ? ENOMEM : 0;
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
  if (size > 1 && atomic_fetch_add(&writes, 1) + 1 == short_write) size /= 2;
  return syscall(SYS_write, descriptor, bytes, size);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  const long second = 1000000000;
  const int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result != 0 || clock != CLOCK_MONOTONIC || clock_speed == 0) return result;
  const long passed =
      (time->tv_sec - clock_start.tv_sec) * second + time->tv_nsec - clock_start.tv_nsec;
  const long shown = clock_start.tv_nsec + passed * clock_speed;
  time->tv_sec = clock_start.tv_sec + shown / second;
  time->tv_nsec = shown % second;
  return result;
}
