/* The n-grams of one sequence of symbols with their counts, and what other sequences share with
 * them. A tree of n-grams (the parent is the n-gram without its last symbol) kept in a hash table,
 * so that time is linear in the length. */
#ifndef ELMAN_METRIC_NGRAMS_H
#define ELMAN_METRIC_NGRAMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

/* A symbol that no counted sequence holds. */
#define SYMBOL_UNKNOWN TABLE_NONE

struct ngram {
  uint32_t parent; /* number of an n-gram, from 1; 0 = none, this is a unigram */
  uint32_t symbol;
  uint32_t count;   /* in the counted sequence */
  uint32_t seen;    /* in the sequence that is being matched */
  uint32_t matched; /* largest min(count, seen) of the sequences matched so far */
};

/* Start from all zero; memory is reused. */
struct ngrams {
  struct ngram *items;
  size_t count, capacity;
  struct table index;
};
void ngrams_free(struct ngrams *ngrams);

/* Replaces the contents by the n-grams of 1 to `orders` symbols. */
elman_status ngrams_count(struct ngrams *ngrams, const uint32_t *symbols, size_t length,
                          size_t orders, elman_error *error) CHECKED;

/* Adds to matched[n - 1] how many n-grams of n symbols find a partner in this sequence that found
 * none in those before: the sum over all calls is that of each n-gram's largest match. */
void ngrams_match(struct ngrams *ngrams, const uint32_t *symbols, size_t length, size_t orders,
                  uint32_t *matched);

/* From now on as if nothing had been matched yet. */
void ngrams_forget(struct ngrams *ngrams);

/* How many n-grams of n symbols a sequence has. */
static inline size_t ngrams_in(size_t length, size_t n) {
  return length < n ? 0 : length - n + 1;
}

#endif
