/* Where the clauses of a sentence end: after punctuation that ends one (Unicode's
 * Terminal_Punctuation, of these scripts), all that follows it of this kind, and what closes
 * quotations and brackets there; straight quotation marks do not. A token ends a clause if it holds
 * nothing else: "said," as one token ends none. A sign between two ASCII digits (3.5, 1,000) ends
 * none. */
#ifndef ELMAN_VOCAB_CLAUSES_H
#define ELMAN_VOCAB_CLAUSES_H

#include "vocab/vocabulary.h"

/* The token after the last of the clause that begins with ids[first], which is there. Words are
 * those of the vocabulary; without one (NULL) the sentence is one clause. */
size_t clause_end(const uint32_t *ids, size_t count, size_t first,
                  const struct vocabulary *vocabulary);

/* How many clauses they are; ends[g] is the end of clause g, unless `ends` is NULL. */
size_t clauses_of(size_t *ends, const uint32_t *ids, size_t count,
                  const struct vocabulary *vocabulary);

#endif
