#include "api/call.h"

elman_pairs_options elman_pairs_options_default(void) {
  return (elman_pairs_options){.source_column = 1, .target_column = 2};
}

elman_status elman_pairs_read(elman_pairs **pairs, const elman_pairs_options *options,
                              elman_error *error) {
  const elman_pairs_options defaults = elman_pairs_options_default();
  if (options == NULL) options = &defaults;
  struct pairs *read = NULL;
  const elman_status status = pairs_read(&read, options, error);
  *pairs = (elman_pairs *)read;
  return status;
}

void elman_pairs_free(elman_pairs *pairs) {
  pairs_free(inner_pairs(pairs));
}

size_t elman_pairs_count(const elman_pairs *pairs) {
  return pairs_count(inner_pairs_const(pairs));
}

size_t elman_pairs_skipped(const elman_pairs *pairs) {
  return pairs_skipped_count(inner_pairs_const(pairs));
}

const char *elman_pairs_line(const elman_pairs *pairs, size_t index, size_t *length) {
  const struct text line = pairs_line(inner_pairs_const(pairs), index);
  if (length != NULL) *length = line.length;
  return line.bytes;
}
