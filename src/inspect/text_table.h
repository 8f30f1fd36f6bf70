/* Tables of text as TSV for spreadsheets or as an HTML page. */
#ifndef ELMAN_INSPECT_TEXT_TABLE_H
#define ELMAN_INSPECT_TEXT_TABLE_H

#include "base/status.h"
#include "elman/table.h"

/* Return "tsv" or "html"; NULL after the last format. */
const char *table_format_name(size_t index);

elman_status table_write(FILE *stream, const elman_table *table, const char *format,
                         elman_error *error) CHECKED;

#endif
