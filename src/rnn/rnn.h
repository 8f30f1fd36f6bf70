/* The embedding of tokens, and a recurrent layer: what all cells (rnn/cell.h) have in common.
 * Weights as in PyTorch's nn.RNN, nn.GRU and nn.LSTM. docs/bptt.md, equations 2, 3, 18, 19, 22 and
 * 23; docs/beyond.md, 59 to 63; layer normalisation: 83 to 85. */
#ifndef ELMAN_RNN_RNN_H
#define ELMAN_RNN_RNN_H

#include <stdbool.h>
#include <stdint.h>

#include "rnn/cell.h"
#include "tensor/dropout.h"
#include "tensor/real.h"

/* ---- embedding: row `id` of a table ---- */

/* Which part of a sentence is looked up, and where the rows go. */
struct embedding_shape {
  size_t steps, batch, size;
  const size_t *lengths; /* (batch) */
  size_t first;          /* the first of these steps */
  size_t row;            /* reals between two rows of x, at least `size` */
};

/* Equations 1 and 4. x (steps,batch) rows of `size` = table[id], dropped out; zero past the end of
 * a sentence, where `ids` is not read. */
void embedding_forward(real *x, const real *table /* (v,size) */,
                       const uint32_t *ids /* (steps,batch) */, struct dropout dropout,
                       struct embedding_shape shape);

/* Equations 20 and 24. dtable[id] += dx; a repeated word collects all its gradients. dx is dropped
 * out in place. */
void embedding_backward(real *dtable, real *dx, const uint32_t *ids, struct dropout dropout,
                        struct embedding_shape shape);

/* ---- a recurrent layer ---- */

enum { MAX_LAYERS = 8 }; /* that encoder and decoder can stack */

/* Weights, or their gradients. G gates lie one below the other. */
struct rnn_parameters {
  real *weight_ih; /* (G·hidden,input) */
  real *weight_hh; /* (G·hidden,hidden) */
  real *bias_ih;   /* (G·hidden) */
  real *bias_hh;   /* (G·hidden) */
  real *gain;      /* (K·hidden): of layer normalisation; NULL without it */
};

struct rnn_shape {
  const struct rnn_cell *cell;
  size_t steps, batch, input, hidden;
  const size_t *lengths; /* (batch): real steps of each sentence */
  size_t first;          /* the first of these steps, where only a part of a sentence is run */
  bool reverse;          /* from the last step to the first */
};

/* States, or their gradients, and what each step keeps or has to go through.
 *
 * Forward, the caller fills block 0 of each part with the initial state, and block t+1 becomes the
 * state after input t; in reverse, the caller fills block `steps`, and block t becomes the state
 * after input t. Past the end of a sentence its state is held: so the last block written holds
 * every sentence's last real state, and a reverse run starts at each sentence's own end. */
struct rnn_states {
  real
      *part[MAX_STATE_PARTS]; /* (steps+1,batch,hidden); 0 is h, the others are NULL if not there */
  real *gates;                /* (steps,batch,K·hidden); NULL for a cell that keeps none */
  real *reached; /* (steps,batch,parts·hidden): of gradients, where somebody asks for them, all that
                    reaches each state, from above and from later; else NULL */
  /* Of layer normalisation; NULL without it. */
  real *normalized; /* (steps,batch,K·hidden): z before its gain; of gradients: dz as it is behind
                       the gain, which is that of the biases, too */
  real *scales;     /* (steps,batch,K): by which z was multiplied; not of gradients */
};

/* K: for each unit of a step a cell makes so many numbers. */
size_t rnn_columns(const struct rnn_cell *cell);

/* Without `reached`, which the second adds. */
void rnn_states_take(struct rnn_states *states, struct arena *arena, const struct rnn_cell *cell,
                     bool layer_norm, size_t steps, size_t batch, size_t hidden);
void rnn_reached_take(struct rnn_states *states, struct arena *arena, const struct rnn_cell *cell,
                      size_t steps, size_t batch, size_t hidden);

/* The same from step t on, for a run that has the rest. */
struct rnn_states rnn_states_from(struct rnn_states states, struct rnn_shape shape, size_t t);

/* Sets all parts to zero. */
void rnn_states_clear(struct rnn_states states, struct rnn_shape shape);
void rnn_forward(struct rnn_states states, const real *inputs /* (steps,batch,input) */,
                 const struct rnn_parameters *weights, struct rnn_shape shape);

/* h after each input, (steps,batch,hidden), within the states or their gradients. */
real *rnn_outputs(struct rnn_states states, struct rnn_shape shape);

/* A part of the initial state, (batch,hidden). */
real *rnn_initial(struct rnn_states states, size_t part, struct rnn_shape shape);

/* A part of the state after the last input that was run, (batch,hidden). */
real *rnn_final(struct rnn_states states, size_t part, struct rnn_shape shape);

/* The recurrent part of the backward pass. `dstates` comes in with the gradient that reaches each
 * state from above. It goes out with dz, the gradient before the nonlinearities, in its gates, or
 * in the outputs' blocks if it has none, and with the gradient of the initial state added to its
 * blocks. */
void rnn_backward_states(struct rnn_states dstates, struct rnn_states states,
                         const struct rnn_parameters *weights, struct rnn_shape shape);

/* dinputs (steps,batch,input) = beta dinputs + what the dz that rnn_backward_states left give. */
void rnn_backward_inputs(real *dinputs, real beta, struct rnn_states dstates,
                         const struct rnn_parameters *weights, struct rnn_shape shape);

/* The gradients of the weights, from the dz of all steps. */
void rnn_backward_weights(const struct rnn_parameters *gradients, struct rnn_states dstates,
                          struct rnn_states states, const real *inputs, struct rnn_shape shape);

/* Of step t of one sentence alone (batch = 1), after rnn_backward_states with `reached`. */
struct rnn_step_measures {
  double state;     /* the norm of the gradient that reaches the state, all its parts */
  double input;     /* the norm of that of what the nonlinearities are taken of */
  double saturated; /* share of the nonlinearities that are flat, 0 to 1 */
};

struct rnn_step_measures rnn_measure_step(struct rnn_states dstates, struct rnn_states states,
                                          struct rnn_shape shape, size_t t);

#endif
