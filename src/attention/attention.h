/* Attention: each query computes a weighted mean of values. The weights come from the scores of the
 * query with the keys. Encoder–decoder attention and self-attention share this code. In
 * encoder–decoder attention, queries are decoder states, and keys and values are encoder states. In
 * self-attention, all three are the same states. docs/bptt.md, (6) to (8) and (15) to (17);
 * docs/mechanisms.md, (45) to (71); docs/training.md, (72).
 *
 *   queries, keys, values → projections → scores → mask, softmax → [dropout] → context
 *
 * A mechanism (attention/mechanism.h) selects the projections and the score. It can also replace
 * the softmax and add a step before the scores and after the context. All mechanisms share the
 * rest. */
#ifndef ELMAN_ATTENTION_ATTENTION_H
#define ELMAN_ATTENTION_ATTENTION_H

#include "attention/kinds.h"

enum arrays_for {
  VALUES,
  VALUES_WITH_DROPOUT,
  GRADIENTS,
  GRADIENTS_OF_EVERY_STEP /* also keep the gradient of every recurrent state */
};

/* Allocate the arrays that `config` needs. For gradients, the caller provides the array
 * `context`. */
void attention_allocate(struct attention_arrays *arrays, struct arena *arena,
                        struct attention_config config, struct attention_shape shape,
                        enum arrays_for purpose);

/* Project the keys and values of these steps. One call serves all queries. Do nothing if the
 * mechanism has no such projections. */
void attention_prepare(const struct attention_pass *pass, struct range keys);

/* Compute the weights and contexts of these queries. The caller need not set
 * attention_shape.first_query. */
void attention_forward(const struct attention_pass *pass, struct range queries);

/* Set the gradients of projected keys and values to zero. The caller must do this once per update,
 * before the first call of attention_backward. */
void attention_clear(const struct attention_arrays *scratch, const struct attention_pass *pass);

/* Run the backward pass of these queries. The gradients of projected keys and values accumulate in
 * the scratch arrays until attention_prepare_backward is called. */
void attention_backward(const struct attention_gradients *d, const struct attention_pass *pass,
                        struct range queries);

/* Propagate the accumulated gradients of the projected keys and values back through the
 * projections. Add to the gradients of these keys and values, and to the gradients of the
 * projection weights. */
void attention_prepare_backward(const struct attention_gradients *d,
                                const struct attention_pass *pass, struct range keys);

/* ---- guided alignment (Chen, Matusov, Khadivi and Peter, AMTA 2016). The loss gets an additional
 * term: the cross-entropy between a query's weights and the uniform distribution over its linked
 * keys. With several heads, the weights are the mean over the heads. docs/training.md, (74) to
 * (77). attention_backward adds the gradient. ---- */

/* Compute the guide loss of each query (T B). A query without links has loss zero. The caller must
 * first run the forward pass of all queries. */
void guide_losses(double *losses, const struct attention_pass *pass);

/* ---- self-attention as a residual sublayer over the states of an RNN: outputs = states + context,
 * with the states as queries, keys and values (Vaswani et al., NIPS 2017). docs/mechanisms.md, (51)
 * ---- */

/* Return a shape in which every step is both a query and a key. */
struct attention_shape self_attention_shape(const struct sequence *sequence);
/* Return the self-attention pass over these states (T,B,H). */
struct attention_pass self_attention_pass(struct attention_layer layer,
                                          const struct sequence *sequence,
                                          struct attention_arrays cache, const real *states);

/* Compute the outputs (T,B,H) of these steps. pass->queries, keys and values are the states of all
 * steps so far. The caller must run each step once, in order. */
void self_attention_forward(real *outputs, const struct attention_pass *pass, struct range steps);

/* Add the gradients of the states to d->queries, d->keys and d->values. On entry d->context
 * contains the gradients of the outputs (T,B,H). The caller must run later steps before earlier
 * ones. */
void self_attention_backward(const struct attention_gradients *d, const struct attention_pass *pass,
                             struct range steps);

/* Self-attention of a decoder that runs step by step. The keys and values of all earlier steps are
 * stored in rows; each hypothesis has one row, which moves with it. The caller initializes the
 * struct with zeros. One history can serve searches of different sizes:
 * self_attention_history_start stores the sizes of a search and fits the arrays to them. */
struct self_attention_history {
  struct arena arena;
  struct attention_config config; /* configuration of the current search */
  size_t rows;                    /* R */
  size_t steps, capacity;
  real *keys, *values; /* (capacity,R,H); copies of the states if there is no projection */
  real *spare;         /* (R,H): temporary memory for moving rows */
  real *weights;       /* (R,K,capacity): weights of the current step */
  size_t *lengths;     /* (R): number of steps of each row, including the current one */
};
void self_attention_history_free(struct self_attention_history *history);

/* Begin a search with `rows` rows, and make room for one step. Reuse the memory of an earlier
 * search. */
elman_status self_attention_history_start(struct self_attention_history *history,
                                          struct attention_config config, size_t rows,
                                          elman_error *error) CHECKED;
/* Make room for one more step. */
elman_status self_attention_history_grow(struct self_attention_history *history,
                                         elman_error *error) CHECKED;
/* Copy the old row from[r] to row r, for every r < n. */
void self_attention_history_move(struct self_attention_history *history, const size_t *from,
                                 size_t n);

/* Compute the outputs (1,R,H) of one more step. The caller must first call
 * self_attention_history_grow. The pass has one query per row, the state of the row in this step
 * (R,H). Rows with query length 0 are skipped. */
void self_attention_step(real *outputs, struct self_attention_history *history,
                         const struct attention_pass *pass);

#endif
