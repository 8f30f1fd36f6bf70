/* Test: threads. */
/* Deferred updates of embeddings give the same bits as full updates of every row. */
#include "check.h"
#include "config_of.h"
#include "lettered_model.h"
#include "threads.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tensor/blas_kernels.h"
#include "train/norm.h"
#include "train/trainer.h"

/* Row sizes that do not fill whole vectors, and some words that never occur. */
enum { SOURCE_WORDS = 40, TARGET_WORDS = 30, SILENT = 7, EMBEDDING = 19, MAX_STEPS = 4, BATCH = 3 };

static struct model *make_model(bool tied) {
  struct model_config config = config_of(0, 0, EMBEDDING, 5);
  config.attentional_layer = config.tie_embeddings = tied;
  return lettered_model(config, SOURCE_WORDS - 1, TARGET_WORDS - 3);
}

static size_t draw(size_t limit, uint64_t which) {
  return (size_t)random_below((struct random_stream){11, 98, 0}, which, limit);
}

/* Fill with one or several pairs of few words, different for every `which`. Higher word ids are
 * rarer, and the last ones never occur. */
static void fill_batch(struct batch *batch, uint64_t which) {
  owned_by(corpus_free) struct corpus corpus = {.source.count = BATCH, .target.count = BATCH};
  struct sentences *sides[] = {&corpus.source, &corpus.target};
  const size_t words[] = {SOURCE_WORDS - SILENT, TARGET_WORDS - SILENT};
  uint64_t next = which * 1000;
  for (size_t side = 0; side < 2; side++) {
    sides[side]->starts = calloc(BATCH + 1, sizeof(size_t));
    sides[side]->ids = calloc(BATCH * MAX_STEPS, sizeof(uint32_t));
    for (size_t i = 0; i < BATCH; i++)
      sides[side]->starts[i + 1] = sides[side]->starts[i] + 1 + draw(MAX_STEPS, next++);
    for (size_t i = 0; i < sides[side]->starts[BATCH]; i++) {
      const size_t limit = 1 + draw(words[side], next++);
      sides[side]->ids[i] = (uint32_t)draw(limit, next++);
    }
  }
  const size_t indices[] = {0, 1, 2};
  cr_assert_eq(batch_fill(batch, &corpus, indices, 1 + draw(BATCH, next), NULL), ELMAN_OK);
}

/* ---- full updates ---- */

struct dense {
  struct model *model;
  real *gradients, *m, *v, *average;
  struct parameters dweights;
  struct workspace workspace;
  size_t size;
  struct muon muon;
};

/* Let Muon update the matrices. */
static void add_muon(struct dense *dense) {
  const struct parameter_table *table = &dense->model->table;
  struct muon_matrix matrices[MAX_PARAMETERS];
  size_t count = 0;
  for (size_t i = 0; i < table->count; i++) {
    const struct parameter *row = &table->rows[i];
    if (row->hidden)
      matrices[count++] =
          (struct muon_matrix){dense->model->block + row->offset, dense->gradients + row->offset,
                               dense->m + row->offset, row->rows, row->columns};
  }
  cr_assert_eq(muon_create(&dense->muon, matrices, count, ARITHMETIC_FAST, NULL), ELMAN_OK);
}

static struct dense make_dense(bool tied, bool average) {
  struct dense dense = {.model = make_model(tied)};
  dense.size = dense.model->table.block;
  real **const blocks[] = {&dense.gradients, &dense.m, &dense.v};
  for (size_t i = 0; i < 3; i++) *blocks[i] = reals(dense.size);
  if (average) dense.average = reals(dense.size);
  if (average) memcpy(dense.average, dense.model->block, dense.size * sizeof(real));
  parameters_bind(&dense.dweights, dense.gradients, &dense.model->config);
  return dense;
}

static void free_dense(struct dense *dense) {
  free(dense->gradients);
  free(dense->m);
  free(dense->v);
  free(dense->average);
  muon_free(&dense->muon);
  workspace_free(&dense->workspace);
  model_free(dense->model);
}

/* Run forward and backward over a batch; return the mean loss. */
static double dense_gradients(struct dense *dense, const struct batch *batch,
                              const struct regularization *regularization) {
  const struct model *model = dense->model;
  succeeds(workspace_fit(&dense->workspace, &model->weights, batch, WITH_GRADIENTS, &why));
  memset(dense->gradients, 0, dense->size * sizeof(real));
  return network_gradient(&dense->dweights,
                          &(struct network_pass){.weights = &model->weights,
                                                 .batch = batch,
                                                 .regularization = regularization,
                                                 .workspace = &dense->workspace}) /
         (double)batch->tokens;
}

static void dense_update(struct dense *dense, const struct update_step *step) {
  const struct parameter_table *table = &dense->model->table;
  for (size_t i = 0; i < table->count; i++) {
    const struct parameter *row = &table->rows[i];
    const size_t at = row->offset;
    if (row->alias || (row->hidden && dense->muon.count > 0)) continue;
    adam_update(dense->model->block + at, dense->m + at, dense->v + at, dense->gradients + at,
                parameter_size(row), &step->adam);
  }
  muon_update(&dense->muon, &step->muon);
  for (size_t i = 0; dense->average != NULL && i < dense->size; i++)
    dense->average[i] += step->average_share * (dense->model->block[i] - dense->average[i]);
}

static void check_same(const char *what, const real *block, const real *expected, size_t n,
                       uint64_t update) {
  for (size_t i = 0; i < n; i++)
    cr_assert_eq(memcmp(block + i, expected + i, sizeof *block), 0,
                 "%s after update %llu, number %zu: %a, not %a", what, (unsigned long long)update,
                 i, (double)block[i], (double)expected[i]);
}

static void check_trainer(const struct trainer *trainer, const struct dense *dense) {
  const uint64_t update = trainer->state.update;
  check_same("weights", trainer->model->block, dense->model->block, dense->size, update);
  check_same("m", trainer->optimizer.blocks.m, dense->m, dense->size, update);
  check_same("v", trainer->optimizer.blocks.v, dense->v, dense->size, update);
  if (dense->average != NULL)
    check_same("average", trainer->optimizer.blocks.average, dense->average, dense->size, update);
}

/* ---- training ---- */

/* More than twice the number of updates that are recorded before all rows are brought up to
 * date. */
enum { UPDATES = 1300 };

static elman_train_options options_of(size_t which) {
  elman_train_options options = {.epochs = 1,
                                 .batch_size = BATCH,
                                 .shards = 1,
                                 .learning_rate = 0.001,
                                 .seed = 1,
                                 .dropout = 0.1};
  if (which == 1) {
    options.schedule = "inverse-sqrt";
    options.warm_up = 20;
    options.clip_norm = 0.5;
    options.average = 0.99;
  } else if (which == 2) {
    options.learning_rate = 0.05;
    options.clip_norm = 1;
  } else if (which == 3) {
    options.optimizer = "muon";
    options.clip_norm = 0.5;
    options.average = 0.99;
  }
  return options;
}

static struct regularization regularization_of(const elman_train_options *options,
                                               uint64_t update) {
  const struct random_stream stream = {options->seed, RANDOM_DROPOUT, (uint32_t)update};
  return (struct regularization){
      .dropouts = {{options->dropout, stream}, {options->attention_dropout, stream}}};
}

/* Run one step of both trainers. Every 50th step fails because a weight is NaN. */
static void step_both(struct trainer *trainer, struct dense *dense,
                      const elman_train_options *options, uint64_t which) {
  const struct regularization regularization = regularization_of(options, trainer->state.update);
  const bool fails = which % 50 == 49;
  owned_by(batch_free) struct batch batch = {0};
  fill_batch(&batch, which);
  real *bias = trainer->model->weights.decoder.out_bias;
  const real kept = bias[0];
  if (fails) bias[0] = (real)INFINITY;
  struct update_result result;
  cr_assert_eq(trainer_step(&result, trainer, &batch, 0, NULL), ELMAN_OK);
  if (fails) {
    bias[0] = kept;
    cr_assert_eq(trainer->state.failures, 1);
  } else {
    cr_assert_eq(dense_gradients(dense, &batch, &regularization), result.losses.cross_entropy);
    const double expected = sqrt(sum_of_squares(dense->gradients, dense->size));
    cr_assert_float_eq(result.norm / expected, 1, 1e-12);
    const uint64_t update = trainer->state.update;
    struct update_step step = {adam_step_of(trainer->adam, result.learning_rate, update),
                               muon_step_of(result.learning_rate, update),
                               average_share(options->average, update)};
    step.adam.scale = step.muon.scale = clip_scale(result.norm, options->clip_norm);
    dense_update(dense, &step);
  }
}

/* The learning rate changes during training. A row updated late must use the rate of each update it
 * missed. */
static void check_training(size_t which, bool tied) {
  const elman_train_options options = options_of(which);
  struct model *model = make_model(tied);
  struct dense dense = make_dense(tied, options.average > 0);
  struct trainer trainer;
  if (options.optimizer != NULL) add_muon(&dense);
  cr_assert_eq(trainer_create(&trainer, model, &options, NULL), ELMAN_OK);
  if (which == 2)
    trainer.adam = (struct adam_options){0.5, 0.6, 1e-6, false}; /* the moments soon vanish */
  for (uint64_t i = 0; i < UPDATES; i++) {
    if (i % 100 == 99) trainer.state.rate_factor *= 0.9;
    step_both(&trainer, &dense, &options, i);
    if (i % 600 > 20) continue; /* otherwise the record fills up */
    trainer_flush(&trainer);
    check_trainer(&trainer, &dense);
  }
  trainer_flush(&trainer);
  check_trainer(&trainer, &dense);
  for (size_t i = 0; i < SILENT * EMBEDDING; i++)
    cr_assert_eq(trainer.optimizer.blocks.m[(SOURCE_WORDS - SILENT) * EMBEDDING + i], 0);
  trainer_free(&trainer);
  free_dense(&dense);
  model_free(model);
}

/* Without options, with clipping, schedule and average, when the moments vanish, and with Muon. */
Test(deferred, deferred_updates_match_full_updates) {
  for (size_t which = 0; which < 4; which++) check_training(which, false);
}

Test(deferred, matches_when_denormals_are_zero) {
  const unsigned before = denormals_to_zero();
  check_training(1, false);
  check_training(2, false);
  denormals_restore(before);
}

Test(deferred, tied_embeddings_are_not_deferred) {
  check_training(1, true);
  check_training(3, true);
}

/* ---- rows ---- */

/* A model without vocabularies, whose first weights are the source embedding. */
static struct model bare_model(size_t rows, size_t columns) {
  struct model model = {.config = model_config_default()};
  model.config.source_vocabulary = rows;
  model.config.embedding_size = columns;
  model.config.hidden_size = 4;
  cr_assert_eq(parameter_table_create(&model.table, &model.config, NULL), ELMAN_OK);
  cr_assert_eq(parameter_block_create(&model.block, &model.table, NULL), ELMAN_OK);
  cr_assert_eq((uintptr_t)model.block % ARENA_ALIGNMENT, 0);
  parameters_bind(&model.weights, model.block, &model.config);
  cr_assert_eq(model.weights.encoder.embedding, model.block);
  return model;
}

static void randomize(struct model *model) {
  owned real *values = random_reals(model->table.block, 1, 1);
  memcpy(model->block, values, model->table.block * sizeof *values);
}

/* Many words, as in a large vocabulary, so that threads divide the rows. */
Test(deferred, threads_do_not_change_results) {
  enum { ROWS = 3000, COLUMNS = 100, WORDS = 2000, ROUNDS = 5 };
  struct model model = bare_model(ROWS, COLUMNS);
  const size_t n = model.table.block;
  owned real *first = reals(n);
  double norms[ROUNDS];
  for (size_t threads = 1; threads <= 3; threads++) {
    use_threads(threads);
    owned_by(optimizer_free) struct optimizer optimizer;
    randomize(&model);
    cr_assert_eq(optimizer_create(&optimizer, &model, (struct optimizer_options){0}, NULL),
                 ELMAN_OK);
    real *gradients = optimizer.blocks.gradients;
    uint32_t ids[WORDS];
    size_t length = WORDS;
    const struct batch batch = {
        .source = {.ids = ids, .lengths = &length, .steps = WORDS, .batch = 1}};
    for (uint64_t k = 1; k <= ROUNDS; k++) {
      for (size_t i = 0; i < WORDS; i++) ids[i] = (uint32_t)draw(ROWS, k * WORDS + i);
      optimizer_begin(&optimizer, &batch);
      for (size_t i = 0; i < WORDS * COLUMNS; i++)
        gradients[ids[i / COLUMNS] * COLUMNS + i % COLUMNS] +=
            (real)random_uniform((struct random_stream){3, 97, (uint32_t)k}, i);
      const double norm = optimizer_norm(&optimizer);
      if (threads == 1) norms[k - 1] = norm;
      cr_assert_eq(norm, norms[k - 1]);
      const struct update_step step = {.adam = adam_step_of(adam_options_default(), 0.001, k)};
      optimizer_update(&optimizer, &step);
      for (size_t i = 0; i < n; i++) cr_assert_eq(gradients[i], 0);
    }
    optimizer_flush(&optimizer);
    if (threads == 1) memcpy(first, model.block, n * sizeof *first);
    cr_assert_eq(memcmp(model.block, first, n * sizeof *first), 0);
  }
  use_threads(1);
  parameter_block_free(model.block);
}

/* Rows that need no update, except for one entry each that an update changes. */
Test(deferred, only_unchanged_rows_are_skipped) {
  enum { CASES = 5, COLUMNS = 19, PLACE = 17 };
  struct model model = bare_model(CASES, COLUMNS);
  const size_t n = model.table.block;
  owned_by(optimizer_free) struct optimizer optimizer;
  randomize(&model);
  cr_assert_eq(
      optimizer_create(&optimizer, &model, (struct optimizer_options){.average = true}, NULL),
      ELMAN_OK);
  real *m = optimizer.blocks.m, *v = optimizer.blocks.v, *mean = optimizer.blocks.average;
  owned real *gradients = reals(n);
  m[0 * COLUMNS + PLACE] = (real)-0.0;
  m[1 * COLUMNS + PLACE] = (real)1e-9;
  v[2 * COLUMNS + PLACE] = (real)1e-9;
  mean[3 * COLUMNS + PLACE] += 1;
  real *expected[] = {reals(n), reals(n), reals(n), reals(n)};
  const real *const start[] = {model.block, m, v, mean};
  for (size_t i = 0; i < 4; i++) memcpy(expected[i], start[i], n * sizeof *m);
  for (uint64_t k = 1; k <= 3; k++) {
    const struct update_step step = {.adam = adam_step_of(adam_options_default(), 0.001, k),
                                     .average_share = (real)0.25};
    optimizer_update(&optimizer, &step);
    adam_update(expected[0], expected[1], expected[2], gradients, n, &step.adam);
    for (size_t i = 0; i < n; i++)
      expected[3][i] += step.average_share * (expected[0][i] - expected[3][i]);
  }
  optimizer_flush(&optimizer);
  for (size_t i = 0; i < 4; i++) {
    check_same((const char *const[]){"weights", "m", "v", "average"}[i], start[i], expected[i], n,
               3);
    free(expected[i]);
  }
  parameter_block_free(model.block);
}

static size_t peak_bytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (size_t)usage.ru_maxrss * 1024;
}

/* Return whether the system allocates memory for pages that are only read. Linux usually maps such
 * pages to one page of zeros. */
static bool reading_takes_memory(void) {
  enum { BYTES = 32 << 20, PAGE = 4096 };
  const size_t before = peak_bytes();
  volatile char *pages = calloc(BYTES, 1);
  char sum = 0;
  for (size_t i = 0; pages != NULL && i < BYTES; i += PAGE) sum = (char)(sum + pages[i]);
  free((void *)pages);
  return sum != 0 || peak_bytes() - before > BYTES / 2;
}

Test(deferred, unused_words_need_no_memory) {
#ifdef __SANITIZE_THREAD__
  cr_skip_test("it takes memory of its own");
#endif
  if (reading_takes_memory()) cr_skip_test("this system allocates memory for pages that are read");
  enum { ROWS = 100000, COLUMNS = 100, BLOCKS = 4 };
  const size_t before = peak_bytes();
  struct model model = bare_model(ROWS, COLUMNS);
  owned_by(optimizer_free) struct optimizer optimizer;
  cr_assert_eq(optimizer_create(&optimizer, &model, (struct optimizer_options){0}, NULL), ELMAN_OK);
  uint32_t ids[] = {5, ROWS / 2, ROWS - 1};
  size_t length = 3;
  const struct batch batch = {.source = {.ids = ids, .lengths = &length, .steps = 3, .batch = 1}};
  for (uint64_t k = 1; k <= 3; k++) {
    optimizer_begin(&optimizer, &batch);
    for (size_t i = 0; i < 3; i++) optimizer.blocks.gradients[ids[i] * COLUMNS] = 1;
    const struct update_step step = {.adam = adam_step_of(adam_options_default(), 0.001, k)};
    optimizer_update(&optimizer, &step);
  }
  optimizer_flush(&optimizer);
  for (size_t i = 0; i < 3; i++) cr_assert_neq(model.block[ids[i] * COLUMNS], 0);
  cr_assert_lt(peak_bytes() - before, BLOCKS * model.table.block * sizeof(real) / 4);
  parameter_block_free(model.block);
}
