/* Attention: queries look at keys and take a weighted mean of values. Encoder–decoder attention
 * (queries: decoder states; keys and values: encoder states) and self-attention (all three the
 * same) are made of the same pieces. docs/bptt.md, equations 6 to 8 and 15 to 17;
 * docs/beyond.md, 29 to 31, 37 to 46, 50 to 54 and 65 to 74.
 *
 *   queries, keys, values → projections → scores → mask, softmax → [dropout] → context
 *
 * A mechanism (attention/mechanism.h) chooses the projections and the score, can put something else
 * in the softmax's place, and a step before the scores and after the context; the rest is shared.
 */
#ifndef ELMAN_ATTENTION_ATTENTION_H
#define ELMAN_ATTENTION_ATTENTION_H

#include "attention/kinds.h"
#include "base/sequence.h"
#include "tensor/dropout.h"

struct attention_overrides; /* attention/mask.h */

/* Sentence b has query_lengths[b] queries and key_lengths[b] keys; what lies past them is masked:
 * it is not read, and its weights and contexts are exactly zero. Projections go over all rows,
 * though: with them, what is masked must be finite, and its dcontext zero. */
struct attention_shape {
  size_t queries, keys, batch; /* T, S, B */
  const size_t *query_lengths; /* (B) */
  const size_t *key_lengths;   /* (B), each at least 1 */
  size_t first_query;          /* where a range of the queries is run: its first */
  bool causal;                 /* query t sees the keys 0 to t only */
  const bool *clause_ends;     /* (S,B): a clause of keys ends with this one; where the
                                  configuration asks for clauses */
};

/* The same for all calls of one update. */
struct attention_layer {
  struct attention_config config;
  const struct attention_parameters *weights;
  struct dropout dropout; /* of the weights; a position has the same mask in every call */
  const struct attention_overrides *overrides; /* of the weights; NULL = none. No backward pass */
  const struct guide *guide; /* of the weights before dropout; NULL = none. See attention/guide.h */
  real guide_scale;          /* λ/M: what a query's guide loss counts in the loss */
};

/* What a forward pass makes, or its gradients. Arrays that a mechanism does not need are NULL. */
struct attention_arrays {
  real *context; /* (T,B,H), or with another size of the values (T,B,V) */
  real *weights; /* (T,B,N,S); each row sums to 1, or with a Gaussian to e⁻² to 1; of gradients:
                    dweights, then dscores */
  real *queries; /* (T,B,H), projected */
  real *keys, *values; /* (S,B,H), projected */
  real *merged;        /* (T,B,H): the heads' contexts side by side, before context_forward */
  real *own[MAX_OWN];  /* (T,B,·): the mechanism's */
  /* Of values only: */
  real *scores;  /* (T,B,N,S) before the softmax, -∞ where masked; NULL unless somebody wants to
                    see them, or weights are shares of them */
  real *dropped; /* (T,B,N,S): the weights after dropout; not used without it */
  /* Of gradients only: */
  real *shares[MAX_OWN]; /* (B,·): of the gradients that sentences share */
};

enum arrays_for {
  VALUES,
  VALUES_WITH_DROPOUT,
  GRADIENTS,
  GRADIENTS_OF_EVERY_STEP /* which keep what reaches every recurrent state */
};

/* The arrays that `config` needs; of gradients all but the context's, which is the caller's. */
void attention_allocate(struct attention_arrays *arrays, struct arena *arena,
                        struct attention_config config, struct attention_shape shape,
                        enum arrays_for purpose);

/* One call: what looks at what, and where the results go. All arrays hold all queries. */
struct attention_pass {
  struct attention_layer layer;
  struct attention_shape shape;
  struct attention_arrays cache;
  const real *queries; /* (T,B,H) */
  const real *keys;    /* (S,B,H) */
  const real *values;  /* (S,B,H), or (S,B,V) */
};

/* Projects the keys and values of these steps, once for all queries that see them. Does nothing for
 * mechanisms that do not. */
void attention_prepare(const struct attention_pass *pass, struct range keys);

/* Runs these queries; attention_shape.first_query is set here. */
void attention_forward(const struct attention_pass *pass, struct range queries);

/* Where the gradients of a pass go, with the shapes of what they are of: all are added to. Queries,
 * keys and values may be one array, but none is the context's. */
struct attention_gradients {
  real *queries, *keys, *values;
  const struct attention_parameters *weights;
  struct attention_arrays scratch;
  const real *context; /* comes in */
};

/* Must come before the first backward call of an update: the gradients of projected keys and values
 * gather there. */
void attention_clear(const struct attention_arrays *scratch, const struct attention_pass *pass);

/* The backward pass of these queries. Where keys and values are projected, their gradients stay in
 * the scratch until attention_prepare_backward. */
void attention_backward(const struct attention_gradients *d, const struct attention_pass *pass,
                        struct range queries);

/* Passes on what the scratch gathered for these keys, and for the weights of their projections. */
void attention_prepare_backward(const struct attention_gradients *d,
                                const struct attention_pass *pass, struct range keys);

/* ---- self-attention as a residual sublayer over the states of an RNN: outputs = states + context,
 * with the states as queries, keys and values (Vaswani et al., NIPS 2017). docs/beyond.md,
 * equation 44 ---- */

/* Everything looks at everything. */
struct attention_shape self_attention_shape(const struct sequence *sequence);
/* The pass over these states (T,B,H). */
struct attention_pass self_attention_pass(struct attention_layer layer,
                                          const struct sequence *sequence,
                                          struct attention_arrays cache, const real *states);

/* outputs (T,B,H) of these steps, from the states of all steps so far, which are the queries, keys
 * and values of the pass. Each step is run once, and the earlier ones before. */
void self_attention_forward(real *outputs, const struct attention_pass *pass, struct range steps);

/* From d->context, the gradients of the outputs (T,B,H), to those of the states, which are
 * d->queries, keys and values; the later steps before. */
void self_attention_backward(const struct attention_gradients *d, const struct attention_pass *pass,
                             struct range steps);

/* Step by step, when translating: the keys and values of the steps so far, in rows that hypotheses
 * move between. Start from all zero. One history serves searches of any sizes: each start fits the
 * arrays to the sizes of its own search, which no other function takes from elsewhere. */
struct self_attention_history {
  struct arena arena;
  struct attention_config config; /* of the running search, like the sizes below */
  size_t rows;                    /* R */
  size_t steps, capacity;
  real *keys, *values; /* (capacity,R,H); the states themselves where there is no projection */
  real *spare;         /* (R,H): for moving rows */
  real *weights;       /* (R,N,capacity) of the running step */
  size_t *lengths;     /* (R): steps, the running one included */
};
void self_attention_history_free(struct self_attention_history *history);

/* Begins a search with `rows` rows, and makes room for a step; keeps the memory. */
elman_status self_attention_history_start(struct self_attention_history *history,
                                          struct attention_config config, size_t rows,
                                          elman_error *error) CHECKED;
/* Makes room for one more step. */
elman_status self_attention_history_grow(struct self_attention_history *history,
                                         elman_error *error) CHECKED;
/* Row r becomes a copy of what row from[r] was. */
void self_attention_history_move(struct self_attention_history *history, const size_t *from);

/* outputs (1,R,H) of one more step, for which there is room. The pass is of one query a row, the
 * states (R,H) of the step; a row whose query length is 0 is not run. */
void self_attention_step(real *outputs, struct self_attention_history *history,
                         const struct attention_pass *pass);

#endif
