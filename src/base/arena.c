#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISONED 1
#endif
#endif

#ifdef ARENA_POISONED
#include <sanitizer/asan_interface.h>
enum { REDZONE = ARENA_ALIGNMENT };
#define POISON(address, bytes) ASAN_POISON_MEMORY_REGION(address, bytes)
#define UNPOISON(address, bytes) ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#else
enum { REDZONE = 0 };
#define POISON(address, bytes) ((void)0)
#define UNPOISON(address, bytes) ((void)0)
#endif

static bool multiply(size_t *product, size_t factor) {
  return !__builtin_mul_overflow(*product, factor, product);
}

void *arena_allocate(struct arena *arena, size_t element, size_t n1, size_t n2, size_t n3) {
  size_t bytes = element;
  if (arena->failed || !multiply(&bytes, n1) || !multiply(&bytes, n2) || !multiply(&bytes, n3) ||
      bytes > SIZE_MAX / 2) {
    arena->failed = true;
    return NULL;
  }
  const size_t step =
      (bytes + REDZONE + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * (size_t)ARENA_ALIGNMENT;
  const size_t start = arena->used;
  if (step > SIZE_MAX / 2 - start || (arena->base != NULL && step > arena->size - start)) {
    arena->failed = true;
    return NULL;
  }
  arena->used = start + step;
  if (arena->base == NULL) return NULL;
  UNPOISON(arena->base + start, bytes);
  return arena->base + start;
}

static void arena_reset(struct arena *arena) {
  arena->used = 0;
  arena->failed = false;
  if (arena->base != NULL) POISON(arena->base, arena->size);
}

elman_status arena_reserve(struct arena *arena, const struct arena *measured, elman_error *error) {
  if (measured->failed)
    return fail(error, ELMAN_NO_MEMORY, NULL, "the requested sizes exceed the address space");
  if (measured->used > arena->size || arena->base == NULL) {
    arena_free(arena);
    const size_t size = measured->used > 0 ? measured->used : (size_t)ARENA_ALIGNMENT;
    arena->base = aligned_alloc(ARENA_ALIGNMENT, size);
    if (arena->base == NULL)
      return fail(error, ELMAN_NO_MEMORY, NULL, "out of memory: %zu MiB are needed",
                  (size >> 20) + 1);
    arena->size = size;
  }
  arena_reset(arena);
  return ELMAN_OK;
}

bool arena_fit(struct arena_fit *fit, struct arena *arena, elman_error *error) {
  if (fit->now == arena) return false;
  if (fit->now == NULL) {
    fit->now = &fit->measured;
    return true;
  }
  fit->now = arena;
  fit->status = arena_reserve(arena, &fit->measured, error);
  return fit->status == ELMAN_OK;
}

void arena_free(struct arena *arena) {
  if (arena->base != NULL) UNPOISON(arena->base, arena->size);
  free(arena->base);
  *arena = (struct arena){0};
}

/* ---- pages of large memory ---- */

#ifdef __linux__
/* Apply the advice to the whole pages inside the memory. `page` is the page size in bytes, a power
 * of two. */
static void advise(void *memory, size_t bytes, uintptr_t page, int advice) {
  const uintptr_t start = (uintptr_t)memory, end = start + bytes;
  const uintptr_t first = (start + page - 1) & ~(page - 1), last = end & ~(page - 1);
  if (first < last) (void)madvise((void *)first, last - first, advice);
}

void advise_large_pages(void *memory, size_t bytes) {
  advise(memory, bytes, (uintptr_t)1 << 21, MADV_HUGEPAGE);
}

void release_pages(void *memory, size_t bytes) {
  advise(memory, bytes, (uintptr_t)sysconf(_SC_PAGESIZE), MADV_DONTNEED);
}
#else
void advise_large_pages(void *memory, size_t bytes) {
  (void)memory, (void)bytes;
}

void release_pages(void *memory, size_t bytes) {
  (void)memory, (void)bytes;
}
#endif

void claim_pages(void *memory, size_t bytes) {
  enum { PAGE = 4096 };
  unsigned char *const start = memory;
  if (bytes == 0) return;
  for (size_t at = 0; at < bytes; at += PAGE) __atomic_fetch_or(start + at, 0, __ATOMIC_RELAXED);
  __atomic_fetch_or(start + bytes - 1, 0, __ATOMIC_RELAXED);
}
