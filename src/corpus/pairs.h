/* Sentence pairs as text, read from TSV files or from two parallel (Moses) files. Also files with
 * one sentence per line. */
#ifndef ELMAN_CORPUS_PAIRS_H
#define ELMAN_CORPUS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "elman/pairs.h"

struct pair {
  struct text source;
  struct text target;
  struct text alignment; /* Pharaoh "i-j ..."; empty without a column of alignments */
};

struct pairs; /* owns the text of all pairs */

/* Reads everything. UTF-8 with LF or CRLF, a byte order mark is dropped. A line that is not valid
 * UTF-8 (a NUL byte counts as invalid), lacks a column, or has an empty side (white space only)
 * is reported, skipped and counted; blank lines at the end of a TSV file are nothing, and at that
 * of an alignment file so many as there are more. Errors: no such file (ELMAN_NO_INPUT), a NUL byte
 * near the start of a file (ELMAN_BAD_DATA, "is a binary file"), not one good pair in all files
 * (ELMAN_BAD_DATA; the message says what the format is), files of different length (ELMAN_BAD_DATA,
 * with both counts), with `strict` the first bad line (ELMAN_BAD_DATA). Moses files may have empty
 * lines on both sides: such a line is skipped like any empty side. The problems that are handed on
 * have no full stop. */
elman_status pairs_read(struct pairs **pairs, const elman_pairs_options *options,
                        elman_error *error) CHECKED;
void pairs_free(struct pairs *pairs);
size_t pairs_count(const struct pairs *pairs);
size_t pairs_skipped_count(const struct pairs *pairs);

/* The text is valid until pairs_give_back frees it, or the pairs are freed. */
struct pair pairs_get(const struct pairs *pairs, size_t index);

/* Frees text that only pairs before this one need. */
void pairs_give_back(struct pairs *pairs, size_t before);

/* Of the texts of both sides, in order; of NULL that of no pairs. */
uint64_t pairs_hash(const struct pairs *pairs);

/* The line of the file that the pair came from, all columns as they were, without LF or CRLF; and
 * its number, from 1. Lines of two Moses files are not joined: there it is the source. No text
 * (NULL) unless `whole_lines` was set, with which no alignments are kept. */
struct text pairs_line(const struct pairs *pairs, size_t index);
size_t pairs_line_number(const struct pairs *pairs, size_t index);

/* That file and that number, as "file:line", for messages. */
void pairs_place(char *place, size_t size, const struct pairs *pairs, size_t index);

/* ---- a file of sentences ---- */

/* A file with one sentence per line, as scores need it: every line is kept, also an empty one. LF
 * or CRLF; a byte order mark is dropped. */
struct line_file {
  struct buffer bytes;
  const char **lines;
  size_t count, capacity;
};

/* A line that is not UTF-8, and no line at all, are ELMAN_BAD_DATA. Nothing is owned after that. */
elman_status line_file_read(struct line_file *file, const char *path, elman_error *error) CHECKED;
void line_file_free(struct line_file *file);

#endif
