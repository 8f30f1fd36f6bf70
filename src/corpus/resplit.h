/* Pairs whose words are split anew each time that they are learnt from. */
#ifndef ELMAN_CORPUS_RESPLIT_H
#define ELMAN_CORPUS_RESPLIT_H

#include "corpus/corpus.h"

/* Start from all zero but for the settings. */
struct resplit {
  /* settings */
  struct codec codecs[2]; /* by side; those without merges stay as they are */
  double share;           /* of the merges that are dropped */
  uint64_t seed;
  /* A side that would become longer than these let it stays as it was; 0 = no limit. */
  size_t max_length;
  size_t batch_tokens; /* pairs times the longest side, </s> included */
  /* scratch memory and result */
  struct encoding encodings[2]; /* by side: an encoding remembers words of one codec */
  struct corpus pairs;
  size_t *indices; /* 0, 1, ...: all pairs of the result in their order */
  size_t room;     /* pairs */
};

/* Fills resplit->pairs with pairs `indices` of a corpus. What is dropped is a function of the seed,
 * the epoch, the pair and the side alone. */
elman_status resplit_pairs(struct resplit *resplit, const struct corpus *corpus,
                           const size_t *indices, size_t count, size_t epoch,
                           elman_error *error) CHECKED;
void resplit_free(struct resplit *resplit);

#endif
