/* Test: threads. */
/* The training loop: the pairs that it uses, how it stops, and the model that results. */
#include "check.h"
#include "config_of.h"
#include "lettered_model.h"

#include <string.h>

#include "owned_values.h"
#include "whole_run.h"

enum { PAIRS = 10, WORDS = 6, MAX_UPDATES = 2000 };

/* ---- a corpus whose target sides all have different lengths ---- */

static void fill_side(struct sentences *side, uint32_t first) {
  side->count = PAIRS;
  side->starts = calloc(PAIRS + 1, sizeof *side->starts);
  for (size_t i = 0; i < PAIRS; i++) side->starts[i + 1] = side->starts[i] + i + 1;
  side->ids = calloc(side->starts[PAIRS], sizeof *side->ids);
  for (size_t i = 0; i < side->starts[PAIRS]; i++)
    side->ids[i] = first + (uint32_t)(i * 7 + i / 3) % WORDS;
}

static struct corpus make_corpus(void) {
  struct corpus corpus = {0};
  fill_side(&corpus.source, 1);
  fill_side(&corpus.target, 3);
  return corpus;
}

static struct model *make_model(void) {
  const struct model_config config = config_of(0, 0, 4, 5);
  return lettered_model(config, WORDS, WORDS);
}

static real *copy_of(const struct model *model) {
  real *copy = reals(model->table.block);
  memcpy(copy, model->block, model->table.block * sizeof *copy);
  return copy;
}

static bool same_weights(const struct model *model, const real *weights) {
  return memcmp(model->block, weights, model->table.block * sizeof *weights) == 0;
}

static void check_finite(const struct model *model) {
  for (size_t i = 0; i < model->table.block; i++) cr_assert(isfinite(model->block[i]));
}

static elman_train_options options_of(size_t epochs, size_t batch_size) {
  return (elman_train_options){
      .epochs = epochs, .batch_size = batch_size, .shards = 1, .learning_rate = 0.001, .seed = 1};
}

/* ---- contents of the reports ---- */

struct log {
  elman_train_report reports[MAX_UPDATES];
  size_t count, stop_after; /* 0 disables */
};

static bool keep(void *context, const elman_train_report *report) {
  struct log *log = context;
  cr_assert_lt(log->count, MAX_UPDATES);
  log->reports[log->count++] = *report;
  return log->count != log->stop_after;
}

static struct log logged_run(elman_train_options options) {
  struct log log = {0};
  owned_model *model = make_model();
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  options.report = keep;
  options.context = &log;
  cr_assert_eq(trainer_run(model, &corpus, &options, NULL), ELMAN_OK);
  return log;
}

/* With batches of one pair, the tokens of an update identify the pair: pair i has i + 2. */
static void pairs_of_epoch(size_t pairs[PAIRS], const struct log *log, size_t epoch) {
  const elman_train_report *reports = log->reports + epoch * PAIRS;
  for (size_t i = 0; i < PAIRS; i++)
    pairs[i] = reports[i].tokens - (i == 0 ? 0 : reports[i - 1].tokens) - 2;
}

Test(train, each_epoch_visits_all_pairs_in_new_order) {
  enum { EPOCHS = 4 };
  const struct log log = logged_run(options_of(EPOCHS, 1));
  cr_assert_eq(log.count, (size_t)EPOCHS * PAIRS);
  size_t orders[EPOCHS][PAIRS];
  for (size_t epoch = 0; epoch < EPOCHS; epoch++) {
    bool seen[PAIRS] = {false}, sorted = true;
    pairs_of_epoch(orders[epoch], &log, epoch);
    for (size_t i = 0; i < PAIRS; i++) {
      cr_assert_lt(orders[epoch][i], PAIRS);
      cr_assert_not(seen[orders[epoch][i]], "pair %zu twice in an epoch", orders[epoch][i]);
      seen[orders[epoch][i]] = true;
      sorted = sorted && orders[epoch][i] == i;
    }
    cr_assert_not(sorted, "the pairs are shuffled");
    for (size_t other = 0; other < epoch; other++)
      cr_assert_neq(memcmp(orders[epoch], orders[other], sizeof orders[epoch]), 0);
  }
}

Test(train, reports_contain_progress) {
  const struct log log = logged_run(options_of(2, 4)); /* batches of 4, 4 and 2 pairs */
  cr_assert_eq(log.count, 6);
  double sum = 0;
  for (size_t i = 0; i < log.count; i++) {
    const elman_train_report *report = &log.reports[i];
    const size_t before = i % 3 == 0 ? 0 : log.reports[i - 1].tokens;
    cr_assert_eq(report->epoch, i / 3 + 1);
    cr_assert_eq(report->epochs, 2);
    cr_assert_eq(report->update, i % 3 + 1);
    cr_assert_eq(report->updates, 3);
    cr_assert_eq(report->updates_so_far, i + 1);
    cr_assert_gt(report->gradient_norm, 0);
    cr_assert_gt(report->tokens, before);
    sum = (i % 3 == 0 ? 0 : sum) + report->update_loss * (double)(report->tokens - before);
    cr_assert_float_eq(report->loss, sum / (double)report->tokens, 1e-9);
  }
  cr_assert_eq(log.reports[2].tokens, 65); /* 2 + 3 + ... + 11 */
  cr_assert_eq(log.reports[5].tokens, 65);
}

/* ---- amount of training ---- */

Test(train, default_epochs_depend_on_corpus_size) {
  cr_assert_eq(trainer_default_epochs(1), 400);
  cr_assert_eq(trainer_default_epochs(2), 200);
  cr_assert_eq(trainer_default_epochs(3), 134);
  cr_assert_eq(trainer_default_epochs(39), 11);
  cr_assert_eq(trainer_default_epochs(40), 10);
  cr_assert_eq(trainer_default_epochs(31250), 10);
}

Test(train, oversized_batch_is_the_whole_corpus) {
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  struct model *exact = make_model(), *model;
  owned real *initial = copy_of(exact);
  elman_train_options options = options_of(3, PAIRS);
  cr_assert_eq(trainer_run(exact, &corpus, &options, NULL), ELMAN_OK);
  cr_assert_not(same_weights(exact, initial));
  const size_t sizes[] = {PAIRS + 1, 1000000, SIZE_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    model = make_model();
    options.batch_size = sizes[i];
    cr_assert_eq(trainer_run(model, &corpus, &options, NULL), ELMAN_OK);
    cr_assert(same_weights(model, exact->block), "batches of %zu", sizes[i]);
    model_free(model);
  }
  model_free(exact);
}

Test(train, empty_corpus_is_rejected) {
  owned_model *model = make_model();
  owned real *before = copy_of(model);
  size_t starts[] = {0};
  const struct corpus empty = {
      .source = {.starts = starts}, .target = {.starts = starts}, .too_long = 7};
  const elman_train_options options = options_of(1, 3);
  fails(trainer_run(model, &empty, &options, &why), ELMAN_BAD_DATA, "no pair is left to train on");
  cr_assert(same_weights(model, before));
}

/* ---- checkpoints that cannot be written ---- */

struct attempts {
  struct log log;
  size_t failed;
};

static bool keep_attempted(void *context, const elman_train_report *report) {
  return keep(&((struct attempts *)context)->log, report);
}

static void count_failure(void *context, const elman_error *problem) {
  cr_assert_not_null(problem);
  cr_assert_eq(problem->code, ELMAN_CANNOT_CREATE);
  ((struct attempts *)context)->failed++;
}

Test(train, training_continues_without_a_checkpoint) {
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  owned_model *expected = make_model(), *model = make_model();
  elman_train_options options = options_of(2, 3);
  cr_assert_eq(trainer_run(expected, &corpus, &options, NULL), ELMAN_OK);
  struct attempts attempts = {.log = {.stop_after = 8}};
  options.checkpoint = "/nowhere/to/be/found";
  options.save_every = 1e-9;
  options.report = keep_attempted;
  options.context = &attempts;
  options.checkpoint_written = count_failure;
  cr_assert_eq(trainer_run(model, &corpus, &options, NULL), ELMAN_INTERRUPTED);
  cr_assert_eq(attempts.failed, 8);
  cr_assert(same_weights(model, expected->block));
  options.checkpoint_written = NULL; /* the failure could not be reported */
  attempts = (struct attempts){0};
  cr_assert_eq(trainer_run(model, &corpus, &options, &why), ELMAN_CANNOT_CREATE);
  cr_assert_str_eq(why.where, options.checkpoint);
  cr_assert_eq(attempts.log.count, 1);
}

/* ---- history in the model ---- */

static void check_history(const struct model *model, uint64_t epochs, uint64_t updates,
                          uint64_t tokens) {
  const elman_history *history = &model->past.history;
  cr_assert_eq(history->epochs, epochs, "%d epochs", (int)history->epochs);
  cr_assert_eq(history->updates, updates, "%d updates", (int)history->updates);
  cr_assert_eq(history->tokens, tokens, "%d tokens", (int)history->tokens);
}

/* An epoch has 4 updates and 65 tokens. */
Test(train, history_counts_training) {
  owned_model *model = make_model();
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  elman_train_options options = options_of(0, 3);
  cr_assert_eq(trainer_run(model, &corpus, &options, NULL), ELMAN_OK);
  check_history(model, 0, 0, 0);
  options.epochs = 2;
  cr_assert_eq(trainer_run(model, &corpus, &options, NULL), ELMAN_OK);
  check_history(model, 2, 8, 130);
  struct log log = {.stop_after = 6};
  options.report = keep;
  options.context = &log;
  cr_assert_eq(trainer_run(model, &corpus, &options, NULL), ELMAN_INTERRUPTED);
  const size_t begun = log.reports[5].tokens;
  check_history(model, 3, 14, 195 + begun);
  log = (struct log){.stop_after =
                         8}; /* with the last update of an epoch, so the epoch is complete */
  cr_assert_eq(trainer_run(model, &corpus, &options, NULL), ELMAN_INTERRUPTED);
  check_history(model, 5, 22, 195 + begun + 130);
}

/* ---- numbers that overflow ---- */

/* At this learning rate sums of weights overflow, but the weights do not. */
#ifdef ELMAN_DOUBLE
static const double ABSURD_RATE = 1e308;
#else
static const double ABSURD_RATE = 3e38;
#endif

Test(train, overflowing_loss_is_an_error) {
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  owned_model *model = make_model();
  elman_train_options options = options_of(50, 3);
  options.learning_rate = ABSURD_RATE;
  options.clip_norm = 1;
  fails(trainer_run(model, &corpus, &options, &why), ELMAN_INVALID_ARGUMENT,
        "was not finite in 10 updates in a row");
  cr_assert_not_null(strstr(why.message, "lower the learning rate"), "%s", why.message);
  check_finite(model);
}

/* All states are 0 and all words equally likely, so the loss is log V. The gradients of two tokens,
 * each close to the largest number, overflow when added. */
Test(train, overflowing_gradient_is_an_error) {
#ifdef ELMAN_DOUBLE
  const real huge = 1e300; /* its square is infinite */
#else
  const real huge = 3e38f;
#endif
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  owned_model *model = make_model();
  owned_by(batch_free) struct batch batch = {0};
  const size_t shortest[] = {0};
  cr_assert_eq(batch_fill(&batch, &corpus, shortest, 1, NULL), ELMAN_OK);
  memset(model->block, 0, model->table.block * sizeof *model->block);
  const size_t V = model->config.target_vocabulary, features = 2 * model->config.hidden_size;
  for (size_t v = 0; v < V; v++) {
    const bool expected = v == batch.labels[0] || v == batch.labels[1];
    for (size_t i = 0; i < features; i++)
      model->weights.decoder.out_weight[v * features + i] = expected ? -huge : huge;
  }
  owned real *before = copy_of(model);
  owned_by(trainer_free) struct trainer trainer;
  const elman_train_options options = options_of(1, 1);
  cr_assert_eq(trainer_create(&trainer, model, &options, NULL), ELMAN_OK);
  struct update_result result;
  cr_assert_eq(trainer_step(&result, &trainer, &batch, 0, NULL), ELMAN_OK);
  cr_assert_eq(trainer.state.failures, 1);
  trainer_flush(&trainer);
  cr_assert_float_eq(result.losses.cross_entropy, log((double)V), CLOSE);
  cr_assert(same_weights(model, before));
}

Test(train, failed_update_changes_nothing) {
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  owned_model *model = make_model();
  owned_by(batch_free) struct batch batch = {0};
  const size_t indices[] = {3, 1, 8};
  cr_assert_eq(batch_fill(&batch, &corpus, indices, 3, NULL), ELMAN_OK);
  owned_by(trainer_free) struct trainer trainer;
  const elman_train_options options = options_of(1, 3);
  cr_assert_eq(trainer_create(&trainer, model, &options, NULL), ELMAN_OK);
  struct update_result result;
  cr_assert_eq(trainer_step(&result, &trainer, &batch, 0, NULL), ELMAN_OK);
  cr_assert_eq(trainer.state.update, 1);
  trainer_flush(&trainer);

  model->weights.decoder.out_bias[4] = (real)INFINITY;
  owned real *before = copy_of(model);
  cr_assert_eq(trainer_step(&result, &trainer, &batch, 0, NULL), ELMAN_OK);
  cr_assert_eq(trainer.state.update, 1);
  cr_assert_eq(trainer.state.failures, 1);
  trainer_flush(&trainer);
  cr_assert(same_weights(model, before));
  for (size_t i = 0; i < model->table.block; i++)
    cr_assert(isfinite(trainer.optimizer.blocks.m[i]) && isfinite(trainer.optimizer.blocks.v[i]));
}
