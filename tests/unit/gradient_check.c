/* Test: double, wraps network_gradient. */
/* The gradient check passes correct gradients and detects wrong ones. In double precision; the
 * linker wraps network_gradient, so that the tests can corrupt it. */
#include "check.h"
#include "config_of.h"

#include <string.h>

#include "corpus/batch.h"
#include "model/gradient_check.h"

/* ---- a backward pass that can be corrupted ---- */

static double spoil_factor = 1; /* factor for the gradient of the tensor below */
static size_t spoil_offset, spoil_size;

double __real_network_gradient(const struct parameters *gradients, const struct network_pass *pass);
double __wrap_network_gradient(const struct parameters *gradients, const struct network_pass *pass);

double __wrap_network_gradient(const struct parameters *gradients,
                               const struct network_pass *pass) {
  const double loss = __real_network_gradient(gradients, pass);
  /* The first tensor is at the start of the block. */
  real *tensor = gradients->encoder.embedding + spoil_offset;
  for (size_t i = 0; i < spoil_size; i++) tensor[i] *= (real)spoil_factor;
  return loss;
}

/* ---- a network and a batch ---- */

enum { MAX_PAIRS = 3 };

struct setting {
  struct model_config config;
  struct parameter_table table;
  float *numbers; /* all tensors, one after the other */
  const float *tensors[MAX_PARAMETERS];
  struct batch batch;
};

static const size_t lengths[MAX_PAIRS][2] = {{3, 4}, {1, 1}, {5, 2}};

static void fill_batch(struct batch *batch, size_t pairs) {
  uint32_t ids[] = {1, 3, 1, 4, 2, 3, 1, 5, 0};
  size_t starts[2][MAX_PAIRS + 1] = {{0}};
  for (size_t i = 0; i < pairs; i++) {
    for (size_t side = 0; side < 2; side++)
      starts[side][i + 1] = starts[side][i] + lengths[i][side];
  }
  const struct corpus corpus = {.source = {.ids = ids, .starts = starts[0], .count = pairs},
                                .target = {.ids = ids, .starts = starts[1], .count = pairs}};
  const size_t indices[MAX_PAIRS] = {0, 1, 2};
  cr_assert_eq(batch_fill(batch, &corpus, indices, pairs, &why), ELMAN_OK);
}

/* Draw weights from N(0, scale²). */
static void set_up(struct setting *setting, struct model_config config, double scale,
                   size_t pairs) {
  *setting = (struct setting){.config = config};
  cr_assert_eq(parameter_table_create(&setting->table, &config, &why), ELMAN_OK);
  size_t total = 0;
  for (size_t i = 0; i < setting->table.count; i++)
    total += parameter_size(&setting->table.rows[i]);
  setting->numbers = calloc(total, sizeof *setting->numbers);
  for (size_t i = 0; i < total; i++)
    setting->numbers[i] = (float)(scale * random_normal((struct random_stream){3, 98, 0}, i));
  const float *next = setting->numbers;
  for (size_t i = 0; i < setting->table.count; i++) {
    setting->tensors[i] = next;
    next += parameter_size(&setting->table.rows[i]);
  }
  fill_batch(&setting->batch, pairs);
  spoil_factor = 1;
  spoil_size = 0;
}

static void tear_down(struct setting *setting) {
  free(setting->numbers);
  batch_free(&setting->batch);
}

static struct model_config small_config(void) {
  return config_of(9, 8, 5, 6);
}

static const elman_gradient_options usual = {
    .step = 1e-5, .tolerance = 1e-7, .samples = 0, .seed = 1};

static struct gradient_check run(const struct setting *setting,
                                 const elman_gradient_options *options) {
  struct gradient_check check = {.count = 0};
  succeeds(gradient_check_run(&check, &setting->config, setting->tensors, &setting->batch, options,
                              &why));
  cr_assert_eq(check.count, setting->table.count);
  return check;
}

/* ---- correct gradients ---- */

static float *numbers_of(struct setting *setting, const char *name) {
  float *numbers = setting->numbers;
  for (size_t i = 0; i < setting->table.count; i++) {
    if (strcmp(setting->table.rows[i].name, name) == 0) return numbers;
    numbers += parameter_size(&setting->table.rows[i]);
  }
  cr_assert_fail("there is no %s", name);
  return NULL;
}

static const elman_checked_tensor *report_of(const struct setting *setting,
                                             const struct gradient_check *check, const char *name) {
  for (size_t i = 0; i < check->count; i++)
    if (strcmp(setting->table.rows[i].name, name) == 0) return &check->reports[i];
  cr_assert_fail("there is no %s", name);
  return NULL;
}

Test(gradient_check, correct_gradients_pass) {
  owned_by(tear_down) struct setting setting;
  struct model_config config = small_config();
  config.layers = 2;
  config.bidirectional = config.attentional_layer = config.input_feeding = true;
  config.encoder_self_attention = config.decoder_self_attention = 1;
  config.plain_self_attention = true;
  set_up(&setting, config, 0.8, MAX_PAIRS);
  elman_gradient_options options = usual;
  for (int regularized = 0; regularized < 2; regularized++) {
    if (regularized)
      options = (elman_gradient_options){.step = 1e-5,
                                         .tolerance = 1e-7,
                                         .dropout = 0.3,
                                         .attention_dropout = 0.2,
                                         .label_smoothing = 0.1,
                                         .seed = 5};
    const struct gradient_check check = run(&setting, &options);
    for (size_t i = 0; i < check.count; i++) {
      const struct parameter *row = &setting.table.rows[i];
      cr_assert_eq(check.reports[i].verdict, ELMAN_GRADIENT_PASSED, "%s: %g", row->name,
                   check.reports[i].error);
      cr_assert_eq(check.reports[i].checked, parameter_size(row));
      cr_assert(check.reports[i].analytic > 0 && check.reports[i].numerical > 0, "%s", row->name);
    }
  }
}

/* A model that has learned its pairs has a tiny loss, whose gradient must still be measurable. */
Test(gradient_check, tiny_loss_is_measured_precisely) {
  owned_by(tear_down) struct setting setting;
  set_up(&setting, small_config(), 0.5, 1);
  float *bias = setting.numbers; /* the bias of the output layer is the last tensor */
  for (size_t i = 0; i + 1 < setting.table.count; i++)
    bias += parameter_size(&setting.table.rows[i]);
  for (size_t v = 0; v < setting.config.target_vocabulary; v++) bias[v] = v == 3 ? 12 : 0;
  for (size_t n = 0; n < setting.batch.tokens; n++) setting.batch.labels[n] = 3;
  const struct gradient_check check = run(&setting, &usual);
  cr_assert(check.loss < 1e-3, "%g", check.loss);
  for (size_t i = 0; i < check.count; i++)
    cr_assert_eq(check.reports[i].verdict, ELMAN_GRADIENT_PASSED, "%s: %g",
                 setting.table.rows[i].name, check.reports[i].error);
}

/* Near 2^20 a step of exactly 1e-5 is impossible; the rounded step is off by 2^-34. The logits are
 * the biases alone, so they add no rounding of their own. */
Test(gradient_check, rounded_step_is_used) {
  owned_by(tear_down) struct setting setting;
  set_up(&setting, small_config(), 0.5, MAX_PAIRS);
  const size_t last =
      setting.table.count - 1; /* the bias of the output layer; W_o comes before it */
  float *bias = setting.numbers;
  for (size_t i = 0; i < last; i++) bias += parameter_size(&setting.table.rows[i]);
  const size_t weights = parameter_size(&setting.table.rows[last - 1]);
  memset(bias - weights, 0, weights * sizeof *bias);
  for (size_t v = 0; v < setting.config.target_vocabulary; v++)
    bias[v] = 0x1p20F + 0.25F * (float)v;
  const struct gradient_check check = run(&setting, &usual);
  cr_assert_lt(check.reports[last].error, 1e-8);
}

/* With a single source word the attention weights are constant. The gradient of attention is zero,
 * and the measured difference is only rounding. */
Test(gradient_check, unmeasurable_gradient_neither_passes_nor_fails) {
  struct setting setting;
  struct model_config config = small_config();
  for (unsigned kind = 0; elman_attention_name(kind) != NULL; kind++) {
    config.attention = elman_attention_name(kind);
    config.attention_heads = kind == ATTENTION_MULTIHEAD ? 2 : 1;
    config.attention_window = kind == ATTENTION_LOCAL || kind == ATTENTION_HIERARCHICAL ? 2 : 0;
    set_up(&setting, config, 0.8, 2);
    for (size_t b = 0; b < 2; b++) setting.batch.source.lengths[b] = 1;
    const struct gradient_check check = run(&setting, &usual);
    for (size_t i = 0; i < check.count; i++)
      cr_assert_neq(check.reports[i].verdict, ELMAN_GRADIENT_FAILED, "%s: %g",
                    setting.table.rows[i].name, check.reports[i].error);
    if (kind == ATTENTION_GENERAL || kind == ATTENTION_HIERARCHICAL)
      cr_assert_eq(report_of(&setting, &check, "decoder.attention.query.weight")->verdict,
                   ELMAN_GRADIENT_TOO_SMALL);
    tear_down(&setting);
  }
}

Test(gradient_check, tied_tensors_are_checked_once) {
  owned_by(tear_down) struct setting setting;
  struct model_config config = small_config();
  config.attentional_layer = config.tie_embeddings = true;
  set_up(&setting, config, 0.8, MAX_PAIRS);
  /* The alias shares the values of the embedding. */
  for (size_t i = 0; i < setting.table.count; i++) {
    for (size_t j = 0; setting.table.rows[i].alias && j < i; j++) {
      if (setting.table.rows[j].offset == setting.table.rows[i].offset)
        setting.tensors[i] = setting.tensors[j];
    }
  }
  const struct gradient_check check = run(&setting, &usual);
  size_t tied = 0;
  for (size_t i = 0; i < check.count; i++) {
    tied += setting.table.rows[i].alias;
    cr_assert_eq(check.reports[i].verdict,
                 setting.table.rows[i].alias ? ELMAN_GRADIENT_TIED : ELMAN_GRADIENT_PASSED);
  }
  cr_assert_eq(tied, 1);
}

/* ---- steps ---- */

/* Set up a rectifying encoder whose units have only their biases as input, at every step. */
static void set_up_at_corner(struct setting *setting, size_t units, float bias) {
  struct model_config config = small_config();
  config.cell = "relu";
  set_up(setting, config, 0.8, MAX_PAIRS);
  const size_t H = config.hidden_size;
  memset(numbers_of(setting, "encoder.rnn.weight_ih_l0"), 0,
         H * config.embedding_size * sizeof(float));
  memset(numbers_of(setting, "encoder.rnn.weight_hh_l0"), 0, H * H * sizeof(float));
  for (size_t i = 0; i < H; i++) {
    numbers_of(setting, "encoder.rnn.bias_ih_l0")[i] = i < units ? bias : 0.5F;
    numbers_of(setting, "encoder.rnn.bias_hh_l0")[i] = 0;
  }
}

/* A difference across the kink of a rectifier is no derivative. */
Test(gradient_check, kink_of_a_rectifier_is_detected) {
  struct setting setting;
  const elman_checked_tensor *bias;
  set_up_at_corner(&setting, 1, 4e-6F); /* a tenth of the step does not cross the kink */
  struct gradient_check check = run(&setting, &usual);
  bias = report_of(&setting, &check, "encoder.rnn.bias_ih_l0");
  cr_assert_eq(bias->verdict, ELMAN_GRADIENT_PASSED);
  cr_assert_eq(bias->kinks, 0);
  cr_assert_float_eq(bias->step, usual.step / 10, 1e-12);
  tear_down(&setting);

  set_up_at_corner(&setting, 1,
                   1e-9F); /* every step crosses the kink; the other weights are measured */
  check = run(&setting, &usual);
  bias = report_of(&setting, &check, "encoder.rnn.bias_ih_l0");
  cr_assert_eq(bias->verdict, ELMAN_GRADIENT_PASSED);
  cr_assert_eq(bias->kinks, 1);
  cr_assert_eq(bias->step, usual.step);
  cr_assert_eq(report_of(&setting, &check, "decoder.out.weight")->kinks, 0);
  tear_down(&setting);

  set_up_at_corner(&setting, 6, -1e-9F);
  check = run(&setting, &usual);
  bias = report_of(&setting, &check, "encoder.rnn.bias_ih_l0");
  cr_assert_eq(bias->verdict, ELMAN_GRADIENT_KINK);
  cr_assert_eq(bias->kinks, bias->checked);
  for (size_t i = 0; i < check.count; i++)
    cr_assert_neq(check.reports[i].verdict, ELMAN_GRADIENT_FAILED, "%s",
                  setting.table.rows[i].name);
  tear_down(&setting);
}

static struct model_config local_config(void) {
  struct model_config config = small_config();
  config.layers = 3;
  config.attention = "local";
  config.attention_window = 1;
  config.attentional_layer = config.input_feeding = true;
  return config;
}

/* The error of the difference quotient grows with the square of the step and must not count as an
 * error of the gradient. If a gradient is wrong, a smaller step does not help. */
Test(gradient_check, step_error_is_not_a_gradient_error) {
  static const double steps[] = {1e-2, 1e-3, 1e-5}, factors[] = {1, 1.001, 1 + 1e-6};
  owned_by(tear_down) struct setting setting;
  set_up(&setting, local_config(), 1.5, MAX_PAIRS);
  bool smaller = false;
  for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
    elman_gradient_options options = usual;
    options.step = steps[s];
    options.samples = 20;
    for (size_t wrong = 0; wrong < setting.table.count; wrong++) {
      spoil_factor = factors[wrong % 3];
      spoil_offset = setting.table.rows[wrong].offset;
      spoil_size = parameter_size(&setting.table.rows[wrong]);
      const struct gradient_check check = run(&setting, &options);
      for (size_t i = 0; i < check.count; i++) {
        const elman_checked_tensor *report = &check.reports[i];
        smaller = smaller || report->step < options.step;
        const bool spoilt = i == wrong && spoil_factor != 1 && report->analytic > 0;
        cr_assert_eq(report->verdict == ELMAN_GRADIENT_FAILED, spoilt,
                     "step %g, factor %g of %s: %s: %g", options.step, spoil_factor,
                     setting.table.rows[wrong].name, setting.table.rows[i].name, report->error);
      }
    }
  }
  cr_assert(smaller);
}

/* Link every word with every other. */
static void guide_batch(struct setting *setting) {
  owned_by(corpus_free) struct corpus corpus = {0};
  struct batch guided = {0};
  size_t starts[2][MAX_PAIRS + 1] = {{0}}, links = 0;
  uint32_t ids[] = {1, 3, 1, 4, 2, 3, 1, 5, 0};
  const size_t indices[MAX_PAIRS] = {0, 1, 2};
  cr_assert_eq(corpus_create_guides(&corpus, MAX_PAIRS, NULL), ELMAN_OK);
  for (size_t i = 0; i < MAX_PAIRS; i++) {
    for (size_t side = 0; side < 2; side++)
      starts[side][i + 1] = starts[side][i] + lengths[i][side];
    for (uint32_t t = 0; t < lengths[i][1]; t++) {
      for (uint32_t source = 0; source < lengths[i][0]; source++) {
        succeeds(array_grow(&corpus.links.items, &corpus.links.capacity, links + 1,
                            sizeof *corpus.links.items, &why));
        corpus.links.items[links++] = (struct token_link){t, source};
      }
    }
    corpus.links.starts[i + 1] = links;
  }
  corpus.source = (struct sentences){.ids = ids, .starts = starts[0], .count = MAX_PAIRS};
  corpus.target = (struct sentences){.ids = ids, .starts = starts[1], .count = MAX_PAIRS};
  cr_assert_eq(batch_fill(&guided, &corpus, indices, MAX_PAIRS, NULL), ELMAN_OK);
  batch_free(&setting->batch);
  setting->batch = guided;
  corpus.source = corpus.target = (struct sentences){0};
}

/* Even if the weight of a linked key underflows in float or in double, the guide's loss changes as
 * its gradient predicts. */
Test(gradient_check, guide_passes_with_underflowed_weights) {
  struct model_config config = small_config();
  elman_gradient_options options = usual;
  options.guide_weight = 0.7;
  for (unsigned kind = 0; elman_attention_name(kind) != NULL; kind++) {
    if (kind == ATTENTION_DOT || kind == ATTENTION_SCALED) continue; /* these have no parameters */
    for (float factor = 150; factor <= 2400; factor *= 4) {
      owned_by(tear_down) struct setting setting;
      config.attention = elman_attention_name(kind);
      config.attention_heads = kind == ATTENTION_MULTIHEAD ? 2 : 1;
      config.attention_window = kind == ATTENTION_LOCAL || kind == ATTENTION_HIERARCHICAL ? 2 : 0;
      set_up(&setting, config, 0.8, MAX_PAIRS);
      guide_batch(&setting);
      const bool additive = kind == ATTENTION_ADDITIVE || kind == ATTENTION_SENTINEL;
      const char *name =
          additive ? "decoder.attention.score.weight" : "decoder.attention.query.weight";
      const size_t H = config.hidden_size;
      for (size_t i = 0; i < (additive ? H : H * H); i++) numbers_of(&setting, name)[i] *= factor;
      for (size_t i = 0; i < H * H && kind == ATTENTION_HIERARCHICAL; i++)
        numbers_of(&setting, "decoder.attention.segment_query.weight")[i] *= factor;
      const struct gradient_check check = run(&setting, &options);
      cr_assert_gt(check.guide_loss, kind == ATTENTION_LOCAL ? 5 : 20, "%s: %g", config.attention,
                   check.guide_loss);
      for (size_t i = 0; i < check.count; i++)
        cr_assert_neq(check.reports[i].verdict, ELMAN_GRADIENT_FAILED, "%s, %g: %s: %g",
                      config.attention, (double)factor, setting.table.rows[i].name,
                      check.reports[i].error);
      cr_assert_lt(report_of(&setting, &check, name)->error, 1e-5, "%s, %g: %g", config.attention,
                   (double)factor, report_of(&setting, &check, name)->error);
    }
  }
}

/* ---- wrong gradients ---- */

/* Corrupt each tensor alone: a wrong sign, a factor of 2, an error of a millionth, or an error of a
 * third. */
Test(gradient_check, wrong_gradient_is_located) {
  static const double factors[] = {-1, 2, 0, 1.001, 1 + 1e-6, 1 + 3e-7};
  owned_by(tear_down) struct setting setting;
  set_up(&setting, small_config(), 0.8, MAX_PAIRS);
  for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
    for (size_t wrong = 0; wrong < setting.table.count; wrong++) {
      spoil_factor = factors[f];
      spoil_offset = setting.table.rows[wrong].offset;
      spoil_size = parameter_size(&setting.table.rows[wrong]);
      const struct gradient_check check = run(&setting, &usual);
      const double expected = fabs(1 - spoil_factor) / (1 + fabs(spoil_factor));
      for (size_t i = 0; i < check.count; i++)
        cr_assert_eq(check.reports[i].verdict,
                     i == wrong ? ELMAN_GRADIENT_FAILED : ELMAN_GRADIENT_PASSED,
                     "factor %g of %s: %s: %g", spoil_factor, setting.table.rows[wrong].name,
                     setting.table.rows[i].name, check.reports[i].error);
      cr_assert_float_eq(check.reports[wrong].error, expected, 1e-6 * expected + 1e-8);
    }
  }
}

/* ---- selection of the weights ---- */

/* Only the row of one word of the batch is wrong, so this row must be among the checked weights. */
Test(gradient_check, rows_of_words_are_always_checked) {
  owned_by(tear_down) struct setting setting;
  struct model_config config = small_config();
  config.source_vocabulary = 2000;
  config.embedding_size = 1;
  set_up(&setting, config, 0.8, MAX_PAIRS);
  elman_gradient_options options = usual;
  options.samples = 1;
  spoil_factor = 2;
  for (size_t word = 1; word <= 4; word++) {
    spoil_offset = word; /* offset in the source embedding, the first tensor */
    spoil_size = 1;
    for (uint64_t seed = 1; seed <= 5; seed++) {
      options.seed = seed;
      const struct gradient_check check = run(&setting, &options);
      cr_assert_eq(check.reports[0].verdict, ELMAN_GRADIENT_FAILED, "word %zu, seed %zu", word,
                   (size_t)seed);
    }
  }
}

Test(gradient_check, requested_number_of_weights_is_checked) {
  owned_by(tear_down) struct setting setting;
  set_up(&setting, small_config(), 0.8, MAX_PAIRS);
  elman_gradient_options options = usual;
  options.samples = 20;
  const struct gradient_check first = run(&setting, &options), again = run(&setting, &options);
  options.seed = 2;
  const struct gradient_check other = run(&setting, &options);
  size_t different = 0;
  for (size_t i = 0; i < first.count; i++) {
    const size_t size = parameter_size(&setting.table.rows[i]);
    const bool embedding = strstr(setting.table.rows[i].name, ".embedding.") != NULL;
    if (size <= options.samples)
      cr_assert_eq(first.reports[i].checked, size);
    else
      cr_assert(first.reports[i].checked > 5 &&
                first.reports[i].checked <= (embedding ? 2 : 1) * options.samples);
    cr_assert_eq(first.reports[i].analytic, again.reports[i].analytic);
    different += first.reports[i].analytic != other.reports[i].analytic;
  }
  cr_assert(different > 0);
}

/* The gradient is exactly zero: a factor of 1e300 would reveal anything else. */
Test(gradient_check, absent_words_have_no_gradient) {
  enum { FIRST = 4, LAST = 8 }; /* the source words of the pair are 1 and 3 */
  owned_by(tear_down) struct setting setting;
  set_up(&setting, small_config(), 0.8, 1);
  spoil_factor = 1e300;
  spoil_offset = FIRST * setting.config.embedding_size;
  spoil_size = (LAST + 1 - FIRST) * setting.config.embedding_size;
  const struct gradient_check check = run(&setting, &usual);
  cr_assert_eq(check.reports[0].verdict, ELMAN_GRADIENT_PASSED);
  cr_assert_eq(check.reports[0].checked, parameter_size(&setting.table.rows[0]));
}

/* ---- errors ---- */

static bool stop_at_three(void *context, size_t done, size_t total) {
  *(size_t *)context = total;
  return done < 3;
}

Test(gradient_check, check_can_be_stopped) {
  owned_by(tear_down) struct setting setting;
  set_up(&setting, small_config(), 0.8, 1);
  struct gradient_check check;
  size_t total = 0;
  elman_gradient_options options = usual;
  options.progress = stop_at_three;
  options.context = &total;
  cr_assert_eq(
      gradient_check_run(&check, &setting.config, setting.tensors, &setting.batch, &options, &why),
      ELMAN_INTERRUPTED);
  cr_assert_eq(total, setting.table.count);
}

Test(gradient_check, overflow_is_an_error) {
  owned_by(tear_down) struct setting setting;
  struct model_config config = small_config();
  config.attentional_layer = true;
  set_up(&setting, config, 1, 1);
  const size_t last = setting.table.count - 1;
  setting.tensors[last] = calloc(config.target_vocabulary, sizeof(float));
  ((float *)setting.tensors[last])[1] = INFINITY;
  struct gradient_check check;
  fails(gradient_check_run(&check, &setting.config, setting.tensors, &setting.batch, &usual, &why),
        ELMAN_BAD_DATA, "overflow");
  free((float *)setting.tensors[last]);
}
