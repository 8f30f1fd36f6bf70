/* Sentence pairs as text, read from TSV files or from two parallel (Moses) files. This module also
 * reads files with one sentence per line. */
#ifndef ELMAN_CORPUS_PAIRS_H
#define ELMAN_CORPUS_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "elman/pairs.h"
#include "vocab/locate.h"

struct pair {
  struct text source;
  struct text target;
  struct text alignment; /* Pharaoh "i-j ..."; empty without alignments */
};

struct pairs; /* owns the text of all pairs */

/* Read all pairs. The input is UTF-8 with LF or CRLF; a byte order mark is ignored. A bad line is
 * reported, skipped and counted. A line is bad if it is not valid UTF-8 (a NUL byte is invalid),
 * contains a CR, lacks a column, or has a side that is empty or invisible. An empty line of a Moses
 * file is such a side. Blank lines at the end of a TSV file are ignored, and so are surplus blank
 * lines at the end of an alignment file. The reported problems have no full stop.
 *
 * Errors:
 *
 *   ELMAN_NO_INPUT   a file is missing
 *   ELMAN_BAD_DATA   a file is not text (file_kind.h)
 *   ELMAN_BAD_DATA   no file has a good pair; the message describes the format
 *   ELMAN_BAD_DATA   parallel files differ in length; the message contains both counts
 *   ELMAN_BAD_DATA   a line is bad, if `strict` is set */
elman_status pairs_read(struct pairs **pairs, const elman_pairs_options *options,
                        elman_error *error) CHECKED;
void pairs_free(struct pairs *pairs);
size_t pairs_count(const struct pairs *pairs);
size_t pairs_skipped_count(const struct pairs *pairs);

/* Return a pair. Its text is valid until pairs_release or pairs_free frees it. */
struct pair pairs_get(const struct pairs *pairs, size_t index);

/* Free the text of all pairs before pair `before`, except text in a block that a later pair
 * shares. */
void pairs_release(struct pairs *pairs, size_t before);

/* Return the lines (2) of source and target that determine the units of alignments: lines that have
 * an alignment. */
const struct unit_lines *pairs_unit_lines(const struct pairs *pairs);

/* Return whether a bad line is an error. */
bool pairs_are_strict(const struct pairs *pairs);

/* Return a hash of the texts of all pairs in order. */
uint64_t pairs_hash(const struct pairs *pairs);

/* Return the unchanged line of the pair without LF or CRLF, or its line number, from 1. For Moses
 * files this is the line number in the source file. Without `whole_lines` the text is NULL; with
 * it, alignments are not stored. */
struct text pairs_line(const struct pairs *pairs, size_t index);
size_t pairs_line_number(const struct pairs *pairs, size_t index);

/* Print the place of a pair as "file:line", for messages. */
void pairs_place(char *place, size_t size, const struct pairs *pairs, size_t index);

/* ---- a file of sentences ---- */

/* A file with one sentence per line, for scores. All lines count, including empty ones. Lines end
 * with LF or CRLF; byte order marks at the start of lines are ignored. */
struct line_file {
  struct buffer bytes;
  const char **lines;
  size_t count, capacity;
};

/* Read a file. Return ELMAN_BAD_DATA for a line that is not UTF-8 or contains a CR, for a file that
 * is not text (file_kind.h), and for a file without lines.
 * After an error nothing is owned. */
elman_status line_file_read(struct line_file *file, const char *path, elman_error *error) CHECKED;
void line_file_free(struct line_file *file);

#endif
