/* Self-attention as a residual sublayer over the states of an RNN: outputs = states + context, with
 * the states as queries, keys and values (Vaswani et al., NIPS 2017). docs/beyond.md, equation 44.
 */
#ifndef ELMAN_ATTENTION_SELF_ATTENTION_H
#define ELMAN_ATTENTION_SELF_ATTENTION_H

#include "attention/attention.h"

/* Everything looks at everything. */
struct attention_shape self_attention_shape(const struct sequence *sequence);
/* The pass over these states (T,B,H). */
struct attention_pass self_attention_pass(struct attention_layer layer,
                                          const struct sequence *sequence,
                                          struct attention_cache cache, const real *states);

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
