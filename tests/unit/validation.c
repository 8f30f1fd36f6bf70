/* The weights that training keeps: the moving average, the best weights by validation, and a
 * learning rate that falls on a plateau. */
#include "check.h"
#include "config_of.h"
#include "folder.h"
#include "lettered_model.h"

#include <float.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "model/model_file.h"
#include "model/options.h"
#include "pairs_of.h"
#include "train/checkpoint.h"
#include "translate/evaluate.h"
#include "whole_run.h"

TestSuite(validation, .init = enter_folder, .fini = leave_folder);

/* The last dev pairs contradict the others. As the model becomes more certain, its loss on them
 * rises, although the other translations become right. */
static const char TRAIN[] = "a b\tb a\nb c d\td c b\nc\tc\nd a\ta d\na c d\td c a\nb d\td b\n";
static const char DEV[] = "a b\tb a\nb c d\td c b\nc\tc\na c d\td c a\nb d\ta c\nd a\tc b c\n";

enum { MAX_EPOCHS = 40 };

struct log {
  elman_validation reports[MAX_EPOCHS];
  double rates[MAX_EPOCHS]; /* after this many validations */
  size_t count;
};

static bool keep_report(void *context, const elman_validation *report) {
  struct log *log = context;
  cr_assert_lt(log->count, MAX_EPOCHS);
  log->reports[log->count++] = *report;
  return true;
}

static bool keep_rate(void *context, const elman_train_report *report) {
  struct log *log = context;
  if (log->count < MAX_EPOCHS) log->rates[log->count] = report->learning_rate;
  return true;
}

struct task {
  struct model *model; /* the corpus uses its vocabularies */
  elman_pairs *train, *dev;
  struct corpus corpus;
};

static struct model *make_model(void) {
  const struct model_config config = config_of(0, 0, 8, 10);
  return lettered_model(config, 4, 4);
}

static struct task set_up(void) {
  struct task task = {.model = make_model(), .train = pairs_of(TRAIN), .dev = pairs_of(DEV)};
  task.corpus =
      encoded(task.train, model_source_codec(task.model), model_target_codec(task.model), 50);
  return task;
}

static void tear_down(struct task *task) {
  elman_pairs_free(task->train);
  elman_pairs_free(task->dev);
  corpus_free(&task->corpus);
  model_free(task->model);
}

/* All pairs form one batch, so an epoch is one update. */
static elman_train_options options_of(size_t epochs) {
  elman_train_options options = {
      .epochs = epochs, .batch_size = 6, .shards = 1, .learning_rate = 0.001, .seed = 1};
  options.learning_rate = 0.03;
  options.validate_by = "bleu"; /* `auto` would choose chrF2 for such short references */
  return options;
}

/* Return the model that training produces. */
static struct model *trained(const struct task *task, elman_train_options options) {
  struct model *model = make_model();
  cr_assert_eq(trainer_run(model, &task->corpus, &options, NULL), ELMAN_OK);
  return model;
}

static struct log logged(const struct task *task, struct model **model,
                         elman_train_options options) {
  struct log log = {0};
  options.dev = (const elman_pairs *)task->dev;
  options.validated = keep_report;
  options.report = keep_rate;
  options.context = &log;
  *model = trained(task, options);
  return log;
}

static elman_scores scores_of(const struct task *task, const struct model *model) {
  elman_evaluate_options options = elman_evaluate_options_default();
  elman_scores scores;
  options.batch_size = 6;
  cr_assert_eq(evaluate(&scores, model, task->dev, NULL, &options, NULL), ELMAN_OK);
  return scores;
}

/* ---- result after an error ---- */

/* Corrupts the weights after this many validations, so that nothing is finite. */
struct spoiler {
  struct log log;
  struct model *model;
  size_t after;
  bool before_validation; /* after the next update, before its validation; otherwise after the last
                             validation */
};

static void spoil(const struct spoiler *spoiler) {
  if (spoiler->log.count != spoiler->after) return;
  for (size_t i = 0; i < spoiler->model->table.block; i++) spoiler->model->block[i] = (real)NAN;
}

static bool spoil_update(void *context, const elman_train_report *report) {
  const struct spoiler *spoiler = context;
  (void)report;
  if (spoiler->before_validation) spoil(spoiler);
  return true;
}

static bool spoil_validation(void *context, const elman_validation *report) {
  struct spoiler *spoiler = context;
  keep_report(&spoiler->log, report);
  if (!spoiler->before_validation) spoil(spoiler);
  return true;
}

/* The best model of the earlier validations is kept, and no weights are validated twice. The
 * options of the run are wrong, not the dev pairs. */
static void check_error_keeps_the_best(bool before_validation, const char *expected) {
  enum { VALIDATIONS = 5 };
  owned_by(tear_down) struct task task = set_up();
  struct spoiler spoiler = {
      .model = make_model(), .after = VALIDATIONS, .before_validation = before_validation};
  elman_train_options options = options_of(VALIDATIONS);
  options.dev = (const elman_pairs *)task.dev;
  owned_model *best = trained(&task, options);
  options.epochs = MAX_EPOCHS;
  options.validate_every = 1;
  options.report = spoil_update;
  options.validated = spoil_validation;
  options.context = &spoiler;
  fails(trainer_run(spoiler.model, &task.corpus, &options, &why), ELMAN_INVALID_ARGUMENT, expected);
  cr_assert_eq(spoiler.log.count, VALIDATIONS);
  cr_assert_arr_eq(spoiler.model->block, best->block, best->table.block * sizeof(real));
  cr_assert_eq(spoiler.model->past.history.updates, VALIDATIONS + before_validation);
  model_free(spoiler.model);
}

Test(validation, non_finite_updates_keep_the_best_model) {
  check_error_keeps_the_best(false, "was not finite in 10 updates");
}

Test(validation, failed_validation_keeps_the_best_model) {
  check_error_keeps_the_best(true, "values overflow in the validation; lower the learning rate");
}

/* ---- the moving average ---- */

/* ρ_k = min(ρ, (1 + k) / (10 + k)), as in TensorFlow's ExponentialMovingAverage. */
Test(validation, average_decay_follows_its_formula) {
  cr_assert_float_eq((double)average_share(0.9, 1), 1 - 2.0 / 11, 1e-6);
  cr_assert_float_eq((double)average_share(0.9, 2), 1 - 3.0 / 12, 1e-6);
  cr_assert_float_eq((double)average_share(0.5, 8), 0.5, 1e-6);
  cr_assert_float_eq((double)average_share(0.5, 9), 0.5, 1e-6);
  cr_assert_float_eq((double)average_share(0.9, 70), 1 - 71.0 / 80, 1e-6);
  cr_assert_float_eq((double)average_share(0.9, 1000), 0.1, 1e-6);
}

/* The average uses the weights after each update, which equal those of a run of that many epochs
 * without averaging. */
Test(validation, saved_model_is_the_weight_average) {
  enum { UPDATES = 14 };
  owned_by(tear_down) struct task task = set_up();
  owned_model *initial = trained(&task, options_of(0));
  const size_t n = initial->table.block;
  owned double *average = calloc(n, sizeof *average);
  for (size_t i = 0; i < n; i++) average[i] = (double)initial->block[i];
  for (size_t k = 1; k <= UPDATES; k++) {
    const double rate = fmin(0.5, (1 + (double)k) / (10 + (double)k));
    elman_train_options options = options_of(k);
    owned_model *last = trained(&task, options);
    options.average = 0.5;
    owned_model *written = trained(&task, options);
    double apart = 0;
    for (size_t i = 0; i < n; i++) {
      average[i] = rate * average[i] + (1 - rate) * (double)last->block[i];
      cr_assert_float_eq((double)written->block[i], average[i], CLOSE, "update %zu", k);
      apart = fmax(apart, fabs(average[i] - (double)last->block[i]));
    }
    cr_assert_gt(apart, 0.001, "the average is not the last weights");
  }
}

Test(validation, validation_scores_the_model_to_save) {
  enum { EPOCHS = 6 };
  owned_by(tear_down) struct task task = set_up();
  for (int averaged = 0; averaged < 2; averaged++) {
    elman_train_options options = options_of(EPOCHS);
    options.average = averaged * 0.8;
    owned_model *model;
    const struct log log = logged(&task, &model, options);
    cr_assert_eq(log.count, EPOCHS);
    for (size_t i = 0; i < EPOCHS; i++) {
      options.epochs = i + 1;
      owned_model *written = trained(&task, options);
      const elman_scores scores = scores_of(&task, written);
      cr_assert_eq(log.reports[i].update, i + 1);
      cr_assert_eq(log.reports[i].loss, scores.loss);
      cr_assert_eq(log.reports[i].perplexity, exp(scores.loss));
      cr_assert_eq(log.reports[i].exact_match, scores.exact_match);
      cr_assert_eq(log.reports[i].bleu, scores.metrics.bleu);
      cr_assert_eq(log.reports[i].chrf, scores.metrics.chrf);
    }
  }
}

/* ---- the best model ---- */

/* The reasons that decided a validation. Each must occur, or the test proves nothing. */
struct decisions {
  size_t higher_bleu_at_a_higher_loss, lower_bleu, lower_loss, same_bleu_at_a_higher_loss;
};

static void check_decisions(const struct log *log, struct decisions *found, size_t *best) {
  double bleu = -1, loss = INFINITY;
  for (size_t i = 0; i < log->count; i++) {
    const elman_validation *report = &log->reports[i];
    const double this_bleu = report->bleu, this_loss = report->loss;
    found->higher_bleu_at_a_higher_loss += this_bleu > bleu && this_loss > loss;
    found->lower_bleu += this_bleu < bleu;
    found->lower_loss += this_bleu == bleu && this_loss < loss;
    found->same_bleu_at_a_higher_loss += this_bleu == bleu && this_loss > loss;
    const bool better = this_bleu > bleu || (this_bleu == bleu && this_loss < loss);
    cr_assert_eq(report->best, better, "validation %zu: BLEU %g, loss %g", i + 1, this_bleu,
                 this_loss);
    if (!better) continue;
    bleu = this_bleu;
    loss = this_loss;
    *best = i + 1;
  }
}

Test(validation, best_has_highest_bleu_then_lowest_loss) {
  owned_by(tear_down) struct task task = set_up();
  struct decisions found = {0};
  for (int averaged = 0; averaged < 2; averaged++) {
    elman_train_options options = options_of(MAX_EPOCHS);
    options.average = averaged * 0.8;
    size_t best = 0;
    owned_model *model;
    const struct log log = logged(&task, &model, options);
    cr_assert_eq(log.count, MAX_EPOCHS);
    check_decisions(&log, &found, &best);
    options.epochs = best;
    owned_model *kept = trained(&task, options);
    cr_assert_lt(best, MAX_EPOCHS, "the last validation is the best, so nothing was tested");
    cr_assert_eq(memcmp(model->block, kept->block, kept->table.block * sizeof(real)), 0,
                 "not the weights of validation %zu", best);
  }
  cr_assert(found.higher_bleu_at_a_higher_loss > 0 && found.lower_bleu > 0 &&
                found.lower_loss > 0 && found.same_bleu_at_a_higher_loss > 0,
            "%zu %zu %zu %zu", found.higher_bleu_at_a_higher_loss, found.lower_bleu,
            found.lower_loss, found.same_bleu_at_a_higher_loss);
}

Test(validation, plateau_halves_the_rate) {
  owned_by(tear_down) struct task task = set_up();
  elman_train_options options = options_of(MAX_EPOCHS);
  options.schedule = "plateau";
  owned_model *model;
  const struct log log = logged(&task, &model, options);
  double rate = options.learning_rate;
  size_t halved = 0;
  for (size_t i = 0; i < MAX_EPOCHS; i++) {
    cr_assert_float_eq(log.rates[i] / rate, 1, 1e-12, "update %zu", i + 1);
    if (!log.reports[i].best) rate /= 2;
    halved += !log.reports[i].best;
  }
  cr_assert(halved > 0 && halved < MAX_EPOCHS);
}

Test(validation, patience_counts_validations_since_the_best) {
  owned_by(tear_down) struct task task = set_up();
  for (size_t patience = 1; patience <= 4; patience++) {
    elman_train_options options = options_of(MAX_EPOCHS);
    options.patience = patience;
    owned_model *model;
    const struct log log = logged(&task, &model, options);
    cr_assert_lt(log.count, MAX_EPOCHS);
    size_t stale = 0;
    for (size_t i = 0; i < log.count; i++) {
      cr_assert_lt(stale, patience, "training went on");
      stale = log.reports[i].best ? 0 : stale + 1;
    }
    cr_assert_eq(stale, patience);
  }
}

/* The end of training is validated as well, so that no weights are discarded untested. */
Test(validation, validate_every_counts_updates) {
  owned_by(tear_down) struct task task = set_up();
  elman_train_options options = options_of(11);
  options.validate_every = 3;
  owned_model *model;
  const struct log log = logged(&task, &model, options);
  cr_assert_eq(log.count, 4);
  for (size_t i = 0; i < 3; i++) cr_assert_eq(log.reports[i].update, 3 * (i + 1));
  cr_assert_eq(log.reports[3].update, 11);
  cr_assert_eq(log.reports[3].epoch, 11);
}

/* For each measure, the last report marked best has the best value of all. */
Test(validation, best_follows_the_requested_measure) {
  for (size_t measure = 0; elman_measure_name(measure) != NULL; measure++) {
    owned_by(tear_down) struct task task = set_up();
    elman_train_options options = options_of(30);
    options.validate_by = elman_measure_name(measure);
    owned_model *model;
    const struct log log = logged(&task, &model, options);
    double best = -DBL_MAX;
    for (size_t i = 0; i < log.count; i++) {
      const elman_validation *report = &log.reports[i];
      const double value = strcmp(report->measure, "bleu") == 0   ? report->bleu
                           : strcmp(report->measure, "chrf") == 0 ? report->chrf
                                                                  : -report->loss;
      cr_assert(strcmp(options.validate_by, "auto") == 0 ||
                strcmp(report->measure, options.validate_by) == 0);
      cr_assert(report->best ? value >= best : value <= best, "%s, %zu", options.validate_by, i);
      if (report->best) best = value;
    }
  }
}

/* ---- stopped and resumed ---- */

#ifndef ELMAN_DOUBLE /* a checkpoint contains floats */

/* If no validation is due at the end of training, the final weights are still validated and
 * compared. A run that is extended must not depend on this extra validation. */
Test(validation, final_weights_are_kept_if_best) {
  owned_by(tear_down) struct task task = set_up();
  size_t best = 0, others = 0;
  for (size_t epochs = 1; epochs <= 12; epochs++) {
    elman_train_options options = options_of(epochs), longer = options_of(12);
    owned_model *model, *made_longer, *whole, *last = trained(&task, options);
    options.validate_every = longer.validate_every = 5;
    options.schedule = longer.schedule = "plateau";
    const struct log all = logged(&task, &whole, longer);
    options.checkpoint = longer.checkpoint = "checkpoint";
    const struct log log = logged(&task, &model, options);
    const size_t size = last->table.block * sizeof(real);
    cr_assert_eq(log.count, epochs / 5 + (epochs % 5 > 0));
    const bool ends_best = epochs % 5 > 0 && log.reports[log.count - 1].best;
    if (ends_best) cr_assert_eq(memcmp(model->block, last->block, size), 0);
    if (epochs % 5 > 0 && !ends_best) cr_assert_neq(memcmp(model->block, last->block, size), 0);
    best += ends_best && epochs > 5;
    others += epochs % 5 > 0 && !ends_best;
    longer.resume = true;
    const struct log rest = logged(&task, &made_longer, longer);
    cr_assert_eq(memcmp(made_longer->block, whole->block, size), 0, "from epoch %zu", epochs);
    for (size_t i = 1; i <= rest.count; i++)
      cr_assert_eq(rest.reports[rest.count - i].best, all.reports[all.count - i].best);
    remove_entry("checkpoint");
  }
  cr_assert(best > 0 && others > 0, "%zu of each and %zu", best, others);
}

enum { MAX_UPDATES = 60 };

struct course {
  elman_train_report updates[MAX_UPDATES];
  size_t count, stop_after; /* 0 disables */
  bool best[MAX_UPDATES];
  size_t validations;
};

static bool note_update(void *context, const elman_train_report *report) {
  struct course *course = context;
  cr_assert_lt(course->count, MAX_UPDATES);
  course->updates[course->count++] = *report;
  return course->count != course->stop_after;
}

static bool note_validation(void *context, const elman_validation *report) {
  struct course *course = context;
  course->best[course->validations++] = report->best;
  return true;
}

/* Finite weights whose losses are not finite, from this update on. */
struct divergence {
  struct model *model;
  size_t after, count; /* number of updates */
};

/* Skipped updates are reported and counted; the tenth in a row is an error. */
static bool diverge(void *context, const elman_train_report *report) {
  struct divergence *divergence = context;
  const struct model *model = divergence->model;
  const size_t before = divergence->count;
  cr_assert_eq(report->skipped, before < divergence->after ? 0 : before + 1 - divergence->after);
  cr_assert_eq(report->updates_so_far, before + 1);
  if (++divergence->count != divergence->after) return true;
  /* All values have one sign: a sum of both signs could cancel, depending on the kernels' order of
   * addition. */
  for (size_t i = 0; i < model->table.block; i++) model->block[i] = (real)FLT_MAX;
  return true;
}

static struct model *copy_of(const struct model *model) {
  struct model *copy = make_model();
  memcpy(copy->block, model->block, model->table.block * sizeof(real));
  copy->past = model->past;
  return copy;
}

/* Use everything that a run must save and restore. */
static elman_train_options eventful(const struct task *task, struct course *course) {
  elman_train_options options = options_of(19);
  options.batch_size = 2;
  options.dropout = 0.05;
  options.learning_rate = 0.005;
  options.schedule = "plateau";
  options.warm_up = 4;
  options.average = 0.6;
  options.dev = (const elman_pairs *)task->train;
  options.validate_every = 2;
  options.patience = 5;
  options.report = note_update;
  options.validated = note_validation;
  options.context = course;
  return options;
}

static void check_same_course(const struct course *a, const struct course *b, size_t stop) {
  cr_assert_eq(a->count, b->count, "stopped after %zu: %zu updates, not %zu", stop, b->count,
               a->count);
  for (size_t i = 0; i < a->count; i++) {
    const elman_train_report *x = &a->updates[i], *y = &b->updates[i];
    cr_assert(x->epoch == y->epoch && x->update == y->update && x->tokens == y->tokens);
    cr_assert(x->loss == y->loss && x->update_loss == y->update_loss,
              "stopped after %zu: other losses in update %zu", stop, i + 1);
    cr_assert_eq(x->learning_rate, y->learning_rate, "stopped after %zu: rate of update %zu", stop,
                 i + 1);
  }
  cr_assert_eq(a->validations, b->validations);
  cr_assert_arr_eq(a->best, b->best, sizeof a->best);
}

/* Three batches make an epoch. */
static void check_history(const struct model *model, const struct course *course) {
  const elman_history *history = &model->past.history;
  const size_t last = course->count % 3 == 0 ? 0 : course->updates[course->count - 1].tokens;
  const size_t epoch = course->count < 3 ? 0 : course->updates[2].tokens;
  cr_assert_eq(history->updates, course->count);
  cr_assert_eq(history->epochs, course->count / 3);
  cr_assert_eq(history->tokens, course->count / 3 * epoch + last);
}

static void check_checkpoint(elman_checkpoint_state expected) {
  elman_checkpoint_state found;
  cr_assert_eq(elman_checkpoint_get_state(&found, "checkpoint", NULL), ELMAN_OK);
  cr_assert_eq(found, expected);
}

Test(validation, resumed_training_matches_uninterrupted_training) {
  owned_by(tear_down) struct task task = set_up();
  struct course whole = {.count = 0};
  owned_model *expected = trained(&task, eventful(&task, &whole));
  cr_assert(whole.validations > 6 && whole.count < 19 * 3, "patience ended it");
  cr_assert_lt(whole.updates[whole.count - 1].learning_rate, 0.001, "the rate has fallen");
  cr_assert_neq(whole.count % 3, 0, "patience ended it within an epoch");
  check_history(expected, &whole);
  for (size_t stop = 1; stop < whole.count; stop++) {
    struct course parts = {.stop_after = stop};
    elman_train_options options = eventful(&task, &parts);
    struct model *model = make_model();
    options.checkpoint = "checkpoint";
    cr_assert_eq(trainer_run(model, &task.corpus, &options, NULL), ELMAN_INTERRUPTED);
    check_history(model, &parts);
    model_free(model);
    check_checkpoint(ELMAN_CHECKPOINT_UNFINISHED);
    parts.stop_after = 0;
    options.resume = true;
    model = trained(&task, options);
    check_same_course(&whole, &parts, stop);
    check_history(model, &whole);
    check_checkpoint(ELMAN_CHECKPOINT_FINISHED);
    cr_assert_eq(
        memcmp(model->block, expected->block, expected->table.block * sizeof *model->block), 0,
        "stopped after %zu: other weights", stop);
    model_free(model);
    remove_entry("checkpoint");
  }
}

/* A snapshot equals the model of a run of that many epochs, and keeping snapshots does not change
 * the training. */
Test(validation, snapshots_match_shorter_runs) {
  enum { EPOCHS = 4 };
  owned_by(tear_down) struct task task = set_up();
  elman_train_options options = options_of(EPOCHS);
  options.average = 0.5;
  owned_model *plain = trained(&task, options);
  options.output = "m";
  options.keep_last = EPOCHS;
  owned_model *model = trained(&task, options);
  cr_assert_eq(model->past.history.updates, EPOCHS);
  cr_assert_eq(model->past.history.tokens, plain->past.history.tokens);
  cr_assert_eq(memcmp(model->block, plain->block, plain->table.block * sizeof(real)), 0);
  for (size_t update = 1; update <= EPOCHS; update++) {
    char name[32];
    owned_model *kept;
    snprintf(name, sizeof name, "m.update%zu", update);
    cr_assert_eq(model_load(&kept, name, NULL), ELMAN_OK, "%s", name);
    cr_assert_eq(kept->past.history.updates, update);
    cr_assert_eq(kept->past.history.epochs, update);
    options = options_of(update);
    options.average = 0.5;
    owned_model *shorter = trained(&task, options);
    cr_assert_eq(memcmp(kept->block, shorter->block, plain->table.block * sizeof(real)), 0);
  }
}

static bool always(void *context) {
  size_t *count = context;
  ++*count;
  return true;
}

/* Every wanted checkpoint also writes the best model so far, with its history, if it is new. The
 * result does not change. */
Test(validation, best_model_is_written_during_training) {
  owned_by(tear_down) struct task task = set_up();
  size_t wanted = 0;
  elman_train_options options = options_of(8);
  options.dev = (const elman_pairs *)task.dev;
  options.average = 0.5;
  owned_model *plain = trained(&task, options), *best;
  options.save_best = true;
  cr_assert_eq(elman_train_options_check(&options, NULL), ELMAN_INVALID_ARGUMENT);
  options.output = "m";
  options.checkpoint = "c";
  options.checkpoint_wanted = always;
  options.context = &wanted;
  owned_model *model = trained(&task, options);
  cr_assert_eq(wanted, 8);
  cr_assert_eq(memcmp(model->block, plain->block, plain->table.block * sizeof(real)), 0);
  cr_assert_eq(model_load(&best, "m", NULL), ELMAN_OK);
  for (size_t i = 0; i < plain->table.block; i++)
    cr_assert_eq((float)best->block[i], (float)plain->block[i]);
  cr_assert_leq(best->past.history.updates, 8);
  cr_assert_geq(best->past.history.updates, 1);
  remove_entry("m");
  remove_entry("c");
  /* Without the option, the output is not written. */
  options.save_best = false;
  model_free(trained(&task, options));
  cr_assert_neq(access("m", F_OK), 0);
}

/* At the second update, a folder has the name of the checkpoint. */
static bool obstructed(void *context) {
  size_t *count = context;
  if (++*count == 2) remove_entry("c");
  if (*count == 2) cr_assert_eq(mkdir("c", 0777), 0);
  if (*count == 3) cr_assert_eq(rmdir("c"), 0);
  return true;
}

static void count_failure(void *context, const elman_error *problem) {
  const size_t *count = context;
  cr_assert_eq(problem != NULL, *count == 2, "update %zu", *count);
}

/* After a failure, the next checkpoint also writes the best model. */
Test(validation, best_model_waits_for_a_checkpoint) {
  owned_by(tear_down) struct task task = set_up();
  size_t count = 0;
  elman_train_options options = options_of(3);
  options.dev = (const elman_pairs *)task.dev;
  options.validate_every = 2;
  options.save_best = true;
  options.output = "m";
  options.checkpoint = "c";
  options.checkpoint_wanted = obstructed;
  options.checkpoint_written = count_failure;
  options.context = &count;
  model_free(trained(&task, options));
  cr_assert_eq(count, 3);
  cr_assert_eq(access("m", F_OK), 0);
  remove_entry("m");
  remove_entry("c");
}

/* Weights whose losses are not finite are useless: neither the checkpoint nor the model's history
 * contains them. The history counts the updates until the run ends without a usable result. */
Test(validation, diverged_steps_leave_no_checkpoint) {
  owned_by(tear_down) struct task task = set_up();
  owned_model *model = make_model();
  struct divergence divergence = {.model = model, .after = 3};
  elman_train_options options = options_of(MAX_EPOCHS);
  elman_training *run;
  bool left;
  options.checkpoint = "checkpoint";
  options.report = diverge;
  options.context = &divergence;
  cr_assert_eq(run_create(&run, &options, NULL), ELMAN_OK);
  cr_assert_eq(run_begin(run, model, &task.corpus, NULL), ELMAN_OK);
  cr_assert_eq(run_advance(run, 4, NULL), ELMAN_OK);
  cr_assert_eq(model->past.history.updates, 3, "the fourth update was skipped");
  fails(run_advance(run, 50, &why), ELMAN_INVALID_ARGUMENT, "was not finite in 10 updates");
  fails(run_advance(run, 1, &why), ELMAN_INVALID_ARGUMENT, "an error has ended");
  cr_assert_eq(divergence.count, divergence.after + 9);
  cr_assert_eq(run_finish(run, NULL), ELMAN_OK);
  elman_training_free(run);
  cr_assert_eq(file_exists(&left, "checkpoint", NULL), ELMAN_OK);
  cr_assert_not(left);
  cr_assert_eq(model->past.history.updates, 0);
}

/* A model that is trained further keeps its history. Its run can be resumed only from its starting
 * model, or from the model that the interrupted run itself has written over it. */
Test(validation, continued_training_resumes_from_its_start_model) {
  enum { BEFORE = 3, EPOCHS = 8, STOP = 5 };
  owned_by(tear_down) struct task task = set_up();
  struct course course = {.stop_after = STOP};
  elman_train_options options = options_of(EPOCHS);
  struct model *first = trained(&task, options_of(BEFORE)), *whole = copy_of(first);
  cr_assert_eq(trainer_run(whole, &task.corpus, &options, NULL), ELMAN_OK);
  cr_assert_eq(whole->past.history.updates, BEFORE + EPOCHS);
  options.checkpoint = "checkpoint";
  options.report = note_update;
  options.context = &course;
  struct model *stopped = copy_of(first);
  cr_assert_eq(trainer_run(stopped, &task.corpus, &options, NULL), ELMAN_INTERRUPTED);
  cr_assert_eq(stopped->past.history.updates, BEFORE + STOP);
  options.resume = true;
  struct model *others[] = {make_model(), trained(&task, options_of(BEFORE + 1))};
  for (size_t i = 0; i < 2; i++) {
    fails(trainer_run(others[i], &task.corpus, &options, &why), ELMAN_INVALID_ARGUMENT,
          "initialized from a trained model");
    model_free(others[i]);
  }
  struct model *resumed[] = {first, stopped};
  size_t length;
  owned char *bytes = get_bytes("checkpoint", &length);
  for (size_t i = 0; i < 2; i++) {
    put_bytes("checkpoint", bytes, length);
    course = (struct course){.count = 0};
    cr_assert_eq(trainer_run(resumed[i], &task.corpus, &options, NULL), ELMAN_OK);
    cr_assert_eq(course.count, EPOCHS - STOP);
    cr_assert_eq(memcmp(resumed[i]->block, whole->block, whole->table.block * sizeof(real)), 0);
    cr_assert_eq(resumed[i]->past.history.epochs, BEFORE + EPOCHS);
    cr_assert_eq(resumed[i]->past.history.updates, BEFORE + EPOCHS);
    cr_assert_eq(resumed[i]->past.history.tokens, whole->past.history.tokens);
    model_free(resumed[i]);
  }
  model_free(whole);
}

/* Resuming with different settings or data is rejected with the name of the difference. */
Test(validation, resuming_with_changes_is_rejected) {
  owned_by(tear_down) struct task task = set_up();
  struct course course = {.stop_after = 5};
  elman_train_options options = eventful(&task, &course);
  struct model *model = make_model();
  options.checkpoint = "checkpoint";
  cr_assert_eq(trainer_run(model, &task.corpus, &options, NULL), ELMAN_INTERRUPTED);
  model_free(model);
  options.resume = true;

  elman_train_options others[10];
  static const char *const names[] = {"batch size", "learning rate", "schedule",  "warm-up",
                                      "clipping",   "dropout",       "smoothing", "average",
                                      "seed",       "dev file"};
  for (size_t i = 0; i < 10; i++) others[i] = options;
  others[0].batch_size++;
  others[1].learning_rate *= 1 + 1e-12;
  others[2].schedule = "constant";
  others[3].warm_up++;
  others[4].clip_norm = 1;
  others[5].dropout += 1e-12;
  others[6].label_smoothing = 0.1;
  others[7].average += 1e-12;
  others[8].seed++;
  char changed[sizeof TRAIN];
  memcpy(changed, TRAIN, sizeof changed);
  changed[sizeof changed - 3] = 'c'; /* the last letter, before newline and NUL */
  owned_pairs *dev = pairs_of(changed);
  others[9].dev = (const elman_pairs *)dev;
  for (size_t i = 0; i < 10; i++) {
    model = make_model();
    cr_assert_eq(trainer_run(model, &task.corpus, &others[i], &why), ELMAN_INVALID_ARGUMENT, "%s",
                 names[i]);
    cr_assert_not_null(strstr(why.message, names[i]), "\"%s\" does not name the %s", why.message,
                       names[i]);
    model_free(model);
  }
}

#endif
