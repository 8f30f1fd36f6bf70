/* Long short-term memory with a forget gate. Hochreiter and Schmidhuber, Neural Computation 9,
 * 1997; Gers, Schmidhuber and Cummins, Neural Computation 12, 2000.
 * docs/beyond.md, (32) and (33). */
#include "rnn/cell.h"
#include "tensor/elementary.h"

/* Columns of the kept values, and parts of the state. */
enum { INPUT, FORGET, CANDIDATE, OUTPUT };
enum { HIDDEN, CELL };

static void forward(const struct cell_step *step) {
  const size_t H = step->hidden;
  real *restrict i = step->z, *restrict f = i + FORGET * H;
  real *restrict g = i + CANDIDATE * H, *restrict o = i + OUTPUT * H;
  real *restrict h = step->state[HIDDEN], *restrict c = step->state[CELL];
  const real *previous = step->previous[CELL], *b = step->bias_ih, *d = step->bias_hh;
  const size_t units = step->units; /* (32) */
  sigmoid_of_sum(i, b, d, units);
  sigmoid_of_sum(f, b + FORGET * H, d + FORGET * H, units);
  tanh_of_sum(g, b + CANDIDATE * H, d + CANDIDATE * H, units);
  sigmoid_of_sum(o, b + OUTPUT * H, d + OUTPUT * H, units);
  for (size_t j = 0; j < units; j++) {
    c[j] = f[j] * previous[j] + i[j] * g[j];
    h[j] = o[j] * tanh_real(c[j]);
  }
}

static void backward(const struct cell_step_back *step) {
  const size_t H = step->hidden;
  const real *i = step->kept, *f = i + FORGET * H, *g = i + CANDIDATE * H, *o = i + OUTPUT * H;
  const real *c = step->state[CELL], *previous = step->previous[CELL];
  const real *dh = step->dstate[HIDDEN], *dc_later = step->dstate[CELL];
  real *restrict di = step->dz, *restrict df = di + FORGET * H;
  real *restrict dg = di + CANDIDATE * H, *restrict d_o = di + OUTPUT * H;
  real *restrict dprevious = step->dprevious[CELL];
  for (size_t j = 0; j < step->units; j++) { /* (33) */
    const real shown = tanh_real(c[j]);
    const real dc = dc_later[j] + dh[j] * o[j] * (1 - shown * shown);
    di[j] = dc * g[j] * i[j] * (1 - i[j]);
    df[j] = dc * previous[j] * f[j] * (1 - f[j]);
    dg[j] = dc * i[j] * (1 - g[j] * g[j]);
    d_o[j] = dh[j] * shown * o[j] * (1 - o[j]);
    dprevious[j] += dc * f[j];
  }
}

static size_t saturated(const real *kept, size_t hidden) {
  size_t count = 0;
  for (size_t j = 0; j < hidden; j++)
    count += (size_t)is_flat_sigmoid(kept[INPUT * hidden + j]) +
             is_flat_sigmoid(kept[FORGET * hidden + j]) +
             is_flat_tanh(kept[CANDIDATE * hidden + j]) +
             is_flat_sigmoid(kept[OUTPUT * hidden + j]);
  return count;
}

const struct rnn_cell cell_lstm = {.gates = 4,
                                   .parts = 2,
                                   .keeps = true,
                                   .forward = forward,
                                   .backward = backward,
                                   .saturated = saturated};
