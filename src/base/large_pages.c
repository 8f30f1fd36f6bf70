#include "base/large_pages.h"

#include <stdint.h>
#include <sys/mman.h>

static const uintptr_t LARGE_PAGE = (uintptr_t)1 << 21;

void advise_large_pages(void *memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
  const uintptr_t start = (uintptr_t)memory, end = start + bytes;
  const uintptr_t first = (start + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
  const uintptr_t last = end & ~(LARGE_PAGE - 1);
  if (first < last) (void)madvise((void *)first, last - first, MADV_HUGEPAGE);
#else
  (void)memory, (void)bytes;
#endif
}

void claim_pages(void *memory, size_t bytes) {
  enum { PAGE = 4096 };
  unsigned char *const start = memory;
  if (bytes == 0) return;
  for (size_t at = 0; at < bytes; at += PAGE) __atomic_fetch_or(start + at, 0, __ATOMIC_RELAXED);
  __atomic_fetch_or(start + bytes - 1, 0, __ATOMIC_RELAXED);
}
