#include "rnn/rnn.h"

#include <math.h>
#include <string.h>

#include "base/team.h"
#include "base/text.h"
#include "tensor/blas.h"
#include "tensor/linear.h"

/* ---- the table of cells ---- */

#define DECLARATION(KIND, name) extern const struct rnn_cell cell_##name;
RNN_CELLS(DECLARATION)

#define KIND_ROW(KIND, name) {#name, &cell_##name},
static const struct {
  const char *name;
  const struct rnn_cell *cell;
} kinds[] = {RNN_CELLS(KIND_ROW)};

const struct rnn_cell *rnn_cell_of(enum cell_kind kind) {
  return kinds[kind].cell;
}

const char *cell_name(size_t kind) {
  return kind < sizeof kinds / sizeof *kinds ? kinds[kind].name : NULL;
}

bool cell_parse(enum cell_kind *kind, const char *name) {
  size_t index;
  const bool found = choice_parse(&index, cell_name, name);
  if (found) *kind = (enum cell_kind)index;
  return found;
}

/* ---- embedding ---- */

/* The same place in a whole sentence has the same mask, however the sentence is cut. */
static uint64_t position(size_t t, size_t b, struct embedding_shape shape) {
  return ((shape.first + t) * shape.batch + b) * shape.size;
}

enum { STRIPE = 64 };

static double work_of(struct embedding_shape shape) {
  return (double)WORK_OF_FUNCTION * (double)(shape.steps * shape.batch * shape.size);
}

struct lookup {
  real *x, *dtable;
  const real *table;
  const uint32_t *ids;
  struct dropout dropout;
  struct embedding_shape shape;
};

static bool is_token(const struct lookup *lookup, size_t place) {
  const size_t t = place / lookup->shape.batch, b = place % lookup->shape.batch;
  return lookup->shape.first + t < lookup->shape.lengths[b];
}

static void drop_row(const struct lookup *lookup, size_t place) {
  const struct embedding_shape shape = lookup->shape;
  dropout_apply(lookup->x + place * shape.row, shape.size,
                position(place / shape.batch, place % shape.batch, shape), lookup->dropout);
}

static void look_up(const void *context, size_t place) {
  const struct lookup *lookup = context;
  const size_t size = lookup->shape.size;
  real *row = lookup->x + place * lookup->shape.row;
  if (is_token(lookup, place)) {
    memcpy(row, lookup->table + lookup->ids[place] * size, size * sizeof *row);
    drop_row(lookup, place);
  } else {
    memset(row, 0, size * sizeof *row);
  }
}

void embedding_forward(real *x, const real *table, const uint32_t *ids, struct dropout dropout,
                       struct embedding_shape shape) {
  const struct lookup lookup = {
      .x = x, .table = table, .ids = ids, .dropout = dropout, .shape = shape};
  share_out(shape.steps * shape.batch, work_of(shape), look_up, &lookup);
}

static void drop_if_real(const void *context, size_t place) {
  if (is_token(context, place)) drop_row(context, place);
}

/* Some columns of all rows: a word may be there more than once. */
static void add_stripe(const void *context, size_t stripe) {
  const struct lookup *lookup = context;
  const struct embedding_shape shape = lookup->shape;
  const size_t start = stripe * STRIPE;
  const size_t width = shape.size - start < STRIPE ? shape.size - start : STRIPE;
  for (size_t place = 0; place < shape.steps * shape.batch; place++) {
    if (!is_token(lookup, place)) continue;
    real *row = lookup->dtable + lookup->ids[place] * shape.size + start;
    const real *drow = lookup->x + place * shape.row + start;
    for (size_t i = 0; i < width; i++) row[i] += drow[i];
  }
}

void embedding_backward(real *dtable, real *dx, const uint32_t *ids, struct dropout dropout,
                        struct embedding_shape shape) {
  const struct lookup lookup = {
      .x = dx, .dtable = dtable, .ids = ids, .dropout = dropout, .shape = shape};
  const double work = work_of(shape);
  if (dropout.probability > 0) share_out(shape.steps * shape.batch, work, drop_if_real, &lookup);
  share_out((shape.size + STRIPE - 1) / STRIPE, work, add_stripe, &lookup);
}

/* ---- a layer: its steps ---- */

/* Blocks of states: that of the state after input t, and that of the state before it. */
static size_t block_after(size_t t, struct rnn_shape shape) {
  return shape.reverse ? t : t + 1;
}

static size_t block_before(size_t t, struct rnn_shape shape) {
  return shape.reverse ? t + 1 : t;
}

/* The step that is run as number i. */
static size_t step_number(size_t i, struct rnn_shape shape) {
  return shape.reverse ? shape.steps - 1 - i : i;
}

static bool is_real(size_t t, size_t b, struct rnn_shape shape) {
  return shape.first + t < shape.lengths[b];
}

/* ---- where things lie ---- */

size_t rnn_columns(const struct rnn_cell *cell) {
  return cell->gates + cell->apart;
}

void rnn_states_take(struct rnn_states *states, struct arena *arena, const struct rnn_cell *cell,
                     bool layer_norm, size_t steps, size_t batch, size_t hidden) {
  const size_t columns = rnn_columns(cell);
  for (size_t p = 0; p < MAX_STATE_PARTS; p++)
    states->part[p] = p < cell->parts ? arena_reals(arena, steps + 1, batch, hidden) : NULL;
  states->gates = cell->keeps ? arena_reals(arena, steps, batch, columns * hidden) : NULL;
  states->reached = NULL;
  states->normalized = layer_norm ? arena_reals(arena, steps, batch, columns * hidden) : NULL;
  states->scales = layer_norm ? arena_reals(arena, steps, batch, columns) : NULL;
}

void rnn_reached_take(struct rnn_states *states, struct arena *arena, const struct rnn_cell *cell,
                      size_t steps, size_t batch, size_t hidden) {
  states->reached = arena_reals(arena, steps, batch, cell->parts * hidden);
}

struct rnn_states rnn_states_from(struct rnn_states states, struct rnn_shape shape, size_t t) {
  const size_t numbers = t * shape.batch * shape.hidden, columns = rnn_columns(shape.cell);
  for (size_t p = 0; p < shape.cell->parts; p++) states.part[p] += numbers;
  if (states.gates != NULL) states.gates += columns * numbers;
  if (states.normalized != NULL) states.normalized += columns * numbers;
  if (states.scales != NULL) states.scales += columns * t * shape.batch;
  if (states.reached != NULL) states.reached += shape.cell->parts * numbers;
  return states;
}

void rnn_states_clear(struct rnn_states states, struct rnn_shape shape) {
  for (size_t p = 0; p < shape.cell->parts; p++)
    memset(states.part[p], 0, (shape.steps + 1) * shape.batch * shape.hidden * sizeof(real));
}

real *rnn_outputs(struct rnn_states states, struct rnn_shape shape) {
  return states.part[0] + block_after(0, shape) * shape.batch * shape.hidden;
}

real *rnn_initial(struct rnn_states states, size_t part, struct rnn_shape shape) {
  return states.part[part] + (shape.reverse ? shape.steps : 0) * shape.batch * shape.hidden;
}

real *rnn_final(struct rnn_states states, size_t part, struct rnn_shape shape) {
  return states.part[part] + (shape.reverse ? 0 : shape.steps) * shape.batch * shape.hidden;
}

/* z of all steps, or dz, in rows of K·H. */
static real *rows_of_z(struct rnn_states states, struct rnn_shape shape) {
  return states.gates != NULL ? states.gates : rnn_outputs(states, shape);
}

static size_t row_of_z(struct rnn_shape shape) {
  return rnn_columns(shape.cell) * shape.hidden;
}

/* Of the arrays above, the blocks of step t. */
struct blocks {
  real *after[MAX_STATE_PARTS], *before[MAX_STATE_PARTS]; /* (B,H) */
  real *z;                                                /* (B,K·H) */
  real *reached;                                          /* (B,parts·H) */
  real *normalized, *scales;                              /* (B,K·H), (B,K) */
};

static struct blocks blocks_of(struct rnn_states states, struct rnn_shape shape, size_t t) {
  const size_t block = shape.batch * shape.hidden;
  struct blocks blocks = {
      .z = rows_of_z(states, shape) + t * shape.batch * row_of_z(shape),
      .reached = states.reached == NULL ? NULL : states.reached + t * shape.cell->parts * block};
  if (states.normalized != NULL) {
    blocks.normalized = states.normalized + t * shape.batch * row_of_z(shape);
    blocks.scales = states.scales + t * shape.batch * rnn_columns(shape.cell);
  }
  for (size_t p = 0; p < shape.cell->parts; p++) {
    blocks.after[p] = states.part[p] + block_after(t, shape) * block;
    blocks.before[p] = states.part[p] + block_before(t, shape) * block;
  }
  return blocks;
}

/* ---- the map of the input; the biases are added with the nonlinearities ---- */

/* One map, or two where the last gate's share stands apart. */
struct input_maps {
  size_t count;
  struct {
    struct linear linear;
    size_t gate, column; /* its first gate, and where its columns begin in a row of z */
  } map[2];
};

static struct input_maps input_maps_of(const struct rnn_parameters *weights,
                                       struct rnn_shape shape) {
  const size_t H = shape.hidden, E = shape.input, G = shape.cell->gates;
  const struct linear all = {
      .weight = weights->weight_ih, .in = E, .out = G * H, .row = row_of_z(shape)};
  struct input_maps maps = {1, {{all, 0, 0}, {all, G - 1, G * H}}};
  if (!shape.cell->apart) return maps;
  maps.count = 2;
  maps.map[0].linear.out = (G - 1) * H;
  maps.map[1].linear.out = H;
  maps.map[1].linear.weight += (G - 1) * H * E;
  return maps;
}

/* ---- forward ---- */

/* One step, while its product is in cache. */
struct forward_step {
  struct blocks blocks;
  const struct rnn_parameters *weights;
  struct rnn_shape shape;
  size_t t;
};

static void step_forward(const void *context, size_t row, size_t rows, size_t column,
                         size_t columns) {
  const struct forward_step *step = context;
  const struct rnn_shape shape = step->shape;
  for (size_t b = row; b < row + rows; b++) {
    const size_t at = b * shape.hidden + column;
    struct cell_step cell = {.z = step->blocks.z + b * row_of_z(shape) + column,
                             .bias_ih = step->weights->bias_ih + column,
                             .bias_hh = step->weights->bias_hh + column,
                             .hidden = shape.hidden,
                             .units = columns};
    const bool real_step = is_real(step->t, b, shape);
    for (size_t p = 0; p < shape.cell->parts; p++) {
      cell.state[p] = step->blocks.after[p] + at;
      cell.previous[p] = step->blocks.before[p] + at;
      if (!real_step) /* the hold (3) */
        memcpy(cell.state[p], cell.previous[p], columns * sizeof(real));
    }
    if (real_step) shape.cell->forward(&cell);
  }
}

/* Of something that is done to z in whole rows: with layer normalisation a unit's gates depend on
 * all units, and no tile has them. */
static double work_of_rows(struct rnn_shape shape) {
  return (double)WORK_OF_FUNCTION * (double)(shape.batch * row_of_z(shape));
}

static void normalized_row_forward(const void *context, size_t b) {
  const struct forward_step *step = context;
  const size_t H = step->shape.hidden, K = rnn_columns(step->shape.cell);
  const struct blocks *own = &step->blocks;
  for (size_t k = 0, i = b * K; k < K; k++, i++) /* (85) */
    own->scales[i] =
        layer_norm_forward(own->z + i * H, own->normalized + i * H, step->weights->gain + k * H, H);
  step_forward(step, b, 1, 0, H);
}

/* What the state gives to the last gate is added to nothing. */
static void clear_share_of_state(real *z, struct rnn_shape shape) {
  const size_t H = shape.hidden;
  for (size_t b = 0; b < shape.batch; b++)
    memset(z + b * row_of_z(shape) + (shape.cell->gates - 1) * H, 0, H * sizeof *z);
}

void rnn_forward(struct rnn_states states, const real *inputs, const struct rnn_parameters *weights,
                 struct rnn_shape shape) {
  const size_t B = shape.batch, H = shape.hidden;
  /* The input's share of all steps in one product: it does not wait for the recurrence. */
  const struct input_maps maps = input_maps_of(weights, shape);
  for (size_t i = 0; i < maps.count; i++)
    linear_forward(rows_of_z(states, shape) + maps.map[i].column, inputs, maps.map[i].linear,
                   shape.steps * B);

  for (size_t i = 0; i < shape.steps; i++) {
    const size_t t = step_number(i, shape);
    const struct forward_step step = {blocks_of(states, shape, t), weights, shape, t};
    if (shape.cell->apart) clear_share_of_state(step.blocks.z, shape);
    const bool normalize = weights->gain != NULL;
    /* z_t += W_hh h_{t-1}, of all gates, and then the cell                             (2, 60, 62)
     */
    const struct product recurrent = {step.blocks.z,
                                      row_of_z(shape),
                                      1,
                                      1,
                                      as_it_is(step.blocks.before[0], H),
                                      transposed(weights->weight_hh, H),
                                      B,
                                      H,
                                      H};
    matrix_product_then(recurrent, shape.cell->gates, normalize ? NULL : step_forward, &step);
    if (normalize) share_out(B, work_of_rows(shape), normalized_row_forward, &step);
  }
}

/* ---- backward ---- */

/* One step backward, while what reaches its state is in cache. */
struct backward_step {
  struct blocks d, states;
  const struct rnn_parameters *weights;
  struct rnn_shape shape;
  size_t t;
};

static struct backward_step backward_step_of(struct rnn_states dstates, struct rnn_states states,
                                             const struct rnn_parameters *weights,
                                             struct rnn_shape shape, size_t i) {
  const size_t t = step_number(i, shape);
  return (struct backward_step){blocks_of(dstates, shape, t), blocks_of(states, shape, t), weights,
                                shape, t};
}

/* h_t = h_{t-1}: the gradient passes, and nothing reaches the weights                      (22) */
static void pass_through(const struct backward_step *step, size_t b, size_t column,
                         size_t columns) {
  const size_t H = step->shape.hidden, at = b * H + column;
  for (size_t p = 0; p < step->shape.cell->parts; p++) {
    const real *dstate = step->d.after[p] + at;
    real *dprevious = step->d.before[p] + at;
    for (size_t j = 0; j < columns; j++) dprevious[j] += dstate[j];
  }
  real *dz = step->d.z + b * row_of_z(step->shape) + column;
  for (size_t k = 0; k < rnn_columns(step->shape.cell); k++)
    memset(dz + k * H, 0, columns * sizeof *dz);
}

static void step_backward(const void *context, size_t row, size_t rows, size_t column,
                          size_t columns) {
  const struct backward_step *step = context;
  const struct rnn_cell *cell = step->shape.cell;
  const size_t H = step->shape.hidden, Z = row_of_z(step->shape);
  for (size_t b = row; b < row + rows; b++) {
    const size_t at = b * H + column;
    struct cell_step_back back = {.kept = step->states.z + b * Z + column,
                                  .dz = step->d.z + b * Z + column,
                                  .hidden = H,
                                  .units = columns};
    for (size_t p = 0; p < cell->parts; p++) {
      back.state[p] = step->states.after[p] + at;
      back.previous[p] = step->states.before[p] + at;
      back.dstate[p] = step->d.after[p] + at;
      back.dprevious[p] = step->d.before[p] + at;
      if (step->d.reached != NULL)
        memcpy(step->d.reached + (b * cell->parts + p) * H + column, back.dstate[p],
               columns * sizeof(real));
    }
    if (is_real(step->t, b, step->shape))
      cell->backward(&back);
    else
      pass_through(step, b, column, columns);
  }
}

/* From the gradients behind the gains, which are kept for those of gains and biases, to dz. */
static void normalized_row_backward(const void *context, size_t b) {
  const struct backward_step *step = context;
  const size_t H = step->shape.hidden, K = rnn_columns(step->shape.cell);
  step_backward(step, b, 1, 0, H);
  memcpy(step->d.normalized + b * K * H, step->d.z + b * K * H, K * H * sizeof(real));
  for (size_t k = 0, i = b * K; k < K; k++, i++) /* (86) */
    layer_norm_backward(step->d.z + i * H, step->states.normalized + i * H, step->states.scales[i],
                        step->weights->gain + k * H, H);
}

static void all_rows_backward(const struct backward_step *step) {
  if (step->weights->gain == NULL)
    step_backward(step, 0, step->shape.batch, 0, step->shape.hidden);
  else
    share_out(step->shape.batch, work_of_rows(step->shape), normalized_row_backward, step);
}

void rnn_backward_states(struct rnn_states dstates, struct rnn_states states,
                         const struct rnn_parameters *weights, struct rnn_shape shape) {
  const size_t B = shape.batch, H = shape.hidden;
  if (shape.steps == 0) return;
  const bool normalize = weights->gain != NULL;
  const struct backward_step last =
      backward_step_of(dstates, states, weights, shape, shape.steps - 1);
  all_rows_backward(&last);
  for (size_t i = shape.steps; i-- > 0;) {
    const struct backward_step step = backward_step_of(dstates, states, weights, shape, i);
    const struct backward_step before =
        backward_step_of(dstates, states, weights, shape, i > 0 ? i - 1 : 0);
    /* z_t holds W_hh h_{t-1}, so dh_{t-1} += W_hhᵀ dz_t                       (18, 22) */
    const struct product through = {step.d.before[0],
                                    H,
                                    1,
                                    1,
                                    as_it_is(step.d.z, row_of_z(shape)),
                                    as_it_is(weights->weight_hh, H),
                                    B,
                                    H,
                                    shape.cell->gates * H};
    matrix_product_then(through, 1, i > 0 && !normalize ? step_backward : NULL, &before);
    if (i > 0 && normalize) all_rows_backward(&before);
  }
}

/* dx_t = W_ihᵀ dz_t                                                            (20, 24) */
void rnn_backward_inputs(real *dinputs, real beta, struct rnn_states dstates,
                         const struct rnn_parameters *weights, struct rnn_shape shape) {
  const real *dz = rows_of_z(dstates, shape);
  const struct input_maps maps = input_maps_of(weights, shape);
  for (size_t i = 0; i < maps.count; i++)
    linear_backward_input(dinputs, i == 0 ? beta : 1, dz + maps.map[i].column, maps.map[i].linear,
                          shape.steps * shape.batch);
}

void rnn_backward_weights(const struct rnn_parameters *gradients, struct rnn_states dstates,
                          struct rnn_states states, const real *inputs, struct rnn_shape shape) {
  /* All dz were kept, so each weight's gradient is one product over all steps  (19, 23) */
  const size_t E = shape.input, H = shape.hidden, rows = shape.steps * shape.batch;
  const real *dz = rows_of_z(dstates, shape);
  /* The biases are added behind the gains. */
  const real *dbiased = gradients->gain != NULL ? dstates.normalized : dz;
  const real *previous = states.part[0] + block_before(0, shape) * shape.batch * H;
  const struct input_maps maps = input_maps_of(gradients, shape);
  for (size_t i = 0; i < maps.count; i++) {
    const size_t unit = maps.map[i].gate * H;
    const struct linear_gradients d = {.weight = gradients->weight_ih + unit * E};
    linear_backward_weights(d, dz + maps.map[i].column, inputs, maps.map[i].linear, rows);
    bias_backward(gradients->bias_ih + unit, dbiased + maps.map[i].column, row_of_z(shape), rows,
                  maps.map[i].linear.out);
  }
  const struct linear recurrent = {.in = H, .out = shape.cell->gates * H, .row = row_of_z(shape)};
  linear_backward_weights((struct linear_gradients){.weight = gradients->weight_hh}, dz, previous,
                          recurrent, rows);
  bias_backward(gradients->bias_hh, dbiased, row_of_z(shape), rows, recurrent.out);
  if (gradients->gain != NULL)
    gain_backward(gradients->gain, dbiased, states.normalized, rows, row_of_z(shape));
}

/* ---- for those who look at a gradient ---- */

static double norm_of(const real *x, size_t n) {
  double squares = 0;
  for (size_t i = 0; i < n; i++) squares += (double)x[i] * (double)x[i];
  return sqrt(squares);
}

struct rnn_step_measures rnn_measure_step(struct rnn_states dstates, struct rnn_states states,
                                          struct rnn_shape shape, size_t t) {
  const struct rnn_cell *cell = shape.cell;
  const size_t H = shape.hidden;
  const struct blocks d = blocks_of(dstates, shape, t), own = blocks_of(states, shape, t);
  const real *dz = d.normalized != NULL ? d.normalized : d.z;
  double input = norm_of(dz, (cell->gates - cell->apart) * H);
  if (cell->apart) input = hypot(input, norm_of(dz + cell->gates * H, H));
  return (struct rnn_step_measures){.state = norm_of(d.reached, cell->parts * H),
                                    .input = input,
                                    .saturated = (double)cell->saturated(own.z, H) /
                                                 (double)(cell->gates * H)};
}
