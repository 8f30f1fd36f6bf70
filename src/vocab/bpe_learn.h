/* Learning the merges of byte-pair encoding from counted words. */
#ifndef ELMAN_VOCAB_BPE_LEARN_H
#define ELMAN_VOCAB_BPE_LEARN_H

#include "vocab/bpe.h"

/* A pair that is seen once says nothing of other words. */
enum { LEAST_PAIR_COUNT = 2 };

/* Learns at most `most` merges from words that are valid UTF-8 and not empty: at each step the pair
 * of neighbours that is seen most often, of equal ones that whose strings are larger by code
 * points. It ends early where none is seen LEAST_PAIR_COUNT times. The merges are those of
 * subword-nmt's learn-bpe. `merges` is empty. */
elman_status bpe_learn(struct merges *merges, const struct word_table *words, size_t most,
                       elman_error *error) CHECKED;

#endif
