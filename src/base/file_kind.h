/* Recognition of files that are not UTF-8 text, by their first bytes. */
#ifndef ELMAN_BASE_FILE_KIND_H
#define ELMAN_BASE_FILE_KIND_H

#include <stdbool.h>

#include "base/text.h"

/* Number of bytes at the start of a file that show its kind. */
enum { FILE_START = 1 << 16 };

/* Describe the file that starts with these bytes, and state the remedy, as in "is a PDF document;
 * save its text as UTF-8 text". Return NULL if the bytes have the signature of no known format. */
const char *file_kind(struct text start);

/* Like file_kind, for a file that must be UTF-8 text with lines. Return NULL if the file may be
 * such text. `complete` states that `start` is the whole file or has FILE_START bytes. If
 * `complete` is true, the function also detects other binary files, and text whose lines end with
 * CR. */
const char *file_is_not_text(struct text start, bool complete);

#endif
