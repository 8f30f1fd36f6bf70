/* Word alignments in Pharaoh form: "i-j i-j ...", source word i with target word j, from 0. */
#ifndef ELMAN_CORPUS_ALIGNMENT_H
#define ELMAN_CORPUS_ALIGNMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

struct link {
  size_t source, target;
};

/* Takes the next link off the front of `rest`. False at the end, and at something that is not a
 * link: then `rest` is not empty. */
bool alignment_next(struct link *link, struct text *rest);

/* The same between so many source and target words: a link of words that are not there, and what is
 * no link, are ELMAN_BAD_DATA. *found is false at the end. */
elman_status alignment_read(bool *found, struct link *link, struct text *rest, size_t sources,
                            size_t targets, elman_error *error) CHECKED;

/* Makes j-i of each i-j, in place, up to what is no link. */
void alignment_turn(char *bytes, size_t length);

#endif
