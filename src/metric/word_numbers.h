/* Words as numbers: equal words of one sentence and of those compared with it get equal numbers. */
#ifndef ELMAN_METRIC_WORD_NUMBERS_H
#define ELMAN_METRIC_WORD_NUMBERS_H

#include <stdint.h>

#include "base/table.h"
#include "vocab/tokens.h"

/* A number for each word of a sentence. Start from all zero; memory is reused. */
struct word_numbers {
  struct tokens words;
  uint32_t *numbers; /* words.count of them */
  size_t capacity;
};
void word_numbers_free(struct word_numbers *sentence);

/* Numbers the words of a sentence by where they first stand in it; `index` (all zero at first)
 * becomes that of its words. */
elman_status words_number(struct word_numbers *sentence, struct table *index,
                          elman_error *error) CHECKED;

/* Gives the words of `other` the numbers that they have in `sentence`, of which `index` is;
 * SYMBOL_UNKNOWN those that it lacks. */
elman_status words_number_as(struct word_numbers *other, const struct word_numbers *sentence,
                             const struct table *index, elman_error *error) CHECKED;

#endif
