/* Tables of text as files: the history of a session, or whatever a program has in rows. */
#ifndef ELMAN_TABLE_H
#define ELMAN_TABLE_H

#include <stdio.h>

#include "elman/status.h"

ELMAN_BEGIN

/* A table of text, its rows one behind the other. */
typedef struct elman_table {
  const char *title;          /* of a page */
  const char *const *columns; /* (column_count): their names */
  size_t column_count;        /* at least 1 */
  const char *const *cells;   /* (row_count,column_count); UTF-8 */
  size_t row_count;
} elman_table;

/* "tsv", "html", from index 0 up; NULL past the last. */
ELMAN_API const char *elman_table_format_name(size_t index);

/* Writes it as "tsv", the names of the columns in the first line, or as "html", a page for a
 * browser, which has no script. Characters that could do harm there are escaped; in tsv a cell that
 * a spreadsheet would take for a formula gets an apostrophe in front, unless it is a number. Write
 * errors stay in the stream's error flag; another format is ELMAN_INVALID_ARGUMENT. */
ELMAN_CHECKED elman_status elman_table_write(FILE *stream, const elman_table *table,
                                             const char *format, elman_error *error);

ELMAN_END

#endif
