/* An arena: one block of memory from which arrays are allocated and which is freed whole.
 *
 *   base                                          used            size
 *    | array, 64-byte aligned | gap | array | gap | free ...        |
 *
 * Sizes are found before memory is: an arena without a block (all zero) only counts, so the same
 * function that allocates the arrays first runs to measure. A product that overflows sets `failed`,
 * which sticks and is checked once. Under AddressSanitizer the gaps are poisoned. */
#ifndef ELMAN_BASE_ARENA_H
#define ELMAN_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { ARENA_ALIGNMENT = 64 };

struct arena {
  unsigned char *base;
  size_t size; /* bytes in the block */
  size_t used; /* bytes allocated or, without a block, counted */
  bool failed;
};

/* An array of n1 * n2 * n3 elements, not cleared. NULL while measuring and after a failure. */
void *arena_allocate(struct arena *arena, size_t element, size_t n1, size_t n2, size_t n3);

/* Makes the block at least as large as `measured->used` and frees all arrays. A block that is large
 * enough already stays where it is. */
elman_status arena_reserve(struct arena *arena, const struct arena *measured,
                           elman_error *error) CHECKED;
void arena_free(struct arena *arena);

/* Both walks through a function that allocates arrays, with the reservation between them:
 *
 *   struct arena_fit fit = {0};
 *   while (arena_fit(&fit, arena, error)) allocate(..., fit.now);
 *
 * Afterwards fit.status is ELMAN_OK if the arrays are there. */
struct arena_fit {
  struct arena *now, measured;
  elman_status status;
};

bool arena_fit(struct arena_fit *fit, struct arena *arena, elman_error *error);

/* ---- pages of large memory ---- */

/* Asks for large pages: a block of many megabytes is then there after a few page faults instead of
 * thousands. Advice only; where there are none nothing changes.
 * Before the memory is first written: what is there already keeps its small pages. The whole large
 * pages inside it are meant, so that it occupies no more memory than otherwise. */
void advise_large_pages(void *memory, size_t bytes);

/* Faults in ordinary pages for memory that is about to be read and then written: a first read maps
 * the shared zero page, and the write then faults again, which stops all threads for a moment.
 * Changes no byte. */
void claim_pages(void *memory, size_t bytes);

/* Before memory of malloc is freed: the system gets the whole pages inside it back, which the C
 * library would keep for itself. Its bytes are lost. */
void release_pages(void *memory, size_t bytes);

#endif
