/* Byte-pair encoding: merge operations, splitting words into subwords, and the tokens of mode
 * `bpe`. */
#ifndef ELMAN_VOCAB_BPE_H
#define ELMAN_VOCAB_BPE_H

#include "base/random.h"
#include "vocab/vocabulary.h"

/* ---- merge operations ---- */

/* The merge operations of byte-pair encoding, in the order in which they are applied: Sennrich,
 * Haddow and Birch, "Neural machine translation of rare words with subword units", ACL 2016.
 *
 * A merge replaces two adjacent symbols of a word by one. A symbol is a string of characters of the
 * word. END_OF_WORD follows the string if the symbol ends the word, as in version 0.2 of
 * subword-nmt's files. */
#define END_OF_WORD "</w>"

struct merge {
  uint32_t left, right, result; /* numbers of symbols */
};

/* Merge operations. Several threads may read them, because they do not change after construction.
 * The caller initializes the struct to zero. */
struct merges {
  struct word_table symbols; /* all symbols; the count of a symbol is 1 + the rank of the first
                                merge that produces it, or 0 if none does */
  struct merge *items;       /* in the order of ranks */
  size_t count;
  size_t capacity;
  struct table pairs; /* finds merges by their left and right symbols */
};

/* More merges than a model file of the maximum size can contain. */
#define MAX_MERGES 1000000

/* Set *symbol to the number of a string; add it as a symbol if it is new. */
elman_status merges_intern(uint32_t *symbol, struct merges *merges, struct text text,
                           elman_error *error) CHECKED;

/* Append a merge. Neither side may be empty. A duplicate is permitted, because two merges can
 * produce equal symbols; it is applied with its first rank. */
elman_status merges_add(struct merges *merges, struct text left, struct text right,
                        elman_error *error) CHECKED;
elman_status merges_copy(struct merges *to, const struct merges *from, elman_error *error) CHECKED;
void merges_clear(struct merges *merges); /* frees all memory */
void merges_free(struct merges *merges);  /* also frees the struct itself; NULL is permitted */

/* Return the hash of a pair of symbols. */
static inline uint64_t symbols_hash(uint32_t left, uint32_t right) {
  uint64_t hash = ((uint64_t)left << 32 | right) * UINT64_C(0x9E3779B97F4A7C15);
  hash ^= hash >> 32; /* the low bits select a slot, so they must depend on both */
  return hash * UINT64_C(0xD6E8FEB86659FD93) >> 16;
}

static inline struct text merges_text(const struct merges *merges, uint32_t symbol) {
  return word_text(&merges->symbols, symbol);
}

/* Add the merge of a line "left right": two non-empty strings separated by one space. Return
 * ELMAN_BAD_DATA for any other line. */
elman_status merges_add_line(struct merges *merges, struct text line, elman_error *error) CHECKED;

/* Append merge number `rank` as a line, without a line end. */
void merges_append_line(struct buffer *into, const struct merges *merges, size_t rank);

/* Return `hash` extended by all merges in order. Equal lists of merges have equal hashes. */
uint64_t merges_hash(uint64_t hash, const struct merges *merges);

/* ---- splitting words ---- */

/* Merges that are omitted at random, so that a word is split in different ways: Provilkov,
 * Emelianenko and Voita, "BPE-dropout: simple and effective subword regularization", ACL 2020. */
struct bpe_dropout {
  double share; /* probability of omitting an applicable merge; 0 <= share < 1 */
  struct random_stream stream;
  /* Number of the next decision. Four decisions share one index of the random stream. */
  uint64_t next;
};

struct bpe_part {
  size_t end; /* byte after the end of the part, which starts at the end of the previous part */
  uint32_t symbol; /* number of the symbol in the merges, or TABLE_NONE */
};

/* Scratch memory of one thread, and the result. The caller initializes the struct to zero, and
 * always uses it with the same merges, because it caches recently split words. */
struct bpe_split {
  const struct merges *merges;
  struct bpe_cache *cache;
  struct bpe_part *parts;
  size_t count;
  size_t capacity;
  struct bpe_node *nodes;
  size_t node_capacity;
  struct bpe_queue {
    struct bpe_candidate *items;
    size_t count, capacity;
  } queue,        /* a heap */
      now, later; /* used as lists */
};

/* Split `word` as subword-nmt does. `word` must be valid UTF-8 and not empty. Each step applies the
 * merge of lowest rank at all its positions, from left to right. `dropout` may be NULL. The time is
 * O(n log n) for n characters, and O(n) for a cached word. */
elman_status bpe_split(struct bpe_split *split, const struct merges *merges, struct text word,
                       struct bpe_dropout *dropout, elman_error *error) CHECKED;
void bpe_split_free(struct bpe_split *split);

/* ---- tokens ---- */

/* Token mode `bpe`: splitting words into tokens of a vocabulary that covers all text.
 *
 * In this mode tokens_split splits the text into words, and merges split the words into parts. A
 * part is a token, with a mark if the rule for spaces requires one. A part that is not in the
 * vocabulary is divided as far as necessary: first into the two parts that were merged into it,
 * finally into characters. The vocabulary contains characters without marks, so a required mark
 * then becomes a separate token. A missing character is divided into its bytes, "<0xE4>" and so on.
 * Therefore text never becomes <unk>.
 *
 * Consecutive byte tokens of a sentence are characters of one word. A mark character in the text
 * becomes a token with an additional mark, or bytes. A token that is only a mark never represents
 * text. A token like "<0xE4>" never represents this spelling in the text, where "<" is a separate
 * word. */

/* Append the tokens that the vocabulary of these words must contain: marks, bytes, and characters
 * that occur at least `min_count` times. */
elman_status subwords_closure(struct tokens *tokens, const struct word_table *words,
                              uint64_t min_count, elman_error *error) CHECKED;

/* Return whether text can never become <unk>. */
bool subwords_are_closed(const struct vocabulary *vocabulary);

/* Merges and vocabulary for splitting words. */
struct subwords {
  const struct merges *merges;
  const struct vocabulary *vocabulary; /* NULL = accept all parts, for counting tokens */
};

/* Scratch memory of one thread. The caller initializes the struct to zero. */
struct subwords_scratch {
  struct bpe_split split;
  struct subwords_span *spans; /* stack of text that is still to be split */
  size_t span_count, span_capacity;
};

/* Replace `out` by the tokens of `words`, which tokens_split returned in mode `bpe`. `dropout` may
 * be NULL. */
elman_status subwords_split(struct tokens *out, const struct tokens *words,
                            struct subwords subwords, struct subwords_scratch *scratch,
                            struct bpe_dropout *dropout, elman_error *error) CHECKED;
void subwords_scratch_free(struct subwords_scratch *scratch);

#endif
