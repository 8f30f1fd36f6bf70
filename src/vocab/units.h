/* The units that word alignments count: the words of a text, or its tokens where it has no words.
 */
#ifndef ELMAN_VOCAB_UNITS_H
#define ELMAN_VOCAB_UNITS_H

#include "elman/attention.h"
#include "vocab/locate.h"

/* Whether the units of a text are its tokens: by default those of Han without spaces. */
bool units_are_tokens(struct text text, elman_alignment_units units);

/* A text with the places of its tokens. */
struct unit_side {
  struct text text;
  const size_t *starts, *ends; /* of its tokens */
  size_t tokens;
  bool by_tokens; /* units_are_tokens */
};

size_t units_count(const struct unit_side *side);

/* units[i] = those that token i lies in, as locate_words has it. */
void units_locate(struct word_range *units, const struct unit_side *side);

#endif
