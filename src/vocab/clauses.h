/* Clause boundaries. A clause ends after punctuation: . , : ; ? ! … ‥ 、 。 in any width.
 * Punctuation of this kind, closing quotation marks and brackets that follow belong to the clause,
 * but straight quotation marks do not. Only a token that consists of this punctuation ends a
 * clause: "said," as one token does not. A character between two ASCII digits (3.5, 1,000) does not
 * end a clause. */
#ifndef ELMAN_VOCAB_CLAUSES_H
#define ELMAN_VOCAB_CLAUSES_H

#include "vocab/vocabulary.h"

/* Return the index after the last token of the clause that starts at ids[first]; first < count. The
 * ids belong to `vocabulary`; if it is NULL, the sentence is one clause. */
size_t clause_end(const uint32_t *ids, size_t count, size_t first,
                  const struct vocabulary *vocabulary);

/* Return the number of clauses. Set ends[g] to the end of clause g, unless `ends` is NULL. */
size_t clauses_of(size_t *ends, const uint32_t *ids, size_t count,
                  const struct vocabulary *vocabulary);

#endif
