/* Sentence pairs as ids. */
#ifndef ELMAN_CORPUS_CORPUS_H
#define ELMAN_CORPUS_CORPUS_H

#include <stdint.h>

#include "corpus/token_links.h"

/* All ids of one side in one array; sentence i is [starts[i], starts[i + 1]). */
struct sentences {
  uint32_t *ids;
  size_t *starts; /* count + 1 */
  size_t count;
  size_t longest;
  size_t capacity; /* of `ids` */
};

struct corpus {
  struct sentences source;
  struct sentences target;  /* without <s> and </s> */
  struct token_links links; /* guides */
  size_t too_long;          /* pairs left out for their length */
};

/* With room for the starts of `most` pairs; the ids grow. Free it after an error, too. */
elman_status corpus_create(struct corpus *corpus, size_t most, elman_error *error) CHECKED;
/* Room for the links of as many pairs. */
elman_status corpus_create_guides(struct corpus *corpus, size_t most, elman_error *error) CHECKED;
elman_status corpus_add(struct corpus *corpus, const struct encoding *source,
                        const struct encoding *target, elman_error *error) CHECKED;

/* Adds a sentence, if there is room for its start. */
elman_status sentences_add(struct sentences *sentences, const uint32_t *ids, size_t length,
                           elman_error *error) CHECKED;

size_t sentences_unknown(const struct sentences *sentences);

/* Pairs with more than `max_length` tokens on a side are left out and counted (0 = no limit). */
elman_status corpus_encode(struct corpus *corpus, const struct pairs *pairs,
                           const struct codec *source, const struct codec *target,
                           size_t max_length, elman_error *error) CHECKED;
/* The same with the pairs' alignments as guides. A bad one is ELMAN_BAD_DATA. */
elman_status corpus_encode_guided(struct corpus *corpus, const struct pairs *pairs,
                                  const struct codec *source, const struct codec *target,
                                  size_t max_length, elman_error *error) CHECKED;
/* Pairs without a link; of a corpus without guides all. */
size_t corpus_unguided(const struct corpus *corpus);
void corpus_free(struct corpus *corpus);

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
