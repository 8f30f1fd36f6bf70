/* The attention page, which the build assembles from the files of this folder:
 * the parts before and after the records. */
#ifndef ELMAN_INSPECT_PAGE_H
#define ELMAN_INSPECT_PAGE_H

#include <stddef.h>

extern const unsigned char page_head[], page_tail[];
extern const size_t page_head_size, page_tail_size;

#endif
