/* An arena: one block of memory from which arrays are allocated and which is freed as a whole.
 *
 *   base                                          used            size
 *    | array, 64-byte aligned | gap | array | gap | free ...        |
 *
 * The function that allocates the arrays runs twice. The first run has an arena without a block
 * (all zero) and only counts bytes. The second run has an arena with a block of that size. A size
 * that overflows sets `failed`, which stays set and is checked once. Under AddressSanitizer the
 * gaps are poisoned. */
#ifndef ELMAN_BASE_ARENA_H
#define ELMAN_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { ARENA_ALIGNMENT = 64 };

struct arena {
  unsigned char *base;
  size_t size; /* bytes in the block */
  size_t used; /* bytes allocated, or only counted if there is no block */
  bool failed;
};

/* Return an uninitialized array of n1 * n2 * n3 elements of `element` bytes each. Return NULL while
 * only measuring, and after a failure. */
void *arena_allocate(struct arena *arena, size_t element, size_t n1, size_t n2, size_t n3);

/* Make the block at least `measured->used` bytes large and free all arrays. A block that is
 * already large enough stays where it is. */
elman_status arena_reserve(struct arena *arena, const struct arena *measured,
                           elman_error *error) CHECKED;
void arena_free(struct arena *arena);

/* Helper for the two runs of an allocating function: the first run measures the arrays, the second
 * allocates them. The memory is reserved in between:
 *
 *   struct arena_fit fit = {0};
 *   while (arena_fit(&fit, arena, error)) allocate(..., fit.now);
 *
 * Afterwards fit.status is ELMAN_OK if the arrays are allocated. */
struct arena_fit {
  struct arena *now, measured;
  elman_status status;
};

bool arena_fit(struct arena_fit *fit, struct arena *arena, elman_error *error);

/* ---- pages of large memory ---- */

/* Advise the system to use large pages for this memory, which avoids thousands of page faults. The
 * caller must not have written to the memory yet, because pages already in use stay small. The
 * advice applies only to large pages that lie wholly inside the memory, so memory use does not
 * grow. Systems without large pages ignore the advice. */
void advise_large_pages(void *memory, size_t bytes);

/* Touch every page without changing a byte, before the memory is read and then written. Without
 * this function, the first read maps the shared zero page and the first write faults again, which
 * stops all threads for a moment. */
void claim_pages(void *memory, size_t bytes);

/* Return the whole pages inside memory from malloc to the system; their contents are lost. The
 * caller must call free() afterwards. Without this function, free() would keep the pages in the
 * process. */
void release_pages(void *memory, size_t bytes);

#endif
