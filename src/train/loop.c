#include "train/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/group.h"
#include "base/json.h"
#include "corpus/corpus.h"
#include "metric/metric.h"
#include "model/model_file.h"
#include "model/options.h"
#include "train/checkpoint.h"
#include "train/order.h"
#include "train/same_training.h"
#include "train/snapshots.h"
#include "translate/evaluate.h"

enum { MAX_FAILURES = 10 };

/* Return whether this is the first process. All processes train; only the first reports and writes
 * files. */
static bool is_first(const elman_training *run) {
  return group_rank(run->options.group) == 0;
}

static void run_stop(elman_training *run) {
  if (run->pending == ELMAN_OK)
    run->pending = fail(&run->problem, ELMAN_INTERRUPTED, NULL, "training was stopped");
}

/* Return the pending stop or error of any process. All processes get the same stop or error and end
 * the run. */
static elman_status run_agree(const elman_training *run, elman_error *error) {
  elman_error problem = run->problem;
  const elman_status status = elman_group_agree(run->options.group, run->pending, &problem);
  return status == ELMAN_OK ? ELMAN_OK : fail_again(error, &problem);
}

/* ---- one batch ---- */

/* Return the bits of elman_train_report.idle. */
static unsigned idle_options(const elman_training *run) {
  enum { EXPECTED = 20 };
  static const enum modifier rows[] = {DROP_SOURCE_MARK, DROP_MARKS,  UPPER, TITLE, TYPOS, MERGE,
                                       COPY_NOISE,       COPY_NUMBERS};
  const struct augmentation *augmentation = &run->augmentation;
  unsigned bits = 0;
  for (size_t i = 0; i < MODIFIERS; i++) {
    const double expected = augmentation->shares[rows[i]] * (double)run->corpus->source.count;
    if (expected >= EXPECTED && augmentation->changed[rows[i]] == 0) bits |= 1U << i;
  }
  return bits;
}

static void report_update(elman_training *run, const struct update_result *result) {
  const struct training_state *state = &run->trainer.state;
  const elman_train_report report = {
      .epoch = state->epoch,
      .epochs = run->epochs,
      .update = state->position,
      .updates = run->order.batches,
      .updates_so_far = state->update + state->skipped,
      .tokens = state->epoch_tokens,
      .pairs = run->corpus->source.count,
      .left_out = run->corpus->too_long,
      .unaligned = run->corpus->unaligned,
      .first_unaligned = run->corpus->unaligned > 0 ? &run->corpus->first_unaligned : NULL,
      .unknown_source = run->unknown_source,
      .unknown_target = run->unknown_target,
      .idle = idle_options(run),
      .marked_source = (double)run->corpus->marked / (double)run->corpus->source.count,
      .loss = state->epoch_tokens == 0 ? NAN : state->epoch_loss / (double)state->epoch_tokens,
      .update_loss = result->losses.cross_entropy,
      .guide_loss = result->losses.guide,
      .linked = run->batch.guide.tokens / run->batch.copies,
      .unguided = run->unguided,
      .gradient_norm = result->norm,
      .learning_rate = result->learning_rate,
      .skipped = state->skipped};
  if (run->options.report != NULL && is_first(run) &&
      !run->options.report(run->options.context, &report))
    run_stop(run);
}

/* Return the pairs of the current epoch. */
static const struct corpus *epoch_pairs(const elman_training *run) {
  return run_augments(run) ? &run->augmentation.pairs : run->corpus;
}

/* Fill the batch with these pairs. With subword dropout, first split their words again. */
static elman_status fill_batch(elman_training *run, const size_t *pairs, size_t count,
                               elman_error *error) {
  struct resplit *resplit = &run->resplit;
  const size_t copies = run->options.r_drop > 0 ? 2 : 1;
  if (run->options.subword_dropout == 0)
    return batch_fill_copies(&run->batch, epoch_pairs(run), pairs, count, copies, error);
  const elman_status status =
      resplit_pairs(resplit, epoch_pairs(run), pairs, count, run->trainer.state.epoch, error);
  return status == ELMAN_OK ? batch_fill_copies(&run->batch, &resplit->pairs, resplit->indices,
                                                count, copies, error)
                            : status;
}

/* Return the fraction of the run's batches that are finished. All epochs have equal weight, because
 * subword dropout changes the number of batches of an epoch. */
static double progress_of(const elman_training *run) {
  const struct training_state *state = &run->trainer.state;
  const double in_epoch = (double)state->position / (double)run->order.batches;
  return ((double)(state->epoch - 1) + in_epoch) / (double)run->epochs;
}

static elman_status run_batch(elman_training *run, elman_error *error) {
  struct trainer *trainer = &run->trainer;
  struct training_state *state = &trainer->state;
  struct update_result result;
  size_t size;
  const size_t *pairs = epoch_order_batch(&run->order, state->position, &size);
  if (run->pending == ELMAN_OK) run->pending = fill_batch(run, pairs, size, &run->problem);
  elman_status status = run_agree(run, error);
  if (status == ELMAN_OK)
    status = trainer_step(&result, trainer, &run->batch, progress_of(run), error);
  if (status != ELMAN_OK) return status;
  state->position++;
  if (state->failures == 0) {
    const size_t tokens = run->batch.tokens / run->batch.copies;
    state->epoch_tokens += tokens;
    state->epoch_loss += result.losses.cross_entropy * (double)tokens;
  } else if (state->failures >= MAX_FAILURES) {
    run->diverged = true;
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the loss or its gradient was not finite in %d updates in a row, up to update "
                "%llu; lower the learning rate (`learning_rate`) or clip gradients (`clip_norm`)",
                MAX_FAILURES, (unsigned long long)state->update + 1);
  }
  report_update(run, &result);
  return ELMAN_OK;
}

/* ---- validation: scores on the dev pairs, the best weights so far, patience ---- */

/* Return the measure of the options. For `auto`, the references alone determine the measure, so all
 * validations of a run use the same measure. */
static enum validation_measure run_measure(const elman_train_options *options,
                                           const elman_scores *scores) {
  const enum validation_measure measure = trainer_measure(options);
  if (measure != MEASURE_AUTO) return measure;
  return metrics_prefer_chrf(&scores->metrics, scores->sentences) ? MEASURE_CHRF : MEASURE_BLEU;
}

/* Return the score by which weights are compared; larger is better. */
static double score_by(enum validation_measure measure, const elman_scores *scores) {
  switch (measure) {
  case MEASURE_AUTO:
  case MEASURE_BLEU:
    return scores->metrics.bleu;
  case MEASURE_CHRF:
    return scores->metrics.chrf;
  case MEASURE_LOSS:
    return -scores->loss;
  }
  return 0;
}

/* Return whether the model's weights are the best so far. If so, keep a copy. With `at_end` (see
 * ends_unvalidated), only choose between these weights and the previous best. */
static bool record_scores(struct trainer *trainer, const elman_scores *scores, double score,
                          bool at_end) {
  struct training_state *state = &trainer->state;
  /* Scores are equal while no translation is right; then the loss decides. */
  const bool best = !state->has_best || score > state->best_score ||
                    (score == state->best_score && scores->loss < state->best_loss);
  if (at_end) {
    state->end_validated = state->update;
    state->end_best = best;
    return best;
  }
  if (best) {
    memcpy(trainer->best, trainer->model->block, trainer_block_bytes(trainer));
    state->best_score = score;
    state->best_loss = scores->loss;
  }
  state->has_best = true;
  state->validated = state->update;
  state->stale = best ? 0 : state->stale + 1;
  trainer_adjust_rate(trainer, best);
  return best;
}

static void report_validation(elman_training *run, const elman_scores *scores,
                              enum validation_measure measure, bool best) {
  const elman_train_options *options = &run->options;
  const struct training_state *state = &run->trainer.state;
  const elman_validation report = {.epoch = state->epoch,
                                   .update = state->update,
                                   .loss = scores->loss,
                                   .perplexity = scores->perplexity,
                                   .exact_match = scores->exact_match,
                                   .bleu = scores->metrics.bleu,
                                   .chrf = scores->metrics.chrf,
                                   .bleu_signature = scores->metrics.bleu_signature,
                                   .measure = elman_measure_name(measure),
                                   .best = best};
  if (options->validated != NULL && is_first(run) && !options->validated(options->context, &report))
    run_stop(run);
}

/* Return the error of a validation. If the weights of the run overflow, its options are wrong, not
 * the data. */
static elman_status fail_validation(const elman_error *problem, elman_error *error) {
  if (!is_overflow(problem)) return fail_again(error, problem);
  return fail(error, ELMAN_INVALID_ARGUMENT, problem->where,
              "the weights are so large that values overflow in the validation; lower the learning "
              "rate (`learning_rate`) or clip gradients (`clip_norm`)");
}

/* Validate the moving average of the weights, if there is one; otherwise validate the weights. */
static elman_status run_validate(elman_training *run, bool at_end, elman_error *error) {
  struct trainer *trainer = &run->trainer;
  const elman_train_options *options = &run->options;
  elman_scores scores;
  elman_error problem;
  enum validation_measure measure = MEASURE_AUTO;
  bool best = false;
  elman_evaluate_options evaluation = elman_evaluate_options_default();
  evaluation.batch_size = options->batch_size;
  evaluation.group = options->group;
  /* Replace unknown words as translation does by default: elman_model_translate_options. */
  const elman_train_settings settings = train_settings_of(options);
  evaluation.translate.replace_unknown = teaches_copying(&settings);
  evaluation.metric.bleu_tokens = options->bleu_tokens;
  trainer_flush(trainer);
  trainer_swap_average(trainer);
  const elman_status status =
      evaluate(&scores, trainer->model, trainer_dev(options), &run->dev, &evaluation, &problem);
  if (status == ELMAN_OK) {
    measure = run_measure(options, &scores);
    best = record_scores(trainer, &scores, score_by(measure, &scores), at_end);
  }
  trainer_swap_average(trainer);
  if (best && !at_end) run->best_waits = run->best_is_new = true;
  if (status != ELMAN_OK) return fail_validation(&problem, error);
  report_validation(run, &scores, measure, best);
  return ELMAN_OK;
}

static bool validation_is_due(const elman_training *run) {
  const struct training_state *state = &run->trainer.state;
  const elman_train_options *options = &run->options;
  if (options->dev == NULL || state->validated == state->update) return false;
  if (options->validate_every > 0) return state->update % options->validate_every == 0;
  return state->position == run->order.batches;
}

/* Return whether the last update is done, but neither validated nor due for validation. Without an
 * extra validation, the updates since the last validation would be discarded without a score. */
static bool ends_unvalidated(const elman_training *run) {
  const struct training_state *state = &run->trainer.state;
  return run->options.dev != NULL && state->epoch == run->epochs &&
         state->position == run->order.batches && state->validated != state->update &&
         state->end_validated != state->update && !validation_is_due(run);
}

static bool patience_is_over(const elman_training *run) {
  return run->options.patience > 0 && run->trainer.state.stale >= run->options.patience;
}

/* ---- checkpoint and snapshots ---- */

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Set the past of the model: its past before the run, and the run up to now. The result depends
 * only on the state, so stopping and resuming does not change it. */
static void set_past(elman_training *run) {
  struct model_past *past = &run->trainer.model->past;
  const struct training_state *state = &run->trainer.state;
  const struct sentences *target = &run->corpus->target;
  const uint64_t epochs_before = state->epoch - 1;
  const bool epoch_ended = state->position == run->order.batches;
  *past = run->before;
  if (state->update == 0) return;
  const uint64_t tokens = target->starts[target->count] + target->count;
  uint64_t tokens_before;
  if (__builtin_mul_overflow(epochs_before, tokens, &tokens_before)) tokens_before = MAX_COUNT;
  elman_history *history = &past->history;
  history->epochs = add_counts(history->epochs, epochs_before + epoch_ended);
  history->updates = add_counts(history->updates, state->update);
  history->tokens = add_counts(history->tokens, add_counts(tokens_before, state->epoch_tokens));
  past->training = train_settings_of(&run->options);
}

/* Write the best model so far to the output. Do this after the checkpoint: `resume` would refuse to
 * replace a model without a checkpoint. */
static elman_status save_best(elman_training *run, elman_error *error) {
  struct model *model = run->trainer.model;
  real *last = model->block;
  set_past(run);
  model->block = run->trainer.best;
  const elman_status status = model_save(model, run->options.output, error);
  model->block = last;
  return status;
}

/* Write the checkpoint, and the best model if it has not been written yet. If the options have a
 * callback, report a failure to it and continue training; the next scheduled checkpoint tries
 * again. */
static elman_status save_checkpoint(elman_training *run, elman_error *error) {
  const elman_train_options *options = &run->options;
  elman_error problem;
  elman_status status = ELMAN_OK;
  const bool writes_best = run->best_waits && options->save_best && !run->ended;
  if (!is_first(run) || (options->checkpoint == NULL && !writes_best)) return ELMAN_OK;
  const double began = seconds();
  run->saved = true;
  run->best_is_new = false;
  trainer_flush(&run->trainer);
  if (options->checkpoint != NULL) status = checkpoint_save(&run->trainer, &problem);
  if (status == ELMAN_OK && writes_best) status = save_best(run, &problem);
  run->best_waits = run->best_waits && status != ELMAN_OK;
  run->saved_at = seconds();
  run->took = run->saved_at - began;
  if (options->checkpoint_written != NULL) {
    options->checkpoint_written(options->context, status == ELMAN_OK ? NULL : &problem);
    return ELMAN_OK;
  }
  return status == ELMAN_OK ? ELMAN_OK : fail_again(error, &problem);
}

/* Report snapshots to the callback. Without a callback, a failure ends the run. */
static void report_snapshots(elman_training *run, elman_snapshot snapshot, elman_status status,
                             const elman_error *problem) {
  const elman_train_options *options = &run->options;
  snapshot.problem = status == ELMAN_OK ? NULL : problem;
  snapshot.own = run->snapshots.count;
  if (options->snapshot_written != NULL)
    options->snapshot_written(options->context, &snapshot);
  else if (status != ELMAN_OK && run->pending == ELMAN_OK)
    run->pending = fail_again(&run->problem, problem);
}

/* Write a snapshot: the weights that a validation would score now, with the history of the run up
 * to now. */
static elman_status write_snapshot(elman_training *run, elman_error *error) {
  struct trainer *trainer = &run->trainer;
  trainer_flush(trainer);
  trainer_swap_average(trainer);
  set_past(run);
  const elman_status status =
      snapshots_write(&run->snapshots, trainer->model, trainer->state.update, error);
  trainer_swap_average(trainer);
  return status;
}

static void add_snapshot(elman_training *run) {
  elman_error problem;
  elman_snapshot snapshot = {.update = run->trainer.state.update};
  elman_status status = write_snapshot(run, &problem);
  if (status == ELMAN_OK) status = snapshots_prune(&run->snapshots, snapshot.update, &problem);
  report_snapshots(run, snapshot, status, &problem);
}

static void begin_snapshots(elman_training *run) {
  const elman_train_options *options = &run->options;
  elman_error problem;
  elman_snapshot snapshot = {0};
  elman_status status;
  if (options->keep_last == 0 || !is_first(run)) return;
  run->snapshots = (struct snapshots){.output = options->output, .max = options->keep_last};
  if (options->resume && run->saved) {
    const elman_train_settings settings = train_settings_of(options);
    status = snapshots_find_own(&run->snapshots, &snapshot.others, run->trainer.model, &settings,
                                &problem);
    if (status == ELMAN_OK)
      status = snapshots_prune(&run->snapshots, run->trainer.state.update, &problem);
  } else {
    status = snapshots_clear(&snapshot.removed, options->output, &problem);
  }
  report_snapshots(run, snapshot, status, &problem);
}

/* ---- the epochs ---- */

static bool save_is_due(const elman_training *run) {
  enum { SHARE = 20 };
  const elman_train_options *options = &run->options;
  const double since = seconds() - run->saved_at;
  if (run->pending != ELMAN_OK || !is_first(run)) return false;
  /* Call the callback even if a checkpoint is due in any case, because the callback may forget a
   * request as soon as it has returned true. */
  const bool wanted =
      options->checkpoint_wanted != NULL && options->checkpoint_wanted(options->context);
  return wanted || (options->save_every > 0 && since >= options->save_every) ||
         (run->best_is_new && options->save_best && since >= SHARE * run->took);
}

/* Validate and write a snapshot if they are due or if the run ends. */
static elman_status validate_and_write(elman_training *run, elman_error *error) {
  const elman_train_options *options = &run->options;
  const bool at_end = ends_unvalidated(run), validates = at_end || validation_is_due(run);
  const bool epoch_ended = run->trainer.state.position == run->order.batches;
  const bool keeps = options->dev != NULL ? validates : epoch_ended;
  const elman_status status = validates ? run_validate(run, at_end, error) : ELMAN_OK;
  if (status == ELMAN_OK && keeps && options->keep_last > 0 && is_first(run)) add_snapshot(run);
  return status;
}

/* Do the next update, and the validation, snapshot and checkpoint that are due after it. */
static elman_status run_update(elman_training *run, elman_error *error) {
  elman_status status = run_batch(run, error);
  if (status == ELMAN_OK) status = validate_and_write(run, error);
  if (status == ELMAN_OK && save_is_due(run)) run->pending = save_checkpoint(run, &run->problem);
  return status;
}

/* Begin the current epoch. If an earlier run was stopped before a due validation, or the validation
 * failed, first do that validation. */
static elman_status begin_epoch(elman_training *run, elman_error *error) {
  run->in_epoch = true;
  const bool owed = validation_is_due(run) || ends_unvalidated(run);
  return owed ? validate_and_write(run, error) : ELMAN_OK;
}

/* Make the pairs of the current epoch and their order. */
static elman_status fill_epoch(elman_training *run, elman_error *error) {
  const size_t epoch = run->trainer.state.epoch;
  if (run_augments(run)) {
    const elman_status status = augmentation_fill(&run->augmentation, run->corpus, epoch, error);
    if (status != ELMAN_OK) return status;
  }
  epoch_order_fill(&run->order, epoch);
  return ELMAN_OK;
}

static void end_epoch(elman_training *run) {
  struct training_state *state = &run->trainer.state;
  run->in_epoch = false;
  if (state->position < run->order.batches) return; /* patience has run out */
  state->epoch++;
  state->position = 0;
  state->epoch_tokens = 0;
  state->epoch_loss = 0;
  if (state->epoch <= run->epochs && run->pending == ELMAN_OK)
    run->pending = fill_epoch(run, &run->problem);
}

/* Go to the next update, which may be in the next epoch. If none remains, the run is finished. */
static elman_status seek_update(elman_training *run, elman_error *error) {
  const struct training_state *state = &run->trainer.state;
  elman_status status = ELMAN_OK;
  while (status == ELMAN_OK) {
    if (!run->in_epoch) {
      run->finished = state->epoch > run->epochs || patience_is_over(run);
      if (run->finished) return ELMAN_OK;
      status = begin_epoch(run, error);
    } else if (state->position < run->order.batches && !patience_is_over(run)) {
      return ELMAN_OK;
    } else {
      status = run_agree(run, error);
      if (status == ELMAN_OK) end_epoch(run);
    }
  }
  return status;
}

/* Return whether the last update of the run is done. */
static bool was_last(const elman_training *run) {
  const struct training_state *state = &run->trainer.state;
  return patience_is_over(run) ||
         (state->epoch == run->epochs && state->position == run->order.batches);
}

static bool is_well(elman_status status) {
  return status == ELMAN_OK || status == ELMAN_INTERRUPTED;
}

/* After `updates` updates, do not begin the next epoch: if the run ends here, its checkpoint equals
 * that of a run which a callback stopped. */
elman_status run_advance(elman_training *run, size_t updates, elman_error *error) {
  if (run->ended || !is_well(run->status))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s",
                run->ended ? "the training has ended; create another one to train further"
                           : "an error has ended the training; finish it and free it");
  if (run->finished) return ELMAN_OK;
  if (run->pending == ELMAN_INTERRUPTED) run->pending = ELMAN_OK;
  elman_status status = seek_update(run, error);
  while (status == ELMAN_OK && !run->finished && updates > 0) {
    updates--;
    status = run_update(run, error);
    if (status == ELMAN_OK && (updates > 0 || was_last(run))) status = seek_update(run, error);
  }
  if (status == ELMAN_OK && !run->finished) status = run_agree(run, error);
  trainer_flush(&run->trainer);
  set_past(run);
  run->status = status;
  return status;
}

/* ---- beginning and end ---- */

size_t trainer_default_epochs(size_t updates) {
  enum { EPOCHS = 10, UPDATES = 400 };
  const size_t needed = (UPDATES + updates - 1) / updates;
  return needed > EPOCHS ? needed : EPOCHS;
}

static elman_status prepare_resplit(elman_training *run, elman_error *error) {
  const elman_train_options *options = &run->options;
  const struct model *model = run->trainer.model;
  if (options->subword_dropout == 0) return ELMAN_OK;
  if (model->merges[ELMAN_SOURCE] == NULL && model->merges[ELMAN_TARGET] == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "`subword_dropout` needs BPE on at least one side");
  run->resplit = (struct resplit){.codecs = {model_source_codec(model), model_target_codec(model)},
                                  .share = options->subword_dropout,
                                  .seed = options->seed,
                                  .max_length = options->max_length,
                                  .batch_tokens = options->batch_tokens};
  return ELMAN_OK;
}

bool run_augments(const elman_training *run) {
  const elman_train_options *options = &run->options;
  return options->merge > 0 || options->drop_marks > 0 || options->drop_source_mark > 0 ||
         options->upper_case > 0 || options->title_case > 0 || options->typos > 0 ||
         options->copy_noise > 0 || options->copy_numbers > 0;
}

/* Make the pairs of the first epoch. */
static elman_status prepare_augmentation(elman_training *run, elman_error *error) {
  const elman_train_options *options = &run->options;
  const struct model *model = run->trainer.model;
  if (!run_augments(run)) return ELMAN_OK;
  run->augmentation =
      (struct augmentation){.shares = {[MERGE] = options->merge,
                                       [DROP_MARKS] = options->drop_marks,
                                       [DROP_SOURCE_MARK] = options->drop_source_mark,
                                       [UPPER] = options->upper_case,
                                       [TITLE] = options->title_case,
                                       [TYPOS] = options->typos,
                                       [COPY_NOISE] = options->copy_noise,
                                       [COPY_NUMBERS] = options->copy_numbers},
                            .seed = options->seed,
                            .codecs = {model_source_codec(model), model_target_codec(model)},
                            .max_length = options->max_length,
                            .batch_tokens = options->batch_tokens};
  return augmentation_fill(&run->augmentation, run->corpus, 1, error);
}

static double unknown_fraction(const struct sentences *sentences) {
  const size_t count = sentences->starts[sentences->count];
  return count == 0 ? 0 : (double)sentences_unknown(sentences) / (double)count;
}

static elman_status run_prepare(elman_training *run, elman_error *error) {
  const elman_train_options *options = &run->options;
  if (run->corpus->source.count == 0)
    return fail(error, ELMAN_BAD_DATA, NULL,
                "no pair is left to train on; raise the maximum length (`max_length`) to admit "
                "longer sentences");
  run->trainer.corpus = corpus_hashes_of(run->corpus);
  run->unguided = corpus_unguided(run->corpus);
  run->unknown_source = unknown_fraction(&run->corpus->source);
  run->unknown_target = unknown_fraction(&run->corpus->target);
  run->saved_at = seconds();
  run->epochs = options->epochs;
  elman_status status = prepare_resplit(run, error);
  if (status == ELMAN_OK) status = prepare_augmentation(run, error);
  if (status == ELMAN_OK)
    status = epoch_order_create(&run->order, epoch_pairs(run), options, error);
  if (status == ELMAN_OK && run->epochs == ELMAN_EPOCHS_AUTO)
    run->epochs = trainer_default_epochs(run->order.batches);
  if (status == ELMAN_OK && options->dev != NULL)
    status = evaluate_encode(&run->dev, run->trainer.model, trainer_dev(options), error);
  return status;
}

/* Refuse a checkpoint that has begun more epochs than the options allow. The run must not be marked
 * as finished, and the checkpoint cannot produce a model of so few epochs. */
static elman_status check_epochs(const elman_training *run, elman_error *error) {
  const struct training_state *state = &run->trainer.state;
  const size_t begun = state->position == 0 ? state->epoch - 1 : state->epoch;
  if (begun <= run->epochs) return ELMAN_OK;
  return fail(error, ELMAN_INVALID_ARGUMENT, run->options.checkpoint,
              "epoch %zu has begun, but the limit is %zu; raise the limit (`epochs`)", begun,
              run->epochs);
}

/* Start all processes in the state of the first process, which is new or read from its
 * checkpoint. */
static elman_status run_start(elman_training *run, elman_error *error) {
  const elman_train_options *options = &run->options;
  elman_status status = ELMAN_OK;
  if (group_size(options->group) > 1) status = training_compare(&run->trainer, error);
  if (status != ELMAN_OK) return status;
  if (options->checkpoint != NULL && is_first(run))
    status = options->resume ? checkpoint_load(&run->trainer, &run->saved, error)
                             : file_exists(&run->saved, options->checkpoint, error);
  if (status == ELMAN_OK && options->resume && run->saved) status = check_epochs(run, error);
  if (status == ELMAN_OK && is_first(run)) status = checkpoint_try(&run->trainer, error);
  status = elman_group_agree(options->group, status, error);
  if (status == ELMAN_OK) status = training_broadcast(&run->trainer, options->group, error);
  if (status != ELMAN_OK) return status;
  run->trainer.state.finished = false; /* a later run may add epochs */
  status = elman_group_agree(options->group, fill_epoch(run, error), error);
  if (status != ELMAN_OK) return status;
  begin_snapshots(run);
  run->before = run->trainer.model->past;
  set_past(run);
  return ELMAN_OK;
}

static void use_result(struct trainer *trainer) {
  const real *result = trainer_result(trainer);
  if (result != trainer->model->block)
    memcpy(trainer->model->block, result, trainer_block_bytes(trainer));
}

elman_status run_save(elman_training *run, elman_error *error) {
  struct trainer *trainer = &run->trainer;
  if (run->ended || !is_well(run->status) || run->options.checkpoint == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s",
                run->options.checkpoint == NULL ? "the training has no checkpoint file"
                : run->ended ? "the training has ended and written its checkpoint"
                             : "an error has ended the training; finish it and free it");
  trainer_flush(trainer);
  trainer->start.written = trainer_hash(trainer, trainer->model->block);
  return save_checkpoint(run, error);
}

/* After an error the processes do not exchange the result of writing, because other processes may
 * already have left. */
elman_status run_finish(elman_training *run, elman_error *error) {
  struct trainer *trainer = &run->trainer;
  const bool well = is_well(run->status);
  const bool useful = trainer->state.update > 0 && !run->diverged;
  elman_status saved = ELMAN_OK;
  elman_error problem;
  if (run->ended)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the training has ended already");
  run->ended = true;
  trainer->state.finished = run->finished;
  if (well || useful) {
    trainer->start.written = trainer_hash(trainer, trainer_result(trainer));
    saved = save_checkpoint(run, &problem);
  }
  if (well || useful || trainer->state.has_best)
    use_result(trainer);
  else
    trainer->model->past = run->before;
  if (well) saved = elman_group_agree(run->options.group, saved, &problem);
  return saved == ELMAN_OK ? ELMAN_OK : fail_again(error, &problem);
}

elman_status run_create(elman_training **created, const elman_train_options *options,
                        elman_error *error) {
  *created = calloc(1, sizeof **created);
  if (*created == NULL) return fail_no_memory(error);
  (*created)->options = *options;
  return ELMAN_OK;
}

elman_status run_begin(elman_training *run, struct model *model, const struct corpus *corpus,
                       elman_error *error) {
  run->corpus = corpus;
  elman_status status = trainer_create(&run->trainer, model, &run->options, error);
  if (status == ELMAN_OK) status = run_prepare(run, error);
  status = elman_group_agree(run->options.group, status, error);
  return status == ELMAN_OK ? run_start(run, error) : status;
}

void elman_training_free(elman_training *run) {
  if (run == NULL) return;
  snapshots_free(&run->snapshots);
  epoch_order_free(&run->order);
  corpus_free(&run->dev);
  batch_free(&run->batch);
  augmentation_free(&run->augmentation);
  resplit_free(&run->resplit);
  trainer_free(&run->trainer);
  corpus_free(&run->encoded);
  team_free(run->team);
  free(run);
}
