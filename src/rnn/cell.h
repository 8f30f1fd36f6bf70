/* The recurrent cells: their table and interface. A cell has a row in RNN_CELLS and a file
 * cell_NAME.c, which defines cell_NAME. No other file depends on the kind of cell. rnn/rnn.c
 * contains the parts that all cells share: products, lengths and order of steps. */
#ifndef ELMAN_RNN_CELL_H
#define ELMAN_RNN_CELL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "elman/gradients.h"
#include "tensor/real.h"

/* One row per cell. The first word is the kind without the prefix CELL_. The second word is the
 * name in options and files; with the prefix cell_ it is also the name of the variable that defines
 * the cell. */
#define RNN_CELLS(ROW)                                                                             \
  ROW(ELMAN, elman) /* h' = tanh(W x + U h) (Elman, Cognitive Science 14, 1990) */                 \
  ROW(RELU, relu)   /* h' = max(0, W x + U h), initially U = I (Le et al., 2015) */                \
  ROW(GRU, gru)     /* gated recurrent unit (Cho et al., EMNLP 2014) */                            \
  ROW(LSTM, lstm)   /* long short-term memory (Hochreiter and Schmidhuber 1997; Gers et al. 2000) */

#define CELL_KIND(KIND, name) CELL_##KIND,
enum cell_kind { RNN_CELLS(CELL_KIND) };

enum { MAX_STATE_PARTS = 2 };

/* The data of `units` units of one sentence at one step. All pointers point to the first of these
 * units. Each gate starts `hidden` reals after the previous gate. */
struct cell_step {
  real *z; /* on entry W_ih x_t + W_hh h_{t-1} of each gate, without biases; on return the values to
              keep */
  real *state[MAX_STATE_PARTS]; /* state after the step; part 0 is h_t */
  const real *previous[MAX_STATE_PARTS];
  const real *bias_ih, *bias_hh;
  size_t hidden, units;
};

struct cell_step_back {
  const real *kept, *state[MAX_STATE_PARTS],
      *previous[MAX_STATE_PARTS];      /* state before the step, as the forward pass stored it */
  const real *dstate[MAX_STATE_PARTS]; /* the complete gradient of the state */
  real *dprevious[MAX_STATE_PARTS];    /* gradient of the previous state; the step adds all
                                          contributions except the one through W_hh */
  real *dz;                            /* result: gradient of z */
  size_t hidden, units;
};

struct rnn_cell {
  size_t gates; /* G: W_ih is (G·H,E), W_hh (G·H,H) */
  size_t parts; /* number of parts of the state */
  /* Whether z and the kept values have rows of their own, with K·H elements. If false, K = 1 and
   * there are no such rows: h replaces z, and dz replaces dh, in place. */
  bool keeps;
  /* Whether the input's and the state's contributions to the last gate are kept separately. Then K
   * = G + 1, and the input's contribution is the last column. */
  bool separate;
  bool corner;   /* whether the nonlinearity is not smooth where h becomes 0 */
  bool identity; /* whether W_hh is initially the identity, and biases are zero */
  void (*forward)(const struct cell_step *step);
  void (*backward)(const struct cell_step_back *step);
  /* Return how many of a step's G·H nonlinearities are saturated. `kept` contains the kept values,
   * or h if the cell keeps none. */
  size_t (*saturated)(const real *kept, size_t hidden);
};

const struct rnn_cell *rnn_cell_of(enum cell_kind kind);

/* Return false if there is no such kind. */
bool cell_parse(enum cell_kind *kind, const char *name);

/* A nonlinearity is saturated if its slope is less than about a tenth of the maximum; y is its
 * value. */
static inline bool is_flat_tanh(real y) {
  return fabs((double)y) > ELMAN_SATURATED;
}

static inline bool is_flat_sigmoid(real y) {
  return is_flat_tanh(2 * y - 1);
}

#endif
