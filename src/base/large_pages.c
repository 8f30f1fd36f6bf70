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
