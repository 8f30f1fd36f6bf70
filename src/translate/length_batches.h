/* Sentences in batches of like length, so that few of a batch wait for the longest. */
#ifndef ELMAN_TRANSLATE_LENGTH_BATCHES_H
#define ELMAN_TRANSLATE_LENGTH_BATCHES_H

#include <stddef.h>

#include "base/status.h"

struct length_batches {
  size_t *order;  /* the sentences' numbers, the longest first */
  size_t *starts; /* (count + 1): batch i is order[starts[i]] up to order[starts[i + 1]] */
  size_t count;
};

/* Batches of `batch_size` sentences at most, each searched with a beam of `width`; long sentences
 * make smaller ones, so that memory does not grow with their length. `lengths` (n) may be in any
 * unit that is not smaller than a token. */
elman_status length_batches_create(struct length_batches *batches, const size_t *lengths, size_t n,
                                   size_t batch_size, size_t width, elman_error *error) CHECKED;
void length_batches_free(struct length_batches *batches);

#endif
