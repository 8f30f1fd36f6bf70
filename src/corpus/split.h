/* Splitting pairs into parts without leakage: no sentence of either side occurs in two parts. */
#ifndef ELMAN_CORPUS_SPLIT_H
#define ELMAN_CORPUS_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "corpus/pairs.h"
#include "elman/split.h"

struct elman_split {
  uint8_t *parts; /* (count): the elman_part of each pair */
  size_t count;
  elman_split_info info;
};

/* Split the pairs. Pairs with an equal key (key.h) on either side form a group, and all pairs of a
 * group are in the same part. Dev and test are filled with the smallest groups, in random order
 * among groups of equal size. They never get more pairs than requested, but may get fewer if no
 * group fits. The split depends only on pairs, options and seed. Return ELMAN_INVALID_ARGUMENT if
 * dev and test together request all pairs, and ELMAN_BAD_DATA if no group fits into one of them. */
elman_status split_create(elman_split *split, const struct pairs *pairs,
                          const elman_split_options *options, elman_error *error) CHECKED;
void split_free(elman_split *split);

#endif
