#include <string.h>

#include "api/call.h"
#include "corpus/alignment.h"

elman_pairs_options elman_pairs_options_default(void) {
  return (elman_pairs_options){.source_column = 1,
                               .target_column = 2,
                               .max_line = ELMAN_DEFAULT_MAX_LINE,
                               .max_unpacked = ELMAN_DEFAULT_MAX_UNPACKED};
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

void elman_alignment_turn(char *alignment) {
  alignment_turn(alignment, strlen(alignment));
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
