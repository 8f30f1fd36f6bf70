/* Building vocabularies, token modes and BPE merges from a corpus. */
#ifndef ELMAN_CORPUS_VOCABULARY_PAIR_H
#define ELMAN_CORPUS_VOCABULARY_PAIR_H

#include "corpus/pairs.h"
#include "vocab/characters.h"
#include "vocab/codec.h"

/* Options of corpus_vocabularies. Pairs that are too long are excluded. While merges are learned,
 * the length of a pair is its number of words, because its tokens are not known yet. */
struct vocabulary_options {
  elman_token_mode source_mode, target_mode;
  elman_normalization normalization; /* for both sides; see script_normalization */
  uint64_t min_count;
  size_t max_words;  /* per side; 0 = unlimited */
  size_t max_length; /* tokens per side; 0 = unlimited */
  size_t merges[2];  /* maximum number of merges per side, for mode `bpe` */
  bool copies;       /* include the tokens of noise (noise.h) */
  bool joint_merges; /* learn merges from both sides together; the limit is that of the target */
};
struct vocabulary_pair {
  elman_token_mode source_mode, target_mode; /* never automatic */
  elman_normalization source_normalization, target_normalization;
  struct vocabulary *source, *target;
  struct script_sample sample[2]; /* by side, from a sample of the lines */
  struct token_counts counts[2];  /* by side */
  struct merges *merges[2];       /* by side; NULL unless its mode is `bpe` */
};
/* Free the members and reset them. */
void vocabulary_pair_free(struct vocabulary_pair *pair);
struct codec vocabulary_pair_codec(const struct vocabulary_pair *pair, elman_side side);

/* From the pairs, determine the automatic modes and the normalization of each side
 * (script_normalization), learn merges for mode `bpe`, and build both vocabularies. */
elman_status corpus_vocabularies(struct vocabulary_pair *out, const elman_pairs *pairs,
                                 const struct vocabulary_options *options,
                                 elman_error *error) CHECKED;

#endif
