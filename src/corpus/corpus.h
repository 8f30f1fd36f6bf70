/* Sentence pairs encoded as ids. */
#ifndef ELMAN_CORPUS_CORPUS_H
#define ELMAN_CORPUS_CORPUS_H

#include <stdint.h>

#include "base/status.h"
#include "corpus/alignment.h"
#include "corpus/pairs.h"

/* ---- processing pairs in pieces ---- */

/* The team processes several pieces of pairs at a time. Results are collected in the order of the
 * pieces, so that they do not depend on the number of threads. */
enum { PAIRS_A_PIECE = 4096, PIECES_AT_ONCE = 32 };

/* Process pairs [first, first + count). `place` < PIECES_AT_ONCE is the slot for the result;
 * concurrent calls have different slots. */
typedef elman_status piece_function(void *context, size_t place, size_t first, size_t count,
                                    elman_error *error);

/* Collect the result of a slot. pieces_run calls this function in the order of the pieces. */
typedef elman_status piece_collector(void *context, size_t place, elman_error *error);

/* Process all pairs. Return the error of the first piece that fails. */
elman_status pieces_run(size_t pairs, piece_function *run, piece_collector *collect, void *context,
                        elman_error *error) CHECKED;

/* Return the estimated work for `pairs` pairs (base/team.h). */
double pieces_work(size_t pairs);

/* ---- pairs as ids ---- */

/* The ids of one side in one array; sentence i is [starts[i], starts[i + 1]). */
struct sentences {
  uint32_t *ids;
  size_t *starts; /* (count + 1) */
  size_t count;
  size_t longest;
  size_t capacity; /* capacity of `ids` */
};

/* The normalized texts of one side. Text i is [starts[i], starts[i + 1]). */
struct sentence_texts {
  struct buffer bytes;
  size_t *starts; /* (count + 1); NULL without texts */
};

struct corpus {
  struct sentences source;
  struct sentences target;               /* without <s> and </s> */
  struct token_links links;              /* for guided alignment */
  struct sentence_texts texts[2];        /* by side; empty unless encoding_options keeps them */
  const struct vocabulary *source_words; /* borrowed, for finding clause ends; or NULL */
  size_t marked;                         /* pairs whose source ends with a mark (vocab/marks.h) */
  size_t too_long;                       /* pairs skipped because of their length */
  size_t unaligned;                      /* pairs skipped because of a bad alignment */
  elman_error first_unaligned;           /* problem of the first bad alignment */
};

/* Allocate the starts for up to `most` pairs; the arrays of ids grow later. The caller must call
 * corpus_free, also after an error. */
elman_status corpus_create(struct corpus *corpus, size_t most, elman_error *error) CHECKED;

/* Allocate the starts of the links for up to `most` pairs. */
elman_status corpus_create_guides(struct corpus *corpus, size_t most, elman_error *error) CHECKED;

/* Allocate the starts of the texts for up to `most` pairs. */
elman_status corpus_create_texts(struct corpus *corpus, size_t most, elman_error *error) CHECKED;
elman_status corpus_add(struct corpus *corpus, const struct encoding *source,
                        const struct encoding *target, elman_error *error) CHECKED;

/* Return the length of sentence `index` in tokens. */
size_t sentences_length(const struct sentences *sentences, size_t index);
size_t sentences_unknown(const struct sentences *sentences);

/* Append a sentence, or all sentences of `more`; the array of starts must be large enough. */
elman_status sentences_add(struct sentences *sentences, const uint32_t *ids, size_t length,
                           elman_error *error) CHECKED;
elman_status sentences_append(struct sentences *sentences, const struct sentences *more,
                              elman_error *error) CHECKED;
void sentences_clear(struct sentences *sentences); /* keeps the memory */

/* Return the text of a pair of a corpus that keeps texts. */
struct text corpus_text(const struct corpus *corpus, elman_side side, size_t index);

struct encoding_options {
  /* Maximum tokens on a side; longer pairs are skipped and counted; 0 = unlimited. */
  size_t max_length;
  /* Read the alignments of the pairs for guided alignment. A bad alignment is ELMAN_BAD_DATA if the
   * pairs are strict or most alignments are bad; otherwise its pair is skipped and counted. */
  bool guided;
  bool keeps_texts;      /* keep the texts that were split into tokens */
  elman_pairs *consumed; /* pairs whose text may be freed as soon as it is encoded; or NULL */
};

elman_status corpus_encode(struct corpus *corpus, const elman_pairs *pairs,
                           const struct codec *source, const struct codec *target,
                           const struct encoding_options *options, elman_error *error) CHECKED;

/* Return the number of pairs without a link: all pairs if there is no guided alignment. */
size_t corpus_unguided(const struct corpus *corpus);
void corpus_free(struct corpus *corpus);

/* ---- BPE dropout ---- */

/* Pairs whose words are split differently in each epoch (BPE dropout). The caller initializes the
 * struct to zero, except the settings. */
struct resplit {
  /* settings */
  struct codec codecs[2]; /* by side; a side without merges is not changed */
  double share;           /* proportion of merges that are dropped */
  uint64_t seed;
  /* A side that would exceed these limits keeps its original split; 0 = unlimited. */
  size_t max_length;
  size_t batch_tokens; /* maximum product of the number of pairs and the length of the longest side,
                          </s> included */
  /* scratch memory and result */
  struct encoding encodings[2]; /* by side, because an encoding caches the words of one codec */
  struct corpus pairs;
  size_t *indices; /* 0, 1, ...: selects all pairs of the result in order */
  size_t room;     /* capacity in pairs */
};

/* Fill resplit->pairs with the pairs `indices` of a corpus. The dropped merges depend only on seed,
 * epoch, pair and side. */
elman_status resplit_pairs(struct resplit *resplit, const struct corpus *corpus,
                           const size_t *indices, size_t count, size_t epoch,
                           elman_error *error) CHECKED;
void resplit_free(struct resplit *resplit);

#endif
