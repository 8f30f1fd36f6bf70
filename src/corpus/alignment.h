/* Word alignments in Pharaoh form: "i-j i-j ...", source word i with target word j, from 0. */
#ifndef ELMAN_CORPUS_ALIGNMENT_H
#define ELMAN_CORPUS_ALIGNMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "vocab/codec.h"
#include "vocab/locate.h"

struct link {
  size_t source, target;
};

/* Reads the next link and removes it from the front of `rest`. False at the end, and at something
 * that is not a link: then `rest` is not empty. */
bool alignment_next(struct link *link, struct text *rest);

/* The same between so many source and target words: a link of words that are not there, and what is
 * no link, are ELMAN_BAD_DATA. *found is false at the end. */
elman_status alignment_read(bool *found, struct link *link, struct text *rest, size_t sources,
                            size_t targets, elman_error *error) CHECKED;

/* Makes j-i of each i-j, in place, up to what is no link. */
void alignment_reverse(char *bytes, size_t length);

/* ---- links between tokens: the guides of attention ---- */

/* Token `target` of the target side with token `source` of the source side, from 0. */
struct token_link {
  uint32_t target, source;
};

/* The links of pair i are [starts[i], starts[i + 1]): each once, by target and then by source. */
struct token_links {
  struct token_link *items;
  size_t *starts; /* pairs + 1; NULL = no guides */
  size_t capacity;
};

/* A side of a pair that was encoded. */
struct encoded_side {
  const struct codec *codec;
  const struct encoding *encoding;
  struct text text;
};

/* Scratch of a reader. Start from all zero. */
struct token_linker {
  struct link *words;          /* of the pair */
  size_t capacity;             /* of `words` */
  size_t *places[2];           /* by side: starts and ends of the tokens */
  size_t place_counts[2];      /* room for so many */
  struct word_range *units[2]; /* by side and token */
  size_t unit_counts[2];
  bool *linked; /* by source word */
  size_t linked_capacity;
};

void token_linker_free(struct token_linker *linker);

/* Adds the links of a pair, the next after `pair` others: every token of a linked word with every
 * token of the other one. A token belongs to each word that it has a part of. Words are units as
 * vocab/locate.h counts them by default. An alignment that is none, or of a word that is not there,
 * is ELMAN_BAD_DATA. */
elman_status token_links_add(struct token_links *links, size_t pair, struct token_linker *linker,
                             const struct encoded_side sides[2], struct text alignment,
                             elman_error *error) CHECKED;

#endif
