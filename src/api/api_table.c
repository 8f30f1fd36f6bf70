#include "api/call.h"
#include "inspect/text_table.h"

const char *elman_table_format_name(size_t index) {
  return table_format_name(index);
}

elman_status elman_table_write(FILE *stream, const elman_table *table, const char *format,
                               elman_error *error) {
  return table_write(stream, table, format, error);
}
