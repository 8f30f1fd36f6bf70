/* The vocabularies of a corpus, its token modes and its merges. */
#ifndef ELMAN_CORPUS_VOCABULARY_PAIR_H
#define ELMAN_CORPUS_VOCABULARY_PAIR_H

#include "corpus/pairs.h"
#include "vocab/characters.h"
#include "vocab/codec.h"

/* Finds from the pairs what ELMAN_TOKENS_AUTO and ELMAN_NFKC become on either side, learns merges
 * where the mode is `bpe`, and builds both vocabularies. Pairs that are too long have no part in
 * this, as far as that is known: merges are learnt from pairs whose words are few enough. */
struct vocabulary_options {
  elman_token_mode source_mode, target_mode;
  elman_normalization normalization; /* of both sides; see script_normalization */
  uint64_t min_count;
  size_t max_words;  /* a side; 0 = no limit */
  size_t max_length; /* tokens on a side; 0 = no limit */
  size_t merges[2];  /* at most, by side, of mode `bpe` */
  bool joint_merges; /* learnt from both sides together, as many as are for the target */
};
struct vocabulary_pair {
  elman_token_mode source_mode, target_mode; /* never ELMAN_TOKENS_AUTO */
  elman_normalization source_normalization, target_normalization;
  struct vocabulary *source, *target;
  struct script_sample sample[2]; /* by side; of a sample of the lines */
  struct merges *merges[2];       /* by side; NULL unless its mode is `bpe` */
};
/* Frees what they own and forgets it. */
void vocabulary_pair_free(struct vocabulary_pair *pair);
struct codec vocabulary_pair_codec(const struct vocabulary_pair *pair, elman_side side);

elman_status corpus_vocabularies(struct vocabulary_pair *out, const struct pairs *pairs,
                                 const struct vocabulary_options *options,
                                 elman_error *error) CHECKED;

#endif
