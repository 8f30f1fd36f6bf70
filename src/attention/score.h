/* Scores of the (projected) queries and keys of one sentence. */
#ifndef ELMAN_ATTENTION_SCORE_H
#define ELMAN_ATTENTION_SCORE_H

#include "tensor/real.h"

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

/* u_ts = α q_t·k_s */
score_forward score_product_forward;
score_backward score_product_backward;

/* u_ts = own[0]·tanh(q_t + k_s) */
score_forward score_additive_forward;
score_backward score_additive_backward;

#endif
