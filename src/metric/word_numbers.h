/* Words as numbers: equal words of one sentence and of those compared with it get equal numbers. */
#ifndef ELMAN_METRIC_WORD_NUMBERS_H
#define ELMAN_METRIC_WORD_NUMBERS_H

#include <stdint.h>

#include "vocab/tokens.h"

/* A number for each word of a sentence. Start from all zero; memory is reused. */
struct word_numbers {
  struct tokens words;
  uint32_t *numbers; /* words.count of them */
  size_t capacity;
};
void word_numbers_free(struct word_numbers *sentence);

/* Finds words. Start from all zero. */
struct word_index {
  uint32_t *slots; /* 1 + position of the word's first occurrence, 0 = free; at most half taken */
  size_t slot_count, slot_capacity;
};
void word_index_free(struct word_index *index);

/* Fills the index with sentence->words and sets their numbers. */
elman_status word_index_build(struct word_index *index, struct word_numbers *sentence,
                              elman_error *error) CHECKED;

/* Sets the numbers of `other` from an index that was built from `sentence`; SYMBOL_UNKNOWN for
 * words that `sentence` lacks. */
elman_status word_index_apply(const struct word_index *index, const struct word_numbers *sentence,
                              struct word_numbers *other, elman_error *error) CHECKED;

#endif
