/* Tables of text as files, such as the history of a REPL session. */
#ifndef ELMAN_TABLE_H
#define ELMAN_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "elman/status.h"

ELMAN_BEGIN

/* A table of text. */
typedef struct elman_table {
  const char *title;          /* title of the HTML page */
  const char *const *columns; /* (column_count): column names */
  size_t column_count;        /* at least 1 */
  const char *const *cells;   /* (row_count,column_count), UTF-8 */
  size_t row_count;
} elman_table;

/* Return "tsv" for index 0, "html" for 1, NULL for any other index. */
ELMAN_API const char *elman_table_format_name(size_t index);

/* Return whether a spreadsheet would evaluate the text of a cell as a formula, or read it as the
 * start of a quoted cell. Numbers such as -1.5e-7 are neither. A table of tab-separated values has
 * an apostrophe before such a text. */
ELMAN_API bool elman_table_is_formula(const char *text);

/* Write a table as "tsv", with the column names in the first line, or as "html", a page without a
 * script. Unsafe characters are escaped. In TSV an apostrophe precedes a cell of which
 * elman_table_is_formula is true. An error in writing sets the stream's error
 * flag. Return ELMAN_INVALID_ARGUMENT if `format` is neither "tsv" nor "html". */
ELMAN_CHECKED elman_status elman_table_write(FILE *stream, const elman_table *table,
                                             const char *format, elman_error *error);

ELMAN_END

#endif
