/* Self-attention as a residual sublayer over the states of an RNN: outputs = states + context, with
 * the states as queries, keys and values (Vaswani et al., NIPS 2017). docs/beyond.md, equation 44.
 */
#ifndef ELMAN_ATTENTION_SELF_ATTENTION_H
#define ELMAN_ATTENTION_SELF_ATTENTION_H

#include "attention/attention.h"

/* outputs (T,B,H) of the queries that `shape` runs, from the states (S,B,H) of all steps so far.
 * Its keys are mapped first, so each step is run once, and the earlier ones before. `cache` begins
 * at step 0. */
void self_attention_forward(real *outputs, struct attention_cache cache, const real *states,
                            const struct attention_layer *layer, struct attention_shape shape);

/* dstates (S,B,H) += what doutputs (T,B,H) of these queries sends back; the later ones before. */
void self_attention_backward(real *dstates, const struct attention_parameters *gradients,
                             struct attention_scratch scratch, const real *doutputs,
                             struct attention_cache cache, const real *states,
                             const struct attention_layer *layer, struct attention_shape shape);

/* Step by step, when translating: the keys and values of the steps so far, in rows that hypotheses
 * move between. Start from all zero. */
struct self_attention_history {
  real *keys, *values; /* (capacity,R,H); what is not mapped is the states themselves */
  real *spare;         /* (R,H): for moving rows */
  real *weights;       /* (R,N,capacity) of the running step */
  size_t *lengths;     /* (R): steps, the running one included */
  size_t steps, capacity, rows;
};
void self_attention_history_free(struct self_attention_history *history);

/* Begins anew with `rows` rows; keeps the memory if it can. */
void self_attention_history_start(struct self_attention_history *history, size_t rows);
/* Makes room for one more step. */
elman_status self_attention_history_grow(struct self_attention_history *history,
                                         struct attention_config config,
                                         elman_error *error) CHECKED;
/* Row r becomes a copy of what row from[r] was. */
void self_attention_history_move(struct self_attention_history *history,
                                 struct attention_config config, const size_t *from);

/* outputs (1,R,H) of one more step, for which there is room. Rows with active[r] = 0 are not run.
 * `cache` is that of one query. */
void self_attention_step(real *outputs, struct attention_cache cache,
                         struct self_attention_history *history, const real *states /* (R,H) */,
                         const size_t *active /* (R), 0 or 1 */,
                         const struct attention_layer *layer);

#endif
