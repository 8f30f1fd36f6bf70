/* The head and the tail of a page for a browser that has no script, and may have none. */
#ifndef ELMAN_INSPECT_PLAIN_PAGE_H
#define ELMAN_INSPECT_PLAIN_PAGE_H

#include <stdio.h>

/* Up to the heading, which is the title, too. */
void plain_page_begin(FILE *stream, const char *title);
void plain_page_end(FILE *stream);

/* Text of any length, in a direction of its own. */
void plain_page_text(FILE *stream, const char *text);

#endif
