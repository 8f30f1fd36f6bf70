/* The gated recurrent unit. As in PyTorch, the reset gate acts after the matrix product. Cho et
 * al., "Learning phrase representations using RNN encoder–decoder for statistical machine
 * translation", EMNLP 2014. docs/beyond.md, (30) and (31). */
#include "rnn/cell.h"
#include "tensor/elementary.h"

/* Columns of the kept values: r, z, m = W_hn h + b_hn, n. On entry, the last column contains W_in
 * x. */
enum { RESET, UPDATE, STATE_PART, NEW };

static void forward(const struct cell_step *step) {
  const size_t H = step->hidden;
  real *restrict r = step->z, *restrict z = r + UPDATE * H;
  real *restrict m = r + STATE_PART * H, *restrict n = r + NEW * H;
  real *restrict h = step->state[0];
  const real *previous = step->previous[0], *b = step->bias_ih, *c = step->bias_hh;
  const size_t units = step->units; /* (30) */
  sigmoid_of_sum(r, b, c, units);
  sigmoid_of_sum(z, b + UPDATE * H, c + UPDATE * H, units);
  for (size_t j = 0; j < units; j++) {
    m[j] = m[j] + c[2 * H + j];
    n[j] = tanh_real(n[j] + b[2 * H + j] + r[j] * m[j]);
  }
  for (size_t j = 0; j < units; j++) h[j] = n[j] + z[j] * (previous[j] - n[j]);
}

static void backward(const struct cell_step_back *step) {
  const size_t H = step->hidden;
  const real *r = step->kept, *z = r + UPDATE * H, *m = r + STATE_PART * H, *n = r + NEW * H;
  const real *dh = step->dstate[0], *previous = step->previous[0];
  real *restrict dr = step->dz, *restrict dz = dr + UPDATE * H;
  real *restrict dm = dr + STATE_PART * H, *restrict dn = dr + NEW * H;
  real *restrict dprevious = step->dprevious[0];
  for (size_t j = 0; j < step->units; j++) { /* (31) */
    const real dfresh = dh[j] * (1 - z[j]) * (1 - n[j] * n[j]);
    dn[j] = dfresh;
    dm[j] = dfresh * r[j];
    dr[j] = dfresh * m[j] * r[j] * (1 - r[j]);
    dz[j] = dh[j] * (previous[j] - n[j]) * z[j] * (1 - z[j]);
    dprevious[j] += dh[j] * z[j];
  }
}

static size_t saturated(const real *kept, size_t hidden) {
  size_t count = 0;
  for (size_t j = 0; j < hidden; j++)
    count += (size_t)is_flat_sigmoid(kept[RESET * hidden + j]) +
             is_flat_sigmoid(kept[UPDATE * hidden + j]) + is_flat_tanh(kept[NEW * hidden + j]);
  return count;
}

const struct rnn_cell cell_gru = {.gates = 3,
                                  .parts = 1,
                                  .keeps = true,
                                  .separate = true,
                                  .forward = forward,
                                  .backward = backward,
                                  .saturated = saturated};
