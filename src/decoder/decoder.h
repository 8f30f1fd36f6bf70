/* The decoder with attention: teacher-forced over a batch, or one step at a time (steps = 1) when
 * it translates. docs/bptt.md, equations 4 to 9 and 13 to 20. */
#ifndef ELMAN_DECODER_DECODER_H
#define ELMAN_DECODER_DECODER_H

#include "attention/attention.h"
#include "corpus/batch.h"
#include "rnn/elman.h"

/* Weights, or their gradients. */
struct decoder_parameters {
  real *embedding; /* (V_tgt,E) */
  struct rnn_parameters rnn;
  real *out_weight; /* (V_tgt,2H): its left half meets d_t, its right half c_t */
  real *out_bias;   /* (V_tgt) */
};

struct decoder_sizes {
  size_t embedding, hidden, vocabulary; /* E, H, V_tgt */
  enum attention_kind attention;
};

/* The source side as attention sees it. */
struct decoder_source {
  const real *states;    /* (S,B,H) */
  const size_t *lengths; /* (B) */
  size_t steps;          /* S */
};

/* What the forward pass leaves for the backward pass and for those who look at it. N is the number
 * of real target positions: the output layer runs on these only, packed time-major. */
struct decoder_cache {
  real *inputs;   /* (T,B,E) */
  real *states;   /* (T+1,B,H): d_0 .. d_T */
  real *context;  /* (T,B,H) */
  real *weights;  /* (T,B,S): the attention weights */
  real *features; /* (N,2H): [d_t ; c_t] */
  real *logits;   /* (N,V_tgt) */
};

/* The caller fills block 0 of cache->states with d_0. */
void decoder_forward(struct decoder_cache *cache, const struct sequence *target,
                     struct decoder_source source, const struct decoder_parameters *weights,
                     struct decoder_sizes sizes);

/* Scratch of the backward pass. */
struct decoder_gradients {
  real *inputs;   /* (T,B,E) */
  real *states;   /* (T+1,B,H); afterwards block 0 holds the gradient of d_0 */
  real *context;  /* (T,B,H) */
  real *weights;  /* (T,B,S) */
  real *features; /* (N,2H) */
};

/* Adds to the gradients of the weights and to dsource (S,B,H), the gradient of the source states.
 */
void decoder_backward(const struct decoder_parameters *gradients, real *dsource,
                      struct decoder_gradients *scratch, const real *dlogits /* (N,V_tgt) */,
                      const struct decoder_cache *cache, const struct sequence *target,
                      struct decoder_source source, const struct decoder_parameters *weights,
                      struct decoder_sizes sizes);

#endif
