/* Every backward function against central differences, in double. */
#include "check.h"

#include <string.h>

#include "corpus/batch.h"
#include "model/network.h"
#include "rnn/embedding.h"
#include "rnn/rnn.h"
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

Test(gradients, cross_entropy) {
  const size_t n = (size_t)CE_ROWS * CE_COLUMNS;
  for (double smoothing = 0; smoothing < 0.4; smoothing += 0.15) {
    struct cross_entropy_case c = {random_reals(n, 3, 3), smoothing};
    real *gradient = random_reals(n, 3, 3);
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
    free(gradient);
  }
}

/* Parts of 3, 3 and 1 columns give what the whole gives, wherever the largest logit is. */
Test(gradients, cross_entropy_in_parts) {
  enum { PARTS = 3, WIDTH = 3 };
  const size_t n = (size_t)CE_ROWS * CE_COLUMNS;
  for (double smoothing = 0; smoothing < 0.4; smoothing += 0.15) {
    const struct cross_entropy_task task = {ce_targets, CE_ROWS, CE_COLUMNS, smoothing,
                                            (real)1 / CE_ROWS};
    real *whole = random_reals(n, 60, 3);
    real *tiles = reals(n);
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
    free(whole);
    free(tiles);
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
      y, c->x, (struct linear){.weight = c->weight, .bias = c->bias, .in = LIN_IN, .out = LIN_OUT},
      LIN_N);
  return weighted_sum(y, c->r, (size_t)LIN_N * LIN_OUT);
}

Test(gradients, linear) {
  struct linear_case c = {random_reals(LIN_N * LIN_IN, 1, 1), random_reals(LIN_OUT * LIN_IN, 1, 2),
                          random_reals(LIN_OUT, 1, 3), random_reals(LIN_N * LIN_OUT, 1, 4)};
  real *dx = random_reals(LIN_N * LIN_IN, 1, 5), *dx_added = reals(LIN_N * LIN_IN);
  real *dweight = reals(LIN_OUT * LIN_IN), *dbias = reals(LIN_OUT);
  const struct linear l = {.weight = c.weight, .bias = c.bias, .in = LIN_IN, .out = LIN_OUT};
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
/* Word 3 is repeated within and across sentences. What lies past a sentence's end is a word that is
 * there, so that reading it would not go unseen. */
static const uint32_t emb_ids[EMB_STEPS * EMB_BATCH] = {3, 0, 3, 3, 1, 4, 3, 2, 4, 1, 3, 0};
static const size_t emb_lengths[EMB_BATCH] = {4, 3, 2};

static const struct embedding_shape emb_shape = {EMB_STEPS,   EMB_BATCH, EMB_SIZE,
                                                 emb_lengths, 0,         EMB_ROW};

struct embedding_case {
  real *table, *r;
  struct dropout dropout;
};

static double embedding_loss(void *context) {
  const struct embedding_case *c = context;
  real x[EMB_STEPS * EMB_BATCH * EMB_ROW] = {0};
  embedding_forward(x, c->table, emb_ids, c->dropout, emb_shape);
  return weighted_sum(x, c->r, sizeof x / sizeof *x);
}

Test(gradients, embedding) {
  for (int dropped = 0; dropped < 2; dropped++) {
    struct embedding_case c = {random_reals(EMB_V * EMB_SIZE, 1, 1),
                               random_reals(EMB_STEPS * EMB_BATCH * EMB_ROW, 1, 2),
                               {dropped * 0.4, {1, RANDOM_DROPOUT, 1}}};
    real *dtable = reals(EMB_V * EMB_SIZE);
    real *dx = random_reals(EMB_STEPS * EMB_BATCH * EMB_ROW, 1, 2);
    embedding_backward(dtable, dx, emb_ids, c.dropout, emb_shape);
    check_gradient("table", c.table, dtable, (size_t)EMB_V * EMB_SIZE, embedding_loss, &c);
    free(c.table);
    free(c.r);
    free(dx);
    free(dtable);
  }
}

/* ---- a recurrent layer ---- */

struct rnn_case {
  struct rnn_shape shape;
  struct rnn_parameters weights;
  real *inputs;
  struct rnn_states initial; /* the initial state, and zero */
  struct rnn_states r;       /* weighs all states, the initial one included */
};

/* Parts with what `which` tells, or zero. */
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
  rnn_forward(states, c->inputs, &c->weights, c->shape);
  for (size_t p = 0; p < c->shape.cell->parts; p++)
    loss += weighted_sum(states.part[p], c->r.part[p], n);
  free_states(states);
  return loss;
}

static void check_rnn(const struct rnn_cell *cell, bool layer_norm, size_t steps, size_t batch,
                      const size_t *lengths, bool reverse) {
  enum { E = 3, H = 4 };
  const size_t G = cell->gates, K = rnn_columns(cell);
  const struct rnn_shape shape = {cell, steps, batch, E, H, lengths, 0, reverse};
  struct rnn_case c = {.shape = shape,
                       .weights = {random_reals(G * H * E, 0.7, 1), random_reals(G * H * H, 0.7, 2),
                                   random_reals(G * H, 0.5, 3), random_reals(G * H, 0.5, 4),
                                   layer_norm ? random_reals(K * H, 1, 11) : NULL},
                       .initial = make_states(shape, 0.5, 5),
                       .inputs = random_reals(steps * batch * E, 1, 7),
                       .r = make_states(shape, 1, 8)};
  struct rnn_states states = make_states(shape, 0.5, 5), dstates = make_states(shape, 1, 8);
  real *dinputs = random_reals(steps * batch * E, 1, 10);
  struct rnn_parameters gradients = {reals(G * H * E), reals(G * H * H), reals(G * H), reals(G * H),
                                     layer_norm ? reals(K * H) : NULL};
  rnn_forward(states, c.inputs, &c.weights, shape);
  rnn_backward_states(dstates, states, &c.weights, shape);
  rnn_backward_weights(&gradients, dstates, states, c.inputs, shape);
  rnn_backward_inputs(dinputs, 0, dstates, &c.weights, shape);

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
  const struct rnn_states all[] = {c.initial, c.r, states, dstates};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free_states(all[i]);
}

Test(gradients, recurrent_layer) {
  const size_t equal[] = {5, 5}, mixed[] = {2, 6, 1, 4}, one[] = {1};
  for (unsigned kind = 0; cell_name((enum cell_kind)kind) != NULL; kind++) {
    const struct rnn_cell *cell = rnn_cell_of((enum cell_kind)kind);
    for (unsigned i = 0; i < 4; i++) {
      const bool reverse = i & 1, layer_norm = i & 2;
      check_rnn(cell, layer_norm, 1, 1, one, reverse);
      check_rnn(cell, layer_norm, 5, 2, equal, reverse);
      check_rnn(cell, layer_norm, 6, 4, mixed, reverse);
    }
  }
}

/* ---- the whole network ---- */

struct network_case {
  struct model_config config;
  struct parameters weights;
  struct regularization regularization;
  struct batch batch;
  struct workspace workspace;
};

static double network_loss(void *context) {
  struct network_case *c = context;
  const struct network_pass pass = {&c->config,    &c->weights, &c->batch, &c->regularization,
                                    &c->workspace, 0,           0,         {0}};
  const double loss = network_forward(&pass) / (double)c->batch.tokens;
  return loss + c->regularization.guide * network_guide_loss(&pass);
}

/* Of the mean loss. A logit sums F products of at most |w| |f| together, and a loss follows two
 * logits. Sums on the way: a step of the encoder and one of the decoder, the scores, their softmax,
 * the context, the logit, the softmax, the mean. */
static double rounding_of_loss(const struct network_case *c) {
  const size_t N = c->batch.tokens, V = c->config.target_vocabulary;
  const size_t H = c->config.hidden_size, E = c->config.embedding_size;
  const size_t F = decoder_feature_size(decoder_sizes_of(&c->config));
  double weight = 0, feature = 0;
  for (size_t v = 0; v < V; v++)
    weight = fmax(weight, norm(c->weights.decoder.out_weight + v * F, F));
  for (size_t n = 0; n < N; n++)
    feature = fmax(feature, norm(c->workspace.decoder.features + n * F, F));
  const size_t terms = 2 * (E + H) + H + 2 * c->batch.source.steps + F + V + N;
  return rounding_of_sum(terms,
                         2 * (weight * feature + largest_size(c->weights.decoder.out_bias, V)));
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

/* With the initial weights of a seed. A wrong gradient is told in the message. */
static bool is_right_for_seed(char message[300], struct network_case *c, uint64_t seed) {
  struct parameter_table table;
  real *weights, *gradients;
  cr_assert_eq(parameter_table_create(&table, &c->config, NULL), ELMAN_OK);
  cr_assert_eq(parameter_block_create(&weights, &table, NULL), ELMAN_OK);
  cr_assert_eq(parameter_block_create(&gradients, &table, NULL), ELMAN_OK);
  cr_assert_eq(parameters_initialize(weights, &table, INITIAL_PYTORCH, seed, NULL), ELMAN_OK);
  /* Larger weights than training starts from: a gradient that is nearly zero cannot be measured.
   * Twice the identity would explode. */
  const struct random_stream stream = {seed, 98, 0};
  const bool identity = decoder_sizes_of(&c->config).cell->identity;
  for (size_t i = 0; i < table.block; i++)
    weights[i] = identity ? (real)(0.4 * random_normal(stream, i)) : 2 * weights[i];
  parameters_bind(&c->weights, weights, &c->config);
  struct parameters views;
  parameters_bind(&views, gradients, &c->config);
  const double loss = network_loss(c);
  const struct network_pass pass = {&c->config,    &c->weights, &c->batch, &c->regularization,
                                    &c->workspace, 0,           0,         {0}};
  const double again = network_gradient(&views, &pass) / (double)c->batch.tokens +
                       c->regularization.guide * network_guide_loss(&pass);
  cr_assert_float_eq(loss, again, 1e-13 * (1 + loss));
  const double rounding = rounding_of_loss(c);
  bool right = true;
  for (size_t i = 0; i < table.count && right; i++) {
    const struct parameter *row = &table.rows[i];
    char what[200];
    right = is_gradient_or_zero(what, weights + row->offset, gradients + row->offset,
                                parameter_size(row), rounding, network_loss, c);
    snprintf(message, 300, "%s: %s", row->name, what);
  }
  parameter_block_free(weights);
  parameter_block_free(gradients);
  return right;
}

/* Links of some target words with none, one or several source words. */
static void add_guides(struct corpus *corpus, const size_t (*lengths)[2], size_t count) {
  struct token_links *links = &corpus->links;
  cr_assert_eq(corpus_create_guides(corpus, count, NULL), ELMAN_OK);
  for (size_t i = 0, n = 0; i < count; i++) {
    for (uint32_t t = 0; t < lengths[i][1]; t++) {
      for (uint32_t s = 0; s < lengths[i][0]; s++) {
        if ((t * 3 + s + i) % 4 != 1) continue;
        cr_assert_eq(array_grow(&links->items, &links->capacity, n + 1, sizeof *links->items, NULL),
                     ELMAN_OK);
        links->items[n++] = (struct token_link){t, s};
      }
    }
    links->starts[i + 1] = n;
  }
}

static struct vocabulary *words_with_signs(void) {
  static const char *const words[] = {"<unk>", "，", "b", "。", "d"};
  static const uint64_t counts[] = {0, 4, 3, 2, 1};
  struct vocabulary *vocabulary;
  struct tokens tokens = {0};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    cr_assert_eq(tokens_add(&tokens, text_of(words[i]), NULL), ELMAN_OK);
  cr_assert_eq(vocabulary_from_list(&vocabulary, &tokens, counts, ELMAN_SOURCE, NULL), ELMAN_OK);
  tokens_free(&tokens);
  return vocabulary;
}

/* A rectifier has a corner, and differences across one are no derivative. That happens at some
 * weights; a wrong gradient is wrong at all of them. */
static void check_network(struct model_config config, struct regularization regularization,
                          const size_t (*lengths)[2], size_t count) {
  elman_error error;
  struct network_case c = {.config = config, .regularization = regularization};
  cr_assert_eq(model_config_check(&config, &error), ELMAN_OK);
  struct corpus corpus = make_corpus(lengths, count);
  struct vocabulary *words = config.clause_segments ? words_with_signs() : NULL;
  corpus.source_words = words;
  if (regularization.guide > 0) add_guides(&corpus, lengths, count);
  const size_t indices[] = {0, 1, 2, 3};
  cr_assert_eq(batch_fill(&c.batch, &corpus, indices, count, &error), ELMAN_OK);
  cr_assert_eq(workspace_fit(&c.workspace, &c.config, &c.batch, WITH_GRADIENTS, &error), ELMAN_OK);
  const uint64_t seeds = config.cell != NULL && strcmp(config.cell, "relu") == 0 ? 10 : 1;
  char message[300];
  bool right = false;
  for (uint64_t seed = 3; seed < 3 + seeds && !right; seed++)
    right = is_right_for_seed(message, &c, seed);
  cr_assert(right, "%s", message);
  workspace_free(&c.workspace);
  batch_free(&c.batch);
  corpus_free(&corpus);
  vocabulary_free(words);
}

static struct model_config small_config(void) {
  return (struct model_config){.source_vocabulary = 5,
                               .target_vocabulary = 6,
                               .embedding_size = 3,
                               .hidden_size = 4,
                               .layers = 1,
                               .attention_heads = 1};
}

static const struct regularization plain = {0};
static const size_t mixed_lengths[4][2] = {{3, 5}, {7, 2}, {1, 6}, {4, 1}};

static void choose_attention(struct model_config *config, enum attention_kind kind) {
  config->attention = attention_name(kind);
  config->attention_heads = kind == ATTENTION_MULTIHEAD ? 2 : 1;
  config->attention_window = kind == ATTENTION_LOCAL || kind == ATTENTION_HIERARCHICAL ? 2 : 0;
}

Test(gradients, network_of_one_sentence) {
  struct model_config config = small_config();
  for (unsigned kind = 0; attention_name((enum attention_kind)kind) != NULL; kind++) {
    choose_attention(&config, (enum attention_kind)kind);
    for (size_t s = 1; s <= 7; s++) {
      for (size_t t = 0; t <= 6; t++) { /* T = t + 1, for </s> */
        const size_t lengths[1][2] = {{s, t}};
        check_network(config, plain, lengths, 1);
      }
    }
  }
}

/* Every cell and mechanism with every part of the network that can be chosen, on mixed lengths. */
static void check_every_shape(enum cell_kind cell) {
  for (unsigned kind = 0; attention_name((enum attention_kind)kind) != NULL; kind++) {
    for (unsigned parts = 0; parts < 32; parts++) {
      struct model_config config = small_config();
      choose_attention(&config, (enum attention_kind)kind);
      config.cell = cell_name(cell);
      config.layers = parts & 1 ? 2 : 1;
      config.bidirectional = parts & 2;
      config.attentional_layer = parts & 4;
      config.input_feeding = parts & 8;
      config.tie_embeddings = parts & 16;
      if (!config.attentional_layer && (config.input_feeding || config.tie_embeddings)) continue;
      check_network(config, plain, mixed_lengths, 4);
    }
  }
}

#define EVERY_SHAPE(KIND, name)                                                                    \
  Test(gradients, network_of_every_shape_##name) {                                                 \
    check_every_shape(CELL_##KIND);                                                                \
  }
RNN_CELLS(EVERY_SHAPE)

Test(gradients, network_with_self_attention) {
  for (unsigned cell = 0; cell_name((enum cell_kind)cell) != NULL; cell++) {
    for (unsigned parts = 0; parts < 64; parts++) {
      struct model_config config = small_config();
      config.cell = cell_name((enum cell_kind)cell);
      choose_attention(&config, parts & 1 ? ATTENTION_MULTIHEAD : ATTENTION_DOT);
      config.encoder_self_attention = parts & 2 ? 2 : 0;
      config.decoder_self_attention = parts & 4 ? 2 : 0;
      config.plain_self_attention = parts & 8;
      config.attentional_layer = config.input_feeding = parts & 16;
      config.bidirectional = parts & 32;
      config.layers = parts & 32 ? 2 : 1;
      if (config.encoder_self_attention + config.decoder_self_attention == 0) continue;
      check_network(config, plain, mixed_lengths, 4);
    }
  }
}

/* What every layer can have. Of two units normalisation leaves little but a sign, so they are three
 * in each direction. */
Test(gradients, network_with_layer_normalization) {
  for (unsigned cell = 0; cell_name((enum cell_kind)cell) != NULL; cell++) {
    for (unsigned parts = 0; parts < 8; parts++) {
      struct model_config config = small_config();
      config.cell = cell_name((enum cell_kind)cell);
      config.hidden_size = 6;
      config.layer_norm = true;
      config.layers = parts & 1 ? 2 : 1;
      config.bidirectional = parts & 2;
      config.attentional_layer = config.input_feeding = parts & 4;
      check_network(config, plain, mixed_lengths, 4);
    }
  }
}

Test(gradients, network_with_residual_connections) {
  for (unsigned cell = 0; cell_name((enum cell_kind)cell) != NULL; cell++) {
    for (unsigned parts = 0; parts < 16; parts++) {
      struct model_config config = small_config();
      const struct regularization regularization = {
          .dropouts = {.units = {parts & 8 ? 0.3 : 0, {5, RANDOM_DROPOUT, 7}}}};
      config.cell = cell_name((enum cell_kind)cell);
      config.residual = true;
      config.layers = parts & 8 ? 3 : 2;
      config.bidirectional = parts & 1;
      config.attentional_layer = config.input_feeding = parts & 2;
      config.encoder_self_attention = config.decoder_self_attention = parts & 4 ? 2 : 0;
      check_network(config, regularization, mixed_lengths, 4);
    }
  }
}

/* More tokens than the output layer's logits are held for at a time. */
Test(gradients, network_of_many_tokens) {
  const size_t lengths[1][2] = {{2, 900}};
  check_network(small_config(), (struct regularization){.label_smoothing = 0.1}, lengths, 1);
}

/* Dropout is a fixed mask within one update, so its gradient can be checked like any other. */
Test(gradients, network_under_regularization) {
  const struct regularization regularization = {
      .dropouts = {{0.3, {5, RANDOM_DROPOUT, 7}}, {0.2, {5, RANDOM_DROPOUT, 7}}},
      .label_smoothing = 0.1};
  for (unsigned i = 0; cell_name((enum cell_kind)(i / 2)) != NULL; i++) {
    const bool feeding = i % 2;
    struct model_config config = small_config();
    config.cell = cell_name((enum cell_kind)(i / 2));
    config.layers = 2;
    config.attentional_layer = config.input_feeding = feeding;
    config.encoder_self_attention = config.decoder_self_attention = 2;
    check_network(config, regularization, mixed_lengths, 4);
  }
}

/* Guided alignment, with all that the attention can have, and with dropout, which the guide does
 * not see. */
Test(gradients, network_with_a_guide) {
  for (unsigned kind = 0; attention_name((enum attention_kind)kind) != NULL; kind++) {
    for (unsigned parts = 0; parts < 8; parts++) {
      struct model_config config = small_config();
      const struct regularization regularization = {
          .dropouts = {.attention = {parts & 4 ? 0.3 : 0, {5, RANDOM_DROPOUT, 7}}}, .guide = 0.2};
      choose_attention(&config, (enum attention_kind)kind);
      config.bidirectional = parts & 1;
      config.attentional_layer = config.input_feeding = parts & 2;
      config.decoder_self_attention = parts & 2 ? 2 : 0;
      check_network(config, regularization, mixed_lengths, 4);
    }
  }
}

Test(gradients, network_with_clauses) {
  for (unsigned parts = 0; parts < 8; parts++) {
    struct model_config config = small_config();
    const struct regularization regularization = {.guide = parts & 4 ? 0.2 : 0};
    config.attention = attention_name(ATTENTION_HIERARCHICAL);
    config.clause_segments = true;
    config.bidirectional = parts & 1;
    config.attentional_layer = config.input_feeding = parts & 2;
    check_network(config, regularization, mixed_lengths, 4);
  }
}
