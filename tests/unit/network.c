/* Test: threads. */
/* Properties of the network in both precisions: padding has no effect, threads do not change
 * results, gradients accumulate, and sizes are checked. */
#include "check.h"
#include "config_of.h"
#include "threads.h"

#include <limits.h>
#include <string.h>

#include "corpus/batch.h"
#include "model/network.h"
#include "tensor/blas_kernels.h"

struct setup {
  struct model_config config;
  struct parameter_table table;
  real *block, *gradient_block;
  struct parameters weights, gradients;
  struct corpus corpus;
  struct batch batch;
  struct workspace workspace;
};

static const struct regularization plain = {0};

enum { PAIRS = 5 };
static const size_t lengths[PAIRS][2] = {{3, 5}, {9, 2}, {1, 7}, {4, 1}, {6, 6}};

static void fill_side(struct sentences *side, size_t which, uint32_t first, uint32_t words) {
  side->count = PAIRS;
  side->starts = calloc(PAIRS + 1, sizeof(size_t));
  for (size_t i = 0; i < PAIRS; i++) side->starts[i + 1] = side->starts[i] + lengths[i][which];
  side->ids = calloc(side->starts[PAIRS], sizeof(uint32_t));
  for (size_t i = 0; i < side->starts[PAIRS]; i++)
    side->ids[i] = first + (uint32_t)(i * 7 + i / 3) % words;
}

static struct model_config config_with(enum attention_kind attention, size_t hidden) {
  struct model_config config = config_of(11, 13, 6, hidden);
  config.cell = "elman";
  config.attention = elman_attention_name(attention);
  attention_config_complete(&config.attention_heads, &config.attention_window, false, attention);
  return config;
}

static void set_up_config(struct setup *s, struct model_config config) {
  *s = (struct setup){.config = config};
  blas_set_up();
  cr_assert_eq(parameter_table_create(&s->table, &s->config, NULL), ELMAN_OK);
  cr_assert_eq(parameter_block_create(&s->block, &s->table, NULL), ELMAN_OK);
  cr_assert_eq(parameter_block_create(&s->gradient_block, &s->table, NULL), ELMAN_OK);
  cr_assert_eq(parameters_initialize(s->block, &s->table, INITIAL_PYTORCH, 5, NULL), ELMAN_OK);
  parameters_bind(&s->weights, s->block, &s->config);
  parameters_bind(&s->gradients, s->gradient_block, &s->config);
  fill_side(&s->corpus.source, 0, 1, 10);
  fill_side(&s->corpus.target, 1, 3, 10);
}

static void set_up(struct setup *s, enum attention_kind attention, size_t hidden) {
  set_up_config(s, config_with(attention, hidden));
}

static void tear_down(struct setup *s) {
  parameter_block_free(s->block);
  parameter_block_free(s->gradient_block);
  workspace_free(&s->workspace);
  batch_free(&s->batch);
  corpus_free(&s->corpus);
}

/* Add the gradients of the batch to gradient_block; return the loss. */
static double add_gradients(struct setup *s, const struct regularization *regularization,
                            struct notice output_done) {
  return network_gradient(&s->gradients, &(struct network_pass){.weights = &s->weights,
                                                                .batch = &s->batch,
                                                                .regularization = regularization,
                                                                .workspace = &s->workspace,
                                                                .output_done = output_done});
}

/* Return the sum of losses over the pairs `indices`, and the gradients of their mean loss in
 * gradient_block. */
static double run_regularized(struct setup *s, const size_t *indices, size_t count,
                              const struct regularization *regularization) {
  cr_assert_eq(batch_fill(&s->batch, &s->corpus, indices, count, NULL), ELMAN_OK);
  succeeds(workspace_fit(&s->workspace, &s->weights, &s->batch, WITH_GRADIENTS, &why));
  memset(s->gradient_block, 0, s->table.block * sizeof(real));
  return add_gradients(s, regularization, (struct notice){0});
}

static double run(struct setup *s, const size_t *indices, size_t count) {
  return run_regularized(s, indices, count, &plain);
}

/* Run with every cell and every option of a layer. */
static void for_all_layers(void (*check)(struct model_config)) {
  for (unsigned i = 0; elman_cell_name(i / 4) != NULL; i++) {
    struct model_config config = config_with(ATTENTION_SCALED, 8);
    config.cell = elman_cell_name(i / 4);
    config.layer_norm = i & 1;
    config.residual = i & 2;
    config.layers = i & 2 ? 2 : 1;
    check(config);
  }
}

static void check_padding(struct model_config config) {
  owned_by(tear_down) struct setup s;
  set_up_config(&s, config);
  const size_t all[PAIRS] = {0, 1, 2, 3, 4};
  const size_t S = 9, B = PAIRS;
  const double together = run(&s, all, PAIRS);
  const double tokens = (double)s.batch.tokens;
  owned real *attention = reals(s.batch.target.steps * B * S);
  memcpy(attention, s.workspace.decoder.attention.weights,
         s.batch.target.steps * B * S * sizeof *attention);
  owned real *gradient = reals(s.table.block), *sum = reals(s.table.block);
  memcpy(gradient, s.gradient_block, s.table.block * sizeof *gradient);

  double apart = 0;
  for (size_t i = 0; i < PAIRS; i++) {
    apart += run(&s, &i, 1);
    for (size_t t = 0; t < lengths[i][1] + 1; t++) {
      for (size_t k = 0; k < S; k++) {
        const double in_batch = (double)attention[(t * B + i) * S + k];
        if (k < lengths[i][0])
          cr_assert_float_eq(in_batch,
                             (double)s.workspace.decoder.attention.weights[t * lengths[i][0] + k],
                             CLOSE);
        else
          cr_assert_eq(in_batch, 0, "masked positions have a weight of exactly 0");
      }
    }
    /* The mean over the batch weights each sentence by its number of tokens. */
    const real share = (real)((double)s.batch.tokens / tokens);
    for (size_t j = 0; j < s.table.block; j++) sum[j] += share * s.gradient_block[j];
  }
  cr_assert_float_eq(together, apart, CLOSE * together);
  cr_assert(relative_error(gradient, sum, s.table.block) < CLOSE);
}

Test(network, padding_does_not_change_results) {
  for (unsigned kind = 0; elman_attention_name(kind) != NULL; kind++)
    check_padding(config_with((enum attention_kind)kind, 8));
  for_all_layers(check_padding);
}

/* Large enough for every parallel code path: tiles of products and of the recurrence, embedding
 * look-up and packing, attention by sentence, tiles of the output layer. */
Test(network, threads_do_not_change_results) {
  const struct random_stream stream = {1, RANDOM_DROPOUT, 1};
  const struct regularization regularization = {.dropouts = {{0.2, stream}, {0.1, stream}},
                                                .label_smoothing = 0.1};
  owned_by(tear_down) struct setup s;
  struct model_config config = config_with(ATTENTION_DOT, 940);
  config.embedding_size = 1500;
  config.target_vocabulary = 300;
  set_up_config(&s, config);
  const size_t all[PAIRS] = {0, 1, 2, 3, 4};
  use_threads(1);
  const double loss = run_regularized(&s, all, PAIRS, &regularization);
  owned real *gradient = reals(s.table.block);
  memcpy(gradient, s.gradient_block, s.table.block * sizeof *gradient);
  for (size_t threads = 2; threads <= 5; threads++) {
    use_threads(threads);
    const double again = run_regularized(&s, all, PAIRS, &regularization);
    cr_assert_eq(memcmp(&loss, &again, sizeof loss), 0, "loss, %zu threads", threads);
    cr_assert_eq(memcmp(gradient, s.gradient_block, s.table.block * sizeof *gradient), 0,
                 "gradients, %zu threads", threads);
  }
  use_threads(1);
}

static void spoil(real *values, size_t n) {
  for (size_t i = 0; i < n; i++) values[i] = NAN;
}

/* Masked positions are not read, but they are overwritten; gradients are added to existing
 * values. */
Test(network, masked_positions_get_zero_attention) {
  enum { T = 4, S = 5, B = 2, H = 3 };
  const size_t queries[B] = {4, 2}, keys[B] = {2, 5};
  const struct attention_shape shape = {
      .queries = T, .keys = S, .batch = B, .query_lengths = queries, .key_lengths = keys};
  const struct attention_parameters none = {.numerics = FAST};
  const struct attention_layer layer = {.config = {.kind = ATTENTION_SCALED, .size = H, .heads = 1},
                                        .weights = &none};
  owned real *d = random_reals(T * B * H, 1, 1), *e = random_reals(S * B * H, 1, 2);
  owned real *dcontext = random_reals(T * B * H, 1, 3);
  for (size_t b = 0; b < B; b++) {
    for (size_t t = queries[b]; t < T; t++) {
      spoil(d + (t * B + b) * H, H);
      spoil(dcontext + (t * B + b) * H, H);
    }
    for (size_t k = keys[b]; k < S; k++) spoil(e + (k * B + b) * H, H);
  }
  real context[T * B * H], weights[T * B * S], scratch[T * B * S];
  spoil(context, T * B * H);
  spoil(weights, T * B * S);
  const struct attention_arrays cache = {.context = context, .weights = weights};
  const struct attention_pass pass = {layer, shape, cache, d, e, e};
  attention_forward(&pass, (struct range){0, T});
  for (size_t t = 0; t < T; t++) {
    for (size_t b = 0; b < B; b++) {
      for (size_t k = 0; k < S; k++) {
        const real weight = weights[(t * B + b) * S + k];
        cr_assert(t < queries[b] && k < keys[b] ? weight > 0 : weight == 0);
      }
      for (size_t h = 0; h < H; h++) {
        const real one = context[(t * B + b) * H + h];
        cr_assert(t < queries[b] ? isfinite(one) : one == 0);
      }
    }
  }
  /* Once starting from zeros and once from ones: the difference is 1 everywhere. */
  real dd[2][T * B * H], de[2][S * B * H];
  for (size_t start = 0; start < 2; start++) {
    for (size_t i = 0; i < T * B * H; i++) dd[start][i] = (real)start;
    for (size_t i = 0; i < S * B * H; i++) de[start][i] = (real)start;
    spoil(scratch, T * B * S);
    const struct attention_gradients gradients = {
        dd[start], de[start], de[start], &none, {.weights = scratch}, dcontext};
    attention_backward(&gradients, &pass, (struct range){0, T});
  }
  for (size_t i = 0; i < T * B * H; i++)
    cr_assert_float_eq((double)(dd[1][i] - dd[0][i]), 1, CLOSE);
  for (size_t i = 0; i < S * B * H; i++)
    cr_assert_float_eq((double)(de[1][i] - de[0][i]), 1, CLOSE);
}

static void spoil_states(struct rnn_states states, size_t steps, const struct setup *s) {
  const struct rnn_cell *cell = decoder_sizes_of(&s->config).cell;
  const size_t units = s->batch.source.batch * s->config.hidden_size;
  for (size_t p = 0; p < cell->parts; p++) spoil(states.part[p], (steps + 1) * units);
  if (cell->keeps) spoil(states.gates, steps * units * rnn_columns(cell));
  if (!s->config.layer_norm) return;
  spoil(states.normalized, steps * units * rnn_columns(cell));
  spoil(states.scales, steps * s->batch.source.batch * rnn_columns(cell));
}

/* The workspace is not cleared between batches, so its old contents must not matter. */
static void spoil_workspace(struct setup *s) {
  const size_t B = s->batch.source.batch, S = s->batch.source.steps, T = s->batch.target.steps;
  const size_t N = s->batch.tokens, E = s->config.embedding_size, H = s->config.hidden_size;
  struct workspace *w = &s->workspace;
  spoil(w->encoder.inputs[0], S * B * E);
  spoil_states(w->encoder.states[0][0], S, s);
  spoil(w->encoder.outputs, S * B * H);
  spoil(w->encoder.finals, encoder_final_size(encoder_sizes_of(&s->config)) * B);
  spoil(w->decoder.inputs[0], T * B * E);
  spoil_states(w->decoder.states[0], T, s);
  spoil(w->decoder.attention.context, T * B * H);
  spoil(w->decoder.attention.weights, T * B * S);
  if (s->config.residual) spoil(w->decoder.top, T * B * H);
  if (s->config.residual) spoil(w->decoder_scratch.top, T * B * H);
  spoil(w->decoder.features, N * 2 * H);
  spoil(w->decoder.logits, w->block * s->config.target_vocabulary);
  spoil(w->encoder_scratch.outputs, S * B * H);
  spoil(w->encoder_scratch.finals, encoder_final_size(encoder_sizes_of(&s->config)) * B);
  spoil(w->encoder_scratch.inputs[0], S * B * E);
  spoil_states(w->encoder_scratch.states[0][0], S, s);
  spoil(w->decoder_scratch.inputs[0], T * B * E);
  spoil_states(w->decoder_scratch.states[0], T, s);
  spoil(w->decoder_scratch.attention.context, T * B * H);
  spoil(w->decoder_scratch.attention.weights, T * B * S);
  spoil(w->decoder_scratch.features, N * 2 * H);
}

static void check_old_contents(struct model_config config) {
  owned_by(tear_down) struct setup s;
  set_up_config(&s, config);
  const size_t all[PAIRS] = {0, 1, 2, 3, 4};
  const double loss = run(&s, all, PAIRS);
  owned real *gradient = reals(s.table.block);
  memcpy(gradient, s.gradient_block, s.table.block * sizeof *gradient);
  spoil_workspace(&s);
  memset(s.gradient_block, 0, s.table.block * sizeof *gradient);
  const double again = add_gradients(&s, &plain, (struct notice){0});
  cr_assert_eq(loss, again);
  cr_assert_eq(memcmp(gradient, s.gradient_block, s.table.block * sizeof *gradient), 0);
}

Test(network, old_workspace_contents_do_not_matter) {
  for_all_layers(check_old_contents);
}

/* The gradient at the time when the output layer is finished. */
struct moment {
  const struct setup *s;
  real *gradient;
  size_t times;
};

static void keep_gradient(void *context) {
  struct moment *moment = context;
  memcpy(moment->gradient, moment->s->gradient_block, moment->s->table.block * sizeof(real));
  moment->times++;
}

/* The output layer is at the end of the block. */
Test(network, callback_marks_finished_output_layer) {
  owned_by(tear_down) struct setup s;
  set_up(&s, ATTENTION_DOT, 8);
  const size_t all[PAIRS] = {0, 1, 2, 3, 4};
  run(&s, all, PAIRS);
  struct moment moment = {.s = &s, .gradient = reals(s.table.block)};
  const size_t output = (size_t)(s.gradients.decoder.out_weight - s.gradient_block);
  memset(s.gradient_block, 0, s.table.block * sizeof(real));
  (void)add_gradients(&s, &plain, (struct notice){keep_gradient, &moment});
  cr_assert_eq(moment.times, 1);
  for (size_t i = 0; i < output; i++) cr_assert_eq(moment.gradient[i], 0);
  cr_assert_eq(memcmp(moment.gradient + output, s.gradient_block + output,
                      (s.table.block - output) * sizeof(real)),
               0);
  cr_assert_neq(s.gradient_block[output], 0);
  free(moment.gradient);
}

Test(network, gradients_accumulate) {
  owned_by(tear_down) struct setup s;
  set_up(&s, ATTENTION_DOT, 8);
  const size_t all[PAIRS] = {0, 1, 2, 3, 4};
  run(&s, all, PAIRS);
  owned real *once = reals(s.table.block);
  memcpy(once, s.gradient_block, s.table.block * sizeof *once);
  (void)add_gradients(&s, &plain, (struct notice){0});
  for (size_t i = 0; i < s.table.block; i++) once[i] *= 2;
  cr_assert(relative_error(once, s.gradient_block, s.table.block) < CLOSE);
}

Test(network, memory_of_largest_batch_is_reused) {
  owned_by(tear_down) struct setup s;
  set_up(&s, ATTENTION_DOT, 8);
  const size_t all[PAIRS] = {0, 1, 2, 3, 4}, small[] = {3};
  run(&s, all, PAIRS);
  const void *activations = s.workspace.arena.base, *ids = s.batch.arena.base;
  run(&s, small, 1);
  run(&s, all, PAIRS);
  cr_assert_eq(s.workspace.arena.base, activations);
  cr_assert_eq(s.batch.arena.base, ids);
}

Test(network, impossible_sizes_are_rejected) {
  struct model_config config = model_config_default();
  cr_assert_eq(model_config_check(&config, &why), ELMAN_OK);
  /* BLAS uses int for sizes. */
  struct workspace workspace = {0};
  struct batch batch = {.source = {.steps = 1 << 20, .batch = 1 << 12},
                        .target = {.steps = 2, .batch = 1 << 12},
                        .tokens = 2 << 12,
                        .copies = 1};
  struct parameters weights;
  parameters_bind(&weights, NULL, &config);
  cr_assert_eq(workspace_fit(&workspace, &weights, &batch, FORWARD_ONLY, &why),
               ELMAN_INVALID_ARGUMENT);
  /* The distance between two steps of [d ; c] must also fit into an int. */
  config.hidden_size = config.embedding_size = 1024;
  const size_t most = INT_MAX / (2 * config.hidden_size);
  batch.source = (struct sequence){.steps = 1, .batch = most + 1};
  batch.target = (struct sequence){.steps = 2, .batch = most + 1};
  batch.tokens = 2 * (most + 1);
  parameters_bind(&weights, NULL, &config);
  cr_assert_eq(workspace_fit(&workspace, &weights, &batch, FORWARD_ONLY, &why),
               ELMAN_INVALID_ARGUMENT);
}
