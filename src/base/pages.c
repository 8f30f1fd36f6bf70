#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* For the pages of this size, a power of two, that lie wholly inside the memory. */
static void advise(void *memory, size_t bytes, uintptr_t page, int advice) {
  const uintptr_t start = (uintptr_t)memory, end = start + bytes;
  const uintptr_t first = (start + page - 1) & ~(page - 1), last = end & ~(page - 1);
  if (first < last) (void)madvise((void *)first, last - first, advice);
}

void advise_large_pages(void *memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
  advise(memory, bytes, (uintptr_t)1 << 21, MADV_HUGEPAGE);
#else
  (void)memory, (void)bytes;
#endif
}

void release_pages(void *memory, size_t bytes) {
  advise(memory, bytes, (uintptr_t)sysconf(_SC_PAGESIZE), MADV_DONTNEED);
}

void claim_pages(void *memory, size_t bytes) {
  enum { PAGE = 4096 };
  unsigned char *const start = memory;
  if (bytes == 0) return;
  for (size_t at = 0; at < bytes; at += PAGE) __atomic_fetch_or(start + at, 0, __ATOMIC_RELAXED);
  __atomic_fetch_or(start + bytes - 1, 0, __ATOMIC_RELAXED);
}
