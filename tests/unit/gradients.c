/* Test: double. */
/* Compare the backward functions of single operations with central differences, in double
 * precision. */
#include "check.h"

#include <math.h>
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
#define HALF_ALPHA ((real)0.7)
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
    const struct cross_entropy_task task = {ce_targets, CE_ROWS,           CE_COLUMNS,
                                            smoothing,  (real)1 / CE_ROWS, 0};
    struct softmax_part part[CE_ROWS];
    cross_entropy_part(part, gradient, NULL, task, 0, CE_COLUMNS);
    cross_entropy_join(losses, part, 1, task);
    cross_entropy_gradient(gradient, NULL, part, task, 0, CE_COLUMNS);
    for (size_t i = 0; i < CE_ROWS; i++) cr_assert_float_eq(losses[i], forward[i], 1e-13);
    check_gradient("logits", c.logits, gradient, n, cross_entropy_loss, &c);
    free(c.logits);
  }
}

/* The loss (98) of two passes of each token. */
static double r_drop_loss(void *context) {
  const struct cross_entropy_case *c = context;
  double sum = CE_ROWS * cross_entropy_loss(context);
  for (size_t i = 0; i < CE_ROWS; i += 2) {
    const real *one = c->logits + i * CE_COLUMNS, *other = one + CE_COLUMNS;
    const real log_sum = log_sum_exp(one, CE_COLUMNS), other_sum = log_sum_exp(other, CE_COLUMNS);
    for (size_t v = 0; v < CE_COLUMNS; v++) {
      const double log_p = (double)(one[v] - log_sum), log_q = (double)(other[v] - other_sum);
      sum += HALF_ALPHA * (exp(log_p) * (log_p - log_q) + exp(log_q) * (log_q - log_p));
    }
  }
  return sum / CE_ROWS;
}

/* With a vocabulary in two parts. */
Test(gradients, r_drop_gradient_matches) {
  enum { FIRST = 3, PARTS = 2 };
  const size_t n = (size_t)CE_ROWS * CE_COLUMNS;
  for (double smoothing = 0; smoothing < 0.4; smoothing += 0.15) {
    struct cross_entropy_case c = {random_reals(n, 3, 3), smoothing};
    const struct cross_entropy_task task = {ce_targets, CE_ROWS,           CE_COLUMNS,
                                            smoothing,  (real)1 / CE_ROWS, HALF_ALPHA};
    real tiles[PARTS][CE_ROWS * CE_COLUMNS], differences[PARTS][CE_ROWS * CE_COLUMNS];
    real gradient[CE_ROWS * CE_COLUMNS];
    struct softmax_part parts[PARTS * CE_ROWS];
    double losses[CE_ROWS];
    for (size_t k = 0; k < PARTS; k++) {
      const size_t first = k * FIRST, width = k == 0 ? FIRST : CE_COLUMNS - FIRST;
      for (size_t i = 0; i < CE_ROWS; i++)
        memcpy(tiles[k] + i * width, c.logits + i * CE_COLUMNS + first, width * sizeof(real));
      cross_entropy_part(parts + k * CE_ROWS, tiles[k], differences[k], task, first, width);
    }
    cross_entropy_join(losses, parts, PARTS, task);
    for (size_t k = 0; k < PARTS; k++) {
      const size_t first = k * FIRST, width = k == 0 ? FIRST : CE_COLUMNS - FIRST;
      cross_entropy_gradient(tiles[k], differences[k], parts + k * CE_ROWS, task, first, width);
      for (size_t i = 0; i < CE_ROWS; i++)
        memcpy(gradient + i * CE_COLUMNS + first, tiles[k] + i * width, width * sizeof(real));
    }
    check_gradient("logits", c.logits, gradient, n, r_drop_loss, &c);
    free(c.logits);
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
