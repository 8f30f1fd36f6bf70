/* Splitting a corpus into parts without leaks. */
#ifndef ELMAN_SPLIT_H
#define ELMAN_SPLIT_H

#include "elman/pairs.h"

ELMAN_BEGIN

/* The parts of a corpus. */
typedef enum elman_part { ELMAN_PART_TRAIN, ELMAN_PART_DEV, ELMAN_PART_TEST } elman_part;
/* How many there are. */
#define ELMAN_PARTS 3

/* "train", "dev", "test"; NULL for any other value. */
ELMAN_API const char *elman_part_name(elman_part part);

/* How large a part shall be, as a number of pairs or as a share. */
typedef struct elman_part_size {
  size_t pairs;
  double share; /* of all pairs, 0 to 1, in place of `pairs`; at least one pair if it is above 0 */
} elman_part_size;

typedef struct elman_split_options {
  elman_part_size dev, test; /* default a share of 0.05 each; training has the rest */
  uint64_t seed;             /* default 1 */
} elman_split_options;

ELMAN_API elman_split_options elman_split_options_default(void);

typedef struct elman_split elman_split; /* which part each pair goes to */

/* Pairs that share a side, but for case, width, punctuation or white space, form a group, and a
 * group lies whole in one part. The smallest groups go to dev and test, which may get less than
 * they shall when no group fits. ELMAN_INVALID_ARGUMENT when nothing is left to train on;
 * ELMAN_BAD_DATA when dev or test would stay empty. */
ELMAN_CHECKED elman_status elman_split_create(elman_split **split, const elman_pairs *pairs,
                                              const elman_split_options *options,
                                              elman_error *error);
ELMAN_API void elman_split_free(elman_split *split);

/* index < the number of pairs */
ELMAN_API elman_part elman_split_part(const elman_split *split, size_t index);

/* How large the parts are, and the groups that they are put together from. */
typedef struct elman_split_info {
  size_t pairs[ELMAN_PARTS];  /* by elman_part */
  size_t wanted[ELMAN_PARTS]; /* what was asked for */
  size_t groups;
  size_t largest; /* pairs in the largest group */
} elman_split_info;

/* Of all parts. */
ELMAN_API elman_split_info elman_split_get_info(const elman_split *split);

ELMAN_END

#endif
