/* The Elman layer: h_t = tanh(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh).
 * Elman, "Finding structure in time", Cognitive Science 14, 1990; weights as in PyTorch's nn.RNN.
 * docs/bptt.md, equations 2, 3, 18, 19, 22 and 23. */
#ifndef ELMAN_RNN_ELMAN_H
#define ELMAN_RNN_ELMAN_H

#include "tensor/real.h"

/* Weights, or their gradients. */
struct rnn_parameters {
  real *weight_ih; /* (hidden,input) */
  real *weight_hh; /* (hidden,hidden) */
  real *bias_ih;   /* (hidden) */
  real *bias_hh;   /* (hidden) */
};

struct rnn_shape {
  size_t steps, batch, input, hidden;
  const size_t *lengths; /* (batch): real steps of each sentence */
};

/* states (steps+1,batch,hidden): the caller fills block 0 with the initial state; block t+1 becomes
 * the state after input t. Past the end of a sentence its state is held, so the last block holds
 * every sentence's last real state. */
void rnn_forward(real *states, const real *inputs /* (steps,batch,input) */,
                 const struct rnn_parameters *weights, struct rnn_shape shape);

/* dstates (steps+1,batch,hidden) comes in with the gradient that reaches each state from above.
 * It goes out with dz, the gradient before the tanh, in blocks 1 .. steps, and with the gradient of
 * the initial state added to block 0. dinputs (steps,batch,input) is overwritten. */
void rnn_backward(real *dinputs, const struct rnn_parameters *gradients, real *dstates,
                  const real *states, const real *inputs, const struct rnn_parameters *weights,
                  struct rnn_shape shape);

#endif
