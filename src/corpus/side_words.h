/* Words by side: which words of a corpus occur in the source and which in the target. They show in
 * which language a text is if both languages have the same script. */
#ifndef ELMAN_CORPUS_SIDE_WORDS_H
#define ELMAN_CORPUS_SIDE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "base/text.h"

struct side_word {
  uint64_t hash;
  uint32_t counts[2]; /* by side */
};

/* The caller initializes the struct to zero. */
struct side_words {
  struct table table;
  struct side_word *words;
  size_t count, capacity;
  uint64_t totals[2]; /* by side */
};

void side_words_free(struct side_words *words);

/* Find the end of the word at or after byte *start. Set *start to its beginning, and *hash to a
 * hash that ignores the case of ASCII letters. Return 0 if there is no further word. A word is a
 * run of letters, marks and digits; in scripts without spaces it is one character. */
size_t side_word_next(uint64_t *hash, struct text text, size_t *start);

/* Count the words of a pair, indexed by elman_side. */
elman_status side_words_add(struct side_words *words, const struct text sides[2],
                            elman_error *error) CHECKED;

/* Move the counts of the words of a pair to the other side. The pair must have been added. */
void side_words_flip(struct side_words *words, const struct text sides[2]);

/* Return whether nearly all occurrences of frequent words are on the side where their word is more
 * frequent. This is true for two languages, and false for two texts in one language. */
bool side_words_are_separate(const struct side_words *words);

/* Words of a text: their number, and how much more likely they are in the source than in the
 * target, as the logarithm of the ratio. */
struct language_evidence {
  size_t words;
  double for_source;
};

/* Judge both sides of a pair. Do not count the words of the pair itself, so that a pair that was
 * added is not evidence for itself. */
void side_words_judge(struct language_evidence evidence[2], const struct side_words *words,
                      const struct text sides[2]);

#endif
