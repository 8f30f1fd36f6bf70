/* Learning the merge operations of byte-pair encoding from counted words. */
#ifndef ELMAN_VOCAB_BPE_LEARN_H
#define ELMAN_VOCAB_BPE_LEARN_H

#include "vocab/bpe.h"

/* Minimum count of a pair: a pair that occurs once does not generalize to other words. */
enum { LEAST_PAIR_COUNT = 2 };

/* Learn at most `most` merges from words that are valid UTF-8 and not empty. Each step merges the
 * most frequent pair of adjacent symbols; among equally frequent pairs, the one whose strings are
 * largest by code points. Stop early when no pair occurs LEAST_PAIR_COUNT times. The merges are
 * equal to those of subword-nmt's learn-bpe. `merges` must be empty. */
elman_status bpe_learn(struct merges *merges, const struct word_table *words, size_t most,
                       elman_error *error) CHECKED;

#endif
