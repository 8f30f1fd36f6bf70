#include "api/call.h"

elman_pairs_options elman_pairs_options_default(void) {
  return (elman_pairs_options){.source_column = 1, .target_column = 2};
}

elman_status elman_pairs_read(elman_pairs **pairs, const elman_pairs_options *options,
                              elman_error *error) {
  const struct pairs_options inner = {.files = options->files,
                                      .file_count = options->file_count,
                                      .source_file = options->source_file,
                                      .target_file = options->target_file,
                                      .source_column = options->source_column,
                                      .target_column = options->target_column,
                                      .alignment_column = options->alignment_column,
                                      .strict = options->strict,
                                      .skipped = options->skipped,
                                      .context = options->context};
  struct pairs *read = NULL;
  struct error problem = {0};
  const enum status status = pairs_read(&read, &inner, &problem);
  *pairs = (elman_pairs *)read;
  return give(error, status, &problem);
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
