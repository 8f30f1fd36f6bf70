/* Counter-based random numbers. Each number depends only on its position and not on earlier draws.
 * Therefore any part of a run can be repeated separately and in any order. Philox4x32-10: Salmon et
 * al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */
#ifndef ELMAN_BASE_RANDOM_H
#define ELMAN_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Each purpose has its own stream. */
enum random_purpose {
  RANDOM_INITIAL_WEIGHTS = 1,
  RANDOM_EPOCH_ORDER = 2,
  RANDOM_RESAMPLES = 3,
  RANDOM_DROPOUT = 4,
  RANDOM_OVERRIDE = 5,
  RANDOM_GRADIENT_CHECK = 6,
  RANDOM_SUBWORDS = 7,
  RANDOM_SAMPLE = 8,
  RANDOM_AUGMENTATION = 9,
  RANDOM_COPIED_NUMBERS = 10
};

struct random_stream {
  uint64_t seed;
  uint32_t purpose;
  uint32_t which; /* number of one tensor, epoch, resample, ... of that purpose */
};

/* Fill `words` with 128 random bits for `index`. */
void random_words(uint32_t words[4], struct random_stream stream, uint64_t index);
/* Return a number uniform in [0, 1). */
double random_uniform(struct random_stream stream, uint64_t index);
double random_normal(struct random_stream stream, uint64_t index);
/* Return an integer uniform in 0 .. bound-1; bound > 0. */
uint64_t random_below(struct random_stream stream, uint64_t index, uint64_t bound);

/* Fill `words` like random_words for `count` <= RANDOM_MANY indices, starting with `first`. If
 * `count` is RANDOM_MANY, the loops are vectorized. */
enum { RANDOM_MANY = 32 };
void random_many(uint32_t *words /* (count,4) */, struct random_stream stream, uint64_t first,
                 size_t count);

#endif
