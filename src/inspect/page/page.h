/* The attention page, as the build made it of page.html, page.css, picture.js and page.js: what
 * comes before the records, and what comes after them. */
#ifndef ELMAN_INSPECT_PAGE_H
#define ELMAN_INSPECT_PAGE_H

#include <stddef.h>

extern const unsigned char page_head[], page_tail[];
extern const size_t page_head_size, page_tail_size;

#endif
