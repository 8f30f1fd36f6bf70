/* Test: double. */
/* Compare the trace with central differences, in double precision. */
#include "check.h"
#include "config_of.h"

#include <string.h>

#include "corpus/batch.h"
#include "model/gradient_check.h"

enum { SOURCE_WORDS = 5, TARGET_WORDS = 4, SIZE = 6, MAX_NUMBERS = 8000 };

/* ---- a network whose gradients can be measured from outside ---- */

struct setting {
  struct model_config config;
  struct parameter_table table;
  float numbers[MAX_NUMBERS];
  float *tensors[MAX_PARAMETERS];
  struct batch batch;
  size_t step;              /* step of the loss; 0 = the mean loss */
  struct network_copy copy; /* for differences and states */
  struct trace trace;
};

static const struct regularization plain = {0};

static const float *const *const_tensors(const struct setting *setting) {
  return (const float *const *)setting->tensors;
}

static void set_up(struct setting *setting, struct model_config config, size_t source_words,
                   size_t target_words) {
  /* No word occurs twice on a side, so that each position has its own embedding row. */
  uint32_t source[SOURCE_WORDS] = {1, 4, 2, 5, 3}, target[TARGET_WORDS] = {3, 6, 4, 5};
  size_t starts[2][2] = {{0, source_words}, {0, target_words}};
  const struct corpus corpus = {.source = {.ids = source, .starts = starts[0], .count = 1},
                                .target = {.ids = target, .starts = starts[1], .count = 1}};
  const size_t index = 0;
  *setting = (struct setting){.config = config};
  cr_assert_eq(parameter_table_create(&setting->table, &config, &why), ELMAN_OK);
  cr_assert(setting->table.block <= MAX_NUMBERS);
  for (size_t i = 0; i < MAX_NUMBERS; i++)
    setting->numbers[i] = (float)(0.7 * random_normal((struct random_stream){3, 97, 0}, i));
  for (size_t i = 0; i < setting->table.count; i++)
    setting->tensors[i] = setting->numbers + setting->table.rows[i].offset;
  cr_assert_eq(batch_fill(&setting->batch, &corpus, &index, 1, &why), ELMAN_OK);
}

static void tear_down(struct setting *setting) {
  batch_free(&setting->batch);
  network_copy_free(&setting->copy);
  arena_free(&setting->trace.arena);
}

static size_t row_named(const struct setting *setting, const char *name) {
  size_t i = 0;
  while (i < setting->table.count && strcmp(setting->table.rows[i].name, name) != 0) i++;
  cr_assert(i < setting->table.count, "%s", name);
  return i;
}

/* A diagonal matrix. */
static void set_diagonal(struct setting *setting, const char *name, float diagonal) {
  const size_t i = row_named(setting, name), columns = setting->table.rows[i].columns;
  memset(setting->tensors[i], 0, parameter_size(&setting->table.rows[i]) * sizeof(float));
  for (size_t j = 0; j < setting->table.rows[i].rows; j++)
    setting->tensors[i][j * columns + j] = diagonal;
}

static struct model_config square_config(void) {
  return config_of(6, 8, SIZE, SIZE);
}

/* The trace lives until the next one, or until tear_down(). */
static const struct trace *run(struct setting *setting) {
  arena_free(&setting->trace.arena);
  succeeds(trace_run(&setting->trace, &setting->config, const_tensors(setting), &setting->batch,
                     setting->step, &why));
  if (setting->copy.weights == NULL)
    succeeds(network_copy_create(&setting->copy, &setting->config, const_tensors(setting),
                                 &setting->batch, FORWARD_ONLY, &why));
  return &setting->trace;
}

static double loss_of(struct setting *setting) {
  struct network_copy *copy = &setting->copy;
  const double sum = network_forward(&(struct network_pass){.weights = &copy->weight_views,
                                                            .batch = &setting->batch,
                                                            .regularization = &plain,
                                                            .workspace = &copy->workspace});
  return setting->step > 0 ? copy->workspace.losses[setting->step - 1]
                           : sum / (double)setting->batch.tokens;
}

/* Compute the gradient of n weights. */
static void differences(double *gradient, struct setting *setting, real *weights, size_t n) {
  const double h = 1e-5;
  for (size_t i = 0; i < n; i++) {
    const real kept = weights[i];
    weights[i] = kept + h;
    const double above = loss_of(setting);
    weights[i] = kept - h;
    const double below = loss_of(setting);
    weights[i] = kept;
    gradient[i] = (above - below) / (2 * h);
  }
}

static void assert_close(double a, double b, double tolerance, const char *what, size_t step) {
  cr_assert(fabs(a - b) <= tolerance * (fabs(a) + fabs(b)) + 1e-12, "%s, step %zu: %.12g %.12g",
            what, step + 1, a, b);
}

/* With the identity between embedding and RNN, the gradient of a word's row equals the gradient of
 * the pre-activation at the step that reads it. The states are those of the same forward pass. */
static void check_layer(struct setting *setting, const elman_traced_layer *layer, real *embedding,
                        const struct sequence *words, const real *states) {
  real kept[(SOURCE_WORDS + 1) * SIZE]; /* the differences change the states */
  memcpy(kept, states, layer->steps * layer->units * sizeof *kept);
  cr_assert_eq(layer->steps, words->steps);
  for (size_t t = 0; t < layer->steps; t++) {
    double dz[SIZE], input = 0, state = 0;
    size_t saturated = 0;
    differences(dz, setting, embedding + words->ids[t] * SIZE, layer->units);
    for (size_t i = 0; i < layer->units; i++) {
      const double h = kept[t * layer->units + i];
      input += dz[i] * dz[i];
      state += dz[i] / (1 - h * h) * (dz[i] / (1 - h * h));
      saturated += fabs(h) > 0.95;
      assert_close(layer->hidden[t * layer->units + i], h, 1e-12, "hidden state", t);
    }
    assert_close(layer->inputs[t], sqrt(input), 1e-7, "before the tanh", t);
    /* If 1 - h² is small, the errors of the differences are divided by it. */
    assert_close(layer->states[t], sqrt(state), 1e-5, "state", t);
    cr_assert_eq(layer->saturated[t], (double)saturated / (double)layer->units);
  }
}

static void check_encoder(struct setting *setting, const elman_traced_layer *layer) {
  struct network_copy *copy = &setting->copy;
  loss_of(setting);
  const real *states = copy->workspace.encoder.states[layer->layer][layer->reverse].part[0];
  check_layer(setting, layer, copy->weight_views.encoder.embedding, &setting->batch.source,
              layer->reverse ? states : states + layer->units);
}

static void check_decoder(struct setting *setting, const elman_traced_layer *layer) {
  struct network_copy *copy = &setting->copy;
  loss_of(setting);
  check_layer(setting, layer, copy->weight_views.decoder.embedding, &setting->batch.target,
              copy->workspace.decoder.states[layer->layer].part[0] + layer->units);
}

/* ---- against differences ---- */

Test(trace, every_step_matches_differences) {
  for (unsigned kind = 0; elman_attention_name(kind) != NULL; kind++) {
    for (size_t step = 0; step <= TARGET_WORDS + 1; step++) {
      static struct setting setting;
      struct model_config config = square_config();
      config.attention = elman_attention_name(kind);
      config.attention_heads = kind == ATTENTION_MULTIHEAD ? 2 : 1;
      config.attention_window = kind == ATTENTION_LOCAL || kind == ATTENTION_HIERARCHICAL ? 2 : 0;
      set_up(&setting, config, SOURCE_WORDS, TARGET_WORDS);
      set_diagonal(&setting, "encoder.rnn.weight_ih_l0", 1);
      set_diagonal(&setting, "decoder.rnn.weight_ih_l0", 1);
      setting.step = step;
      const struct trace *trace = run(&setting);
      cr_assert_eq(trace->count, 2);
      cr_assert(trace->layers[0].side == ELMAN_SOURCE && trace->layers[1].side == ELMAN_TARGET);
      assert_close(trace->loss, loss_of(&setting), 1e-12, "loss", step);
      check_encoder(&setting, &trace->layers[0]);
      check_decoder(&setting, &trace->layers[1]);
      tear_down(&setting);
    }
  }
}

/* With an embedding of G·H dimensions and the identity as the weights of all gates, the gradient of
 * a word's row equals that of all gates at the step that reads it. */
Test(trace, every_cell_matches_differences) {
  for (unsigned kind = 0; elman_cell_name(kind) != NULL; kind++) {
    static struct setting setting;
    struct model_config config = square_config();
    const size_t G = rnn_cell_of((enum cell_kind)kind)->gates;
    config.cell = elman_cell_name(kind);
    config.embedding_size = G * SIZE;
    set_up(&setting, config, SOURCE_WORDS, TARGET_WORDS);
    set_diagonal(&setting, "encoder.rnn.weight_ih_l0", 1);
    set_diagonal(&setting, "decoder.rnn.weight_ih_l0", 1);
    const struct trace *trace = run(&setting);
    const real *const embeddings[] = {setting.copy.weight_views.encoder.embedding,
                                      setting.copy.weight_views.decoder.embedding};
    const struct sequence *const sides[] = {&setting.batch.source, &setting.batch.target};
    for (size_t i = 0; i < 2; i++) {
      const elman_traced_layer *layer = &trace->layers[i];
      for (size_t t = 0; t < layer->steps; t++) {
        double dz[4 * SIZE], sum = 0;
        const size_t row = sides[i]->ids[t] * config.embedding_size;
        differences(dz, &setting, (real *)embeddings[i] + row, config.embedding_size);
        for (size_t j = 0; j < config.embedding_size; j++) sum += dz[j] * dz[j];
        assert_close(layer->inputs[t], sqrt(sum), 1e-7, elman_cell_name(kind), t);
        cr_assert(layer->states[t] > 0);
        cr_assert(layer->saturated[t] >= 0 && layer->saturated[t] <= 1);
      }
    }
    tear_down(&setting);
  }
}

/* Only one direction at a time gets the embedding. */
Test(trace, both_directions_match_differences) {
  for (int reverse = 0; reverse < 2; reverse++) {
    static struct setting setting;
    struct model_config config = square_config();
    config.bidirectional = true;
    config.hidden_size = 2 * SIZE;
    set_up(&setting, config, SOURCE_WORDS, TARGET_WORDS);
    set_diagonal(&setting, "encoder.rnn.weight_ih_l0", reverse ? 0 : 1);
    set_diagonal(&setting, "encoder.rnn.weight_ih_l0_reverse", reverse ? 1 : 0);
    const struct trace *trace = run(&setting);
    cr_assert_eq(trace->count, 3);
    cr_assert_eq(trace->layers[1].reverse, true);
    cr_assert_eq(trace->layers[1].units, SIZE);
    check_encoder(&setting, &trace->layers[reverse]);
    tear_down(&setting);
  }
}

/* With input feeding the decoder runs step by step, and the attentional layer feeds back. */
Test(trace, input_feeding_matches_differences) {
  static struct setting setting;
  struct model_config config = square_config();
  config.attentional_layer = config.input_feeding = true;
  set_up(&setting, config, SOURCE_WORDS, TARGET_WORDS);
  const size_t input = row_named(&setting, "decoder.rnn.weight_ih_l0");
  for (size_t i = 0; i < SIZE; i++) { /* only the columns of the embedding */
    for (size_t j = 0; j < SIZE; j++)
      setting.tensors[input][i * setting.table.rows[input].columns + j] = i == j;
  }
  const struct trace *trace = run(&setting);
  check_decoder(&setting, &trace->layers[1]);
  tear_down(&setting);
}

/* With a single step on each side, the gradient of the pre-activation equals that of the bias in
 * every layer. */
Test(trace, every_layer_matches_differences) {
  static struct setting setting;
  struct model_config config = square_config();
  config.layers = 3;
  config.bidirectional = true;
  set_up(&setting, config, 1, 0);
  const struct trace *trace = run(&setting);
  cr_assert_eq(trace->count, 9);
  for (size_t i = 0; i < trace->count; i++) {
    const elman_traced_layer *layer = &trace->layers[i];
    const struct parameters *views = &setting.copy.weight_views;
    double dz[SIZE], sum = 0;
    differences(dz, &setting,
                layer->side == ELMAN_TARGET
                    ? views->decoder.rnn[layer->layer].bias_hh
                    : views->encoder.rnn[layer->layer][layer->reverse].bias_hh,
                layer->units);
    for (size_t j = 0; j < layer->units; j++) sum += dz[j] * dz[j];
    cr_assert_eq(layer->steps, 1);
    assert_close(layer->inputs[0], sqrt(sum), 1e-7, "bias", i);
  }
  tear_down(&setting);
}

/* ---- properties ---- */

/* A token's loss reaches no later step of the decoder; the gradients of all tokens together are N
 * times that of the mean. */
Test(trace, loss_reaches_backward_only) {
  static struct setting setting;
  set_up(&setting, square_config(), SOURCE_WORDS, TARGET_WORDS);
  for (size_t step = 1; step <= TARGET_WORDS + 1; step++) {
    setting.step = step;
    const struct trace *trace = run(&setting);
    for (size_t t = 0; t <= TARGET_WORDS; t++)
      cr_assert_eq(trace->layers[1].states[t] > 0, t < step, "from %zu to %zu", step, t + 1);
    cr_assert_eq(trace->loss, trace->losses[step - 1]);
  }
  tear_down(&setting);
}

/* Fully saturated units still show the gradient that reaches them, and pass none on. */
Test(trace, saturated_units_pass_no_gradient) {
  static struct setting setting;
  set_up(&setting, square_config(), SOURCE_WORDS, TARGET_WORDS);
  const size_t bias = row_named(&setting, "encoder.rnn.bias_ih_l0");
  for (size_t i = 0; i < SIZE; i++) setting.tensors[bias][i] = 100;
  const struct trace *trace = run(&setting);
  for (size_t s = 0; s < SOURCE_WORDS; s++) {
    cr_assert_eq(trace->layers[0].saturated[s], 1);
    cr_assert_eq(trace->layers[0].inputs[s], 0);
    cr_assert(trace->layers[0].states[s] > 0);
  }
  tear_down(&setting);
}

Test(trace, missing_step_is_rejected) {
  static struct setting setting;
  set_up(&setting, square_config(), SOURCE_WORDS, TARGET_WORDS);
  fails(trace_run(&setting.trace, &setting.config, const_tensors(&setting), &setting.batch,
                  TARGET_WORDS + 2, &why),
        ELMAN_INVALID_ARGUMENT, "the target has 5 tokens");
  tear_down(&setting);
}
