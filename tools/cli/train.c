/* elman train */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "commands.h"
#include "elman.h"
#include "figures.h"
#include "group.h"
#include "hyperparameters.h"
#include "interrupt.h"
#include "messages.h"
#include "model_input.h"
#include "options.h"
#include "output.h"
#include "pairs_input.h"
#include "presets.h"
#include "terminal.h"
#include "train_log.h"
#include "train_output.h"

enum { LINES_PER_RUN = 20 };

struct job {
  struct pairs_input input;
  elman_model_options model;
  elman_train_options train;
  const char *dev;       /* file, or NULL */
  const char *init_from; /* model to start from, or NULL */
  const char *log;       /* file, or NULL */
  const char *output;
  bool force;
  char replaces[TRAIN_NOTICE]; /* told of the output once nothing can be refused any more */
};

struct training {
  bool own_vocabulary; /* counted in these pairs, not that of --init-from */
  const elman_model *model;
  const elman_train_options *options;
  struct progress progress;
  struct train_log log;
  double started_at;
  double line_at;     /* when the last line was printed */
  size_t line_tokens; /* in the epochs since then that are over */
  double done_before; /* share of the work that an earlier run had done */
  bool first;         /* no update has been yet */
  size_t epoch;       /* the current one */
  bool finished;      /* the last update of the last epoch has been */
  size_t best_epoch;  /* of this run's best validation; 0 = none has been */
  uint64_t best_update;
  uint64_t sent_before, sent; /* bytes, by the first update and by the last */
  uint64_t updates;           /* between the two */
  int checkpoint;             /* exit code of the last attempt to write the checkpoint */
};

/* ---- what is told ---- */

/* A corpus that is half segmented was put together from two: both ways to split it lose something,
 * and the user may know better. A line of a hundred is chance. */
static void describe_spacing(const char *side, elman_spacing spacing, elman_token_mode mode) {
  const size_t all = spacing.spaced + spacing.unspaced;
  if (100 * spacing.spaced < all || 100 * spacing.unspaced < all || all == 0) return;
  if (mode == ELMAN_TOKENS_CHARS)
    note("%s: %zu of %zu lines looked at have spaces between words, the others few or none; split "
         "into characters, both are taken alike",
         side, spacing.spaced, all);
  if (mode == ELMAN_TOKENS_SPACE)
    note("%s: %zu of %zu lines looked at have no spaces between words and become one word each; "
         "--%s-tokens chars takes all alike",
         side, spacing.unspaced, all, side);
}

static void describe_model(const elman_model *model) {
  const elman_model_info info = elman_model_get_info(model);
  note("source: split into %s, vocabulary of %zu", elman_token_mode_name(info.source_tokens),
       info.source_vocabulary);
  note("target: split into %s, vocabulary of %zu", elman_token_mode_name(info.target_tokens),
       info.target_vocabulary);
  describe_spacing("source", info.source_spacing, info.source_tokens);
  describe_spacing("target", info.target_spacing, info.target_tokens);
  note("%zu parameters, %s attention", info.parameters, info.attention);
}

/* The first epoch, the last, and about LINES_PER_RUN in all. */
static bool deserves_a_line(const elman_train_report *report) {
  const size_t stride = (report->epochs + LINES_PER_RUN - 1) / LINES_PER_RUN;
  return report->epoch == 1 || report->epoch == report->epochs || report->epoch % stride == 0;
}

static double tokens_per_second(const struct training *training, size_t tokens) {
  return (double)(training->line_tokens + tokens) / (now() - training->line_at);
}

static void print_epoch(struct training *training, const elman_train_report *report) {
  progress_erase(&training->progress);
  note("epoch %zu of %zu  loss %.4f  %.0f tokens/s", report->epoch, report->epochs, report->loss,
       tokens_per_second(training, 0));
  training->line_tokens = 0;
  training->line_at = now();
}

static double share_done(const elman_train_report *report) {
  const double epochs =
      (double)(report->epoch - 1) + (double)report->update / (double)report->updates;
  return epochs / (double)report->epochs;
}

static void draw_progress(struct training *training, const elman_train_report *report) {
  const double done = share_done(report);
  const long left =
      (long)((now() - training->started_at) * (1 - done) / (done - training->done_before));
  progress_draw(
      &training->progress,
      "epoch %zu of %zu  %.0f %%  loss %.4f  %.0f tokens/s  gradient %.2g  %ld:%02ld left",
      report->epoch, report->epochs, 100 * done, report->loss,
      tokens_per_second(training, report->tokens), report->gradient_norm, left / 60, left % 60);
}

/* A model that has seen mostly unknown words translates into them. */
static void note_unknown(const struct training *training, const char *side, double share) {
  const double worth_a_word = 0.2;
  if (share <= worth_a_word) return;
  char advice[128] = "a training without --init-from counts these pairs' own words";
  if (training->own_vocabulary)
    snprintf(advice, sizeof advice,
             "a lower --min-count, a higher --max-vocab or '--%s-tokens chars' leave fewer", side);
  note(
      "%.0f %% of the %s's tokens are not in its vocabulary and are learnt as one unknown word; %s",
      100 * share, side, advice);
}

/* A run that is resumed starts in the middle. */
static void note_start(struct training *training, const elman_train_report *report) {
  training->first = false;
  training->done_before =
      share_done(report) - 1 / ((double)report->updates * (double)report->epochs);
  train_log_start(&training->log, training->model, training->options, report->epochs);
  if (report->left_out > 0)
    note("%zu pair%s left out: a side has more than %zu token%s (--max-length)", report->left_out,
         plural(report->left_out), training->options->max_length,
         plural(training->options->max_length));
  note_unknown(training, "source", report->unknown_source);
  note_unknown(training, "target", report->unknown_target);
  if (report->epoch > 1 || report->update > 1)
    note("going on in epoch %zu, after %zu of %zu updates", report->epoch, report->update - 1,
         report->updates);
}

static bool on_update(void *context, const elman_train_report *report) {
  struct training *training = context;
  training->epoch = report->epoch;
  training->finished = report->epoch == report->epochs && report->update == report->updates;
  if (training->first)
    training->sent_before = group_sent();
  else
    training->updates++;
  training->sent = group_sent();
  if (training->first) note_start(training, report);
  train_log_update(&training->log, report, tokens_per_second(training, report->tokens));
  const bool epoch_ends = report->update == report->updates;
  if (progress_due(&training->progress)) draw_progress(training, report);
  if (epoch_ends) training->line_tokens += report->tokens;
  if (epoch_ends && deserves_a_line(report)) print_epoch(training, report);
  return interrupt_signal() == 0;
}

static bool on_validation(void *context, const elman_validation *validation) {
  struct training *training = context;
  char perplexity[32];
  train_log_validation(&training->log, validation);
  if (validation->best) {
    training->best_epoch = validation->epoch;
    training->best_update = validation->update;
  }
  progress_erase(&training->progress);
  note("  dev: loss %.4f  perplexity %s  BLEU %.2f  chrF2 %.2f%s", validation->loss,
       real_text(perplexity, sizeof perplexity, validation->perplexity, 2), validation->bleu,
       validation->chrf, validation->best ? "  best" : "");
  return interrupt_signal() == 0;
}

/* Told once, not at every attempt that fails for the same reason. */
static void on_saved(void *context, const elman_error *problem) {
  struct training *training = context;
  const bool failed_before = training->checkpoint != EX_OK;
  if (failed_before == (problem != NULL)) return;
  progress_erase(&training->progress);
  training->checkpoint = problem == NULL ? EX_OK : report_error(problem);
  note(problem == NULL ? "the checkpoint could be written this time"
                       : "this checkpoint is left out; the training is not affected");
}

/* Why a training that was not stopped is over, and which of its models it leaves. */
static void describe_end(const struct training *training, const elman_train_options *options) {
  if (training->first && options->resume)
    note("nothing is left to do: the training had ended; more --epochs%s make it longer",
         options->patience > 0 ? " or --patience" : "");
  if (options->dev == NULL || training->first) return;
  if (!training->finished)
    note("ended early, in epoch %zu: no new best in %zu validation%s (--patience)", training->epoch,
         options->patience, plural(options->patience));
  if (training->best_epoch > 0)
    note("the model of epoch %zu, update %" PRIu64
         ", is kept: it has the best BLEU on the dev pairs",
         training->best_epoch, training->best_update);
  else
    note("the best model is kept, from before this run went on");
}

static void describe_traffic(const struct training *training) {
  if (group_joined() != NULL && training->updates > 0)
    note("%zu processes; each update, process 0 has sent %" PRIu64 " bytes to others",
         group_joined()->size, (training->sent - training->sent_before) / training->updates);
}

static void describe_result(const char *path) {
  if (strcmp(path, DEFAULT_MODEL) == 0)
    note("%s is written; use it with: elman translate TEXT", path);
  else
    note("%s is written; use it with: elman translate -m %s TEXT", path, path);
}

/* ---- what is done ---- */

static int train_and_save(elman_model *model, const elman_pairs *pairs, const elman_pairs *dev,
                          const struct job *job) {
  elman_error error;
  elman_train_options options = job->train;
  struct training training = {.own_vocabulary = job->init_from == NULL,
                              .model = model,
                              .options = &options,
                              .progress = progress_start(),
                              .first = true};
  const char *log = group_leads() ? job->log : NULL;
  int code = train_log_open(&training.log, log, options.resume, &training.progress);
  if (code != EX_OK) return code;
  training.started_at = training.line_at = now();
  options.dev = dev;
  options.report = on_update;
  options.validated = on_validation;
  options.saved = on_saved;
  options.context = &training;
  interrupt_catch_first();
  const elman_status status = elman_train(model, pairs, &options, &error);
  progress_erase(&training.progress);
  const bool interrupted = status == ELMAN_INTERRUPTED;
  code = training.checkpoint != EX_OK ? training.checkpoint
         : interrupted                ? 128 + interrupt_signal()
                                      : EX_OK;
  code = train_log_close(&training.log, code);
  if (status != ELMAN_OK && !interrupted) return report_error(&error);
  if (!group_leads()) return code;
  if (elman_model_save(model, job->output, &error) != ELMAN_OK) return report_error(&error);
  if (interrupted)
    note("stopped in epoch %zu; the model keeps what it has learnt, %s", training.epoch,
         training.checkpoint == EX_OK ? "and --resume goes on"
                                      : "but --resume cannot go on without a checkpoint");
  if (!interrupted) describe_end(&training, &options);
  if (!interrupted) describe_traffic(&training);
  describe_result(job->output);
  return code;
}

static int create_and_train(const elman_pairs *pairs, const elman_pairs *dev,
                            const struct job *job) {
  elman_error error;
  elman_model *model;
  const elman_status status = job->init_from != NULL
                                  ? elman_model_load(&model, job->init_from, &error)
                                  : elman_model_create(&model, pairs, &job->model, &error);
  if (status != ELMAN_OK) return report_error(&error);
  if (job->replaces[0] != '\0') note("%s", job->replaces);
  describe_model(model);
  const int code = train_and_save(model, pairs, dev, job);
  elman_model_free(model);
  return code;
}

static int read_dev(elman_pairs **dev, const struct job *job, const char *command,
                    const struct operands *training_pairs) {
  *dev = NULL;
  if (job->dev == NULL) return EX_OK;
  char *words[] = {(char *)job->dev};
  const struct operands operands = {.words = words, .count = 1};
  const struct pairs_input input = {.columns = job->input.columns, .strict = job->input.strict};
  if (pairs_input_includes(&job->input, training_pairs, job->dev))
    note("%s is learnt from, too: its scores will tell what was remembered, not what was "
         "understood; "
         "'elman corpus split' makes parts without leaks",
         job->dev);
  note("dev:");
  return pairs_input_read(dev, &input, command, &operands);
}

static int read_and_train(const struct job *job, const char *command,
                          const struct operands *operands) {
  elman_pairs *pairs, *dev;
  int code = pairs_input_read(&pairs, &job->input, command, operands);
  if (code != EX_OK) return code;
  code = read_dev(&dev, job, command, operands);
  if (code == EX_OK) code = create_and_train(pairs, dev, job);
  elman_pairs_free(pairs);
  elman_pairs_free(dev);
  return code;
}

/* Nothing that is read may be written over. The model that training starts from may be replaced. */
static int check_outputs(const struct job *job, const char *command,
                         const struct operands *operands) {
  const char *const options[] = {"output", "log"}, *const paths[] = {job->output, job->log};
  for (size_t i = 0; i < 2; i++)
    if (pairs_input_includes(&job->input, operands, paths[i]) || output_is(paths[i], job->dev))
      return report_usage(command, "--%s: '%s' holds the pairs; name another file", options[i],
                          paths[i]);
  if (job->log != NULL && (strcmp(job->log, job->output) == 0 || output_is(job->log, job->output) ||
                           output_is(job->log, job->init_from)))
    return report_usage(command, "--log: '%s' is the model; name another file", job->log);
  return EX_OK;
}

/* With the output claimed: two trainings that write to it would spoil each other's work. */
static int check_and_train(struct job *job, const char *command, const struct operands *operands) {
  if (!group_leads()) return read_and_train(job, command, operands);
  elman_lock *lock;
  const struct train_output output = {.model = job->output,
                                      .checkpoint = job->train.checkpoint,
                                      .init_from = job->init_from,
                                      .resume = job->train.resume,
                                      .force = job->force,
                                      .notice = job->replaces};
  int code = train_output_claim(&lock, &output);
  if (code == EX_OK) code = train_output_check(&output);
  if (code == EX_OK) code = read_and_train(job, command, operands);
  elman_lock_release(lock);
  return code;
}

static int check_group(struct job *job, const char *command) {
  const elman_group *group = group_joined();
  job->train.group = group;
  job->train.threads = group_threads(job->train.threads);
  if (group == NULL) return EX_OK;
  if (group->size > job->train.shards)
    return report_usage(command,
                        "%zu processes cannot share %zu shard%s; start at most as many as there "
                        "are (--shards), which are part of the training",
                        group->size, job->train.shards, plural(job->train.shards));
  return EX_OK;
}

static int run(struct job *job, const char *command, const struct operands *operands) {
  if (strcmp(job->output, "-") == 0)
    return report_usage(command, "--output: a model goes to a file, not to standard output");
  if (job->dev == NULL && strcmp(job->train.schedule, "plateau") == 0)
    return report_usage(command, "--lr-schedule plateau needs --dev, which tells it of a plateau");
  int code = check_outputs(job, command, operands);
  if (code == EX_OK) code = check_group(job, command);
  if (code == EX_OK) code = pairs_input_check_standard(&job->input, job->dev, command, operands);
  if (code != EX_OK) return code;
  char *checkpoint = NULL, *name = pairs_input_name(&job->input, operands);
  if (name == NULL || asprintf(&checkpoint, "%s.checkpoint", job->output) < 0) {
    free(name);
    return report_no_memory();
  }
  job->train.checkpoint = checkpoint;
  job->train.output = job->output;
  job->train.pairs_name = name;
  job->train.dev_name = job->dev;
  code = check_and_train(job, command, operands);
  free(name);
  free(checkpoint);
  return code;
}

/* --init-from takes these from the model. */
enum { OF_MODEL = ELMAN_SCOPE_MODEL | ELMAN_SCOPE_START };

static int check_init_from(const struct usage *usage, const struct operands *operands) {
  const elman_hyperparameter *row = NULL;
  const char *given = option_given(usage, operands, "preset") ? "preset" : NULL;
  while (given == NULL && (row = elman_hyperparameter_next(row, OF_MODEL)) != NULL)
    if (option_given(usage, operands, row->option)) given = row->option;
  if (given == NULL) return EX_OK;
  return report_usage(usage->command,
                      "--%s has no effect with --init-from, whose model has a shape and "
                      "vocabularies; leave one of them out",
                      given);
}

int train_command(int argc, char **argv) {
  struct job job = {.input = {.columns = DEFAULT_COLUMNS},
                    .model = elman_model_options_default(),
                    .train = elman_train_options_default(),
                    .output = DEFAULT_MODEL};
  job.train.save_every = 600;
  const char *preset = preset_name(0);
  enum { MOST_OPTIONS = 65 }; /* struct operands has a bit for each */
  struct option options[MOST_OPTIONS] = {
      PAIRS_OPTIONS(job.input),
      {"output", 'o', "FILE", "where the model goes", .text = &job.output},
      {"force", 'f', NULL, "replace a model that took minutes or more to train",
       .flag = &job.force},
      {"dev", 0, "PAIRS", "file to validate on after each epoch; the best model is kept",
       .text = &job.dev},
      {"init-from", 0, "MODEL", "start from this model, its vocabularies and its shape",
       .text = &job.init_from},
      {"resume", 0, NULL, "go on from the checkpoint beside the model, if there is one",
       .flag = &job.train.resume},
      {"save-every", 0, "SECONDS", "time between checkpoints; 0 = only when stopped",
       .real = &job.train.save_every, .highest = 1e9},
      {"log", 0, "FILE", "write settings, updates and validations there, as JSON Lines",
       .text = &job.log},
      THREADS_OPTION(job.train.threads),
      TIMEOUT_OPTION,
      QUIET_OPTION("print errors only"),
      {"preset", 0, "NAME", "settings that go together; 'base' is for real corpora",
       .text = &preset, .choice = preset_name},
      {"epochs", 0, "N", "passes over the pairs; 0 writes the initial model",
       "10, or 400 updates if that is more", .count = &job.train.epochs, .most = 1000000}};
  hyperparameter_options(options, MOST_OPTIONS, ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END, &job.train);
  hyperparameter_options(options, MOST_OPTIONS, OF_MODEL, &job.model);
  preset_apply(argc, argv, options);
  const struct rule rules[] = {
      PAIRS_RULES,
      {"patience validate-every", "!dev", "--patience and --validate-every need --dev"},
      {"input-feeding tie-embeddings", "!attentional-layer init-from",
       "--%s needs --attentional-layer"},
      {0}};
  const struct usage usage = {
      "train", "[options] PAIRS...",
      "Learns from sentence pairs and writes a model. PAIRS are files with a pair a line,\n"
      "source<TAB>target, or '-' for standard input. Ctrl-C ends the training and keeps\n"
      "what was learnt; --resume goes on from there.",
      options, rules};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = group_check_timeout(&usage, &operands);
  if (code == EX_OK && job.init_from != NULL) code = check_init_from(&usage, &operands);
  if (code != EX_OK) return code;
  job.model.max_length = job.train.max_length;
  job.model.seed = job.train.seed;
  return run(&job, usage.command, &operands);
}
