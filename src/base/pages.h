/* What the system is told of the pages of large memory. */
#ifndef ELMAN_BASE_PAGES_H
#define ELMAN_BASE_PAGES_H

#include <stddef.h>

/* Asks for large pages: a block of many megabytes is then there after a few page faults instead of
 * thousands. Advice only; where there are none nothing changes.
 * Before the memory is first written: what is there already keeps its small pages. The whole large
 * pages inside it are meant, so that it takes up no more memory than otherwise. */
void advise_large_pages(void *memory, size_t bytes);

/* Faults in ordinary pages for memory that is about to be read and then written: a first read maps
 * the shared zero page, and the write then faults again, which stops all threads for a moment.
 * Changes no byte. */
void claim_pages(void *memory, size_t bytes);

/* Before memory of malloc is freed: the system gets the whole pages inside it back, which the C
 * library would keep for itself. Its bytes are lost. */
void release_pages(void *memory, size_t bytes);

#endif
