/* Sentence pairs from files. */
#ifndef ELMAN_PAIRS_H
#define ELMAN_PAIRS_H

#include "elman/finding.h"

ELMAN_BEGIN

/* Sentence pairs as they were read, in their order. */
typedef struct elman_pairs elman_pairs;

/* Called for each line that is left out, with the kind of bad line and what is wrong with it. */
typedef void elman_skipped_function(void *context, const char *file, size_t line,
                                    elman_finding fault, const char *problem);

/* Of text that is read whole: those of elman_pairs_options, and fixed for elman_lines_read. */
#define ELMAN_DEFAULT_MAX_LINE ((size_t)1 << 24)
#define ELMAN_DEFAULT_MAX_UNPACKED ((size_t)1 << 32)

typedef struct elman_pairs_options {
  const char *const *files; /* TSV, a pair a line; "-" is standard input */
  size_t file_count;
  const char *source_file; /* instead of `files`: two files with a sentence a line */
  const char *target_file;
  size_t source_column, target_column; /* columns of the TSV, from 1; default 1 and 2 */
  size_t alignment_column; /* column with word alignments "i-j i-j ...", 0-based; 0 = none. Word i
                              is of the source or the target, whose column has the smaller number;
                              word j of the other */
  const char *alignment_file; /* instead of the column: a file with the alignment of one line of the
                                 pairs a line; for one TSV, of whose columns the same holds, or for
                                 two files, where i is of the source. NULL = none */
  bool check_alignments; /* one that is none, or names a word that is not there, makes a line bad;
                            an empty one does not, and where most lines are bad, reading fails.
                            Otherwise whoever reads them finds out */
  bool strict;           /* a bad line is an error, not skipped */
  size_t max_line;       /* bytes of a line; a longer one is ELMAN_BAD_DATA; 0 = no limit; default
                            ELMAN_DEFAULT_MAX_LINE */
  size_t max_unpacked;   /* bytes of a file that gzip packed, unpacked; more are ELMAN_BAD_DATA; 0 =
                            no limit; default ELMAN_DEFAULT_MAX_UNPACKED */
  bool whole_lines;      /* keeps the lines for elman_pairs_line, but no alignments */
  elman_skipped_function *skipped; /* may be NULL */
  void *context;
} elman_pairs_options;

ELMAN_API elman_pairs_options elman_pairs_options_default(void);

/* Reads all pairs into memory. A line that is not valid UTF-8, lacks a column or has an empty side
 * is skipped and counted. ELMAN_BAD_DATA when not one pair is left, or a file has not as many lines
 * as the one that goes with it. */
ELMAN_CHECKED elman_status elman_pairs_read(elman_pairs **pairs, const elman_pairs_options *options,
                                            elman_error *error);
ELMAN_API void elman_pairs_free(elman_pairs *pairs);
ELMAN_API size_t elman_pairs_count(const elman_pairs *pairs);
ELMAN_API size_t elman_pairs_skipped(const elman_pairs *pairs);

/* The line that a pair (index less than the count) was read from, with all its columns but without
 * its line end; NULL unless `whole_lines` was set. Of two files it is the source's line. The length
 * in bytes goes to *length (may be NULL). */
ELMAN_API const char *elman_pairs_line(const elman_pairs *pairs, size_t index, size_t *length);

/* Makes j-i of each i-j of an alignment, in place: for source and target that change places. */
ELMAN_API void elman_alignment_reverse(char *alignment);

ELMAN_END

#endif
