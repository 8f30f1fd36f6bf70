/* Sentence pairs as ids. */
#ifndef ELMAN_CORPUS_CORPUS_H
#define ELMAN_CORPUS_CORPUS_H

#include <stdint.h>

#include "base/status.h"
#include "corpus/alignment.h"
#include "corpus/pairs.h"

/* ---- pieces of the pairs ---- */

/* The team works on several pieces at a time. Their results are collected in the order of the
 * pieces, so that the whole does not depend on the number of threads. */
enum { PAIRS_A_PIECE = 4096, PIECES_AT_ONCE = 32 };

/* Does pairs [first, first + count) in the place of this number, below PIECES_AT_ONCE; in threads,
 * each with a place of its own. */
typedef elman_status piece_function(void *context, size_t place, size_t first, size_t count,
                                    elman_error *error);

/* Collects the result in a place; called in the order of the pieces. */
typedef elman_status piece_collector(void *context, size_t place, elman_error *error);

/* All of `pairs` pairs. Gives the error of the first piece that has one. */
elman_status pieces_run(size_t pairs, piece_function *run, piece_collector *collect, void *context,
                        elman_error *error) CHECKED;

/* The work of so many pairs, for a team (base/team.h). */
double pieces_work(size_t pairs);

/* ---- pairs as ids ---- */

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
  const struct vocabulary *source_words; /* to find where clauses end, borrowed; or NULL */
  size_t too_long;                       /* pairs left out for their length */
};

/* With room for the starts of `most` pairs; the ids grow. Free it after an error, too. */
elman_status corpus_create(struct corpus *corpus, size_t most, elman_error *error) CHECKED;

/* Room for the links of as many pairs. */
elman_status corpus_create_guides(struct corpus *corpus, size_t most, elman_error *error) CHECKED;
elman_status corpus_add(struct corpus *corpus, const struct encoding *source,
                        const struct encoding *target, elman_error *error) CHECKED;

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

/* ---- words split again ---- */

/* Pairs whose words are split differently in each epoch. Starts from all zero but for the settings.
 */
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

/* Fills resplit->pairs with pairs `indices` of a corpus. The dropped merges depend on the seed, the
 * epoch, the pair and the side alone. */
elman_status resplit_pairs(struct resplit *resplit, const struct corpus *corpus,
                           const size_t *indices, size_t count, size_t epoch,
                           elman_error *error) CHECKED;
void resplit_free(struct resplit *resplit);

#endif
