/* A word to its parts by byte-pair encoding. */
#ifndef ELMAN_VOCAB_BPE_H
#define ELMAN_VOCAB_BPE_H

#include "base/random.h"
#include "vocab/merges.h"

/* Merges that are left out at random, so that the same word has several splittings: Provilkov,
 * Emelianenko and Voita, "BPE-dropout: simple and effective subword regularization", ACL 2020. */
struct bpe_dropout {
  double share; /* of the merges, each time that one could be applied; 0 to below 1 */
  struct random_stream stream;
  uint64_t next; /* decision, four to an index of the stream: they are numbered from 0 */
};

struct bpe_part {
  size_t end;      /* byte of the word behind it; it starts where the one before ends */
  uint32_t symbol; /* of the merges, or TABLE_NONE */
};

/* Scratch memory of one thread, and the result. Start from all zero. It serves one list of merges:
 * the words that were split lately are remembered with their parts. */
struct bpe_split {
  const struct merges *merges;
  struct bpe_memory *remembered;
  struct bpe_part *parts;
  size_t count;
  size_t capacity;
  struct bpe_node *nodes;
  size_t node_capacity;
  struct bpe_queue {
    struct bpe_candidate *items;
    size_t count, capacity;
  } queue,        /* a heap */
      now, later; /* lists */
};

/* Splits `word`, which is valid UTF-8 and not empty, as subword-nmt does: at each step the merge of
 * the lowest rank that can be applied is applied wherever it can be, from left to right. `dropout`
 * may be NULL. The time grows with n log n of the characters, and with n of a word that is
 * remembered. */
elman_status bpe_split(struct bpe_split *split, const struct merges *merges, struct text word,
                       struct bpe_dropout *dropout, elman_error *error) CHECKED;
void bpe_split_free(struct bpe_split *split);

#endif
