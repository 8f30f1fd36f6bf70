/* Which source word belongs to which target word, read off the attention. */
#ifndef ELMAN_INSPECT_HARD_ALIGNMENT_H
#define ELMAN_INSPECT_HARD_ALIGNMENT_H

#include "elman/attention.h"
#include "inspect/word_matrix.h"

/* "argmax", "threshold", "intersection"; NULL for any other value. */
const char *alignment_kind_name(elman_alignment_rule kind);

struct alignment_rule {
  elman_alignment_rule kind;
  double threshold; /* looked at by ELMAN_ALIGNMENT_THRESHOLD only; weights of 0 are never links */
  elman_alignment_units units;
};

bool words_linked(const struct word_matrix *matrix, struct alignment_rule rule, size_t source,
                  size_t target);

#endif
