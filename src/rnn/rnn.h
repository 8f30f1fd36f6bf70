/* The embedding of tokens, and a recurrent layer: what all cells (rnn/cell.h) have in common.
 * Weights as in PyTorch's nn.RNN, nn.GRU and nn.LSTM. docs/bptt.md, (2), (3), (18), (19), (22)
 * and (23); docs/beyond.md, (29) to (33); layer normalization: (39) to (42). */
#ifndef ELMAN_RNN_RNN_H
#define ELMAN_RNN_RNN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sequence.h"
#include "rnn/cell.h"
#include "tensor/dropout.h"
#include "tensor/real.h"

/* ---- embedding: row `id` of a table ---- */

/* The tokens of a batch, and what the rows are made of. */
struct embedding_pass {
  const real *table;     /* (v,size) */
  const uint32_t *ids;   /* (steps,batch); not read past the end of a sentence */
  const size_t *lengths; /* (batch) */
  size_t batch, size;
  size_t row;         /* reals between two rows of x, at least `size` */
  const real *beside; /* (steps,batch,row - size): the rest of each row; NULL = left as it is */
  struct dropout dropout;
};

/* (1), (4) and (44). x (steps,batch,row) of these steps: columns below `size` = table[id],
 * dropped out, zero past the end of a sentence; and what is given for the rest. */
void embedding_forward(real *x, const struct embedding_pass *pass, struct range steps);

/* (20) and (24). dtable[id] += dx of these steps; a repeated word collects all its gradients.
 * dx is dropped out in place. */
void embedding_backward(real *dtable, real *dx, const struct embedding_pass *pass,
                        struct range steps);

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
  real *reached; /* (steps,batch,parts·hidden): of gradients, where they are asked for, all that
                    reaches each state, from above and from later; else NULL */
  /* Of layer normalisation; NULL without it. */
  real *normalized; /* (steps,batch,K·hidden): z before its gain; of gradients: dz as it is behind
                       the gain, which is that of the biases, too */
  real *scales;     /* (steps,batch,K): by which z was multiplied; not of gradients */
};

/* K: for each unit of a step a cell makes so many numbers. */
size_t rnn_columns(const struct rnn_cell *cell);

/* `reached`: with that array. */
void rnn_states_allocate(struct rnn_states *states, struct arena *arena, struct rnn_shape shape,
                         bool layer_norm, bool reached);

/* Sets all parts to zero. */
void rnn_states_clear(struct rnn_states states, struct rnn_shape shape);

/* A part of the initial state, (batch,hidden). */
static inline real *rnn_initial(struct rnn_states states, size_t part, struct rnn_shape shape) {
  return states.part[part] + (shape.reverse ? shape.steps : 0) * shape.batch * shape.hidden;
}

/* A part of the state after the last input that was run, (batch,hidden). */
static inline real *rnn_final(struct rnn_states states, size_t part, struct rnn_shape shape) {
  return states.part[part] + (shape.reverse ? 0 : shape.steps) * shape.batch * shape.hidden;
}

/* A batch on its way through a layer. */
struct rnn_pass {
  const struct rnn_parameters *weights;
  struct rnn_shape shape;
  struct rnn_states states;
  const real *inputs; /* (steps,batch,input) */
  /* What the layer gives to the next one, `width` columns a row, of which its own begin at
   * `column`: h, dropped out, and with a residual connection the same columns of the inputs added
   * (37). NULL: nothing but the states themselves. */
  real *outputs; /* (steps,batch,width) */
  size_t width, column;
  struct dropout dropout;
  bool residual;
};

/* The initial state = 0. */
void rnn_start(const struct rnn_pass *pass);

/* Runs these steps; in reverse, all of them. */
void rnn_forward(const struct rnn_pass *pass, struct range steps);

/* Adds the gradient of the outputs of these steps, doutputs (steps,batch,width), which is dropped
 * out in place, to that of the states. */
void rnn_backward_outputs(struct rnn_states dstates, real *doutputs, const struct rnn_pass *pass,
                          struct range steps);

/* The recurrent part of the backward pass. `dstates` comes in with the gradient that reaches each
 * state from above. It goes out with dz, the gradient before the nonlinearities, in its gates, or
 * in the outputs' blocks if it has none, and with the gradient of the state before these steps
 * added to its blocks. */
void rnn_backward_states(struct rnn_states dstates, const struct rnn_pass *pass,
                         struct range steps);

/* dinputs (steps,batch,input) of these steps = beta dinputs + what the dz that rnn_backward_states
 * left give. */
void rnn_backward_inputs(real *dinputs, real beta, struct rnn_states dstates,
                         const struct rnn_pass *pass, struct range steps);

/* The gradients of the weights, from the dz of all steps. */
void rnn_backward_weights(const struct rnn_parameters *gradients, struct rnn_states dstates,
                          const struct rnn_pass *pass);

/* Of step t of one sentence alone (batch = 1), after rnn_backward_states with `reached`. */
struct rnn_step_measures {
  double state;     /* the norm of the gradient that reaches the state, all its parts */
  double input;     /* the norm of that of what the nonlinearities are taken of */
  double saturated; /* share of the nonlinearities that are flat, 0 to 1 */
};

struct rnn_step_measures rnn_measure_step(struct rnn_states dstates, struct rnn_states states,
                                          struct rnn_shape shape, size_t t);

#endif
