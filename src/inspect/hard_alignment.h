/* Which source word belongs to which target word, read off the attention. */
#ifndef ELMAN_INSPECT_HARD_ALIGNMENT_H
#define ELMAN_INSPECT_HARD_ALIGNMENT_H

#include "inspect/word_matrix.h"

enum alignment_kind {
  ALIGNMENT_ARGMAX,       /* each target word with the source word that it looked at most */
  ALIGNMENT_THRESHOLD,    /* every weight from the threshold up */
  ALIGNMENT_INTERSECTION, /* argmax, where that source word was looked at most by this target word
                           */
  ALIGNMENT_KINDS
};

/* "argmax", "threshold", "intersection"; NULL for any other value. */
const char *alignment_kind_name(enum alignment_kind kind);

struct alignment_rule {
  enum alignment_kind kind;
  double threshold; /* looked at by ALIGNMENT_THRESHOLD only; weights of 0 are never links */
  enum alignment_units units;
};

bool words_linked(const struct word_matrix *matrix, struct alignment_rule rule, size_t source,
                  size_t target);

#endif
