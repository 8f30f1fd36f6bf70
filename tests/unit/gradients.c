/* Every backward function against central differences, in double. */
#include "check.h"

#include <string.h>

#include "attention/attention.h"
#include "model/network.h"
#include "rnn/elman.h"
#include "rnn/embedding.h"
#include "tensor/cross_entropy.h"
#include "tensor/linear.h"
#include "tensor/softmax.h"

/* An operation's outputs are turned into one number by fixed random weights r: L = Σ r·out, so the
 * gradient that comes in from above is r. */
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

Test(gradients, softmax) {
  for (size_t n = 1; n <= 9; n++) {
    struct softmax_case c = {random_reals(n, 2, 1), random_reals(n, 1, 2), n};
    real probabilities[16], gradient[16];
    memcpy(probabilities, c.x, n * sizeof *c.x);
    softmax_forward(probabilities, n);
    memcpy(gradient, c.r, n * sizeof *c.r);
    softmax_backward(gradient, probabilities, n);
    /* With one element the softmax is constant and its gradient exactly zero. */
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

static double cross_entropy_loss(void *context) {
  double losses[CE_ROWS], sum = 0;
  real log_sums[CE_ROWS];
  cross_entropy_forward(losses, log_sums, context, ce_targets, CE_ROWS, CE_COLUMNS);
  for (size_t i = 0; i < CE_ROWS; i++) sum += losses[i];
  return sum / CE_ROWS;
}

Test(gradients, cross_entropy) {
  const size_t n = (size_t)CE_ROWS * CE_COLUMNS;
  real *logits = random_reals(n, 3, 3), *gradient = random_reals(n, 3, 3);
  double losses[CE_ROWS];
  real log_sums[CE_ROWS];
  cross_entropy_forward(losses, log_sums, logits, ce_targets, CE_ROWS, CE_COLUMNS);
  cross_entropy_backward(gradient, log_sums, ce_targets, (real)1 / CE_ROWS, CE_ROWS, CE_COLUMNS);
  check_gradient("logits", logits, gradient, n, cross_entropy_loss, logits);
  free(logits);
  free(gradient);
}

/* ---- the linear map ---- */

enum { LIN_N = 5, LIN_IN = 3, LIN_OUT = 4 };

struct linear_case {
  real *x, *weight, *bias, *r;
};

static double linear_loss(void *context) {
  const struct linear_case *c = context;
  real y[LIN_N * LIN_OUT];
  bias_forward(y, c->bias, LIN_N, LIN_OUT);
  linear_forward_add(y, c->x, c->weight, LIN_N, LIN_IN, LIN_OUT);
  return weighted_sum(y, c->r, (size_t)LIN_N * LIN_OUT);
}

Test(gradients, linear) {
  struct linear_case c = {random_reals(LIN_N * LIN_IN, 1, 1), random_reals(LIN_OUT * LIN_IN, 1, 2),
                          random_reals(LIN_OUT, 1, 3), random_reals(LIN_N * LIN_OUT, 1, 4)};
  real *dx = random_reals(LIN_N * LIN_IN, 1, 5), *dx_added = reals(LIN_N * LIN_IN);
  real *dweight = reals(LIN_OUT * LIN_IN), *dbias = reals(LIN_OUT);
  linear_backward_input(dx, c.r, c.weight, LIN_N, LIN_IN, LIN_OUT); /* overwrites */
  linear_backward_input_add(dx_added, c.r, c.weight, LIN_N, LIN_IN, LIN_OUT);
  linear_backward_weight(dweight, c.r, c.x, LIN_N, LIN_IN, LIN_OUT);
  bias_backward(dbias, c.r, LIN_N, LIN_OUT);
  check_gradient("x", c.x, dx, (size_t)LIN_N * LIN_IN, linear_loss, &c);
  check_gradient("x, added", c.x, dx_added, (size_t)LIN_N * LIN_IN, linear_loss, &c);
  check_gradient("weight", c.weight, dweight, (size_t)LIN_OUT * LIN_IN, linear_loss, &c);
  check_gradient("bias", c.bias, dbias, LIN_OUT, linear_loss, &c);
  real *lists[] = {c.x, c.weight, c.bias, c.r, dx, dx_added, dweight, dbias};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]);
}

/* ---- the embedding ---- */

enum { EMB_V = 5, EMB_STEPS = 4, EMB_BATCH = 3, EMB_SIZE = 2 };
/* Word 3 is repeated within and across sentences. What lies past a sentence's end is a word that is
 * there, so that reading it would not go unseen. */
static const uint32_t emb_ids[EMB_STEPS * EMB_BATCH] = {3, 0, 3, 3, 1, 4, 3, 2, 4, 1, 3, 0};
static const size_t emb_lengths[EMB_BATCH] = {4, 3, 2};

struct embedding_case {
  real *table, *r;
};

static double embedding_loss(void *context) {
  const struct embedding_case *c = context;
  real x[EMB_STEPS * EMB_BATCH * EMB_SIZE];
  embedding_forward(x, c->table, emb_ids, emb_lengths, EMB_STEPS, EMB_BATCH, EMB_SIZE);
  return weighted_sum(x, c->r, sizeof x / sizeof *x);
}

Test(gradients, embedding) {
  struct embedding_case c = {random_reals(EMB_V * EMB_SIZE, 1, 1),
                             random_reals(EMB_STEPS * EMB_BATCH * EMB_SIZE, 1, 2)};
  real *dtable = reals(EMB_V * EMB_SIZE);
  embedding_backward(dtable, c.r, emb_ids, emb_lengths, EMB_STEPS, EMB_BATCH, EMB_SIZE);
  check_gradient("table", c.table, dtable, (size_t)EMB_V * EMB_SIZE, embedding_loss, &c);
  free(c.table);
  free(c.r);
  free(dtable);
}

/* ---- the Elman layer ---- */

struct rnn_case {
  struct rnn_shape shape;
  struct rnn_parameters weights;
  real *initial, *inputs, *r; /* r weighs all states, the initial one included */
};

static size_t rnn_states_size(struct rnn_shape shape) {
  return (shape.steps + 1) * shape.batch * shape.hidden;
}

static double rnn_loss(void *context) {
  const struct rnn_case *c = context;
  const size_t n = rnn_states_size(c->shape);
  real *states = reals(n);
  memcpy(states, c->initial, c->shape.batch * c->shape.hidden * sizeof *states);
  rnn_forward(states, c->inputs, &c->weights, c->shape);
  const double loss = weighted_sum(states, c->r, n);
  free(states);
  return loss;
}

static void check_rnn(size_t steps, size_t batch, const size_t *lengths) {
  enum { E = 3, H = 4 };
  struct rnn_case c = {.shape = {steps, batch, E, H, lengths},
                       .weights = {random_reals(H * E, 0.7, 1), random_reals(H * H, 0.7, 2),
                                   random_reals(H, 0.5, 3), random_reals(H, 0.5, 4)},
                       .initial = random_reals(batch * H, 0.5, 5),
                       .inputs = random_reals(steps * batch * E, 1, 6),
                       .r = random_reals((steps + 1) * batch * H, 1, 7)};
  const size_t n = rnn_states_size(c.shape);
  real *states = reals(n), *dstates = random_reals(n, 1, 7);
  real *dinputs = random_reals(steps * batch * E, 1, 8);
  struct rnn_parameters gradients = {reals(H * E), reals(H * H), reals(H), reals(H)};
  memcpy(states, c.initial, batch * H * sizeof *states);
  rnn_forward(states, c.inputs, &c.weights, c.shape);
  rnn_backward(dinputs, &gradients, dstates, states, c.inputs, &c.weights, c.shape);

  check_gradient("weight_ih", c.weights.weight_ih, gradients.weight_ih, (size_t)H * E, rnn_loss, &c);
  check_gradient("weight_hh", c.weights.weight_hh, gradients.weight_hh, (size_t)H * H, rnn_loss, &c);
  check_gradient("bias_ih", c.weights.bias_ih, gradients.bias_ih, H, rnn_loss, &c);
  check_gradient("bias_hh", c.weights.bias_hh, gradients.bias_hh, H, rnn_loss, &c);
  check_gradient("inputs", c.inputs, dinputs, steps * batch * E, rnn_loss, &c);
  check_gradient("initial state", c.initial, dstates, batch * H, rnn_loss, &c);

  real *lists[] = {c.weights.weight_ih,  c.weights.weight_hh, c.weights.bias_ih,   c.weights.bias_hh,
                   gradients.weight_ih,  gradients.weight_hh, gradients.bias_ih,   gradients.bias_hh,
                   c.initial,            c.inputs,            c.r,                 states,
                   dstates,              dinputs};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]);
}

Test(gradients, elman_layer) {
  const size_t equal[] = {5, 5}, mixed[] = {2, 6, 1, 4}, one[] = {1};
  check_rnn(1, 1, one);
  check_rnn(5, 2, equal);
  check_rnn(6, 4, mixed);
}

/* ---- attention ---- */

struct attention_case {
  struct attention_shape shape;
  enum attention_kind kind;
  real *queries, *keys, *values, *r;
};

static double attention_loss(void *context) {
  const struct attention_case *c = context;
  const size_t T = c->shape.queries, S = c->shape.keys, B = c->shape.batch, H = c->shape.size;
  real *attended = reals(T * B * H), *weights = reals(T * B * S);
  attention_forward(attended, weights, c->queries, c->keys, c->values, c->kind, c->shape);
  const double loss = weighted_sum(attended, c->r, T * B * H);
  free(attended);
  free(weights);
  return loss;
}

static void check_attention(enum attention_kind kind, struct attention_shape shape) {
  const size_t T = shape.queries, S = shape.keys, B = shape.batch, H = shape.size;
  struct attention_case c = {shape,
                             kind,
                             random_reals(T * B * H, 0.6, 1),
                             random_reals(S * B * H, 0.6, 2),
                             random_reals(S * B * H, 1, 3),
                             random_reals(T * B * H, 1, 4)};
  real *attended = reals(T * B * H), *weights = reals(T * B * S), *scratch = reals(T * B * S);
  real *dqueries = reals(T * B * H), *dkeys = reals(S * B * H), *dvalues = reals(S * B * H);
  attention_forward(attended, weights, c.queries, c.keys, c.values, kind, shape);
  attention_backward(dqueries, dkeys, dvalues, scratch, c.r, weights, c.queries, c.keys, c.values,
                     kind, shape);
  /* With a single key everywhere, the weights are constant: queries and keys have no gradient. */
  if (S > 1) {
    check_gradient("queries", c.queries, dqueries, T * B * H, attention_loss, &c);
    check_gradient("keys", c.keys, dkeys, S * B * H, attention_loss, &c);
  } else {
    for (size_t i = 0; i < T * B * H; i++) cr_assert(fabs((double)dqueries[i]) < 1e-15);
  }
  check_gradient("values", c.values, dvalues, S * B * H, attention_loss, &c);
  real *lists[] = {c.queries, c.keys,  c.values, c.r,     attended,
                   weights,   scratch, dqueries, dkeys,   dvalues};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]);
}

Test(gradients, attention) {
  for (unsigned kind = 0; attention_name((enum attention_kind)kind) != NULL; kind++) {
    for (size_t positions = 1; positions <= 9; positions++) {
      const size_t queries[] = {positions, 1, (positions + 1) / 2};
      const size_t keys[] = {1, 10 - positions, (11 - positions) / 2};
      check_attention((enum attention_kind)kind,
                      (struct attention_shape){positions, 10 - positions, 3, 4, queries, keys});
    }
  }
}

/* ---- the whole network ---- */

struct network_case {
  struct model_config config;
  struct parameters weights;
  struct batch batch;
  struct workspace workspace;
};

static double network_loss(void *context) {
  struct network_case *c = context;
  return network_forward(&c->workspace, &c->batch, &c->weights, &c->config) /
         (double)c->batch.tokens;
}

/* Pairs with the given numbers of words; words repeat. */
static struct corpus make_corpus(const size_t (*lengths)[2], size_t count) {
  struct corpus corpus = {.source.count = count, .target.count = count};
  struct sentences *sides[] = {&corpus.source, &corpus.target};
  for (size_t side = 0; side < 2; side++) {
    sides[side]->starts = calloc(count + 1, sizeof(size_t));
    for (size_t i = 0; i < count; i++)
      sides[side]->starts[i + 1] = sides[side]->starts[i] + lengths[i][side];
    const size_t total = sides[side]->starts[count];
    sides[side]->ids = calloc(total + 1, sizeof(uint32_t));
    for (size_t i = 0; i < total; i++)
      sides[side]->ids[i] = side == 0 ? (uint32_t)(i * 7 % 5) : (uint32_t)(i * 5 % 3 + 3);
  }
  return corpus;
}

static void check_network(enum attention_kind kind, const size_t (*lengths)[2], size_t count) {
  struct error error;
  struct network_case c = {.config = {.source_vocabulary = 5,
                                      .target_vocabulary = 6,
                                      .embedding_size = 3,
                                      .hidden_size = 4,
                                      .attention = kind}};
  struct parameter_table table;
  real *weights, *gradients;
  cr_assert_eq(parameter_table_create(&table, &c.config, &error), STATUS_OK);
  cr_assert_eq(parameter_block_create(&weights, &table, &error), STATUS_OK);
  cr_assert_eq(parameter_block_create(&gradients, &table, &error), STATUS_OK);
  parameters_initialize(weights, &table, 3);
  parameters_bind(&c.weights, weights, &c.config);
  struct parameters views;
  parameters_bind(&views, gradients, &c.config);

  struct corpus corpus = make_corpus(lengths, count);
  const size_t indices[] = {0, 1, 2, 3};
  cr_assert_eq(batch_fill(&c.batch, &corpus, indices, count, &error), STATUS_OK);
  cr_assert_eq(workspace_fit(&c.workspace, &c.config, &c.batch, WITH_GRADIENTS, &error), STATUS_OK);
  network_loss(&c);
  network_backward(&views, &c.workspace, &c.batch, &c.weights, &c.config);
  for (size_t i = 0; i < table.count; i++) {
    const struct parameter *row = &table.rows[i];
    check_gradient(row->name, weights + row->offset, gradients + row->offset, parameter_size(row),
                   network_loss, &c);
  }
  free(weights);
  free(gradients);
  workspace_free(&c.workspace);
  batch_free(&c.batch);
  corpus_free(&corpus);
}

Test(gradients, network_of_one_sentence) {
  for (unsigned kind = 0; attention_name((enum attention_kind)kind) != NULL; kind++) {
    for (size_t s = 1; s <= 7; s++) {
      for (size_t t = 0; t <= 6; t++) { /* T = t + 1, for </s> */
        const size_t lengths[1][2] = {{s, t}};
        check_network((enum attention_kind)kind, lengths, 1);
      }
    }
  }
}

Test(gradients, network_of_mixed_lengths) {
  const size_t lengths[4][2] = {{3, 5}, {7, 2}, {1, 6}, {4, 1}};
  for (unsigned kind = 0; attention_name((enum attention_kind)kind) != NULL; kind++)
    check_network((enum attention_kind)kind, lengths, 4);
}
