/* Word alignments in Pharaoh format: "i-j i-j ...", source word i with target word j, from 0. */
#ifndef ELMAN_CORPUS_ALIGNMENT_H
#define ELMAN_CORPUS_ALIGNMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "vocab/codec.h"
#include "vocab/locate.h"

struct word_link {
  size_t source, target;
};

/* Remove the next link from the front of `rest`. Return false at the end of the text. Also return
 * false if the text does not start with a link; `rest` is then not empty. */
bool alignment_next(struct word_link *link, struct text *rest);

/* Like alignment_next, for sides of `sources` and `targets` words. Return ELMAN_BAD_DATA for text
 * that is not a link, and for a link out of range. Set *found to false at the end. */
elman_status alignment_read(bool *found, struct word_link *link, struct text *rest, size_t sources,
                            size_t targets, elman_error *error) CHECKED;

/* Return the end of the message "N of M alignments ...", which states that N = `count` of them are
 * wrong. */
const char *alignment_mismatch(size_t count);

/* ---- links between tokens, for guided alignment ---- */

/* A link between target token `target` and source token `source`, from 0. */
struct token_link {
  uint32_t target, source;
};

/* The links of pair i are [starts[i], starts[i + 1]), sorted by target and then by source, without
 * duplicates. */
struct token_links {
  struct token_link *items;
  size_t *starts; /* (pairs + 1); NULL = no guided alignment */
  size_t capacity;
};

/* One side of an encoded pair. */
struct encoded_side {
  const struct codec *codec;
  const struct encoding *encoding;
  struct text text;
  const struct unit_lines *lines; /* of this side of the corpus */
};

/* Scratch memory for token_links_add. The caller initializes the struct to zero. */
struct token_linker {
  struct word_link *words;     /* the word links of the pair */
  size_t capacity;             /* capacity of `words` */
  size_t *places[2];           /* by side: starts and ends of the tokens */
  size_t place_counts[2];      /* capacities of `places` */
  struct word_range *units[2]; /* by side: the words of each token */
  size_t unit_counts[2];
  bool *linked; /* by source word: linked to the current target token */
  size_t linked_capacity;
};

void token_linker_free(struct token_linker *linker);

/* Append the links of pair number `pair`, which must be the next pair. If two words are linked,
 * link each token of the one word with each token of the other. A token belongs to every word that
 * it overlaps. Words are the default units of vocab/locate.h, for the lines of the corpus. Return
 * ELMAN_BAD_DATA for text that is not an alignment, and for a word out of range. */
elman_status token_links_add(struct token_links *links, size_t pair, struct token_linker *linker,
                             const struct encoded_side sides[2], struct text alignment,
                             elman_error *error) CHECKED;

#endif
