/* The text of sentence pairs, in blocks that can be given back from the front: while the pairs are
 * made ids, one after the other, what is done with makes room for what it became. */
#ifndef ELMAN_CORPUS_PAIR_TEXT_H
#define ELMAN_CORPUS_PAIR_TEXT_H

#include "base/status.h"
#include "base/text.h"

struct pair_text_block;

/* Start from all zero. */
struct pair_text {
  struct pair_text_block *blocks;
  size_t count, capacity;
  size_t given_back; /* blocks */
  size_t pairs;
};

/* Copies the fields of the next pair, one behind the other, each with a NUL behind it. The copy
 * stays where it is until it is given back. */
elman_status pair_text_add(const char **copy, struct pair_text *text, const struct text *fields,
                           size_t count, elman_error *error) CHECKED;

/* Frees what only pairs before this one need. */
void pair_text_give_back(struct pair_text *text, size_t before);
void pair_text_free(struct pair_text *text);

#endif
