/* The Elman layer: h_t = tanh(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh).
 * Elman, "Finding structure in time", Cognitive Science 14, 1990; weights as in PyTorch's nn.RNN.
 * docs/bptt.md, equations 2, 3, 18, 19, 22 and 23. */
#ifndef ELMAN_RNN_ELMAN_H
#define ELMAN_RNN_ELMAN_H

#include <stdbool.h>

#include "tensor/real.h"

enum { MAX_LAYERS = 8 }; /* that encoder and decoder can stack */

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
  size_t first;          /* the first of these steps, where only a part of a sentence is run */
  bool reverse;          /* from the last step to the first */
};

/* states (steps+1,batch,hidden). Forward, the caller fills block 0 with the initial state, and
 * block t+1 becomes the state after input t; in reverse, the caller fills block `steps`, and block
 * t becomes the state after input t. Past the end of a sentence its state is held: so the last
 * block written holds every sentence's last real state, and a reverse run starts at each sentence's
 * own end. */
void rnn_forward(real *states, const real *inputs /* (steps,batch,input) */,
                 const struct rnn_parameters *weights, struct rnn_shape shape);

/* The states after each input, (steps,batch,hidden), within `states` or `dstates`. */
real *rnn_outputs(real *states, struct rnn_shape shape);
/* The initial state, (batch,hidden). */
real *rnn_initial(real *states, struct rnn_shape shape);
/* The state after the last input that was run, (batch,hidden). */
real *rnn_final(real *states, struct rnn_shape shape);

/* The recurrent part of the backward pass. dstates (steps+1,batch,hidden) comes in with the
 * gradient that reaches each state from above. It goes out with dz, the gradient before the tanh,
 * in the outputs' blocks, and with the gradient of the initial state added to its block. `dh`
 * (steps,batch,hidden) gets all that reaches each state, from above and from later, before the
 * tanh; NULL = nobody asks. */
void rnn_backward_states(real *dstates, real *dh, const real *states,
                         const struct rnn_parameters *weights, struct rnn_shape shape);

/* dinputs (steps,batch,input) = beta dinputs + what the dz that rnn_backward_states left give. */
void rnn_backward_inputs(real *dinputs, real beta, const real *dstates,
                         const struct rnn_parameters *weights, struct rnn_shape shape);

/* The gradients of the weights, from the dz of all steps. */
void rnn_backward_weights(const struct rnn_parameters *gradients, const real *dstates,
                          const real *states, const real *inputs, struct rnn_shape shape);

#endif
