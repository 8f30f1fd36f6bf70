/* Encoder–decoder attention: which source states a target state looks at. docs/bptt.md, equations 6
 * to 8, 15 to 17 and 29 to 31.
 *
 * A mechanism gives a score to each pair of a query and a key; everything after the scores (mask,
 * softmax, context) is shared. Queries and keys may first pass through linear maps. */
#ifndef ELMAN_ATTENTION_ATTENTION_H
#define ELMAN_ATTENTION_ATTENTION_H

#include <stdbool.h>

#include "tensor/real.h"

enum attention_kind {
  ATTENTION_DOT,     /* d·e (Luong et al., EMNLP 2015) */
  ATTENTION_SCALED,  /* d·e / √H (Vaswani et al., NIPS 2017) */
  ATTENTION_GENERAL, /* (W d)·e (Luong et al.) */
  ATTENTION_ADDITIVE /* v·tanh(W_q d + b + W_k e) (Bahdanau et al., ICLR 2015) */
};

/* The name as it is used in options and files; NULL past the last kind. */
const char *attention_name(enum attention_kind kind);
/* False if there is no such kind. */
bool attention_parse(enum attention_kind *kind, const char *name);

/* Weights, or their gradients. What a mechanism does not have is NULL. */
struct attention_parameters {
  real *query_weight; /* (H,H) */
  real *query_bias;   /* (H) */
  real *key_weight;   /* (H,H) */
  real *score_weight; /* (H): v */
};

/* Which of them a mechanism has. */
struct attention_needs {
  bool query_weight, query_bias, key_weight, score_weight;
};
struct attention_needs attention_needs(enum attention_kind kind);

/* Sentence b has query_lengths[b] queries and key_lengths[b] keys; what lies past them is masked:
 * it is not read, and its weights and contexts are exactly zero. */
struct attention_shape {
  size_t queries, keys, batch, size; /* T, S, B, H */
  const size_t *query_lengths;       /* (B) */
  const size_t *key_lengths;         /* (B), each at least 1 */
  size_t first_query;                /* where only a part of the queries is run: their first */
};

/* What the forward pass leaves. Arrays that a mechanism does not need are NULL. */
struct attention_cache {
  real *context; /* (T,B,H) */
  real *weights; /* (T,B,S); each row sums to 1 */
  real *queries; /* (T,B,H): W_q d + b */
  real *keys;    /* (S,B,H): W_k e */
};

/* The cache of the queries from `first` on. */
struct attention_cache attention_cache_from(struct attention_cache cache, size_t first,
                                            struct attention_shape shape);

/* Maps the keys, once for all queries. Does nothing for mechanisms that do not map them. */
void attention_prepare(struct attention_cache cache, const real *keys /* (S,B,H) */,
                       const struct attention_parameters *weights, enum attention_kind kind,
                       struct attention_shape shape);

void attention_forward(struct attention_cache cache, const real *queries /* (T,B,H) */,
                       const real *keys, const real *values /* (S,B,H) */,
                       const struct attention_parameters *weights, enum attention_kind kind,
                       struct attention_shape shape);

/* Scratch of the backward pass, with the shapes of the cache's arrays. */
struct attention_scratch {
  real *weights;       /* (T,B,S): dweights, then dscores */
  real *queries;       /* (T,B,H): gradient of the mapped queries */
  real *keys;          /* (S,B,H): gradient of the mapped keys; zero before the first call */
  real *score_weights; /* (B,H): each sentence's share of dv */
};

/* Adds to dqueries, dkeys, dvalues and the gradients of the weights; dkeys and dvalues may be the
 * same array, as keys and values may. Where keys are mapped, their gradient stays in scratch.keys
 * until attention_prepare_backward. */
void attention_backward(real *dqueries, real *dkeys, real *dvalues,
                        const struct attention_parameters *gradients,
                        struct attention_scratch scratch, const real *dcontext /* (T,B,H) */,
                        struct attention_cache cache, const real *queries, const real *keys,
                        const real *values, const struct attention_parameters *weights,
                        enum attention_kind kind, struct attention_shape shape);

/* Adds what scratch.keys gathered to dkeys (S,B,H) and to the gradient of key_weight. */
void attention_prepare_backward(real *dkeys, const struct attention_parameters *gradients,
                                struct attention_scratch scratch, const real *keys,
                                const struct attention_parameters *weights,
                                enum attention_kind kind, struct attention_shape shape);

#endif
