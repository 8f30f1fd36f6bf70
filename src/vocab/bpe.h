/* Byte-pair encoding: merge operations, the parts of a word, and the tokens of mode `bpe`. */
#ifndef ELMAN_VOCAB_BPE_H
#define ELMAN_VOCAB_BPE_H

#include "base/random.h"
#include "vocab/vocabulary.h"

/* ---- merge operations ---- */

/* The merges of byte-pair encoding, in the order in which they are applied: Sennrich, Haddow and
 * Birch, "Neural machine translation of rare words with subword units", ACL 2016.
 *
 * A merge makes one symbol of two neighbours within a word. A symbol is a string: characters of the
 * word, and END_OF_WORD after those that end it (version 0.2 of subword-nmt's files). */
#define END_OF_WORD "</w>"

struct merge {
  uint32_t left, right, result; /* symbols */
};

/* Immutable once built: may be read by several threads. Start from all zero. */
struct merges {
  struct word_table symbols; /* the count of a symbol is 1 + the first merge that makes it, or 0 */
  struct merge *items;       /* by rank */
  size_t count;
  size_t capacity;
  struct table pairs; /* merges by their left and right symbols */
};

/* More than fit a model file of the largest size. */
#define MAX_MERGES 1000000

/* The number of a string, which becomes a symbol if it was none. */
elman_status merges_intern(uint32_t *symbol, struct merges *merges, struct text text,
                           elman_error *error) CHECKED;

/* Adds a merge after the others. Neither side is empty. One that is there already (a symbol that
 * is made in two ways may meet its neighbour again) is applied with its first rank. */
elman_status merges_add(struct merges *merges, struct text left, struct text right,
                        elman_error *error) CHECKED;
elman_status merges_copy(struct merges *to, const struct merges *from, elman_error *error) CHECKED;
void merges_clear(struct merges *merges); /* keeps no memory */
void merges_free(struct merges *merges);  /* that was allocated, too; NULL is allowed */

/* Of a pair of symbols, for a table. */
static inline uint64_t symbols_hash(uint32_t left, uint32_t right) {
  uint64_t hash = ((uint64_t)left << 32 | right) * UINT64_C(0x9E3779B97F4A7C15);
  hash ^= hash >> 32; /* the low bits choose a slot: they must depend on both */
  return hash * UINT64_C(0xD6E8FEB86659FD93) >> 16;
}

static inline struct text merges_text(const struct merges *merges, uint32_t symbol) {
  return word_text(&merges->symbols, symbol);
}

/* "left right", two strings that are not empty with one space between, is a merge; anything else is
 * ELMAN_BAD_DATA. */
elman_status merges_add_line(struct merges *merges, struct text line, elman_error *error) CHECKED;

/* Appends the line of a merge, without its end. */
void merges_append_line(struct buffer *into, const struct merges *merges, size_t rank);

/* The merges and their order, for telling two lists apart. */
uint64_t merges_hash(uint64_t hash, const struct merges *merges);

/* ---- the parts of a word ---- */

/* Merges that are left out at random, so that the same word has several splittings: Provilkov,
 * Emelianenko and Voita, "BPE-dropout: simple and effective subword regularization", ACL 2020. */
struct bpe_dropout {
  double share; /* of the merges, each time that one could be applied; 0 to below 1 */
  struct random_stream stream;
  uint64_t next; /* decision, four to an index of the stream: they are numbered from 0 */
};

struct bpe_part {
  size_t end;      /* the byte of the word after it; it starts where the previous one ends */
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

/* ---- tokens ---- */

/* Token mode `bpe`: words to units of a vocabulary that lacks nothing.
 *
 * The words are those of tokens_split in this mode; merges split them into parts, and a part is a
 * token, with a mark where the rule for spaces needs one. What the vocabulary lacks becomes, as far
 * as it must, smaller: the parts that the part was merged from; at last a character, which the
 * vocabulary holds without a mark, after a token that is a mark alone where it needs one; at the
 * very last the bytes of the character, "<0xE4>" and so on. So text never becomes <unk>.
 *
 * Neighbouring byte units within a sentence are characters of one word. A literal mark in text is
 * either a unit with a mark of its own in front, or bytes: a mark alone is never text. Nor is
 * "<0xE4>", since "<" is a word for itself. */

/* Appends what the vocabulary of these words must hold: marks alone, bytes, and the characters that
 * are seen at least `min_count` times. */
elman_status subwords_closure(struct tokens *tokens, const struct word_table *words,
                              uint64_t min_count, elman_error *error) CHECKED;

/* Whether text can never become <unk>. */
bool subwords_are_closed(const struct vocabulary *vocabulary);

/* What a word is split by. */
struct subwords {
  const struct merges *merges;
  const struct vocabulary *vocabulary; /* NULL = units are not looked for, as while counting */
};

/* Scratch memory of one thread. Start from all zero. */
struct subwords_scratch {
  struct bpe_split split;
  struct subwords_span *spans; /* a stack of what is still to be split */
  size_t span_count, span_capacity;
};

/* Replaces `out` by the units of `words`, a list of tokens_split in mode `bpe`. `dropout` may be
 * NULL. */
elman_status subwords_split(struct tokens *out, const struct tokens *words,
                            struct subwords subwords, struct subwords_scratch *scratch,
                            struct bpe_dropout *dropout, elman_error *error) CHECKED;
void subwords_scratch_free(struct subwords_scratch *scratch);

#endif
