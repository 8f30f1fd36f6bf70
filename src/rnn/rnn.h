/* The embedding of tokens, and a recurrent layer with the parts that all cells (rnn/cell.h) share.
 * Weights are laid out as in PyTorch's nn.RNN, nn.GRU and nn.LSTM. docs/bptt.md, (2), (3), (18),
 * (19), (22) and (23); docs/beyond.md, (29) to (33); layer normalization: (39) to (42). */
#ifndef ELMAN_RNN_RNN_H
#define ELMAN_RNN_RNN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sequence.h"
#include "rnn/cell.h"
#include "tensor/dropout.h"
#include "tensor/real.h"

/* ---- embedding: row `id` of a table ---- */

/* The tokens of a batch, and the table of their embeddings. */
struct embedding_pass {
  const real *table;     /* (v,size) */
  const uint32_t *ids;   /* (steps,batch); not read after the end of a sentence */
  const size_t *lengths; /* (batch) */
  size_t batch, size;
  size_t row;         /* number of reals from one row of x to the next, at least `size` */
  const real *beside; /* (steps,batch,row - size): values of the other columns of each row; NULL =
                         leave them unchanged */
  struct dropout dropout;
  bool in_eight_bits; /* round each row as in tensor/eight_bits.h */
};

/* Set the rows of x (steps,batch,row) that belong to these steps. The columns below `size` become
 * table[id] with dropout, or zero after the end of a sentence. The other columns become `beside`.
 * (1), (4), (44) */
void embedding_forward(real *x, const struct embedding_pass *pass, struct range steps);

/* Add the gradient dx of these steps to the rows of dtable: dtable[id] += dx. The gradients of a
 * repeated word add up. Apply dropout to dx in place. (20), (24) */
void embedding_backward(real *dtable, real *dx, const struct embedding_pass *pass,
                        struct range steps);

/* ---- a recurrent layer ---- */

enum { MAX_LAYERS = 8 }; /* maximum number of layers in the encoder, and in the decoder */

/* Weights of a layer, or their gradients. The G gates are stacked as rows. */
struct rnn_parameters {
  real *weight_ih; /* (G·hidden,input) */
  real *weight_hh; /* (G·hidden,hidden) */
  real *bias_ih;   /* (G·hidden) */
  real *bias_hh;   /* (G·hidden) */
  real *gain;      /* (K·hidden): gains of layer normalization; NULL without it */
  const struct numerics *numerics;
};

struct rnn_shape {
  const struct rnn_cell *cell;
  size_t steps, batch, input, hidden;
  const size_t *lengths; /* (batch): number of real steps of each sentence */
  bool reverse;          /* run from the last step to the first */
};

/* States, or their gradients, and the values that each step keeps.
 *
 * A forward run starts from block 0 of each part, which the caller fills with the initial state;
 * block t+1 becomes the state after input t. A reverse run starts from block `steps`; block t
 * becomes the state after input t. After the end of a sentence its state is copied unchanged.
 * Therefore the last block written contains the last real state of every sentence, and a reverse
 * run effectively starts at the end of each sentence. */
struct rnn_states {
  real *part[MAX_STATE_PARTS]; /* (steps+1,batch,hidden); part 0 is h; missing parts are NULL */
  real *gates;                 /* (steps,batch,K·hidden); NULL for a cell that keeps nothing */
  real *reached; /* (steps,batch,parts·hidden): the complete gradient of each state, from the layer
                    above and from later steps; NULL except in gradients, on request */
  /* Arrays of layer normalization; NULL without it. */
  real *normalized; /* (steps,batch,K·hidden): z before the gain. In gradients: dz after the gain,
                       which is also the gradient of the biases */
  real *scales; /* (steps,batch,K): the factor by which z was multiplied; not used in gradients */
  /* W_hhᵀ, packed at the first step; in gradients W_hh, packed at the last step. NULL = multiply
   * with OpenBLAS. */
  real *panels;
};

/* Return K, the number of values that the cell computes for each unit of a step. */
size_t rnn_columns(const struct rnn_cell *cell);

/* Allocate the arrays. Allocate `reached` only if requested. Allocate `panels` only if they make
 * the steps faster in these numerics (NULL = multiply without panels). */
void rnn_states_allocate(struct rnn_states *states, struct arena *arena, struct rnn_shape shape,
                         bool layer_norm, bool reached, const struct numerics *packed);

/* Set all parts to zero. */
void rnn_states_clear(struct rnn_states states, struct rnn_shape shape);

/* Return a part of the initial state, (batch,hidden). */
static inline real *rnn_initial(struct rnn_states states, size_t part, struct rnn_shape shape) {
  return states.part[part] + (shape.reverse ? shape.steps : 0) * shape.batch * shape.hidden;
}

/* Return a part of the state after the last input processed, (batch,hidden). */
static inline real *rnn_final(struct rnn_states states, size_t part, struct rnn_shape shape) {
  return states.part[part] + (shape.reverse ? 0 : shape.steps) * shape.batch * shape.hidden;
}

/* A pass of a layer over a batch. */
struct rnn_pass {
  const struct rnn_parameters *weights;
  struct rnn_shape shape;
  struct rnn_states states;
  const real *inputs; /* (steps,batch,input) */
  /* The output of the layer. Its columns begin at `column` in rows of `width` and contain h with
   * dropout; a residual connection adds the same columns of the inputs (37). NULL = compute only
   * the states. */
  real *outputs; /* (steps,batch,width) */
  size_t width, column;
  struct dropout dropout;
  bool residual;
};

/* Set the initial state to 0. */
void rnn_start(const struct rnn_pass *pass);

/* Run these steps. A reverse layer must run all steps in one call. */
void rnn_forward(const struct rnn_pass *pass, struct range steps);

/* Add doutputs (steps,batch,width), the gradient of the outputs of these steps, to the gradient of
 * the states. Apply dropout to doutputs in place. */
void rnn_backward_outputs(struct rnn_states dstates, real *doutputs, const struct rnn_pass *pass,
                          struct range steps);

/* Propagate gradients through the recurrence. On entry `dstates` contains the gradient of each
 * state from the layer above. On return dstates.gates contains dz, the gradient before the
 * nonlinearities; for a cell without gates, the blocks of the outputs contain dz. Add the gradient
 * of the state before these steps to the block of that state. */
void rnn_backward_states(struct rnn_states dstates, const struct rnn_pass *pass,
                         struct range steps);

/* Compute the gradient of the inputs of these steps: dinputs (steps,batch,input) = beta dinputs +
 * W_ihᵀ dz. rnn_backward_states must have computed dz. */
void rnn_backward_inputs(real *dinputs, real beta, struct rnn_states dstates,
                         const struct rnn_pass *pass, struct range steps);

/* Add the terms of all steps, which are computed from dz, to the gradients of the weights. */
void rnn_backward_weights(const struct rnn_parameters *gradients, struct rnn_states dstates,
                          const struct rnn_pass *pass);

/* Measures of step t of a single sentence (batch = 1). They require rnn_backward_states with
 * `reached`. */
struct rnn_step_measures {
  double state;       /* norm of the gradient of the state, over all its parts */
  double input;       /* norm of the gradient of the pre-activations */
  double saturated;   /* fraction of saturated nonlinearities, 0 to 1 */
  const real *hidden; /* (hidden): h, borrowed from `states` */
};

struct rnn_step_measures rnn_measure_step(struct rnn_states dstates, struct rnn_states states,
                                          struct rnn_shape shape, size_t t);

#endif
