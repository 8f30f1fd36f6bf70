#include <stdlib.h>

#include "api/call.h"
#include "corpus/split.h"

_Static_assert((int)ELMAN_PART_TRAIN == (int)PART_TRAIN, "parts agree");
_Static_assert((int)ELMAN_PART_DEV == (int)PART_DEV, "parts agree");
_Static_assert((int)ELMAN_PART_TEST == (int)PART_TEST, "parts agree");
_Static_assert(ELMAN_PARTS == (int)PARTS, "parts agree");

struct elman_split {
  struct split inner;
};

const char *elman_part_name(elman_part part) {
  static const char *const names[] = {"train", "dev", "test"};
  return (unsigned)part < PARTS ? names[part] : NULL;
}

elman_split_options elman_split_options_default(void) {
  return (elman_split_options){.dev = {.share = 0.05}, .test = {.share = 0.05}, .seed = 1};
}

elman_status elman_split_create(elman_split **split, const elman_pairs *pairs,
                                const elman_split_options *options, elman_error *error) {
  const struct split_options how = {.dev = {options->dev.pairs, options->dev.share},
                                    .test = {options->test.pairs, options->test.share},
                                    .seed = options->seed};
  struct error problem = {0};
  elman_split *made = malloc(sizeof *made);
  const enum status status =
      made == NULL ? fail_no_memory(&problem)
                   : split_create(&made->inner, inner_pairs_const(pairs), &how, &problem);
  if (status != STATUS_OK) {
    free(made);
    made = NULL;
  }
  *split = made;
  return give(error, status, &problem);
}

void elman_split_free(elman_split *split) {
  if (split == NULL) return;
  split_free(&split->inner);
  free(split);
}

elman_part elman_split_part(const elman_split *split, size_t index) {
  return (elman_part)split->inner.parts[index];
}

elman_split_info elman_split_get_info(const elman_split *split) {
  elman_split_info info = {.groups = split->inner.groups, .largest = split->inner.largest};
  for (size_t part = 0; part < PARTS; part++) {
    info.pairs[part] = split->inner.sizes[part];
    info.wanted[part] = split->inner.wanted[part];
  }
  return info;
}
