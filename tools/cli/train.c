/* elman train */
#include <string.h>
#include <sysexits.h>

#include "commands.h"
#include "elman.h"
#include "interrupt.h"
#include "messages.h"
#include "model_input.h"
#include "options.h"
#include "output.h"
#include "pairs_input.h"
#include "progress.h"
#include "token_modes.h"

enum { LINES_PER_RUN = 20 };

struct job {
  struct pairs_input input;
  elman_model_options model;
  elman_train_options train;
  const char *output;
  bool quiet;
};

struct training {
  bool quiet;
  struct progress progress;
  double started_at;
  double line_at;     /* when the last line was printed */
  size_t line_tokens; /* in the epochs since then that are over */
  size_t epoch;       /* the current one */
};

/* ---- what is told ---- */

static void describe_model(const elman_model *model) {
  const elman_model_info info = elman_model_get_info(model);
  note("source: split into %s, vocabulary of %zu", elman_token_mode_name(info.source_tokens),
       info.source_vocabulary);
  note("target: split into %s, vocabulary of %zu", elman_token_mode_name(info.target_tokens),
       info.target_vocabulary);
  note("%zu parameters, %s attention", info.parameters, info.attention);
}

/* The first epoch, the last, and about LINES_PER_RUN in all. */
static bool deserves_a_line(const elman_train_report *report) {
  const size_t stride = (report->epochs + LINES_PER_RUN - 1) / LINES_PER_RUN;
  return report->epoch == 1 || report->epoch == report->epochs || report->epoch % stride == 0;
}

static void print_epoch(struct training *training, const elman_train_report *report) {
  const double time = now();
  progress_erase(&training->progress);
  note("epoch %zu of %zu  loss %.4f  %.0f tokens/s", report->epoch, report->epochs, report->loss,
       (double)training->line_tokens / (time - training->line_at));
  training->line_tokens = 0;
  training->line_at = time;
}

static void draw_progress(struct training *training, const elman_train_report *report) {
  const double epochs =
      (double)(report->epoch - 1) + (double)report->update / (double)report->updates;
  const double done = epochs / (double)report->epochs;
  const double time = now();
  const double tokens = (double)(training->line_tokens + report->tokens);
  const long left = (long)((time - training->started_at) * (1 - done) / done);
  progress_draw(
      &training->progress,
      "epoch %zu of %zu  %.0f %%  loss %.4f  %.0f tokens/s  gradient %.2g  %ld:%02ld left",
      report->epoch, report->epochs, 100 * done, report->loss, tokens / (time - training->line_at),
      report->gradient_norm, left / 60, left % 60);
}

static bool on_update(void *context, const elman_train_report *report) {
  struct training *training = context;
  training->epoch = report->epoch;
  const bool epoch_ends = report->update == report->updates;
  if (!training->quiet && progress_due(&training->progress)) draw_progress(training, report);
  if (epoch_ends) training->line_tokens += report->tokens;
  if (!training->quiet && epoch_ends && deserves_a_line(report)) print_epoch(training, report);
  return interrupt_signal() == 0;
}

static void describe_result(const char *path) {
  if (strcmp(path, DEFAULT_MODEL) == 0)
    note("%s is written; use it with: elman translate TEXT", path);
  else
    note("%s is written; use it with: elman translate -m %s TEXT", path, path);
}

/* ---- what is done ---- */

static int train_and_save(elman_model *model, const elman_pairs *pairs, const struct job *job) {
  elman_error error;
  elman_train_options options = job->train;
  struct training training = {.quiet = job->quiet, .progress = progress_start(job->quiet)};
  training.started_at = training.line_at = now();
  options.report = on_update;
  options.context = &training;
  interrupt_catch_first();
  const elman_status status = elman_train(model, pairs, &options, &error);
  progress_erase(&training.progress);
  const bool interrupted = status == ELMAN_INTERRUPTED;
  if (status != ELMAN_OK && !interrupted) return report_error(&error);
  if (elman_model_save(model, job->output, &error) != ELMAN_OK) return report_error(&error);
  if (interrupted && !job->quiet)
    note("stopped in epoch %zu; the model keeps what it has learnt", training.epoch);
  if (!job->quiet) describe_result(job->output);
  return interrupted ? 128 + interrupt_signal() : EX_OK;
}

static int create_and_train(const elman_pairs *pairs, const struct job *job) {
  elman_error error;
  elman_model *model;
  if (elman_model_create(&model, pairs, &job->model, &error) != ELMAN_OK)
    return report_error(&error);
  if (!job->quiet) describe_model(model);
  const int code = train_and_save(model, pairs, job);
  elman_model_free(model);
  return code;
}

static int run(const struct job *job, const char *command, const struct operands *operands) {
  if (strcmp(job->output, "-") == 0)
    return report_usage(command, "--output: a model goes to a file, not to standard output");
  /* Before the work, so that no long run is lost. */
  int code = output_check(job->output);
  if (code != EX_OK) return code;
  elman_pairs *pairs;
  code = pairs_input_read(&pairs, &job->input, command, operands, job->quiet);
  if (code != EX_OK) return code;
  code = create_and_train(pairs, job);
  elman_pairs_free(pairs);
  return code;
}

int train_command(int argc, char **argv) {
  struct job job = {.input = {.columns = DEFAULT_COLUMNS},
                    .model = elman_model_options_default(),
                    .train = elman_train_options_default(),
                    .output = DEFAULT_MODEL};
  const char *source_tokens = elman_token_mode_name(job.model.source_tokens);
  const char *target_tokens = elman_token_mode_name(job.model.target_tokens);
  const struct option options[] = {
      PAIRS_OPTIONS(job.input),
      {"output", 'o', "FILE", "where the model goes", .text = &job.output},
      {"epochs", 0, "N", "passes over the pairs; 0 writes the initial model",
       "10, or 400 updates if that is more", .count = &job.train.epochs, .most = 1000000},
      {"batch-size", 0, "N", "sentences in an update", .count = &job.train.batch_size, .least = 1,
       .most = 65536},
      {"lr", 0, "X", "learning rate of Adam", .real = &job.train.learning_rate, .lowest = 1e-9,
       .highest = 10},
      {"clip-norm", 0, "X", "largest norm of the gradient; 0 = no limit",
       .real = &job.train.clip_norm, .highest = 1e9},
      {"hidden-size", 0, "N", "numbers in a state", .count = &job.model.hidden_size, .least = 1,
       .most = 16384},
      {"embedding-size", 0, "N", "numbers that stand for a word",
       .count = &job.model.embedding_size, .least = 1, .most = 16384},
      {"attention", 0, "KIND", "attention score", .text = &job.model.attention,
       .choice = elman_attention_name},
      {"min-count", 0, "N", "words seen less often are unknown words",
       .count = &job.model.min_count, .least = 1, .most = 1000000000},
      {"max-vocab", 0, "N", "words a side, the most frequent; 0 = no limit",
       .count = &job.model.max_vocabulary, .most = 1000000000},
      {"max-length", 0, "N", "pairs with more tokens on a side are left out; 0 = none",
       .count = &job.train.max_length, .most = 1000000},
      TOKENS_OPTIONS(source_tokens, target_tokens),
      {"seed", 0, "N", "chooses initial weights and the order of the pairs",
       .seed = &job.model.seed},
      {"threads", 't', "N", "processor cores to use", "all", .count = &job.train.threads,
       .least = 1, .most = 1024},
      {"quiet", 'q', NULL, "print errors only", .flag = &job.quiet},
      {0}};
  const struct usage usage = {
      "train", "[options] PAIRS...",
      "Learns from sentence pairs and writes a model. PAIRS are files with a pair a line,\n"
      "source<TAB>target, or '-' for standard input. Ctrl-C ends the training and keeps\n"
      "what was learnt.",
      options};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  job.model.source_tokens = token_mode_of(source_tokens);
  job.model.target_tokens = token_mode_of(target_tokens);
  job.train.seed = job.model.seed;
  return run(&job, usage.command, &operands);
}
