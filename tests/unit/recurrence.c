/* A recurrent layer whose products are computed in tiles. The Elman cell is compared with (2), (3),
 * (18) and (22) written out, and every cell with itself computed in another way. */
#include "check.h"

#include <string.h>

#include "rnn/rnn.h"
#include "tensor/blas_kernels.h"

enum { STEPS = 3 };

struct layer {
  struct rnn_parameters weights;
  struct rnn_shape shape;
  size_t *lengths;
  real *inputs, *above; /* gradients that reach the states from above, (parts,STEPS+1,B,H) */
};

static struct layer layer_create(enum cell_kind kind, bool layer_norm, size_t batch, size_t input,
                                 size_t hidden, bool reverse) {
  const struct rnn_cell *cell = rnn_cell_of(kind);
  const size_t rows = cell->gates * hidden;
  struct layer layer = {
      .weights = {.weight_ih = random_reals(rows * input, 0.1, 1),
                  .weight_hh = random_reals(rows * hidden, 0.05, 2),
                  .bias_ih = random_reals(rows, 0.5, 3),
                  .bias_hh = random_reals(rows, 0.5, 4),
                  .gain = layer_norm ? random_reals(rnn_columns(cell) * hidden, 1, 8) : NULL,
                  .numerics = FAST},
      .shape = {.cell = cell,
                .steps = STEPS,
                .batch = batch,
                .input = input,
                .hidden = hidden,
                .reverse = reverse},
      .lengths = calloc(batch, sizeof *layer.lengths),
      .inputs = random_reals(STEPS * batch * input, 1, 5),
      .above = random_reals(cell->parts * (STEPS + 1) * batch * hidden, 1, 6)};
  for (size_t b = 0; b < batch; b++) layer.lengths[b] = 1 + b % STEPS;
  layer.shape.lengths = layer.lengths;
  return layer;
}

static void layer_free(struct layer *layer) {
  real *const all[] = {layer->weights.weight_ih,
                       layer->weights.weight_hh,
                       layer->weights.bias_ih,
                       layer->weights.bias_hh,
                       layer->weights.gain,
                       layer->inputs,
                       layer->above};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free(layer->lengths);
}

/* Return the blocks of the states after and before input t. */
static size_t after(const struct layer *layer, size_t t) {
  return layer->shape.reverse ? t : t + 1;
}

static size_t before(const struct layer *layer, size_t t) {
  return layer->shape.reverse ? t + 1 : t;
}

static size_t number(const struct layer *layer, size_t i) {
  return layer->shape.reverse ? STEPS - 1 - i : i;
}

/* Return the number of values in a part of the states. */
static size_t part_size(const struct layer *layer) {
  return (STEPS + 1) * layer->shape.batch * layer->shape.hidden;
}

/* Fill with NaN what a run has to write. */
static struct rnn_states states_create(const struct layer *layer) {
  const struct rnn_cell *cell = layer->shape.cell;
  const size_t units = STEPS * layer->shape.batch * layer->shape.hidden;
  const size_t columns = rnn_columns(cell);
  struct rnn_states states = {.reached = reals(cell->parts * units)};
  for (size_t p = 0; p < cell->parts; p++) states.part[p] = reals(part_size(layer));
  if (cell->keeps) states.gates = reals(columns * units);
  for (size_t i = 0; cell->keeps && i < columns * units; i++) states.gates[i] = (real)NAN;
  if (layer->weights.gain == NULL) return states;
  states.normalized = reals(columns * units);
  states.scales = reals(columns * units / layer->shape.hidden);
  return states;
}

static void states_free(struct rnn_states *states) {
  for (size_t p = 0; p < MAX_STATE_PARTS; p++) free(states->part[p]);
  free(states->gates);
  free(states->reached);
  free(states->normalized);
  free(states->scales);
}

/* Make the layer's pass with these states over all steps. */
static struct rnn_pass pass_of(const struct layer *layer, struct rnn_states states) {
  return (struct rnn_pass){
      .weights = &layer->weights, .shape = layer->shape, .states = states, .inputs = layer->inputs};
}

static const struct range all = {0, STEPS};

/* The contributions of the input and of the state to gate g of unit j, including their biases. */
struct shares {
  double input, state;
};

static struct shares shares_of(const struct layer *layer, const double *previous, size_t t,
                               size_t b, size_t unit) {
  const size_t E = layer->shape.input, H = layer->shape.hidden;
  const struct rnn_parameters *w = &layer->weights;
  struct shares sum = {(double)w->bias_ih[unit], (double)w->bias_hh[unit]};
  for (size_t i = 0; i < E; i++)
    sum.input += (double)w->weight_ih[unit * E + i] *
                 (double)layer->inputs[(t * layer->shape.batch + b) * E + i];
  for (size_t i = 0; i < H; i++) sum.state += (double)w->weight_hh[unit * H + i] * previous[i];
  return sum;
}

static double both(struct shares z) {
  return z.input + z.state;
}

static double sigmoid(double x) {
  return 1 / (1 + exp(-x));
}

/* The cells as in PyTorch's manual, for one unit. z contains its gates; c is the cell state of the
 * LSTM. */
static double elman_unit(const struct shares *z, double previous, double *c) {
  (void)previous, (void)c;
  return tanh(both(z[0]));
}

static double relu_unit(const struct shares *z, double previous, double *c) {
  (void)previous, (void)c;
  return fmax(0, both(z[0]));
}

static double gru_unit(const struct shares *z, double previous, double *c) {
  (void)c;
  const double reset = sigmoid(both(z[0])), update = sigmoid(both(z[1]));
  return (1 - update) * tanh(z[2].input + reset * z[2].state) + update * previous;
}

static double lstm_unit(const struct shares *z, double previous, double *c) {
  (void)previous;
  *c = sigmoid(both(z[1])) * *c + sigmoid(both(z[0])) * tanh(both(z[2]));
  return sigmoid(both(z[3])) * tanh(*c);
}

#define ONE_KIND(KIND, name) +1
enum { KINDS = RNN_CELLS(ONE_KIND) };
static double (*const units[KINDS])(const struct shares *z, double previous,
                                    double *c) = {[CELL_ELMAN] = elman_unit,
                                                  [CELL_RELU] = relu_unit,
                                                  [CELL_GRU] = gru_unit,
                                                  [CELL_LSTM] = lstm_unit};

/* states and cells: (STEPS+1,B,H) */
static void plain_forward(double *states, double *cells, enum cell_kind kind,
                          const struct layer *layer) {
  cr_assert(units[kind] != NULL, "%s: its equation is missing in `units`", elman_cell_name(kind));
  const size_t B = layer->shape.batch, H = layer->shape.hidden;
  for (size_t i = 0; i < STEPS; i++) {
    const size_t t = number(layer, i);
    for (size_t b = 0; b < B; b++) {
      const size_t from = (before(layer, t) * B + b) * H, to = (after(layer, t) * B + b) * H;
      for (size_t j = 0; j < H; j++) {
        states[to + j] = states[from + j];
        cells[to + j] = cells[from + j];
      }
      for (size_t j = 0; j < H && t < layer->lengths[b]; j++) {
        struct shares z[4];
        for (size_t g = 0; g < layer->shape.cell->gates; g++)
          z[g] = shares_of(layer, states + from, t, b, g * H + j);
        states[to + j] = units[kind](z, states[from + j], &cells[to + j]);
      }
    }
  }
}

static void plain_backward(double *dstates, const double *states, const struct layer *layer) {
  const size_t B = layer->shape.batch, H = layer->shape.hidden;
  for (size_t i = STEPS; i-- > 0;) {
    const size_t t = number(layer, i);
    for (size_t b = 0; b < B; b++) {
      const double *h = states + (after(layer, t) * B + b) * H;
      double *dz = dstates + (after(layer, t) * B + b) * H;
      double *dprevious = dstates + (before(layer, t) * B + b) * H;
      for (size_t j = 0; j < H; j++) {
        if (t >= layer->lengths[b]) {
          dprevious[j] += dz[j];
          dz[j] = 0;
          continue;
        }
        dz[j] *= 1 - h[j] * h[j];
        for (size_t k = 0; k < H; k++)
          dprevious[k] += dz[j] * (double)layer->weights.weight_hh[j * H + k];
      }
    }
  }
}

/* Return NaN if any value is NaN. gcc 12 for 64-bit ARM crashes on a version with fmax. */
static double largest_difference(const real *a, const double *b, size_t n) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    const double difference = fabs((double)a[i] - b[i]);
    if (isnan(difference)) return difference;
    if (difference > largest) largest = difference;
  }
  return largest;
}

static void fill(struct rnn_states states, const real *values, const struct layer *layer) {
  const size_t n = part_size(layer);
  for (size_t p = 0; p < layer->shape.cell->parts; p++)
    memcpy(states.part[p], values + p * n, n * sizeof *values);
}

/* The gradient that reaches the last step comes from above only. */
static void check_reached(const struct layer *layer, struct rnn_states dstates) {
  const size_t B = layer->shape.batch, H = layer->shape.hidden, P = layer->shape.cell->parts;
  const size_t last = number(layer, STEPS - 1);
  for (size_t b = 0; b < B; b++)
    for (size_t p = 0; p < P; p++)
      cr_assert_eq(memcmp(dstates.reached + ((last * B + b) * P + p) * H,
                          layer->above + p * part_size(layer) + (after(layer, last) * B + b) * H,
                          H * sizeof(real)),
                   0);
}

static void check_layer(enum cell_kind kind, size_t batch, size_t input, size_t hidden,
                        bool reverse) {
  owned_by(layer_free) struct layer layer =
      layer_create(kind, false, batch, input, hidden, reverse);
  const size_t n = part_size(&layer), parts = layer.shape.cell->parts;
  owned_by(states_free) struct rnn_states states = states_create(&layer),
                                          dstates = states_create(&layer);
  owned real *start = random_reals(2 * n, 0.5, 7);
  owned double *expected = doubles(start, n), *cells = doubles(start + n, n);
  fill(states, start, &layer);
  const struct rnn_pass pass = pass_of(&layer, states);
  rnn_forward(&pass, all);
  plain_forward(expected, cells, kind, &layer);
  cr_assert_lt(largest_difference(states.part[0], expected, n), CLOSE, "%s", elman_cell_name(kind));
  if (parts > 1) cr_assert_lt(largest_difference(states.part[1], cells, n), CLOSE);
  owned double *dexpected = doubles(layer.above, n);
  fill(dstates, layer.above, &layer);
  rnn_backward_states(dstates, &pass, all);
  if (kind == CELL_ELMAN) {
    plain_backward(dexpected, expected, &layer);
    cr_assert_lt(largest_difference(dstates.part[0], dexpected, n), 10 * CLOSE);
  }
  check_reached(&layer, dstates);
}

static void check_every_cell(size_t batch, size_t input, size_t hidden) {
  blas_set_up();
  for (unsigned kind = 0; elman_cell_name(kind) != NULL; kind++)
    for (int reverse = 0; reverse < 2; reverse++)
      check_layer((enum cell_kind)kind, batch, input, hidden, reverse);
}

/* Tiles of columns, tiles of rows, and one tile. */
Test(recurrence, tiles_match) {
  check_every_cell(16, 7, 520);
  check_layer(CELL_ELMAN, 300, 5, 128, false);
  check_every_cell(600, 5, 128);
  check_every_cell(1, 3, 9);
  check_every_cell(5, 3, 9);
}

/* Steps may be run separately, as input feeding needs it. The results must equal those of one run,
 * also past the end of a sentence. */
Test(recurrence, split_steps_match_one_run) {
  enum { B = 5, E = 3, H = 9 };
  blas_set_up();
  for (unsigned i = 0; elman_cell_name(i / 2) != NULL; i++) {
    owned_by(layer_free) struct layer layer =
        layer_create((enum cell_kind)(i / 2), i % 2, B, E, H, false);
    const size_t n = part_size(&layer);
    owned_by(states_free) struct rnn_states whole = states_create(&layer),
                                            apart = states_create(&layer);
    owned real *start = random_reals(2 * n, 0.5, 7);
    fill(whole, start, &layer);
    fill(apart, start, &layer);
    const struct rnn_pass pass = pass_of(&layer, whole), parts = pass_of(&layer, apart);
    rnn_forward(&pass, all);
    for (size_t t = 0; t < STEPS; t++) rnn_forward(&parts, (struct range){t, 1});
    for (size_t p = 0; p < layer.shape.cell->parts; p++) {
      const real *states = apart.part[p];
      cr_assert(relative_error(whole.part[p], states, n) < CLOSE);
      for (size_t b = 0; b < B; b++)
        cr_assert_eq(memcmp(states + (STEPS * B + b) * H, states + (layer.lengths[b] * B + b) * H,
                            H * sizeof *states),
                     0, "the last state of sentence %zu is held", b);
    }
  }
}

#ifdef ELMAN_DOUBLE
/* Compute the sum of all states and of all their gradients, weighted by the gradients from
 * above. */
static double loss_of(const struct layer *layer, struct rnn_states states, const real *start) {
  const size_t n = part_size(layer);
  double sum = 0;
  fill(states, start, layer);
  const struct rnn_pass pass = pass_of(layer, states);
  rnn_forward(&pass, all);
  for (size_t p = 0; p < layer->shape.cell->parts; p++)
    for (size_t i = 0; i < n; i++) sum += states.part[p][i] * layer->above[p * n + i];
  return sum;
}

/* Compare the change of the loss along a direction of one tensor, by finite differences and by the
 * gradient. */
static void check_direction(const char *name, const struct layer *layer, real *tensor,
                            const real *gradient, size_t size) {
  const size_t n = part_size(layer);
  owned_by(states_free) struct rnn_states states = states_create(layer);
  owned real *start = random_reals(2 * n, 0.5, 7), *direction = random_reals(size, 1, 11);
  double expected = 0, length = norm(gradient, size);
  for (size_t i = 0; i < size; i++) {
    direction[i] = gradient[i] / length + 0.3 * direction[i] / sqrt((double)size);
    expected += direction[i] * gradient[i];
    tensor[i] += STEP * direction[i];
  }
  const double above = loss_of(layer, states, start);
  for (size_t i = 0; i < size; i++) tensor[i] -= 2 * STEP * direction[i];
  const double below = loss_of(layer, states, start), measured = (above - below) / (2 * STEP);
  for (size_t i = 0; i < size; i++) tensor[i] += STEP * direction[i];
  cr_assert(fabs(measured - expected) <= 1e-7 * (fabs(measured) + fabs(expected)),
            "%s: %.10g, measured as %.10g", name, expected, measured);
}

/* The small layers of tests/unit/network_shapes.c are not cut into tiles. relu is excluded: with
 * this many units, one is always near its kink. */
Test(recurrence, gradients_in_tiles_match) {
  const size_t sizes[][2] = {{16, 520}, {600, 128}};
  blas_set_up();
  for (unsigned i = 0; i < 4 * sizeof sizes / sizeof *sizes; i++) {
    for (unsigned kind = 0; elman_cell_name(kind) != NULL; kind++) {
      if (kind == CELL_RELU) continue;
      const size_t B = sizes[i / 4][0], H = sizes[i / 4][1], E = 7;
      const bool reverse = i & 1, layer_norm = i & 2;
      owned_by(layer_free) struct layer layer =
          layer_create((enum cell_kind)kind, layer_norm, B, E, H, reverse);
      const size_t n = part_size(&layer), rows = layer.shape.cell->gates * H;
      owned_by(states_free) struct rnn_states states = states_create(&layer),
                                              dstates = states_create(&layer);
      owned real *start = random_reals(2 * n, 0.5, 7), *dinputs = reals(STEPS * B * E);
      const size_t columns = rnn_columns(layer.shape.cell) * H;
      struct rnn_parameters d = {reals(rows * E),
                                 reals(rows * H),
                                 reals(rows),
                                 reals(rows),
                                 layer_norm ? reals(columns) : NULL,
                                 NULL};
      loss_of(&layer, states, start);
      fill(dstates, layer.above, &layer);
      const struct rnn_pass pass = pass_of(&layer, states);
      rnn_backward_states(dstates, &pass, all);
      rnn_backward_weights(&d, dstates, &pass);
      rnn_backward_inputs(dinputs, 0, dstates, &pass, all);
      check_direction("weight_ih", &layer, layer.weights.weight_ih, d.weight_ih, rows * E);
      check_direction("weight_hh", &layer, layer.weights.weight_hh, d.weight_hh, rows * H);
      check_direction("bias_ih", &layer, layer.weights.bias_ih, d.bias_ih, rows);
      check_direction("bias_hh", &layer, layer.weights.bias_hh, d.bias_hh, rows);
      if (layer_norm) check_direction("gain", &layer, layer.weights.gain, d.gain, columns);
      check_direction("inputs", &layer, layer.inputs, dinputs, STEPS * B * E);
      real *const lists[] = {d.weight_ih, d.weight_hh, d.bias_ih, d.bias_hh, d.gain};
      for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) free(lists[k]);
    }
  }
}
#endif

/* ---- single units ---- */

/* Rows of K gates of one unit: one gate has `value`, and the others have a value that is not
 * flat. */
static size_t flat_with(enum cell_kind kind, size_t gate, double value) {
  const struct rnn_cell *cell = rnn_cell_of(kind);
  real kept[8];
  for (size_t k = 0; k < rnn_columns(cell); k++) kept[k] = (real)0.5;
  kept[gate] = (real)value;
  return cell->saturated(kept, 1);
}

/* The value 0.97 is flat for tanh and 0.02 is flat for a sigmoid, and neither is flat for the other
 * function. */
static void check_gate(enum cell_kind kind, size_t gate, bool is_tanh) {
  cr_assert_eq(flat_with(kind, gate, 0.97), is_tanh, "cell %d, gate %zu", (int)kind, gate);
  cr_assert_eq(flat_with(kind, gate, 0.02), !is_tanh, "cell %d, gate %zu", (int)kind, gate);
  cr_assert_eq(flat_with(kind, gate, 0.98), 1);
  cr_assert_eq(flat_with(kind, gate, 0.5), 0);
  if (is_tanh) cr_assert_eq(flat_with(kind, gate, -0.97), 1);
}

Test(recurrence, flat_gates_follow_their_function) {
  enum { GRU_RESET, GRU_UPDATE, GRU_SHARE, GRU_NEW };
  enum { LSTM_INPUT, LSTM_FORGET, LSTM_CANDIDATE, LSTM_OUTPUT };
  check_gate(CELL_ELMAN, 0, true);
  check_gate(CELL_GRU, GRU_RESET, false);
  check_gate(CELL_GRU, GRU_UPDATE, false);
  check_gate(CELL_GRU, GRU_NEW, true);
  cr_assert_eq(flat_with(CELL_GRU, GRU_SHARE, 100), 0,
               "no activation function produces this value");
  cr_assert_eq(flat_with(CELL_GRU, GRU_SHARE, 0), 0);
  check_gate(CELL_LSTM, LSTM_INPUT, false);
  check_gate(CELL_LSTM, LSTM_FORGET, false);
  check_gate(CELL_LSTM, LSTM_CANDIDATE, true);
  check_gate(CELL_LSTM, LSTM_OUTPUT, false);
  cr_assert_eq(flat_with(CELL_RELU, 0, 0), 1);
  cr_assert_eq(flat_with(CELL_RELU, 0, 1e-30), 0);
}

/* Otherwise training would continue unnoticed after an overflow. */
Test(recurrence, nan_is_propagated) {
  for (unsigned kind = 0; kind < KINDS; kind++) {
    const struct rnn_cell *cell = rnn_cell_of(kind);
    for (size_t gate = 0; gate < rnn_columns(cell); gate++) {
      real z[8] = {0}, state[MAX_STATE_PARTS] = {0};
      const real previous[MAX_STATE_PARTS] = {1, 1}, bias[8] = {0};
      struct cell_step step = {.z = z, .bias_ih = bias, .bias_hh = bias, .hidden = 1, .units = 1};
      for (size_t p = 0; p < cell->parts; p++) {
        step.state[p] = &state[p];
        step.previous[p] = &previous[p];
      }
      z[gate] = (real)NAN;
      cell->forward(&step);
      cr_assert(isnan(cell->keeps ? state[0] : z[0]), "%s, gate %zu", elman_cell_name(kind), gate);
    }
  }
}

/* The existing gradient of the previous state is kept. */
Test(recurrence, cells_add_to_previous_state_gradient) {
  const enum cell_kind kinds[] = {CELL_GRU, CELL_LSTM};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const struct rnn_cell *cell = rnn_cell_of(kinds[i]);
    const real kept[] = {(real)0.25, (real)0.5, (real)0.75, (real)0.5};
    const real state = (real)0.5, dstate = 2;
    real dz[4], dprevious[2][MAX_STATE_PARTS] = {{0, 0}, {8, 8}};
    for (size_t run = 0; run < 2; run++) {
      struct cell_step_back step = {.kept = kept, .dz = dz, .hidden = 1, .units = 1};
      for (size_t p = 0; p < cell->parts; p++) {
        step.state[p] = step.previous[p] = &state;
        step.dstate[p] = &dstate;
        step.dprevious[p] = &dprevious[run][p];
      }
      cell->backward(&step);
    }
    const size_t last = cell->parts - 1;
    cr_assert_neq(dprevious[0][last], 0);
    cr_assert_float_eq((double)dprevious[1][last], (double)dprevious[0][last] + 8, 1e-5);
  }
}
