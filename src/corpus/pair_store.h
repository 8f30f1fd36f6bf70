/* What is kept of sentence pairs: pairs.c keeps it, and pairs_read.c fills it. */
#ifndef ELMAN_CORPUS_PAIR_STORE_H
#define ELMAN_CORPUS_PAIR_STORE_H

#include "corpus/line_file.h"
#include "corpus/pair_text.h"
#include "corpus/pairs.h"

/* Pairs of lines that follow each other in a file. */
struct line_run {
  size_t first;     /* pair */
  size_t number;    /* of its line, from 1 */
  const char *name; /* of the file */
};

/* Of a pair are kept its source, its target and its alignment; or the whole line, of which the
 * columns are picked again whenever they are asked for, and an empty target. A pointer is all there
 * is to keep beside the text, and lines of any length fit. */
struct pairs {
  char **names; /* of the files, name_count of them */
  size_t name_count;
  struct pair_text text;
  const char **items;
  size_t count;
  size_t capacity;
  struct line_run *runs;
  size_t run_count, run_capacity;
  size_t skipped;
  bool whole_lines;
  size_t source_column, target_column;
};

/* The next pair, from the line that was taken last: its source, its target and its alignment, or
 * the whole line. */
elman_status pairs_add(struct pairs *pairs, const struct lines *lines, const struct text *fields,
                       size_t count, elman_error *error) CHECKED;

struct columns {
  size_t source, target, alignment; /* from 1; alignment 0 = none */
};

size_t columns_last(struct columns columns); /* the largest of them */

/* Gives the number of the largest column asked for, or of the columns if there are fewer. */
size_t columns_pick(struct pair *pair, struct text line, struct columns columns);

#endif
