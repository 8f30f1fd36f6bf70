/* A translation as it is shown: in its tokens, or in words that they are parts of. */
#ifndef ELMAN_INSPECT_SHOWN_H
#define ELMAN_INSPECT_SHOWN_H

#include "base/arena.h"
#include "elman/attention.h"

struct shown {
  elman_translation view; /* borrows from the translation that it was made of. A side in words has
                             no ids, nor probabilities, and tokens that are words: as they stand in
                             the text, known if all their tokens are */
  bool source_words, target_words;
  struct arena groups, arena;
};

/* What a side has is grouped if its units are words, by merge_matrix; "</s>" stays apart, and a
 * token without a word goes with the one before or, at the front, with the first word, so that no
 * weight is lost. */
elman_status shown_create(struct shown *shown, const elman_translation *translation,
                          elman_alignment_units units, elman_error *error) CHECKED;
void shown_free(struct shown *shown);

#endif
