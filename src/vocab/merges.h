/* The merges of byte-pair encoding, in the order in which they are applied: Sennrich, Haddow and
 * Birch, "Neural machine translation of rare words with subword units", ACL 2016.
 *
 * A merge makes one symbol of two neighbours within a word. A symbol is a string: characters of the
 * word, and behind those that end it END_OF_WORD (version 0.2 of subword-nmt's files). */
#ifndef ELMAN_VOCAB_MERGES_H
#define ELMAN_VOCAB_MERGES_H

#include "vocab/word_table.h"

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
#define MOST_MERGES 1000000

/* The number of a string, which becomes a symbol if it was none. */
elman_status merges_intern(uint32_t *symbol, struct merges *merges, struct text text,
                           elman_error *error) CHECKED;

/* Adds a merge behind the others. Neither side is empty. One that is there already (a symbol that
 * is made in two ways may meet its neighbour again) is applied with its first rank. */
elman_status merges_add(struct merges *merges, struct text left, struct text right,
                        elman_error *error) CHECKED;
elman_status merges_copy(struct merges *to, const struct merges *from, elman_error *error) CHECKED;
void merges_clear(struct merges *merges); /* keeps no memory */
void merges_free(struct merges *merges);  /* that was allocated, too; NULL is allowed */

/* Of a character that ends its word or does not; TABLE_NONE if no merge has it. */
uint32_t merges_symbol(const struct merges *merges, struct text character, bool ends);

/* Of a pair of symbols, for a table. */
static inline uint64_t symbols_hash(uint32_t left, uint32_t right) {
  uint64_t hash = ((uint64_t)left << 32 | right) * UINT64_C(0x9E3779B97F4A7C15);
  hash ^= hash >> 32; /* the low bits choose a slot: they must depend on both */
  return hash * UINT64_C(0xD6E8FEB86659FD93) >> 16;
}

/* The rank of the merge of two symbols, either of which may be TABLE_NONE; TABLE_NONE if there is
 * none. */
uint32_t merges_rank(const struct merges *merges, uint32_t left, uint32_t right);

/* The first merge that makes this symbol, or NULL. */
const struct merge *merges_origin(const struct merges *merges, uint32_t symbol);

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

#endif
