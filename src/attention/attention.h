/* Attention: queries look at keys and take a weighted mean of values. Encoder–decoder attention
 * (queries: decoder states; keys and values: encoder states) and self-attention (all three the
 * same) are made of the same pieces. docs/bptt.md, (6) to (8) and (15) to (17);
 * docs/mechanisms.md, (45) to (71); docs/training.md, (72).
 *
 *   queries, keys, values → projections → scores → mask, softmax → [dropout] → context
 *
 * A mechanism (attention/mechanism.h) chooses the projections and the score, can put something else
 * in the softmax's place, and a step before the scores and after the context; the rest is shared.
 */
#ifndef ELMAN_ATTENTION_ATTENTION_H
#define ELMAN_ATTENTION_ATTENTION_H

#include "attention/kinds.h"

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

/* Projects the keys and values of these steps, once for all queries that see them. Does nothing for
 * mechanisms that do not. */
void attention_prepare(const struct attention_pass *pass, struct range keys);

/* Runs these queries; attention_shape.first_query is set here. */
void attention_forward(const struct attention_pass *pass, struct range queries);

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

/* ---- guided alignment (Chen, Matusov, Khadivi and Peter, AMTA 2016): a query's weights learn to
 * be like a given distribution over the keys, the uniform one over those that it is linked with.
 * The loss is the cross-entropy between the two; of several heads, of the mean of their weights.
 * docs/training.md, (74) to (77). attention_backward adds its gradient. ---- */

/* losses (T B): of queries without links, zero. After the forward pass of all queries. */
void guide_losses(double *losses, const struct attention_pass *pass);

/* ---- self-attention as a residual sublayer over the states of an RNN: outputs = states + context,
 * with the states as queries, keys and values (Vaswani et al., NIPS 2017). docs/mechanisms.md, (51)
 * ---- */

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
  real *weights;       /* (R,K,capacity) of the running step */
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
