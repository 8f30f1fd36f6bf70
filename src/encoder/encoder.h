/* The encoder: source tokens to one state each. docs/bptt.md, equations 1 to 3 and 22 to 24. */
#ifndef ELMAN_ENCODER_ENCODER_H
#define ELMAN_ENCODER_ENCODER_H

#include "corpus/batch.h"
#include "rnn/elman.h"

/* Weights, or their gradients. */
struct encoder_parameters {
  real *embedding; /* (V_src,E) */
  struct rnn_parameters rnn;
};

struct encoder_sizes {
  size_t embedding, hidden; /* E, H */
};

/* What the forward pass leaves for the backward pass. */
struct encoder_cache {
  real *inputs; /* (S,B,E) */
  real *states; /* (S+1,B,H): e_0 .. e_S; the last block holds each sentence's last real state */
};

/* The states that attention sees: (S,B,H). */
real *encoder_outputs(const struct encoder_cache *cache, size_t batch, size_t hidden);

void encoder_forward(struct encoder_cache *cache, const struct sequence *source,
                     const struct encoder_parameters *weights, struct encoder_sizes sizes);

/* dstates (S+1,B,H) comes in with the gradients of e_0 .. e_S and is overwritten (see
 * rnn_backward), as is dinputs (S,B,E). */
void encoder_backward(const struct encoder_parameters *gradients, real *dstates, real *dinputs,
                      const struct encoder_cache *cache, const struct sequence *source,
                      const struct encoder_parameters *weights, struct encoder_sizes sizes);

#endif
