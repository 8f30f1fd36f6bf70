/* Random decisions about one pair. */
#ifndef ELMAN_CORPUS_DRAWS_H
#define ELMAN_CORPUS_DRAWS_H

#include "base/random.h"

/* Consecutive numbers of a stream. */
struct draws {
  struct random_stream stream;
  uint64_t next;
};

/* Return a number uniform in 0 .. bound-1; bound > 0. */
static inline size_t draw_below(struct draws *draws, size_t bound) {
  return (size_t)random_below(draws->stream, draws->next++, bound);
}

/* Return true with this probability. */
static inline bool draw_true(struct draws *draws, double probability) {
  return random_uniform(draws->stream, draws->next++) < probability;
}

#endif
