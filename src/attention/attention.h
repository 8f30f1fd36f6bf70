/* Encoder–decoder attention: which source states a target state looks at.
 * Bahdanau et al., ICLR 2015; dot scores: Luong et al., EMNLP 2015; the scale 1/√d: Vaswani et al.,
 * NIPS 2017. docs/bptt.md, equations 6 to 8 and 15 to 17. */
#ifndef ELMAN_ATTENTION_ATTENTION_H
#define ELMAN_ATTENTION_ATTENTION_H

#include <stdbool.h>

#include "tensor/real.h"

enum attention_kind {
  ATTENTION_DOT,   /* score = d·e */
  ATTENTION_SCALED /* score = d·e / √H */
};

/* "dot", "scaled"; NULL past the last kind, so that all can be listed. */
const char *attention_name(enum attention_kind kind);
/* False if there is no such kind. */
bool attention_parse(enum attention_kind *kind, const char *name);

/* Sentence b has query_lengths[b] queries and key_lengths[b] keys; what lies past them is masked:
 * it is not read, and its weights and contexts are exactly zero. */
struct attention_shape {
  size_t queries, keys, batch, size; /* T, S, B, H */
  const size_t *query_lengths;       /* (B) */
  const size_t *key_lengths;         /* (B), each at least 1 */
};

/* context (T,B,H), weights (T,B,S); each row of weights sums to 1. */
void attention_forward(real *context, real *weights, const real *queries /* (T,B,H) */,
                       const real *keys /* (S,B,H) */, const real *values /* (S,B,H) */,
                       enum attention_kind kind, struct attention_shape shape);

/* Adds to dqueries, dkeys and dvalues; dkeys and dvalues may be the same array, as keys and values
 * may. scratch (T,B,S) is overwritten: it holds dweights, then dscores. */
void attention_backward(real *dqueries, real *dkeys, real *dvalues, real *scratch,
                        const real *dcontext /* (T,B,H) */, const real *weights,
                        const real *queries, const real *keys, const real *values,
                        enum attention_kind kind, struct attention_shape shape);

#endif
