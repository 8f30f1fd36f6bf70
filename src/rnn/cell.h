/* The recurrent cells: their table and their interface. A cell has a row in RNN_CELLS and a file
 * cell_NAME.c, which defines cell_NAME; no other file asks which cell it is. rnn/rnn.c holds what
 * all cells share: the products, the lengths and the order of the steps. */
#ifndef ELMAN_RNN_CELL_H
#define ELMAN_RNN_CELL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "elman/gradients.h"
#include "tensor/real.h"

/* A row for each: its kind is CELL_ and the first word, and what it does stands in `cell_` and the
 * second, which is also its name in options and files. */
#define RNN_CELLS(ROW)                                                                             \
  ROW(ELMAN, elman) /* h' = tanh(W x + U h) (Elman, Cognitive Science 14, 1990) */                 \
  ROW(RELU, relu)   /* h' = max(0, W x + U h), from the identity (Le et al., 2015) */              \
  ROW(GRU, gru)     /* gated recurrent unit (Cho et al., EMNLP 2014) */                            \
  ROW(LSTM, lstm)   /* long short-term memory (Hochreiter and Schmidhuber 1997; Gers et al. 2000) */

#define CELL_KIND(KIND, name) CELL_##KIND,
enum cell_kind { RNN_CELLS(CELL_KIND) };

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

const struct rnn_cell *rnn_cell_of(enum cell_kind kind);

/* The name as it is used in options and files; NULL past the last kind. */
const char *cell_name(size_t kind);
/* False if there is no such kind. */
bool cell_parse(enum cell_kind *kind, const char *name);

/* A nonlinearity is flat where its slope is less than a tenth of the largest; y is what it gave. */
static inline bool is_flat_tanh(real y) {
  return fabs((double)y) > ELMAN_SATURATED;
}

static inline bool is_flat_sigmoid(real y) {
  return is_flat_tanh(2 * y - 1);
}

#endif
