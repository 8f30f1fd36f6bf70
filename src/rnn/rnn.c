#include "rnn/rnn.h"

#include <math.h>
#include <string.h>

#include "base/team.h"
#include "base/text.h"
#include "tensor/blas.h"
#include "tensor/eight_bits.h"
#include "tensor/linear.h"
#include "tensor/product.h"

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

const char *elman_cell_name(size_t kind) {
  return kind < sizeof kinds / sizeof *kinds ? kinds[kind].name : NULL;
}

bool cell_parse(enum cell_kind *kind, const char *name) {
  size_t index;
  const bool found = choice_parse(&index, elman_cell_name, name);
  if (found) *kind = (enum cell_kind)index;
  return found;
}

/* ---- embedding ---- */

enum { STRIPE = 64 };

/* A range of steps of an embedding pass. */
struct lookup {
  const struct embedding_pass *pass;
  size_t first, count; /* rows of x, beginning at position (t,b) */
  real *x, *dtable;
};

static double work_of(const struct lookup *lookup) {
  return (double)WORK_OF_FUNCTION * (double)(lookup->count * lookup->pass->size);
}

static bool is_token(const struct lookup *lookup, size_t place) {
  const size_t B = lookup->pass->batch, at = lookup->first + place;
  return at / B < lookup->pass->lengths[at % B];
}

/* Apply dropout to one row. The mask of a position does not depend on how the sentence is divided
 * into ranges of steps. */
static void drop_row(const struct lookup *lookup, size_t place) {
  const struct embedding_pass *pass = lookup->pass;
  dropout_apply(lookup->x + place * pass->row, pass->size, (lookup->first + place) * pass->size,
                pass->dropout);
}

static void look_up(const void *context, size_t place) {
  const struct lookup *lookup = context;
  const struct embedding_pass *pass = lookup->pass;
  const size_t size = pass->size, rest = pass->row - size, at = lookup->first + place;
  real *row = lookup->x + place * pass->row;
  if (is_token(lookup, place)) {
    const real *from = pass->table + pass->ids[at] * size;
    if (pass->in_eight_bits)
      eight_bits_round(row, from, size);
    else
      memcpy(row, from, size * sizeof *row);
    drop_row(lookup, place);
  } else {
    memset(row, 0, size * sizeof *row);
  }
  if (pass->beside != NULL) memcpy(row + size, pass->beside + at * rest, rest * sizeof *row);
}

void embedding_forward(real *x, const struct embedding_pass *pass, struct range steps) {
  const struct lookup lookup = {pass, steps.first * pass->batch, steps.count * pass->batch, x,
                                NULL};
  share_out(lookup.count, work_of(&lookup), look_up, &lookup);
}

static void drop_if_token(const void *context, size_t place) {
  if (is_token(context, place)) drop_row(context, place);
}

/* Add some columns of all rows of dx to the table. Each thread has its own columns, so threads do
 * not collide on a repeated word. */
static void add_stripe(const void *context, size_t stripe) {
  const struct lookup *lookup = context;
  const struct embedding_pass *pass = lookup->pass;
  const size_t start = stripe * STRIPE;
  const size_t width = pass->size - start < STRIPE ? pass->size - start : STRIPE;
  for (size_t place = 0; place < lookup->count; place++) {
    if (!is_token(lookup, place)) continue;
    real *row = lookup->dtable + pass->ids[lookup->first + place] * pass->size + start;
    const real *drow = lookup->x + place * pass->row + start;
    for (size_t i = 0; i < width; i++) row[i] += drow[i];
  }
}

void embedding_backward(real *dtable, real *dx, const struct embedding_pass *pass,
                        struct range steps) {
  const struct lookup all = {pass, steps.first * pass->batch, steps.count * pass->batch, dx,
                             dtable};
  const double work = work_of(&all);
  if (pass->dropout.probability > 0) share_out(all.count, work, drop_if_token, &all);
  share_out((pass->size + STRIPE - 1) / STRIPE, work, add_stripe, &all);
}

/* ---- a layer: its steps ---- */

/* Return the block of the state after input t, or of the state before it. */
static size_t block_after(size_t t, const struct rnn_shape *shape) {
  return shape->reverse ? t : t + 1;
}

static size_t block_before(size_t t, const struct rnn_shape *shape) {
  return shape->reverse ? t + 1 : t;
}

/* Return the index of the step that runs at place i of the range. A reverse layer runs the last
 * step first. */
static size_t step_number(size_t i, struct range steps, const struct rnn_shape *shape) {
  return steps.first + (shape->reverse ? steps.count - 1 - i : i);
}

static bool is_real(size_t t, size_t b, const struct rnn_shape *shape) {
  return t < shape->lengths[b];
}

/* ---- layout ---- */

size_t rnn_columns(const struct rnn_cell *cell) {
  return cell->gates + cell->separate;
}

/* Return the size of the panels of W_hhᵀ or W_hh. Return 0 if packing takes longer than it saves:
 * few rows use each packed number only a few times. */
static size_t panels_size(const struct rnn_shape *shape, enum arithmetic arithmetic) {
  enum { LEAST_ROWS = 8 };
  const size_t H = shape->hidden, G = shape->cell->gates;
  const size_t forward = packed_size(arithmetic, G, H, H);
  const size_t backward = packed_size(arithmetic, 1, H, G * H);
  if (shape->batch < LEAST_ROWS) return 0;
  return forward > backward ? forward : backward;
}

void rnn_states_allocate(struct rnn_states *states, struct arena *arena, struct rnn_shape shape,
                         bool layer_norm, bool reached, const struct numerics *packed) {
  const struct rnn_cell *cell = shape.cell;
  const size_t T = shape.steps, B = shape.batch, H = shape.hidden, K = rnn_columns(cell);
  const size_t size = packed != NULL ? panels_size(&shape, packed->arithmetic) : 0;
  for (size_t p = 0; p < MAX_STATE_PARTS; p++)
    states->part[p] = p < cell->parts ? arena_reals(arena, T + 1, B, H) : NULL;
  states->gates = cell->keeps ? arena_reals(arena, T, B, K * H) : NULL;
  states->reached = reached ? arena_reals(arena, T, B, cell->parts * H) : NULL;
  states->normalized = layer_norm ? arena_reals(arena, T, B, K * H) : NULL;
  states->scales = layer_norm ? arena_reals(arena, T, B, K) : NULL;
  states->panels = size > 0 ? arena_reals(arena, size, 1, 1) : NULL;
}

void rnn_states_clear(struct rnn_states states, struct rnn_shape shape) {
  for (size_t p = 0; p < shape.cell->parts; p++)
    memset(states.part[p], 0, (shape.steps + 1) * shape.batch * shape.hidden * sizeof(real));
}

/* Return z, or dz, of all steps, in rows of K·H. */
static real *rows_of_z(const struct rnn_states *states, const struct rnn_shape *shape) {
  if (states->gates != NULL) return states->gates;
  return states->part[0] + block_after(0, shape) * shape->batch * shape->hidden;
}

static size_t row_of_z(const struct rnn_shape *shape) {
  return rnn_columns(shape->cell) * shape->hidden;
}

/* The blocks of step t in the arrays of struct rnn_states. */
struct blocks {
  real *after[MAX_STATE_PARTS], *before[MAX_STATE_PARTS]; /* (B,H) */
  real *z;                                                /* (B,K·H) */
  real *reached;                                          /* (B,parts·H) */
  real *normalized, *scales;                              /* (B,K·H), (B,K) */
};

static struct blocks blocks_of(const struct rnn_states *states, const struct rnn_shape *shape,
                               size_t t) {
  const size_t block = shape->batch * shape->hidden;
  struct blocks blocks = {.z = rows_of_z(states, shape) + t * shape->batch * row_of_z(shape)};
  if (states->reached != NULL) blocks.reached = states->reached + t * shape->cell->parts * block;
  if (states->normalized != NULL) {
    blocks.normalized = states->normalized + t * shape->batch * row_of_z(shape);
    blocks.scales = states->scales + t * shape->batch * rnn_columns(shape->cell);
  }
  for (size_t p = 0; p < shape->cell->parts; p++) {
    blocks.after[p] = states->part[p] + block_after(t, shape) * block;
    blocks.before[p] = states->part[p] + block_before(t, shape) * block;
  }
  return blocks;
}

/* ---- the input's matrix product; the biases are added with the nonlinearities ---- */

/* The linear maps of the input. There are two maps if the input's contribution to the last gate is
 * kept separately. If not, there is one map. */
struct input_maps {
  size_t count;
  struct {
    struct linear linear;
    size_t gate, column; /* first gate of the map, and its first column in a row of z */
  } map[2];
};

static struct input_maps input_maps_of(const struct rnn_parameters *weights,
                                       const struct rnn_shape *shape) {
  const size_t H = shape->hidden, E = shape->input, G = shape->cell->gates;
  const struct linear all = {.weight = weights->weight_ih,
                             .in = E,
                             .out = G * H,
                             .row = row_of_z(shape),
                             .numerics = weights->numerics};
  struct input_maps maps = {1, {{all, 0, 0}, {all, G - 1, G * H}}};
  if (!shape->cell->separate) return maps;
  maps.count = 2;
  maps.map[0].linear.out = (G - 1) * H;
  maps.map[1].linear.out = H;
  maps.map[1].linear.weight += (G - 1) * H * E;
  return maps;
}

/* ---- forward ---- */

/* One forward step, computed while its matrix product is in the cache. */
struct forward_step {
  const struct rnn_pass *pass;
  size_t t;
  struct blocks blocks;
};

static void step_forward(const void *context, size_t row, size_t rows, size_t column,
                         size_t columns) {
  const struct forward_step *step = context;
  const struct rnn_parameters *weights = step->pass->weights;
  const struct rnn_shape *shape = &step->pass->shape;
  for (size_t b = row; b < row + rows; b++) {
    const size_t at = b * shape->hidden + column;
    struct cell_step cell = {.z = step->blocks.z + b * row_of_z(shape) + column,
                             .bias_ih = weights->bias_ih + column,
                             .bias_hh = weights->bias_hh + column,
                             .hidden = shape->hidden,
                             .units = columns};
    const bool real_step = is_real(step->t, b, shape);
    for (size_t p = 0; p < shape->cell->parts; p++) {
      cell.state[p] = step->blocks.after[p] + at;
      cell.previous[p] = step->blocks.before[p] + at;
      if (!real_step) /* the state is copied unchanged (3) */
        memcpy(cell.state[p], cell.previous[p], columns * sizeof(real));
    }
    if (real_step) shape->cell->forward(&cell);
  }
}

/* Estimate the work of processing z in whole rows. Layer normalization needs all units of a gate,
 * so it cannot process tiles. */
static double work_of_rows(const struct rnn_shape *shape) {
  return (double)WORK_OF_FUNCTION * (double)(shape->batch * row_of_z(shape));
}

static void normalized_row_forward(const void *context, size_t b) {
  const struct forward_step *step = context;
  const size_t H = step->pass->shape.hidden, K = rnn_columns(step->pass->shape.cell);
  const struct blocks *own = &step->blocks;
  for (size_t k = 0, i = b * K; k < K; k++, i++) /* (41) */
    own->scales[i] = layer_norm_forward(own->z + i * H, own->normalized + i * H,
                                        step->pass->weights->gain + k * H, H);
  step_forward(step, b, 1, 0, H);
}

static void row_forward(const void *context, size_t b) {
  const struct forward_step *step = context;
  step_forward(step, b, 1, 0, step->pass->shape.hidden);
}

static void recur_in_eight_bits(const struct forward_step *step) {
  const struct rnn_shape *shape = &step->pass->shape;
  const struct rnn_parameters *weights = step->pass->weights;
  const size_t H = shape->hidden;
  const struct linear recurrent = {.weight = weights->weight_hh,
                                   .in = H,
                                   .out = shape->cell->gates * H,
                                   .row = row_of_z(shape),
                                   .numerics = weights->numerics};
  linear_add_in_eight_bits(step->blocks.z, step->blocks.before[0], recurrent, shape->batch);
  if (weights->gain == NULL) share_out(shape->batch, work_of_rows(shape), row_forward, step);
}

/* Run one step: z_t += W_hh h_{t-1} for all gates, then the cell                          (2),
 * (30), (32) */
static void run_step(const struct rnn_pass *pass, const struct packed *packed, size_t t) {
  const struct rnn_shape *shape = &pass->shape;
  const struct forward_step step = {pass, t, blocks_of(&pass->states, shape, t)};
  const size_t B = shape->batch, H = shape->hidden, G = shape->cell->gates, Z = row_of_z(shape);
  const double work = work_of_rows(shape);
  const bool normalize = pass->weights->gain != NULL;
  const struct product recurrent = {step.blocks.z,
                                    Z,
                                    1,
                                    1,
                                    not_transposed(step.blocks.before[0], H),
                                    transposed(pass->weights->weight_hh, H),
                                    B,
                                    H,
                                    H,
                                    pass->weights->numerics};
  /* Set the state's contribution to the last gate to 0 first, because the input's contribution is
   * kept separately. */
  for (size_t b = 0; shape->cell->separate && b < B; b++)
    memset(step.blocks.z + b * Z + (G - 1) * H, 0, H * sizeof(real));
  if (pass->weights->numerics->eight_bits != NULL)
    recur_in_eight_bits(&step);
  else if (pass->states.panels != NULL)
    packed_product_then(recurrent, packed, normalize ? NULL : step_forward, &step);
  else
    matrix_product_then(recurrent, G, normalize ? NULL : step_forward, &step);
  if (normalize) share_out(B, work, normalized_row_forward, &step);
}

/* Return W_hhᵀ in panels, which the first step of the pass packs. */
static struct packed packed_forward(const struct rnn_pass *pass, struct range steps) {
  const size_t H = pass->shape.hidden, G = pass->shape.cell->gates;
  const struct rnn_parameters *weights = pass->weights;
  real *panels = pass->states.panels;
  if (panels == NULL || weights->numerics->eight_bits != NULL) return (struct packed){0};
  if (steps.first > 0) return packed_before(panels, G, H, H, weights->numerics);
  return pack(panels, transposed(weights->weight_hh, H), G, H, H, weights->numerics);
}

void rnn_start(const struct rnn_pass *pass) {
  const struct rnn_shape shape = pass->shape;
  for (size_t p = 0; p < shape.cell->parts; p++)
    memset(rnn_initial(pass->states, p, shape), 0, shape.batch * shape.hidden * sizeof(real));
}

/* A range of rows (t,b) of the outputs. In a backward pass, dstates and doutputs are the gradients
 * of the states and of the outputs. */
struct output_rows {
  const struct rnn_pass *pass;
  size_t first, count;
  real *dstates, *doutputs;
};

static double work_of_outputs(const struct output_rows *rows) {
  return (double)WORK_OF_FUNCTION * (double)(rows->count * rows->pass->shape.hidden);
}

/* Number of rows of one work item. In an output of one direction these rows are adjacent, so the
 * computation of their random numbers can be vectorized. */
enum { ROWS_TOGETHER = 32 };

static size_t pieces_of(const struct output_rows *rows) {
  const size_t each = rows->pass->width == rows->pass->shape.hidden ? ROWS_TOGETHER : 1;
  return (rows->count + each - 1) / each;
}

/* Return the number of rows of work item i. Set *row to the first row. */
static size_t rows_of_piece(size_t *row, const struct output_rows *rows, size_t i) {
  const size_t each = rows->pass->width == rows->pass->shape.hidden ? ROWS_TOGETHER : 1;
  const size_t left = rows->count - i * each;
  *row = i * each;
  return left < each ? left : each;
}

/* Copy states to outputs. The dropout mask of a position is the same in every call. */
static void forward_rows(const void *context, size_t i) {
  const struct output_rows *rows = context;
  const struct rnn_pass *pass = rows->pass;
  const struct rnn_shape *shape = &pass->shape;
  size_t row;
  const size_t H = shape->hidden, n = rows_of_piece(&row, rows, i) * H;
  const size_t at = (rows->first + row) * pass->width + pass->column;
  const size_t state = (block_after(0, shape) * shape->batch + rows->first + row) * H;
  memcpy(pass->outputs + at, pass->states.part[0] + state, n * sizeof(real));
  dropout_apply(pass->outputs + at, n, at, pass->dropout);
  if (pass->residual) add_to(pass->outputs + at, pass->inputs + at, n);
}

void rnn_forward(const struct rnn_pass *pass, struct range steps) {
  const struct rnn_shape *shape = &pass->shape;
  const size_t at = steps.first * shape->batch, rows = steps.count * shape->batch;
  const struct input_maps maps = input_maps_of(pass->weights, shape);
  const struct output_rows outputs = {pass, at, rows, NULL, NULL};
  const double work = work_of_outputs(&outputs);
  const size_t pieces = pieces_of(&outputs);
  real *z = rows_of_z(&pass->states, shape) + at * row_of_z(shape);
  /* Multiply the inputs of all steps in one matrix product, which does not depend on the
   * recurrence. */
  for (size_t i = 0; i < maps.count; i++)
    linear_forward(z + maps.map[i].column, pass->inputs + at * shape->input, maps.map[i].linear,
                   rows);
  const struct packed packed = packed_forward(pass, steps);
  for (size_t i = 0; i < steps.count; i++) run_step(pass, &packed, step_number(i, steps, shape));
  if (pass->outputs != NULL) share_out(pieces, work, forward_rows, &outputs);
}

/* ---- backward ---- */

static void backward_rows(const void *context, size_t i) {
  const struct output_rows *rows = context;
  const struct rnn_pass *pass = rows->pass;
  const struct rnn_shape *shape = &pass->shape;
  size_t row;
  const size_t H = shape->hidden, n = rows_of_piece(&row, rows, i) * H;
  const size_t at = (rows->first + row) * pass->width + pass->column;
  real *doutputs = rows->doutputs + row * pass->width + pass->column;
  dropout_apply(doutputs, n, at, pass->dropout);
  add_to(rows->dstates + (block_after(0, shape) * shape->batch + rows->first + row) * H, doutputs,
         n);
}

void rnn_backward_outputs(struct rnn_states dstates, real *doutputs, const struct rnn_pass *pass,
                          struct range steps) {
  const size_t B = pass->shape.batch;
  const struct output_rows outputs = {pass, steps.first * B, steps.count * B, dstates.part[0],
                                      doutputs};
  share_out(pieces_of(&outputs), work_of_outputs(&outputs), backward_rows, &outputs);
}

/* One backward step, computed while the gradient of its state is in the cache. */
struct backward_step {
  const struct rnn_pass *pass;
  size_t t;
  struct blocks d, states;
};

static struct backward_step backward_step_of(const struct rnn_states *dstates,
                                             const struct rnn_pass *pass, size_t t) {
  return (struct backward_step){pass, t, blocks_of(dstates, &pass->shape, t),
                                blocks_of(&pass->states, &pass->shape, t)};
}

/* Pass the gradient on to the previous step at padding, where h_t = h_{t-1}. Padding adds nothing
 * to the gradients of the weights. (22) */
static void pass_through(const struct backward_step *step, size_t b, size_t column,
                         size_t columns) {
  const struct rnn_shape *shape = &step->pass->shape;
  const size_t H = shape->hidden, at = b * H + column;
  for (size_t p = 0; p < shape->cell->parts; p++) {
    const real *dstate = step->d.after[p] + at;
    real *dprevious = step->d.before[p] + at;
    for (size_t j = 0; j < columns; j++) dprevious[j] += dstate[j];
  }
  real *dz = step->d.z + b * row_of_z(shape) + column;
  for (size_t k = 0; k < rnn_columns(shape->cell); k++) memset(dz + k * H, 0, columns * sizeof *dz);
}

static void step_backward(const void *context, size_t row, size_t rows, size_t column,
                          size_t columns) {
  const struct backward_step *step = context;
  const struct rnn_shape *shape = &step->pass->shape;
  const struct rnn_cell *cell = shape->cell;
  const size_t H = shape->hidden, Z = row_of_z(shape);
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
    if (is_real(step->t, b, shape))
      cell->backward(&back);
    else
      pass_through(step, b, column, columns);
  }
}

/* Compute dz from the gradient after the gains. Store the gradient after the gains, which
 * determines the gradients of gains and biases. */
static void normalized_row_backward(const void *context, size_t b) {
  const struct backward_step *step = context;
  const size_t H = step->pass->shape.hidden, K = rnn_columns(step->pass->shape.cell);
  step_backward(step, b, 1, 0, H);
  memcpy(step->d.normalized + b * K * H, step->d.z + b * K * H, K * H * sizeof(real));
  for (size_t k = 0, i = b * K; k < K; k++, i++) /* (42) */
    layer_norm_backward(step->d.z + i * H, step->states.normalized + i * H, step->states.scales[i],
                        step->pass->weights->gain + k * H, H);
}

static void all_rows_backward(const struct backward_step *step) {
  const struct rnn_shape *shape = &step->pass->shape;
  if (step->pass->weights->gain == NULL)
    step_backward(step, 0, shape->batch, 0, shape->hidden);
  else
    share_out(shape->batch, work_of_rows(shape), normalized_row_backward, step);
}

/* Return W_hh in panels, which the last step of the pass packs. */
static struct packed packed_backward(const struct rnn_states *dstates, const struct rnn_pass *pass,
                                     struct range steps) {
  const size_t H = pass->shape.hidden, rows = pass->shape.cell->gates * H;
  if (dstates->panels == NULL) return (struct packed){0};
  if (steps.first + steps.count < pass->shape.steps)
    return packed_before(dstates->panels, 1, H, rows, pass->weights->numerics);
  return pack(dstates->panels, not_transposed(pass->weights->weight_hh, H), 1, H, rows,
              pass->weights->numerics);
}

void rnn_backward_states(struct rnn_states dstates, const struct rnn_pass *pass,
                         struct range steps) {
  const struct rnn_shape *shape = &pass->shape;
  const size_t B = shape->batch, H = shape->hidden;
  const bool normalize = pass->weights->gain != NULL;
  const struct packed packed = packed_backward(&dstates, pass, steps);
  for (size_t i = steps.count; i-- > 0;) {
    const struct backward_step step =
        backward_step_of(&dstates, pass, step_number(i, steps, shape));
    const struct backward_step before =
        backward_step_of(&dstates, pass, step_number(i > 0 ? i - 1 : 0, steps, shape));
    if (i + 1 == steps.count || normalize) all_rows_backward(&step);
    /* z_t contains W_hh h_{t-1}, so dh_{t-1} += W_hhᵀ dz_t                     (18), (22) */
    const struct product through = {step.d.before[0],
                                    H,
                                    1,
                                    1,
                                    not_transposed(step.d.z, row_of_z(shape)),
                                    not_transposed(pass->weights->weight_hh, H),
                                    B,
                                    H,
                                    shape->cell->gates * H,
                                    pass->weights->numerics};
    tile_function *const then = i > 0 && !normalize ? step_backward : NULL;
    if (dstates.panels != NULL)
      packed_product_then(through, &packed, then, &before);
    else
      matrix_product_then(through, 1, then, &before);
  }
}

/* dx_t = W_ihᵀ dz_t                                                          (20), (24) */
void rnn_backward_inputs(real *dinputs, real beta, struct rnn_states dstates,
                         const struct rnn_pass *pass, struct range steps) {
  const struct rnn_shape *shape = &pass->shape;
  const size_t B = shape->batch;
  const real *dz = rows_of_z(&dstates, shape) + steps.first * B * row_of_z(shape);
  const struct input_maps maps = input_maps_of(pass->weights, shape);
  for (size_t i = 0; i < maps.count; i++)
    linear_backward_input(dinputs, i == 0 ? beta : 1, dz + maps.map[i].column, maps.map[i].linear,
                          steps.count * B);
}

void rnn_backward_weights(const struct rnn_parameters *gradients, struct rnn_states dstates,
                          const struct rnn_pass *pass) {
  /* All dz are stored, so the gradient of each weight is one product over all steps  (19), (23) */
  const struct rnn_shape *shape = &pass->shape;
  const size_t E = shape->input, H = shape->hidden, rows = shape->steps * shape->batch;
  const real *dz = rows_of_z(&dstates, shape);
  /* Biases are added after the gains, so the gradient of the biases is the gradient after the
   * gains. */
  const real *dbiased = gradients->gain != NULL ? dstates.normalized : dz;
  const real *previous = pass->states.part[0] + block_before(0, shape) * shape->batch * H;
  const struct input_maps maps = input_maps_of(pass->weights, shape);
  const struct linear recurrent = {.in = H,
                                   .out = shape->cell->gates * H,
                                   .row = row_of_z(shape),
                                   .numerics = pass->weights->numerics};
  for (size_t i = 0; i < maps.count; i++) {
    const size_t unit = maps.map[i].gate * H;
    const struct linear_gradients d = {.weight = gradients->weight_ih + unit * E};
    linear_backward_weights(d, dz + maps.map[i].column, pass->inputs, maps.map[i].linear, rows);
    bias_backward(gradients->bias_ih + unit, dbiased + maps.map[i].column, recurrent.row, rows,
                  maps.map[i].linear.out);
  }
  linear_backward_weights((struct linear_gradients){.weight = gradients->weight_hh}, dz, previous,
                          recurrent, rows);
  bias_backward(gradients->bias_hh, dbiased, recurrent.row, rows, recurrent.out);
  if (gradients->gain != NULL)
    gain_backward(gradients->gain, dbiased, pass->states.normalized, rows, recurrent.row);
}

/* ---- measures of a step ---- */

static double norm_of(const real *x, size_t n) {
  double squares = 0;
  for (size_t i = 0; i < n; i++) squares += (double)x[i] * (double)x[i];
  return sqrt(squares);
}

struct rnn_step_measures rnn_measure_step(struct rnn_states dstates, struct rnn_states states,
                                          struct rnn_shape shape, size_t t) {
  const struct rnn_cell *cell = shape.cell;
  const size_t H = shape.hidden;
  const struct blocks d = blocks_of(&dstates, &shape, t), own = blocks_of(&states, &shape, t);
  const real *dz = d.normalized != NULL ? d.normalized : d.z;
  const double joint = norm_of(dz, (cell->gates - cell->separate) * H);
  const double separate = cell->separate ? norm_of(dz + cell->gates * H, H) : 0;
  return (struct rnn_step_measures){.state = norm_of(d.reached, cell->parts * H),
                                    .input = sqrt(joint * joint + separate * separate),
                                    .saturated = (double)cell->saturated(own.z, H) /
                                                 (double)(cell->gates * H),
                                    .hidden = own.after[0]};
}
