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
  struct sentences target;               /* without <s> and </s> */
  struct token_links links;              /* guides */
  const struct vocabulary *source_words; /* what tells where clauses end, borrowed; NULL = nothing
                                            does */
  size_t too_long;                       /* pairs left out for their length */
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

/* Of sentence `index`, in tokens. */
size_t sentences_length(const struct sentences *sentences, size_t index);
size_t sentences_unknown(const struct sentences *sentences);

struct encoding_options {
  size_t max_length;      /* pairs with more tokens on a side are left out and counted; 0 = none */
  bool guided;            /* with the pairs' alignments as guides; a bad one is ELMAN_BAD_DATA */
  struct pairs *consumed; /* the pairs, when their text may be given back on the way, or NULL */
};
elman_status corpus_encode(struct corpus *corpus, const struct pairs *pairs,
                           const struct codec *source, const struct codec *target,
                           const struct encoding_options *options, elman_error *error) CHECKED;
/* Pairs without a link; of a corpus without guides all. */
size_t corpus_unguided(const struct corpus *corpus);
void corpus_free(struct corpus *corpus);

#endif
