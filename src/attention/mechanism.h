/* The interface of a mechanism. It has a row in ATTENTION_MECHANISMS (attention/kinds.h) and a file
 * mechanism_NAME.c, which defines attention_NAME; no other file asks which one it is. */
#ifndef ELMAN_ATTENTION_MECHANISM_H
#define ELMAN_ATTENTION_MECHANISM_H

#include "attention/mask.h"

/* ---- scores of the (projected) queries and keys of one sentence ---- */

/* Rows of time-major arrays lie `step` reals apart. */
struct score_input {
  size_t queries, keys, size; /* T_b, S_b, H */
  const real *q;              /* T_b rows of H */
  const real *k;              /* S_b rows of H */
  size_t vector_step;         /* between rows of q, and of k */
  size_t score_step;          /* between rows of scores */
  real scale;                 /* α */
  real *const *own;           /* the mechanism's own weights, in the order of its list */
};

/* u (T_b,S_b), overwritten */
typedef void score_forward(real *u, const struct score_input *input);
/* Adds to dq, dk and, of the mechanism's own weights, to those whose gradients sentences share. */
typedef void score_backward(real *dq, real *dk, real *const *down, const real *du,
                            const struct score_input *input);

/* ---- the loss of a guide (74), where something else stands in the softmax's place ---- */

/* A query in one head, and the keys that it is linked with. */
struct guided {
  const struct attention_row *row;
  const uint32_t *keys;
  size_t count;
  size_t head;
  real scale; /* λ / (N_ξ count): what -log of the weight of one key counts in the loss */
};

/* Gradient of the loss with respect to the logarithm of this head's weight of the i-th of the keys:
 * -scale, or of several heads this one's share of it.                                 (76) */
real guided_pull(const struct guided *guided, size_t i);

/* The logarithm of a key's weight in head n, from the scores, so that it is finite where the weight
 * itself is too small for a number. The position of the row counts from the pass's first query. */
typedef double guided_log(const struct attention_row *row, size_t n, size_t key);
/* The usual one, of the softmax over what is visible. */
guided_log guided_log_of_softmax;

/* log Σ exp, one number after the other. Starts from all zero. */
struct log_sum {
  double largest, sum;
};
void log_sum_add(struct log_sum *log_sum, double x);
double log_sum_of(const struct log_sum *log_sum);
/* Adds to dscores (S), and to what else weights are made of in the scratch. */
typedef void guided_backward(real *dscores, const struct guided *guided,
                             const struct attention_arrays *scratch);

/* The usual one, of the softmax. */
guided_backward guided_softmax_backward;

/* Adds what the guide's loss gives to the scores of a query in head n: dscores (S). */
void guide_backward(real *dscores, const struct attention_row *row, size_t n,
                    const struct attention_arrays *scratch);

/* ---- the interface ---- */

/* How many: 1, H or, of arrays only, S. */
enum attention_extent { NONE, ONE, SIZE, KEYS };

/* A weight of its own. `by_sentence`: its gradient is made where sentences run side by side, each
 * of which adds to a share. */
struct attention_own_weight {
  const char *name;                    /* NULL past the last */
  enum attention_extent rows, columns; /* of a vector: NONE columns */
  bool by_sentence;
};

/* (H,H), (1,H) and (H), whose gradients sentences do not share. */
#define OWN_MATRIX(text)                                                                           \
  { .name = (text), .rows = SIZE, .columns = SIZE }
#define OWN_ROW(text)                                                                              \
  { .name = (text), .rows = ONE, .columns = SIZE }
#define OWN_VECTOR(text)                                                                           \
  { .name = (text), .rows = SIZE }

/* Flags: which projections there are. */
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
  /* Arrays (T,B,SIZE), (T,B,ONE) or (T,B,KEYS) of its own, in the cache and again in the scratch;
   * NONE past the last. */
  enum attention_extent arrays[MAX_OWN];

  /* In the translator, where nothing is said: K, or 0 if there is one head only; D, or 0 if there
   * is no window. */
  size_t heads, window;
  bool one_head; /* with plain matrices, too */
  bool scaled;   /* α is 1 over the root of a head's size, else 1 */
  bool no_scale; /* no α */
  bool segments; /* D is the length of segments, whose weights are worth showing */
  bool sentinel; /* what the weights of a row lack to 1 is a sentinel's: attention_has_sentinel */

  score_forward *score;
  score_backward *score_backward;

  /* The hooks may be NULL. What of the pass's arrays depends on the query starts with the first
   * that is run. */

  /* Before the sentences are run, and after they have been run backward. */
  void (*queries_forward)(const struct attention_pass *pass);
  void (*queries_backward)(const struct attention_gradients *d, const struct attention_pass *pass);
  /* Instead of the softmax (attention/mask.h). */
  weigh_forward *weigh;
  weigh_backward *weigh_backward;
  /* Of a guide's loss, where something else stands in the softmax's place: the logarithm of a
   * weight that has vanished, and the gradient. */
  guided_log *guided_log;
  guided_backward *guided_backward;
  /* From cache.merged to cache.context; from d->context to scratch.merged. */
  void (*context_forward)(const struct attention_pass *pass);
  void (*context_backward)(const struct attention_gradients *d, const struct attention_pass *pass);
};

const struct attention_mechanism *attention_mechanism(enum attention_kind kind);

/* ---- what several mechanisms share ---- */

/* u_ts = α q_t·k_s */
score_forward score_product_forward;
score_backward score_product_backward;

/* u_ts = own[0]·tanh(q_t + k_s) */
score_forward score_additive_forward;
score_backward score_additive_backward;

/* A prediction: numbers that a query gives by a small network of one tanh layer: φ_t = tanh(W d_t),
 * and z_t = ω·φ_t for each of them; docs/mechanisms.md, (52) and (56). */

/* Where its parts stand among the mechanism's own weights and arrays: W and φ first, then an ω (a
 * row) and a z for each number. */
enum { PREDICTION_STATES, PREDICTIONS };

/* From the queries to φ and the z of `count` numbers, which the mechanism may then change. */
void prediction_forward(const struct attention_pass *pass, size_t count);

/* From the dz in the scratch to the gradients of the queries and of all weights, added. Those of
 * queries past a sentence's end are not looked at. */
void prediction_backward(const struct attention_gradients *d, const struct attention_pass *pass,
                         size_t count);

#endif
