/* Split a corpus into parts without leaks. */
#ifndef ELMAN_SPLIT_H
#define ELMAN_SPLIT_H

#include "elman/pairs.h"

ELMAN_BEGIN

/* The parts of a corpus. */
typedef enum elman_part { ELMAN_PART_TRAIN, ELMAN_PART_DEV, ELMAN_PART_TEST } elman_part;
/* Number of parts. */
#define ELMAN_PARTS 3

/* Return "train", "dev" or "test"; NULL for any other value. */
ELMAN_API const char *elman_part_name(elman_part part);

/* The requested size of a part: a number of pairs or a fraction. */
typedef struct elman_part_size {
  size_t pairs;
  double
      share; /* fraction of all pairs, 0 to 1, instead of `pairs`; at least one pair if above 0 */
} elman_part_size;

typedef struct elman_split_options {
  elman_part_size dev, test; /* default: a `share` of 0.05 each; the rest is for training */
  uint64_t seed;             /* default 1 */
  uint64_t reserved[4];
} elman_split_options;

ELMAN_API elman_split_options elman_split_options_default(void);

typedef struct elman_split elman_split; /* the assignment of each pair to a part */

/* Split pairs at random. Pairs that share a side form a group; differences in case, width,
 * punctuation and white space do not count. All pairs of a group are in the same part. The smallest
 * groups go to dev and test, which receive fewer pairs than requested if no group fits. Return
 * ELMAN_INVALID_ARGUMENT if no pair remains for training, and ELMAN_BAD_DATA if dev or test would
 * be empty. */
ELMAN_CHECKED elman_status elman_split_create(elman_split **split, const elman_pairs *pairs,
                                              const elman_split_options *options,
                                              elman_error *error);
ELMAN_API void elman_split_free(elman_split *split);

/* Return the part of pair `index`, which is below the number of pairs. */
ELMAN_API elman_part elman_split_part(const elman_split *split, size_t index);

/* Sizes of the parts and groups. */
typedef struct elman_split_info {
  size_t pairs[ELMAN_PARTS];  /* by elman_part */
  size_t wanted[ELMAN_PARTS]; /* requested pairs */
  size_t groups;
  size_t largest; /* pairs in the largest group */
} elman_split_info;

/* Return the sizes of `split` and of its parts. */
ELMAN_API elman_split_info elman_split_get_info(const elman_split *split);

ELMAN_END

#endif
