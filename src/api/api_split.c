#include <stdlib.h>

#include "api/call.h"
#include "corpus/split.h"

const char *elman_part_name(elman_part part) {
  static const char *const names[] = {"train", "dev", "test"};
  return (unsigned)part < ELMAN_PARTS ? names[part] : NULL;
}

elman_split_options elman_split_options_default(void) {
  return (elman_split_options){.dev = {.share = 0.05}, .test = {.share = 0.05}, .seed = 1};
}

elman_status elman_split_create(elman_split **split, const elman_pairs *pairs,
                                const elman_split_options *options, elman_error *error) {
  const elman_split_options defaults = elman_split_options_default();
  if (options == NULL) options = &defaults;
  elman_split *made = malloc(sizeof *made);
  const elman_status status = made == NULL
                                  ? fail_no_memory(error)
                                  : split_create(made, inner_pairs_const(pairs), options, error);
  if (status != ELMAN_OK) {
    free(made);
    made = NULL;
  }
  *split = made;
  return status;
}

void elman_split_free(elman_split *split) {
  if (split == NULL) return;
  split_free(split);
  free(split);
}

elman_part elman_split_part(const elman_split *split, size_t index) {
  return split->parts[index];
}

elman_split_info elman_split_get_info(const elman_split *split) {
  return split->info;
}
