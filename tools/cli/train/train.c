/* elman train */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "commands.h"
#include "console/messages.h"
#include "console/output.h"
#include "elman.h"
#include "group/group.h"
#include "input/languages.h"
#include "input/model_input.h"
#include "input/pairs_input.h"
#include "options/command_line.h"
#include "options/library_options.h"
#include "options/option.h"
#include "train/preset.h"
#include "train/train_estimate.h"
#include "train/train_job.h"
#include "train/train_report.h"

/* Together with the other processes, choose the search on the dev pairs, and store it in the model.
 * A signal to process 0 stops this; the model then stores no search. */
static int tune_search(elman_model *model, const elman_pairs *dev, const struct train_job *job) {
  elman_evaluate_options options = elman_evaluate_options_default();
  elman_search_trial trials[ELMAN_SEARCH_TRIALS];
  struct progress progress = progress_start();
  elman_error error;
  options.translate.replace_unknown = elman_model_translate_options(model).replace_unknown;
  options.metric.bleu_tokens = job->train.bleu_tokens;
  options.threads = job->train.threads;
  options.group = job->train.group;
  options.progress = training_tune_progress;
  options.context = &progress;
  const elman_status status = elman_tune_search(trials, model, dev, &options, &error);
  progress_erase(&progress);
  if (status == ELMAN_INTERRUPTED && !group_leads()) return EX_OK;
  if (status == ELMAN_INTERRUPTED) {
    note("stopped while the search was being tuned; the model stores no search");
    return 128 + interrupt_signal();
  }
  if (status != ELMAN_OK) return report_error(&error);
  training_describe_search(trials, elman_model_get_info(model).search);
  return EX_OK;
}

static int train_and_save(elman_model *model, elman_pairs **pairs, const elman_pairs *dev,
                          struct train_job *job) {
  elman_error error;
  struct training training = {.own_vocabulary = job->output.init_from == NULL,
                              .model = model,
                              .options = &job->train,
                              .augmentation = job->augmentation,
                              .progress = progress_start(),
                              .first = true,
                              .ends_at = job->hours > 0 ? job->started_at + 3600 * job->hours : 0};
  int code = train_log_open(&training.log, &job->log,
                            elman_expected_updates(&job->train, elman_pairs_count(*pairs)),
                            &training.progress);
  if (code != EX_OK) return code;
  job->train.dev = dev;
  /* To resume, the initial model of the checkpoint is compared with the file, so the run must not
   * replace this file before its end. */
  job->train.save_best = dev != NULL && job->train.checkpoint != NULL &&
                         !output_is(job->output.init_from, job->train.output);
  training_watch(&training, &job->train);
  interrupt_catch_first();
  const uint64_t updates_before = elman_model_get_info(model).history.updates;
  const elman_status status = elman_train_and_free_pairs(model, pairs, &job->train, &error);
  progress_erase(&training.progress);
  /* Only process 0 checks the clock and stops the others, which may run without --hours. The exit
   * code of process 0 states the reason. */
  const bool time_is_over = group_leads() ? training.time_is_over : interrupt_signal() == 0;
  const enum training_end end = status == ELMAN_OK            ? DONE
                                : status != ELMAN_INTERRUPTED ? FAILED
                                : time_is_over                ? DONE
                                                              : STOPPED;
  code = training.checkpoint != EX_OK ? training.checkpoint
         : training.keeping != EX_OK  ? training.keeping
         : end == STOPPED             ? 128 + interrupt_signal()
                                      : EX_OK;
  if (end != FAILED) train_log_begin(&training.log);
  code = train_log_close(&training.log, code);
  if (end == FAILED) code = report_error(&error);
  /* Process 0 decides, because only process 0 has the result of the run. Tune even if the
   * checkpoint or the log could not be written. */
  bool tunes = job->output.tunes_search && end == DONE;
  if (end != FAILED &&
      elman_group_broadcast(job->train.group, &tunes, sizeof tunes, &error) != ELMAN_OK) {
    code = report_error(&error);
    tunes = false;
  }
  if (tunes) {
    const int tuned = tune_search(model, dev, job);
    if (code == EX_OK) code = tuned;
  }
  if (!group_leads()) return code;
  if (end == FAILED && elman_model_get_info(model).history.updates == updates_before) return code;
  const int saved = train_output_save(model, job->train.output, training.up_to_date);
  if (saved != EX_OK) return saved;
  training_describe_end(&training, end, job->train.output);
  return code;
}

/* ---- a run ---- */

static int make_model(elman_model **model, const elman_pairs *pairs, struct train_job *job) {
  elman_error error;
  const elman_status status =
      job->output.init_from != NULL
          ? elman_model_load(model, job->output.init_from, &error)
          : elman_model_create(model, pairs, &job->model, &job->train, &error);
  if (status != ELMAN_OK) return report_error(&error);
  if (job->output.notice[0] != '\0') note("%s", job->output.notice);
  if (job->output.replaces_checkpoint)
    note("%s is the checkpoint of a finished run and will be overwritten; --resume would continue "
         "that run",
         job->train.checkpoint);
  if (job->alone)
    note("%s is not a regular file: no checkpoint will be written, and --resume will not be "
         "possible",
         job->train.output);
  training_describe_model(*model, job->output.init_from == NULL ? &job->model : NULL,
                          job->languages_of_names);
  return preset_fit(job, *model, elman_pairs_count(pairs));
}

static int read_dev(elman_pairs **dev, const struct train_job *job, const char *command,
                    const struct operands *training_pairs) {
  *dev = NULL;
  if (job->train.dev_name == NULL) return EX_OK;
  char *words[] = {(char *)job->train.dev_name};
  const struct operands operands = {.words = words, .count = 1};
  const struct pairs_input input = {.columns = job->input.columns,
                                    .max_bytes = job->input.max_bytes,
                                    .max_unpacked = job->input.max_unpacked,
                                    .strict = job->input.strict};
  if (pairs_input_includes(&job->input, training_pairs, job->train.dev_name))
    note("dev file %s is also training data; its scores will measure memorization; 'elman corpus "
         "split' makes parts without leaks",
         job->train.dev_name);
  note("dev:");
  return pairs_input_read(dev, &input, command, &operands);
}

/* Recommend settings for a real corpus: the defaults are for small examples. */
static void note_plain(const struct train_job *job, const elman_pairs *pairs) {
  enum { LARGE = 10000 };
  if (job->plain && elman_pairs_count(pairs) > LARGE)
    note("the default settings are made for small examples, and without --dev nothing shows when "
         "the model stops improving; for a corpus of this size, use --preset small --dev PAIRS "
         "('elman corpus split' makes the dev pairs)");
}

/* Report a finding in many pairs. `context` is what the message calls the pairs. */
static void note_doubt(void *context, elman_finding finding, double share, const char *place) {
  const char *pairs = context;
  char advice[MESSAGE_SIZE];
  if (!group_leads()) return;
  note("%.0f %% of the %s: %s, for example %s; %s", 100 * share, pairs,
       elman_finding_description(finding), place,
       message_of_library(advice, elman_finding_advice(finding)));
}

/* Warn before training if the pairs or the dev pairs would give a useless model. All processes
 * check, so that all fail if the memory is exhausted. */
static int check_pairs(const elman_pairs *pairs, const elman_pairs *dev) {
  char training_name[] = "training pairs", dev_name[] = "dev pairs";
  elman_error error;
  elman_status status = elman_pairs_doubts(pairs, NULL, note_doubt, training_name, &error);
  if (status == ELMAN_OK && dev != NULL)
    status = elman_pairs_doubts(dev, pairs, note_doubt, dev_name, &error);
  return status == ELMAN_OK ? EX_OK : report_error(&error);
}

static int read_and_train(struct train_job *job, const char *command,
                          const struct operands *operands) {
  elman_pairs *pairs = NULL, *dev = NULL;
  elman_model *model = NULL;
  int code = pairs_input_read(&pairs, &job->input, command, operands);
  if (code == EX_OK) note_plain(job, pairs);
  if (code == EX_OK) code = read_dev(&dev, job, command, operands);
  if (code == EX_OK) code = check_pairs(pairs, dev);
  if (code == EX_OK) code = make_model(&model, pairs, job);
  if (code == EX_OK)
    code = job->dry ? train_estimate(model, &pairs, dev, job)
                    : train_and_save(model, &pairs, dev, job);
  elman_model_free(model);
  elman_pairs_free(pairs);
  elman_pairs_free(dev);
  return code;
}

/* Refuse options that need files next to the model if the output is a device or a pipe. Such an
 * output can have no checkpoint and no snapshots. */
static int check_alone(struct train_job *job, const struct usage *usage,
                       const struct operands *operands) {
  job->alone = elman_file_is_direct(job->train.output);
  const char *given = job->train.keep_last > 0                      ? "keep-last"
                      : job->train.resume                           ? "resume"
                      : option_given(usage, operands, "save-every") ? "save-every"
                                                                    : NULL;
  if (!job->alone || given == NULL) return EX_OK;
  return report_usage(usage->command,
                      "--%s needs files next to the model, but '%s' is not a regular file; name a "
                      "regular file with --output",
                      given, job->train.output);
}

/* Lock the output, then check it and train. Without a lock, two runs that write to it would destroy
 * each other's results. A dry run makes the same checks and writes nothing, locks included. */
static int check_and_train(struct train_job *job, const char *command,
                           const struct operands *operands) {
  if (!group_leads()) return read_and_train(job, command, operands);
  elman_lock *lock = NULL, *log_lock = NULL;
  int code = train_output_claim(job->dry ? NULL : &lock, &job->output);
  if (code == EX_OK) code = train_log_claim(job->dry ? NULL : &log_lock, &job->log);
  if (code == EX_OK) code = train_output_check(&job->output);
  if (code == EX_OK) code = read_and_train(job, command, operands);
  elman_lock_release(log_lock);
  elman_lock_release(lock);
  return code;
}

static int check_group(struct train_job *job, const char *command) {
  const elman_group *group = group_joined();
  job->train.group = group;
  job->train.threads = group_threads(job->train.threads);
  if (group == NULL) return EX_OK;
  if (group->size > job->train.shards)
    return report_usage(
        command,
        "--shards %zu allows at most %zu process%s, but %zu were started; start fewer processes",
        job->train.shards, job->train.shards, job->train.shards == 1 ? "" : "es", group->size);
  bool tunes = job->output.tunes_search;
  elman_error error;
  if (elman_group_broadcast(group, &tunes, sizeof tunes, &error) != ELMAN_OK)
    return report_error(&error);
  if (tunes != job->output.tunes_search)
    return report_usage(command, "give --tune-search to all processes or to none");
  return EX_OK;
}

/* Find a missing file before the pairs are read, which may take minutes. */
static int check_readable(const char *path) {
  if (path == NULL || strcmp(path, "-") == 0 || access(path, R_OK) == 0) return EX_OK;
  report(path, "cannot open the file: %m");
  return EX_NOINPUT;
}

static int train_run(struct train_job *job, const char *command, const struct operands *operands) {
  if (strcmp(job->train.output, "-") == 0)
    return report_usage(command,
                        "--output: a model cannot be written to standard output; name a file");
  if (job->log.path != NULL && strcmp(job->log.path, "-") == 0)
    return report_usage(command, "--log: a log cannot be written to standard output; name a file");
  if (job->log.run != NULL && train_log_is_csv(&job->log))
    return report_usage(command, "--run-name: a log in CSV has no name; use --log-format json");
  interrupt_catch_request();
  if (!group_leads()) job->log.path = NULL;
  job->log.append = job->train.resume;
  int code = check_group(job, command);
  if (code == EX_OK)
    code = pairs_input_check_standard(&job->input, job->train.dev_name, command, operands);
  if (code == EX_OK) code = check_readable(job->output.init_from);
  if (code == EX_OK) code = check_readable(job->train.dev_name);
  if (code == EX_OK) code = check_readable(job->input.alignment_file);
  if (code != EX_OK) return code;
  char place[PATH_MAX];
  elman_error error;
  if (job->output.init_from == NULL && elman_model_options_check(&job->model, &error) != ELMAN_OK)
    return report_error(&error);
  if (elman_file_resolve(place, sizeof place, job->train.output, &error) != ELMAN_OK) {
    if (group_leads()) return report_error(&error);
    place[0] = '\0'; /* process 0 writes the files and reports the problem */
  }
  char *checkpoint = NULL, *name = pairs_input_name(&job->input, operands), column[32];
  snprintf(column, sizeof column, "column %zu", job->input.alignment_column);
  if (name == NULL || (!job->alone && asprintf(&checkpoint, "%s.checkpoint", place) < 0)) {
    free(name);
    return report_no_memory();
  }
  job->train.checkpoint = checkpoint;
  job->train.pairs_name = name;
  if (job->guide != NULL)
    job->train.guide_name = job->input.alignment_file != NULL ? job->guide : column;
  code = elman_train_options_check(&job->train, &error) == ELMAN_OK
             ? check_and_train(job, command, operands)
             : report_error(&error);
  free(name);
  free(checkpoint);
  return code;
}

/* Return the first given option that a model of --init-from replaces; NULL if none is given. */
static const char *find_model_option(const struct usage *usage, const struct operands *operands) {
  if (option_given(usage, operands, "preset")) return "preset";
  for (const struct option *option = usage->options; option->name != NULL; option++)
    if (option->row != NULL && (option->row->scope & ELMAN_SCOPES_MODEL) != 0 &&
        operands->given[option - usage->options])
      return option->name;
  return NULL;
}

/* Return whether the new model may split a side into subwords; true for a model of --init-from. */
static bool may_split(const struct train_job *job) {
  const elman_model_options *model = &job->model;
  const elman_token_mode modes[] = {model->source_tokens, model->target_tokens};
  const bool merges = model->subwords > 0 || model->source_subwords > 0 || model->joint_subwords;
  bool splits = job->output.init_from != NULL;
  for (size_t i = 0; i < 2; i++)
    splits = splits || modes[i] == ELMAN_TOKENS_BPE || modes[i] == ELMAN_TOKENS_AUTO_BPE ||
             (modes[i] == ELMAN_TOKENS_AUTO && merges);
  return splits;
}

/* Name --guide in a message that ends with --guide-weight, if only --guide was given. */
static void name_guide(char *message, const struct train_job *job) {
  const elman_option *weight = elman_option_find(ELMAN_SCOPES_TRAIN, "guide_weight");
  char *name = strstr(message, "--guide-weight");
  if (name != NULL && job->guide != NULL && !job->given[weight->index])
    name[strlen("--guide")] = '\0';
}

/* Check limits and rules of the library's options before anything is read. */
static int check_rows(const struct train_job *job, const char *command) {
  elman_error error;
  elman_status status = ELMAN_OK;
  if (job->output.init_from == NULL)
    status = elman_options_check(ELMAN_SCOPES_MODEL, &job->model, NULL, ELMAN_NAMES_OPTION, &error);
  if (status == ELMAN_OK)
    status = elman_options_check(ELMAN_SCOPES_TRAIN, &job->train, NULL, ELMAN_NAMES_OPTION, &error);
  if (status != ELMAN_OK) {
    name_guide(error.message, job);
    return report_usage(command, "%s", error.message);
  }
  const elman_option *dropout = elman_option_find(ELMAN_SCOPES_TRAIN, "subword_dropout");
  if (job->given[dropout->index] && job->train.subword_dropout > 0 && !may_split(job))
    return report_usage(command, "--subword-dropout needs BPE on at least one side (--subwords)");
  return EX_OK;
}

static int check_init_from(const struct usage *usage, const struct operands *operands) {
  const char *given = find_model_option(usage, operands);
  if (given == NULL) return EX_OK;
  return report_usage(usage->command,
                      "--%s has no effect with --init-from: the architecture and vocabularies are "
                      "those of the initial model; remove one of the two options",
                      given);
}

/* Read the languages of the columns 1 and 2 that the names of all files state. */
static bool languages_of_files(elman_language pair[2], const struct operands *operands) {
  elman_language other[2];
  if (operands->count == 0 || !languages_of_file(pair, operands->words[0])) return false;
  for (size_t i = 1; i < operands->count; i++)
    if (!languages_of_file(other, operands->words[i]) || memcmp(pair, other, sizeof other) != 0)
      return false;
  return true;
}

/* Take the languages from the names of the pairs if no option states a language. */
static void choose_languages(struct train_job *job, const struct usage *usage,
                             const struct operands *operands) {
  const struct pairs_input *input = &job->input;
  elman_language pair[2];
  const bool swapped = strcmp(input->columns, "2,1") == 0;
  if (option_given(usage, operands, "source-language") ||
      option_given(usage, operands, "target-language") || job->output.init_from != NULL)
    return;
  if (input->source != NULL && input->target != NULL) {
    if (!languages_of_two_files(pair, input->source, input->target)) return;
  } else if ((!swapped && strcmp(input->columns, DEFAULT_COLUMNS) != 0) ||
             !languages_of_files(pair, operands)) {
    return;
  }
  job->model.source_language = pair[swapped ? ELMAN_TARGET : ELMAN_SOURCE];
  job->model.target_language = pair[swapped ? ELMAN_SOURCE : ELMAN_TARGET];
  job->languages_of_names = true;
}

/* Pass the column or file to the input. Choose a guide weight if none was given. */
static int apply_guide(struct train_job *job, const struct usage *usage,
                       const struct operands *operands) {
  uint64_t column;
  if (job->guide == NULL) return EX_OK;
  const bool is_column = parse_whole_number(job->guide, &column);
  if (job->guide[0] == '\0')
    return report_usage(usage->command, "--guide: '' is neither a column nor a file");
  if (is_column && (column < 1 || column > MAX_COLUMNS))
    return report_usage(usage->command, "--guide: '%s' is not a column from 1 to %d", job->guide,
                        MAX_COLUMNS);
  if (is_column && job->input.source != NULL)
    return report_usage(
        usage->command,
        "--guide: --source and --target have no column %s; name a file with one alignment per line",
        job->guide);
  if (!is_column && operands->count > 1)
    return report_usage(usage->command,
                        "--guide: an alignment file needs exactly one file of PAIRS, not %zu; put "
                        "the alignments into a column",
                        operands->count);
  if (!option_given(usage, operands, "guide-weight"))
    job->train.guide_weight = ELMAN_DEFAULT_GUIDE_WEIGHT;
  if (job->train.guide_weight <= 0)
    return report_usage(usage->command, "--guide has no effect with --guide-weight 0; remove both");
  if (is_column)
    job->input.alignment_column = (size_t)column;
  else
    job->input.alignment_file = job->guide;
  job->input.check_alignments = true;
  return EX_OK;
}

/* ---- the command ---- */

static void list_options(struct option table[MAX_OPTIONS], struct train_job *job) {
  static const char *const beside_model[] = {".checkpoint", ".lock", ".update#", NULL};
  static const char *const beside_log[] = {".lock", NULL};
  const struct option rows[] = {
      PAIRS_OPTIONS(job->input),
      {"output", 'o', "FILE", "model file to write", .group = "Output", .text = &job->train.output,
       .use = FILE_IS_MODEL, .beside = beside_model},
      FORCE_OPTION("overwrite models of long runs, and files that are neither models nor logs"),
      {"dev", 0, "PAIRS", "sentence pairs for validation; the best model is kept",
       .group = "Validation", .text = &job->train.dev_name, .use = FILE_IS_READ},
      {"preset", 0, "NAME",
       "named settings; plain is for small examples, the others are for real corpora; on 26,000 "
       "pairs, quick trains fastest and strong reaches the highest BLEU",
       .group = "Training", .text = &job->preset.name, .choice = elman_preset_name,
       .settings = elman_preset_settings},
      {"epochs", 0, "N", "passes over the training data; 0 writes the initial model",
       "10, or more if needed for 400 updates", .group = "Training", .count = &job->train.epochs,
       .most = 1000000},
      {"init-from", 0, "MODEL", "model with the initial parameters, configuration and vocabularies",
       .group = "Training", .text = &job->output.init_from, .use = FILE_IS_START},
      {"dry-run", 0, NULL,
       "measure some updates, print memory and time of the run, and write no file",
       .group = "Training", .flag = &job->dry},
      {"resume", 0, NULL, "continue from the checkpoint of the output file", .group = "Training",
       .flag = &job->train.resume},
      {"save-every", 0, "SECONDS", "time between periodic checkpoints; 0 disables them",
       .group = "Output", .real = &job->train.save_every, .highest = 1e9},
      {"hours", 0, "X", "time limit in hours; 0 = no limit", .group = "Training",
       .real = &job->hours, .highest = 1e6},
      {"keep-last", 0, "K", "number of snapshots to keep, one per validation or epoch; 0 disables",
       .group = "Output", .count = &job->train.keep_last, .most = 1000000},
      {"log", 0, "FILE", "log file of updates and validations", .group = "Output",
       .text = &job->log.path, .use = FILE_IS_LOG, .beside = beside_log},
      {"log-format", 0, "FORMAT", "format of the log; json writes JSON Lines",
       "csv if --log ends in .csv, else json", .group = "Output", .text = &job->log.format,
       .choice = train_log_format},
      {"run-name", 0, "NAME", "name of the run in the log", "name of the model file",
       .group = "Output", .text = &job->log.run},
      THREADS_OPTION(job->train.threads),
      TIMEOUT_OPTION,
      QUIET_OPTION("no messages except errors")};
  const struct option guide = {
      "guide",
      0,
      "COLUMN|FILE",
      "word alignments for guided alignment, in a column of PAIRS or a file",
      .group = "Attention",
      .text = &job->guide,
      .use = FILE_IS_READ};
  const struct option tune_search = {
      "tune-search",
      0,
      NULL,
      "choice of beam size and length penalty on the dev pairs, by BLEU or, for short references, "
      "chrF2; the model stores the choice",
      .group = "Validation",
      .flag = &job->output.tunes_search};
  memcpy(table, rows, sizeof rows);
  library_options(table, ELMAN_SCOPES_MODEL, &job->model);
  option_append(table, &guide);
  library_options(table, ELMAN_SCOPES_TRAIN, &job->train);
  option_append(table, &tune_search);
}

static const struct rule rules[] = {
    PAIRS_RULES,
    {"log-format", "!log", "--log-format needs --log"},
    {"run-name", "!log", "--run-name needs --log"},
    {"guide-weight", "!guide", "--guide-weight needs --guide"},
    {"dry-run", "resume",
     "--dry-run cannot be combined with --resume; a resumed run prints the remaining time after a "
     "few seconds"},
    {"batch-tokens", "+batch-size", "--batch-tokens and --batch-size cannot be combined"},
    {0}};

int train_command(int argc, char **argv) {
  struct train_job job = {.input = {.columns = DEFAULT_COLUMNS},
                          .model = elman_model_options_default(),
                          .train = elman_train_options_default(),
                          .output = {.train = &job.train},
                          .preset.name = elman_preset_name(0),
                          .started_at = now()};
  struct option options[MAX_OPTIONS] = {{0}};
  job.train.save_every = 600;
  job.train.output = DEFAULT_MODEL;
  list_options(options, &job);
  const struct usage usage = {
      "train",
      "[options] PAIRS...",
      "Trains a model on sentence pairs. PAIRS are files with one pair per line,\n"
      "source<TAB>target, or '-' for standard input. Ctrl-C stops training and writes the\n"
      "model; --resume continues the run.",
      options,
      rules,
      .reads_operands = true};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = group_check_timeout(&usage, &operands);
  job.plain = job.output.init_from == NULL && job.train.dev_name == NULL &&
              find_model_option(&usage, &operands) == NULL;
  if (code == EX_OK && job.output.init_from != NULL) code = check_init_from(&usage, &operands);
  if (code == EX_OK) code = apply_guide(&job, &usage, &operands);
  if (code == EX_OK) code = check_alone(&job, &usage, &operands);
  if (code == EX_OK) code = preset_apply(&job, &usage, &operands);
  if (code == EX_OK) choose_languages(&job, &usage, &operands);
  if (code == EX_OK) code = check_rows(&job, usage.command);
  if (code != EX_OK) return code;
  return train_run(&job, usage.command, &operands);
}
