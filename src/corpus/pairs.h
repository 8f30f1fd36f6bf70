/* Sentence pairs as text, read from TSV files or from two parallel (Moses) files. This module also
 * reads files with one sentence per line (elman_lines). */
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

/* elman_pairs_read: the input is UTF-8 with LF or CRLF; a byte order mark is ignored. A bad line is
 * reported, skipped and counted. A line is bad if it is not valid UTF-8 (a NUL byte is invalid),
 * contains a CR, lacks a column, or has a side that is empty or invisible. An empty line of a Moses
 * file is an empty side. Blank lines at the end of a TSV file are ignored, and so are surplus blank
 * lines at the end of an alignment file. The reported problems have no full stop.
 *
 * Errors:
 *
 *   ELMAN_NO_INPUT   a file is missing
 *   ELMAN_BAD_DATA   a file is not text (file_kind.h)
 *   ELMAN_BAD_DATA   no file has a good pair; the message describes the format
 *   ELMAN_BAD_DATA   parallel files differ in length; the message contains both counts
 *   ELMAN_BAD_DATA   a line is bad, if `strict` is set */

/* Return a pair. Its text is valid until pairs_release or elman_pairs_free frees it. */
struct pair pairs_get(const elman_pairs *pairs, size_t index);

/* Free the text of all pairs before pair `before`, except text in a block that a later pair
 * shares. */
void pairs_release(elman_pairs *pairs, size_t before);

/* Return the lines (2) of source and target that determine the units of alignments: lines that have
 * an alignment. */
const struct unit_lines *pairs_unit_lines(const elman_pairs *pairs);

/* Return whether a bad line is an error. */
bool pairs_are_strict(const elman_pairs *pairs);

/* Create an empty list of pairs whose whole lines come from `file`, for pairs_append. */
elman_status pairs_begin(elman_pairs **pairs, const char *file, elman_error *error) CHECKED;

/* Append the line "source<TAB>target..." of the record that starts at line `number` of the file. */
elman_status pairs_append(elman_pairs *pairs, size_t number, struct text line,
                          elman_error *error) CHECKED;

/* Count a skipped record. */
void pairs_count_skipped(elman_pairs *pairs);

/* Return a hash of the texts of all pairs in order; NULL counts as no pairs. */
uint64_t pairs_hash(const elman_pairs *pairs);

/* Return the line number of a pair, from 1; for Moses files, in the source file. */
size_t pairs_line_number(const elman_pairs *pairs, size_t index);

/* Print the place of a pair as "file:line", for messages. */
void pairs_place(char *place, size_t size, const elman_pairs *pairs, size_t index);

#endif
