/* Sentence pairs from files. */
#ifndef ELMAN_PAIRS_H
#define ELMAN_PAIRS_H

#include "elman/finding.h"

ELMAN_BEGIN

/* Sentence pairs in the order of the input. */
typedef struct elman_pairs elman_pairs;

/* Called for each line that is skipped, with the kind of the defect and a message. */
typedef void elman_skipped_function(void *context, const char *file, size_t line,
                                    elman_finding fault, const char *problem);

/* Limits of text that is read into memory: defaults of elman_pairs_options, fixed for
 * elman_lines_read. */
#define ELMAN_DEFAULT_MAX_LINE ((size_t)1 << 24)
#define ELMAN_DEFAULT_MAX_UNPACKED (SIZE_MAX > UINT32_MAX ? (size_t)1 << 16 << 16 : SIZE_MAX)

typedef struct elman_pairs_options {
  const char *const *files; /* TSV, one pair per line; "-" is standard input */
  size_t file_count;
  const char *source_file; /* instead of `files`: two files, one sentence per line */
  const char *target_file;
  size_t source_column, target_column; /* columns of the TSV, from 1; default 1 and 2 */
  size_t alignment_column; /* column with word alignments "i-j i-j ..."; 0 = none. Word numbers i
                              and j start from 0; i counts the words of the side with the smaller
                              column number, j counts the words of the other side */
  const char
      *alignment_file; /* file with one alignment per line of the pairs, used instead of the column;
                          NULL = none. With a TSV file, i counts the words of the side with the
                          smaller column number, as above; with two files, i counts source words */
  bool check_alignments; /* treat a line as bad if its alignment is malformed or out of range; an
                            empty alignment is allowed. If most lines are bad, reading fails. If
                            this option is false, the functions that use the alignments check
                            them */
  bool strict;           /* treat a bad line as an error instead of skipping it */
  size_t max_bytes;      /* maximum bytes per line; a longer line is ELMAN_BAD_DATA; 0 = no limit;
                            default ELMAN_DEFAULT_MAX_LINE */
  size_t max_unpacked;   /* maximum decompressed bytes of a gzip-compressed file; a larger file is
                            ELMAN_BAD_DATA; 0 = no limit; default ELMAN_DEFAULT_MAX_UNPACKED */
  bool whole_lines;      /* keep the input lines for elman_pairs_line, and do not read alignments */
  elman_skipped_function *skipped; /* may be NULL */
  void *context;
  uint64_t reserved[4];
} elman_pairs_options;

ELMAN_API elman_pairs_options elman_pairs_options_default(void);

/* Read all pairs into memory. Skip and count a line that is not valid UTF-8, lacks a column or has
 * an empty side. Return ELMAN_BAD_DATA if no pair remains, or if two parallel files have different
 * numbers of lines. */
ELMAN_CHECKED elman_status elman_pairs_read(elman_pairs **pairs, const elman_pairs_options *options,
                                            elman_error *error);

/* Copy `count` pairs from memory: the text targets[i] translates sources[i]. `alignments` contains
 * an alignment per pair, in which i counts source words; NULL = none. In messages, the place of a
 * pair is "pair:" and its number, from 1. The options `check_alignments`, `strict` and `skipped`
 * apply to pairs as to lines; any other option must have its default, or the result is
 * ELMAN_INVALID_ARGUMENT. Line ends within a text are white space. */
ELMAN_CHECKED elman_status elman_pairs_create(elman_pairs **pairs, const char *const *sources,
                                              const char *const *targets,
                                              const char *const *alignments, size_t count,
                                              const elman_pairs_options *options,
                                              elman_error *error);
ELMAN_API void elman_pairs_free(elman_pairs *pairs);
ELMAN_API size_t elman_pairs_count(const elman_pairs *pairs);
ELMAN_API size_t elman_pairs_skipped(const elman_pairs *pairs);

/* Return the input line of a pair (index below the number of pairs), with all columns and without
 * the line end. Return NULL unless `whole_lines` was set. For two files return the line of the
 * source file. Set *length, unless `length` is NULL, to the length in bytes. */
ELMAN_API const char *elman_pairs_line(const elman_pairs *pairs, size_t index, size_t *length);

/* A pair as text, which is valid as long as the pairs. Only the lengths, in bytes, determine where
 * a text ends. */
typedef struct elman_pair {
  const char *source, *target;
  const char *alignment; /* links i-j, in which i counts source words; empty without alignments */
  size_t source_length, target_length, alignment_length;
  const char *file; /* name of the file; "pair" for pairs from memory */
  size_t line;      /* line of the file, or number of the pair, from 1 */
} elman_pair;

/* Return pair `index`, below the number of pairs. */
ELMAN_API elman_pair elman_pairs_get(const elman_pairs *pairs, size_t index);

/* Replace each link i-j of an alignment by j-i, in place. Use this function if source and target
 * are interchanged. */
ELMAN_API void elman_alignment_reverse(char *alignment);

ELMAN_END

#endif
