/* Words that the model's vocabulary lacks, collected to be named to the user. Start from all zero.
 */
#ifndef ELMAN_CLI_UNKNOWN_WORDS_H
#define ELMAN_CLI_UNKNOWN_WORDS_H

#include "elman.h"

enum { UNKNOWN_NAMED = 8, UNKNOWN_SIZE = 64 };

struct unknown_words {
  size_t tokens, unknown; /* seen so far */
  size_t named;           /* the first different ones, long ones cut */
  char names[UNKNOWN_NAMED][UNKNOWN_SIZE];
};

void unknown_words_add(struct unknown_words *words, const elman_translation *translation);

/* Of a translation that was forced: what the decoder was made to say. */
void unknown_words_add_target(struct unknown_words *words, const elman_translation *translation);

/* Adds what was collected from sentences that come later. */
void unknown_words_merge(struct unknown_words *words, const struct unknown_words *later);

/* One line on standard error, or none if there were no unknown words. */
void unknown_words_note(const struct unknown_words *words, const elman_model *model,
                        elman_side side);

#endif
