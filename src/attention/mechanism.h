/* The interface of a mechanism. Each mechanism has a row in ATTENTION_MECHANISMS
 * (attention/kinds.h) and a file mechanism_NAME.c, which defines attention_NAME. No other file
 * depends on the kind. */
#ifndef ELMAN_ATTENTION_MECHANISM_H
#define ELMAN_ATTENTION_MECHANISM_H

#include "attention/mask.h"
#include "tensor/linear.h"

/* ---- scores of the queries and keys of one sentence, after projections ---- */

/* The input of a score function. Rows of time-major arrays are `..._step` elements apart. */
struct score_input {
  size_t queries, keys, size; /* T_b, S_b, H */
  const real *q;              /* T_b rows of H */
  const real *k;              /* S_b rows of H */
  size_t vector_step;         /* distance between rows of q, and between rows of k */
  size_t score_step;          /* distance between rows of scores */
  real scale;                 /* α */
  const struct numerics *numerics;
  real *const *own; /* the mechanism's own weights, in the order of attention_mechanism.own */
};

/* Compute the scores u (T_b,S_b). */
typedef void score_forward(real *u, const struct score_input *input);
/* Add the gradients of queries and keys to dq and dk. Add the gradients of own weights with
 * `by_sentence` to `down`. */
typedef void score_backward(real *dq, real *dk, real *const *down, const real *du,
                            const struct score_input *input);

/* ---- the guide loss (74) of mechanisms that replace the softmax ---- */

/* A query in one head and the keys linked to it. */
struct guided {
  const struct attention_row *row;
  const uint32_t *keys;
  size_t count;
  size_t head;
  real scale; /* λ / (N_ξ count): factor of -log(weight) of each linked key in the loss */
};

/* Return the gradient of the loss with respect to log a, where a is this head's weight of keys[i].
 * With one head it is -scale; with several heads it is this head's fraction of -scale. (76) */
real guided_pull(const struct guided *guided, size_t i);

/* Return the logarithm of a key's weight in head n. Compute it from the scores, so that it is
 * finite even if the weight underflows. row->position counts from the first query of the pass. */
typedef double guided_log(const struct attention_row *row, size_t n, size_t key);
/* Default function, for weights that are the softmax over the visible keys. */
guided_log guided_log_of_softmax;

/* A running log Σ exp, which begins with all fields zero. */
struct log_sum {
  double largest, sum;
};
void log_sum_add(struct log_sum *log_sum, double x);
double log_sum_of(const struct log_sum *log_sum);
/* Add the gradient of the guide loss to dscores (S) and to the mechanism's own arrays in the
 * scratch. */
typedef void guided_backward(real *dscores, const struct guided *guided,
                             const struct attention_arrays *scratch);

/* Default function, for weights that are the softmax over the visible keys. */
guided_backward guided_softmax_backward;

/* Compute the gradient of a query's guide loss in head n, and add it to dscores (S). */
void guide_backward(real *dscores, const struct attention_row *row, size_t n,
                    const struct attention_arrays *scratch);

/* ---- the interface ---- */

/* Extents: NONE is 0, ONE is 1, SIZE is H. KEYS is S and occurs only in arrays. */
enum attention_extent { NONE, ONE, SIZE, KEYS };

/* One of the mechanism's own weights. Threads run sentences in parallel, so with `by_sentence` each
 * sentence has its own copy of the gradient. */
struct attention_own_weight {
  const char *name;                    /* NULL after the last */
  enum attention_extent rows, columns; /* for a vector, columns = NONE */
  bool by_sentence;
};

/* Own weights of shape (H,H), (1,H) and (H), whose gradients have no copies per sentence. */
#define OWN_MATRIX(text)                                                                           \
  { .name = (text), .rows = SIZE, .columns = SIZE }
#define OWN_ROW(text)                                                                              \
  { .name = (text), .rows = ONE, .columns = SIZE }
#define OWN_VECTOR(text)                                                                           \
  { .name = (text), .rows = SIZE }

/* Flags that select the projections. */
enum {
  PROJECT_QUERIES = 1 << QUERY_WEIGHT,
  PROJECT_QUERIES_BIASED = PROJECT_QUERIES | 1 << QUERY_BIAS,
  PROJECT_KEYS = 1 << KEY_WEIGHT,
  PROJECT_VALUES = 1 << VALUE_WEIGHT,
  PROJECT_ALL_BIASED =
      PROJECT_QUERIES_BIASED | PROJECT_KEYS | 1 << KEY_BIAS | PROJECT_VALUES | 1 << VALUE_BIAS
};

struct attention_mechanism {
  unsigned projections;
  struct attention_own_weight own[MAX_OWN];
  /* Own arrays, in the cache and in the scratch: (T,B,H) for SIZE, (T,B,1) for ONE, (T,B,S) for
   * KEYS; NONE after the last. */
  enum attention_extent arrays[MAX_OWN];

  /* Defaults in the translator. `heads` is 0 if the translator allows only one head; `window` is 0
   * if the mechanism has no window. */
  size_t heads, window;
  bool one_head; /* attention on plain matrices has one head, too */
  bool scaled;   /* the default of α is 1 over the square root of a head's size; if false, 1 */
  bool no_scale; /* the score has no α */
  bool segments; /* D is the length of a segment; the weights of segments are exported */
  bool sentinel; /* a sentinel receives the rest of a row's weights: attention_has_sentinel */

  score_forward *score;
  score_backward *score_backward;

  /* The following functions may be NULL. Arrays of queries begin with the first query of the
   * range. */

  /* The first function is called before the first sentence is computed. The second is called after
   * the backward pass of all sentences. */
  void (*queries_forward)(const struct attention_pass *pass);
  void (*queries_backward)(const struct attention_gradients *d, const struct attention_pass *pass);
  /* These functions replace the softmax. Their types are in attention/mask.h. */
  weigh_forward *weigh;
  weigh_backward *weigh_backward;
  /* Required for guided alignment if `weigh` is set: the logarithm of a weight, which may have
   * underflowed, and the gradient of the guide loss. */
  guided_log *guided_log;
  guided_backward *guided_backward;
  /* Map cache.merged to cache.context, and d->context to scratch.merged. */
  void (*context_forward)(const struct attention_pass *pass);
  void (*context_backward)(const struct attention_gradients *d, const struct attention_pass *pass);
};

const struct attention_mechanism *attention_mechanism(enum attention_kind kind);

/* ---- shared by several mechanisms ---- */

/* Return the number of rows of queries of the pass. */
static inline size_t attention_rows(const struct attention_pass *pass) {
  return pass->shape.queries * pass->shape.batch;
}

/* Return the linear map (H,H) with the weight of this index, and with the bias that follows the
 * weight if `biased`. */
struct linear attention_map(const struct attention_pass *pass, size_t weight, bool biased);

/* Run the backward pass of attention_map: compute dx = beta dx + dy W from dy, and add to the
 * gradients of weight and bias. */
void attention_map_backward(const struct attention_gradients *d, real *dx, real beta,
                            const real *dy, const real *x, const struct attention_pass *pass,
                            size_t weight, bool biased);

/* u_ts = α q_t·k_s */
score_forward score_product_forward;
score_backward score_product_backward;

/* u_ts = own[0]·tanh(q_t + k_s) */
score_forward score_additive_forward;
score_backward score_additive_backward;

/* A prediction derives scalars from a query with one tanh layer: φ_t = tanh(W d_t), and z_t = ω·φ_t
 * for each scalar; docs/mechanisms.md, (52) and (56). */

/* Indices of own weights and own arrays. Weights: W, then one row ω per scalar. Arrays: φ, then one
 * z per scalar. */
enum { PREDICTION_STATES, PREDICTIONS };

/* Compute φ, and z for each of `count` scalars. The mechanism may then transform each z. */
void prediction_forward(const struct attention_pass *pass, size_t count);

/* Accumulate the gradients of the queries and of all weights. On entry the scratch contains dz.
 * Queries after the end of a sentence are ignored. */
void prediction_backward(const struct attention_gradients *d, const struct attention_pass *pass,
                         size_t count);

#endif
