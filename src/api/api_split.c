#include <stdlib.h>

#include "api/call.h"
#include "corpus/split.h"

struct elman_split {
  struct split inner;
};

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
  const elman_split_options how = {.dev = {options->dev.pairs, options->dev.share},
                                   .test = {options->test.pairs, options->test.share},
                                   .seed = options->seed};
  elman_split *made = malloc(sizeof *made);
  const elman_status status =
      made == NULL ? fail_no_memory(error)
                   : split_create(&made->inner, inner_pairs_const(pairs), &how, error);
  if (status != ELMAN_OK) {
    free(made);
    made = NULL;
  }
  *split = made;
  return status;
}

void elman_split_free(elman_split *split) {
  if (split == NULL) return;
  split_free(&split->inner);
  free(split);
}

elman_part elman_split_part(const elman_split *split, size_t index) {
  return split->inner.parts[index];
}

elman_split_info elman_split_get_info(const elman_split *split) {
  elman_split_info info = {.groups = split->inner.groups, .largest = split->inner.largest};
  for (size_t part = 0; part < ELMAN_PARTS; part++) {
    info.pairs[part] = split->inner.sizes[part];
    info.wanted[part] = split->inner.wanted[part];
  }
  return info;
}
