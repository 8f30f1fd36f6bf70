/* Asks the system for large pages: a block of many megabytes is then there after a few page faults
 * instead of thousands. Advice only; where there are none nothing changes. */
#ifndef ELMAN_BASE_LARGE_PAGES_H
#define ELMAN_BASE_LARGE_PAGES_H

#include <stddef.h>

/* Before the memory is first written: what is there already keeps its small pages. The whole large
 * pages inside it are meant, so that it takes up no more memory than otherwise. */
void advise_large_pages(void *memory, size_t bytes);

/* Faults in ordinary pages for memory that is about to be read and then written: a first read maps
 * the shared zero page, and the write then faults again, which stops all threads for a moment.
 * Changes no byte. */
void claim_pages(void *memory, size_t bytes);

#endif
