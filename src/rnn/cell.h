/* The interface of a recurrent cell. It has a row in RNN_CELLS (rnn/cells.h) and a file
 * cell_NAME.c, which defines cell_NAME; nobody else asks which one it is. What all cells share, the
 * products, the lengths and the order of the steps, stands in rnn/rnn.c. */
#ifndef ELMAN_RNN_CELL_H
#define ELMAN_RNN_CELL_H

#include <math.h>

#include "elman/gradients.h"
#include "rnn/cells.h"
#include "tensor/real.h"

enum { MAX_STATE_PARTS = 2 };

/* `units` of one sentence at one step. All pointers point to the first of these units; a gate's are
 * `hidden` reals behind those of the gate before. */
struct cell_step {
  real *z; /* W_ih x_t + W_hh h_{t-1} of each gate, without biases; and then what is kept */
  real *state[MAX_STATE_PARTS]; /* after the step; part 0 is h_t */
  const real *previous[MAX_STATE_PARTS];
  const real *bias_ih, *bias_hh;
  size_t hidden, units;
};

struct cell_step_back {
  const real *kept, *state[MAX_STATE_PARTS], *previous[MAX_STATE_PARTS]; /* as forward left them */
  const real *dstate[MAX_STATE_PARTS]; /* all that reaches the state */
  real *dprevious[MAX_STATE_PARTS];    /* added to, but for what comes through W_hh */
  real *dz;                            /* to be filled */
  size_t hidden, units;
};

struct rnn_cell {
  size_t gates; /* G: W_ih is (G·H,E), W_hh (G·H,H) */
  size_t parts; /* of the state */
  /* z and what is kept of it lie in rows of K·H of their own. False: K = 1, and z becomes h in the
   * place of h, and dh becomes dz in the place of dh. */
  bool keeps;
  /* What the input and what the state give to the last gate are not added up: K = G + 1, and the
   * input's share stands behind the rest. */
  bool apart;
  bool corner;   /* the nonlinearity is not smooth where h comes to be 0 */
  bool identity; /* initial values: W_hh the identity, biases zero */
  void (*forward)(const struct cell_step *step);
  void (*backward)(const struct cell_step_back *step);
  /* How many of the nonlinearities of a step, G·H, are flat. It gets what is kept, or h. */
  size_t (*saturated)(const real *kept, size_t hidden);
};

/* A nonlinearity is flat where its slope is less than a tenth of the largest; y is what it gave. */
static inline bool is_flat_tanh(real y) {
  return fabs((double)y) > ELMAN_SATURATED;
}

static inline bool is_flat_sigmoid(real y) {
  return is_flat_tanh(2 * y - 1);
}

#endif
