#include "api/call.h"

elman_pairs_options elman_pairs_options_default(void) {
  return (elman_pairs_options){.source_column = 1, .target_column = 2};
}

/* The public callback has no code for the fault. */
struct listener {
  elman_skipped_function *skipped;
  void *context;
};

static void hand_on(void *context, const char *file, size_t line, elman_finding fault,
                    const char *problem) {
  const struct listener *listener = context;
  (void)fault;
  listener->skipped(listener->context, file, line, problem);
}

struct pairs_options inner_pairs_options(const elman_pairs_options *options) {
  return (struct pairs_options){.files = options->files,
                                .file_count = options->file_count,
                                .source_file = options->source_file,
                                .target_file = options->target_file,
                                .source_column = options->source_column,
                                .target_column = options->target_column,
                                .alignment_column = options->alignment_column,
                                .strict = options->strict,
                                .whole_lines = options->whole_lines};
}

elman_status elman_pairs_read(elman_pairs **pairs, const elman_pairs_options *options,
                              elman_error *error) {
  const elman_pairs_options defaults = elman_pairs_options_default();
  if (options == NULL) options = &defaults;
  struct listener listener = {options->skipped, options->context};
  struct pairs_options inner = inner_pairs_options(options);
  inner.skipped = options->skipped == NULL ? NULL : hand_on;
  inner.context = &listener;
  struct pairs *read = NULL;
  const elman_status status = pairs_read(&read, &inner, error);
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
