/* Tables of text as lines for a spreadsheet or as a page for a browser. */
#ifndef ELMAN_INSPECT_TEXT_TABLE_H
#define ELMAN_INSPECT_TEXT_TABLE_H

#include "base/status.h"
#include "elman/table.h"

/* "tsv", "html"; NULL past the last. */
const char *table_format_name(size_t index);

elman_status table_write(FILE *stream, const elman_table *table, const char *format,
                         elman_error *error) CHECKED;

#endif
