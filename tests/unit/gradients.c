/* Test: double. */
/* Compare the backward functions of single operations with central differences, in double
 * precision. */
#include "check.h"

#include <string.h>

#include "rnn/rnn.h"
#include "tensor/cross_entropy.h"
#include "tensor/linear.h"
#include "tensor/softmax.h"

/* Fixed random weights r turn the outputs of an operation into one number, L = Σ r·out. The
 * incoming gradient is therefore r. */
static double weighted_sum(const real *out, const real *r, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (double)out[i] * (double)r[i];
  return sum;
}

/* ---- softmax and cross-entropy ---- */

struct softmax_case {
  real *x, *r;
  size_t n;
};

static double softmax_loss(void *context) {
  const struct softmax_case *c = context;
  real row[16];
  memcpy(row, c->x, c->n * sizeof *row);
  softmax_forward(row, c->n);
  return weighted_sum(row, c->r, c->n);
}

Test(gradients, softmax_gradient_matches) {
  for (size_t n = 1; n <= 9; n++) {
    struct softmax_case c = {random_reals(n, 2, 1), random_reals(n, 1, 2), n};
    real probabilities[16], gradient[16];
    memcpy(probabilities, c.x, n * sizeof *c.x);
    softmax_forward(probabilities, n);
    memcpy(gradient, c.r, n * sizeof *c.r);
    softmax_backward(gradient, probabilities, n);
    /* With one element the softmax is constant, so its gradient is exactly zero. */
    if (n == 1)
      cr_assert_eq(gradient[0], 0);
    else
      check_gradient("softmax", c.x, gradient, n, softmax_loss, &c);
    free(c.x);
    free(c.r);
  }
}

enum { CE_ROWS = 4, CE_COLUMNS = 7 };
static const uint32_t ce_targets[CE_ROWS] = {0, 6, 3, 3};

struct cross_entropy_case {
  real *logits;
  double smoothing;
};

static double cross_entropy_loss(void *context) {
  const struct cross_entropy_case *c = context;
  double losses[CE_ROWS], sum = 0;
  cross_entropy_forward(losses, c->logits, ce_targets, c->smoothing, CE_ROWS, CE_COLUMNS);
  for (size_t i = 0; i < CE_ROWS; i++) sum += losses[i];
  return sum / CE_ROWS;
}

Test(gradients, cross_entropy_gradient_matches) {
  const size_t n = (size_t)CE_ROWS * CE_COLUMNS;
  for (double smoothing = 0; smoothing < 0.4; smoothing += 0.15) {
    struct cross_entropy_case c = {random_reals(n, 3, 3), smoothing};
    owned real *gradient = random_reals(n, 3, 3);
    double forward[CE_ROWS], losses[CE_ROWS];
    cross_entropy_forward(forward, c.logits, ce_targets, smoothing, CE_ROWS, CE_COLUMNS);
    const struct cross_entropy_task task = {ce_targets, CE_ROWS, CE_COLUMNS, smoothing,
                                            (real)1 / CE_ROWS};
    struct softmax_part part[CE_ROWS];
    cross_entropy_part(part, gradient, task, 0, CE_COLUMNS);
    cross_entropy_join(losses, part, 1, task);
    cross_entropy_gradient(gradient, part, task, 0, CE_COLUMNS);
    for (size_t i = 0; i < CE_ROWS; i++) cr_assert_float_eq(losses[i], forward[i], 1e-13);
    check_gradient("logits", c.logits, gradient, n, cross_entropy_loss, &c);
    free(c.logits);
  }
}

/* Parts of 3, 3 and 1 columns give the result of the whole, wherever the largest logit is. */
Test(gradients, cross_entropy_in_parts_matches_whole) {
  enum { PARTS = 3, WIDTH = 3 };
  const size_t n = (size_t)CE_ROWS * CE_COLUMNS;
  for (double smoothing = 0; smoothing < 0.4; smoothing += 0.15) {
    const struct cross_entropy_task task = {ce_targets, CE_ROWS, CE_COLUMNS, smoothing,
                                            (real)1 / CE_ROWS};
    owned real *whole = random_reals(n, 60, 3);
    owned real *tiles = reals(n);
    for (size_t i = 0; i < CE_ROWS; i++) {
      for (size_t j = 0; j < CE_COLUMNS; j++) {
        const size_t first = j / WIDTH * WIDTH;
        const size_t width = CE_COLUMNS - first < WIDTH ? CE_COLUMNS - first : WIDTH;
        tiles[CE_ROWS * first + i * width + j - first] = whole[i * CE_COLUMNS + j];
      }
    }
    double expected[CE_ROWS], losses[CE_ROWS];
    struct softmax_part part[CE_ROWS], parts[PARTS * CE_ROWS];
    cross_entropy_part(part, whole, task, 0, CE_COLUMNS);
    cross_entropy_join(expected, part, 1, task);
    cross_entropy_gradient(whole, part, task, 0, CE_COLUMNS);
    for (size_t k = PARTS; k-- > 0;)
      cross_entropy_part(parts + k * CE_ROWS, tiles + k * CE_ROWS * WIDTH, task, k * WIDTH,
                         k + 1 < PARTS ? WIDTH : CE_COLUMNS % WIDTH);
    cross_entropy_join(losses, parts, PARTS, task);
    for (size_t k = 0; k < PARTS; k++)
      cross_entropy_gradient(tiles + k * CE_ROWS * WIDTH, parts + k * CE_ROWS, task, k * WIDTH,
                             k + 1 < PARTS ? WIDTH : CE_COLUMNS % WIDTH);
    for (size_t i = 0; i < CE_ROWS; i++) {
      cr_assert_float_eq(losses[i], expected[i], CLOSE);
      for (size_t j = 0; j < CE_COLUMNS; j++) {
        const size_t first = j / WIDTH * WIDTH;
        const size_t width = CE_COLUMNS - first < WIDTH ? CE_COLUMNS - first : WIDTH;
        cr_assert_float_eq((double)tiles[CE_ROWS * first + i * width + j - first],
                           (double)whole[i * CE_COLUMNS + j], CLOSE);
      }
    }
  }
}

/* ---- the linear map ---- */

enum { LIN_N = 5, LIN_IN = 3, LIN_OUT = 4 };

struct linear_case {
  real *x, *weight, *bias, *r;
};

static double linear_loss(void *context) {
  const struct linear_case *c = context;
  real y[LIN_N * LIN_OUT];
  linear_forward(
      y, c->x,
      (struct linear){
          .weight = c->weight, .bias = c->bias, .in = LIN_IN, .out = LIN_OUT, .numerics = FAST},
      LIN_N);
  return weighted_sum(y, c->r, (size_t)LIN_N * LIN_OUT);
}

Test(gradients, linear_gradients_match) {
  struct linear_case c = {random_reals(LIN_N * LIN_IN, 1, 1), random_reals(LIN_OUT * LIN_IN, 1, 2),
                          random_reals(LIN_OUT, 1, 3), random_reals(LIN_N * LIN_OUT, 1, 4)};
  real *dx = random_reals(LIN_N * LIN_IN, 1, 5), *dx_added = reals(LIN_N * LIN_IN);
  real *dweight = reals(LIN_OUT * LIN_IN), *dbias = reals(LIN_OUT);
  const struct linear l = {
      .weight = c.weight, .bias = c.bias, .in = LIN_IN, .out = LIN_OUT, .numerics = FAST};
  linear_backward_input(dx, 0, c.r, l, LIN_N); /* overwrites */
  linear_backward_input(dx_added, 1, c.r, l, LIN_N);
  linear_backward_weights((struct linear_gradients){dweight, dbias}, c.r, c.x, l, LIN_N);
  check_gradient("x", c.x, dx, (size_t)LIN_N * LIN_IN, linear_loss, &c);
  check_gradient("x, added", c.x, dx_added, (size_t)LIN_N * LIN_IN, linear_loss, &c);
  check_gradient("weight", c.weight, dweight, (size_t)LIN_OUT * LIN_IN, linear_loss, &c);
  check_gradient("bias", c.bias, dbias, LIN_OUT, linear_loss, &c);
  real *lists[] = {c.x, c.weight, c.bias, c.r, dx, dx_added, dweight, dbias};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]);
}

/* ---- the embedding ---- */

enum { EMB_V = 5, EMB_STEPS = 4, EMB_BATCH = 3, EMB_SIZE = 70, EMB_ROW = 71 };
/* Word 3 is repeated within and across sentences. Padding contains a valid word id, so that reading
 * it would change the result. */
static const uint32_t emb_ids[EMB_STEPS * EMB_BATCH] = {3, 0, 3, 3, 1, 4, 3, 2, 4, 1, 3, 0};
static const size_t emb_lengths[EMB_BATCH] = {4, 3, 2};

static const struct range emb_steps = {0, EMB_STEPS};

struct embedding_case {
  real *table, *r;
  struct dropout dropout;
};

static struct embedding_pass emb_pass(const struct embedding_case *c) {
  return (struct embedding_pass){.table = c->table,
                                 .ids = emb_ids,
                                 .lengths = emb_lengths,
                                 .batch = EMB_BATCH,
                                 .size = EMB_SIZE,
                                 .row = EMB_ROW,
                                 .dropout = c->dropout};
}

static double embedding_loss(void *context) {
  const struct embedding_case *c = context;
  const struct embedding_pass pass = emb_pass(c);
  real x[EMB_STEPS * EMB_BATCH * EMB_ROW] = {0};
  embedding_forward(x, &pass, emb_steps);
  return weighted_sum(x, c->r, sizeof x / sizeof *x);
}

Test(gradients, embedding_gradient_matches) {
  for (int dropped = 0; dropped < 2; dropped++) {
    struct embedding_case c = {random_reals(EMB_V * EMB_SIZE, 1, 1),
                               random_reals(EMB_STEPS * EMB_BATCH * EMB_ROW, 1, 2),
                               {dropped * 0.4, {1, RANDOM_DROPOUT, 1}}};
    owned real *dtable = reals(EMB_V * EMB_SIZE);
    owned real *dx = random_reals(EMB_STEPS * EMB_BATCH * EMB_ROW, 1, 2);
    const struct embedding_pass pass = emb_pass(&c);
    embedding_backward(dtable, dx, &pass, emb_steps);
    check_gradient("table", c.table, dtable, (size_t)EMB_V * EMB_SIZE, embedding_loss, &c);
    free(c.table);
    free(c.r);
  }
}

/* ---- a recurrent layer ---- */

struct rnn_case {
  struct rnn_shape shape;
  struct rnn_parameters weights;
  real *inputs;
  struct rnn_states initial; /* the initial state, and zero */
  struct rnn_states r;       /* weights of all states, including the initial one */
};

/* Make states with the parts selected by `which`; the others are zero. */
static struct rnn_states make_states(struct rnn_shape shape, double scale, unsigned which) {
  const size_t B = shape.batch, H = shape.hidden, n = (shape.steps + 1) * B * H;
  const size_t columns = rnn_columns(shape.cell);
  struct rnn_states states = {.gates = reals(shape.steps * B * H * columns),
                              .normalized = reals(shape.steps * B * H * columns),
                              .scales = reals(shape.steps * B * columns)};
  for (size_t p = 0; p < shape.cell->parts; p++)
    states.part[p] = random_reals(n, scale, which + (unsigned)p);
  if (!shape.cell->keeps) {
    free(states.gates);
    states.gates = NULL;
  }
  return states;
}

static void free_states(struct rnn_states states) {
  for (size_t p = 0; p < MAX_STATE_PARTS; p++) free(states.part[p]);
  free(states.gates);
  free(states.normalized);
  free(states.scales);
}

static double rnn_loss(void *context) {
  const struct rnn_case *c = context;
  const size_t B = c->shape.batch, H = c->shape.hidden, n = (c->shape.steps + 1) * B * H;
  struct rnn_states states = make_states(c->shape, 0, 1);
  double loss = 0;
  for (size_t p = 0; p < c->shape.cell->parts; p++)
    memcpy(rnn_initial(states, p, c->shape), rnn_initial(c->initial, p, c->shape),
           B * H * sizeof(real));
  rnn_forward(
      &(struct rnn_pass){
          .weights = &c->weights, .shape = c->shape, .states = states, .inputs = c->inputs},
      (struct range){0, c->shape.steps});
  for (size_t p = 0; p < c->shape.cell->parts; p++)
    loss += weighted_sum(states.part[p], c->r.part[p], n);
  free_states(states);
  return loss;
}

static void check_rnn(const struct rnn_cell *cell, bool layer_norm, size_t steps, size_t batch,
                      const size_t *lengths, bool reverse) {
  enum { E = 3, H = 4 };
  const size_t G = cell->gates, K = rnn_columns(cell);
  const struct rnn_shape shape = {cell, steps, batch, E, H, lengths, reverse};
  struct rnn_case c = {.shape = shape,
                       .weights = {.numerics = FAST,
                                   .weight_ih = random_reals(G * H * E, 0.7, 1),
                                   .weight_hh = random_reals(G * H * H, 0.7, 2),
                                   .bias_ih = random_reals(G * H, 0.5, 3),
                                   .bias_hh = random_reals(G * H, 0.5, 4),
                                   .gain = layer_norm ? random_reals(K * H, 1, 11) : NULL},
                       .initial = make_states(shape, 0.5, 5),
                       .inputs = random_reals(steps * batch * E, 1, 7),
                       .r = make_states(shape, 1, 8)};
  struct rnn_states states = make_states(shape, 0.5, 5), dstates = make_states(shape, 1, 8);
  real *dinputs = random_reals(steps * batch * E, 1, 10);
  struct rnn_parameters gradients = {reals(G * H * E),
                                     reals(G * H * H),
                                     reals(G * H),
                                     reals(G * H),
                                     layer_norm ? reals(K * H) : NULL,
                                     NULL};
  const struct range all = {0, steps};
  const struct rnn_pass pass = {
      .weights = &c.weights, .shape = shape, .states = states, .inputs = c.inputs};
  rnn_forward(&pass, all);
  rnn_backward_states(dstates, &pass, all);
  rnn_backward_weights(&gradients, dstates, &pass);
  rnn_backward_inputs(dinputs, 0, dstates, &pass, all);

  check_gradient("weight_ih", c.weights.weight_ih, gradients.weight_ih, G * H * E, rnn_loss, &c);
  check_gradient("weight_hh", c.weights.weight_hh, gradients.weight_hh, G * H * H, rnn_loss, &c);
  check_gradient("bias_ih", c.weights.bias_ih, gradients.bias_ih, G * H, rnn_loss, &c);
  check_gradient("bias_hh", c.weights.bias_hh, gradients.bias_hh, G * H, rnn_loss, &c);
  if (layer_norm) check_gradient("gain", c.weights.gain, gradients.gain, K * H, rnn_loss, &c);
  check_gradient("inputs", c.inputs, dinputs, steps * batch * E, rnn_loss, &c);
  for (size_t p = 0; p < cell->parts; p++)
    check_gradient("initial state", rnn_initial(c.initial, p, shape),
                   rnn_initial(dstates, p, shape), batch * H, rnn_loss, &c);

  real *lists[] = {c.weights.weight_ih,
                   c.weights.weight_hh,
                   c.weights.bias_ih,
                   c.weights.bias_hh,
                   c.weights.gain,
                   gradients.weight_ih,
                   gradients.weight_hh,
                   gradients.bias_ih,
                   gradients.bias_hh,
                   gradients.gain,
                   c.inputs,
                   dinputs};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]);
  const struct rnn_states sets[] = {c.initial, c.r, states, dstates};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) free_states(sets[i]);
}

Test(gradients, recurrent_layer_gradients_match) {
  const size_t equal[] = {5, 5}, mixed[] = {2, 6, 1, 4}, one[] = {1};
  for (unsigned kind = 0; elman_cell_name(kind) != NULL; kind++) {
    const struct rnn_cell *cell = rnn_cell_of((enum cell_kind)kind);
    for (unsigned i = 0; i < 4; i++) {
      const bool reverse = i & 1, layer_norm = i & 2;
      check_rnn(cell, layer_norm, 1, 1, one, reverse);
      check_rnn(cell, layer_norm, 5, 2, equal, reverse);
      check_rnn(cell, layer_norm, 6, 4, mixed, reverse);
    }
  }
}
