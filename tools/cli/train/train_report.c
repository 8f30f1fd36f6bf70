#include "train/train_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "console/json_output.h"
#include "console/messages.h"
#include "group/group.h"
#include "input/model_input.h"

enum { LINES_PER_RUN = 20 };

/* Report a corpus in which only some lines have spaces between words. It was probably joined from
 * two corpora. No token mode suits all its lines. The user may be able to correct the corpus.
 * Ignore less than one line in a hundred. */
static void describe_spacing(const char *side, const elman_side_counts *counts,
                             elman_token_mode mode) {
  const size_t all = counts->spaced + counts->unspaced;
  if (100 * counts->spaced < all || 100 * counts->unspaced < all || all == 0) return;
  if (mode == ELMAN_TOKENS_CHARS)
    note("%s: %zu of %zu sampled lines %s spaces between words, the others few or none; every "
         "line is split into characters",
         side, counts->spaced, all, counts->spaced == 1 ? "has" : "have");
  if (mode == ELMAN_TOKENS_SPACE)
    note("%s: %zu of %zu sampled lines %s no spaces between words; such a line is one word; "
         "--%s-tokens chars splits every line into characters",
         side, counts->unspaced, all, counts->unspaced == 1 ? "has" : "have", side);
}

/* Report a side in which many words occur once, because many words of other text are then unknown.
 * The probability that the next word is new is about the proportion of words of the text that occur
 * once (I. J. Good, Biometrika 1953). Ignore small vocabularies, which cannot contain much. */
static void describe_rare_words(const char *side, const elman_side_counts *counts,
                                elman_token_mode mode) {
  enum { MANY_WORDS = 1000 };
  if (mode != ELMAN_TOKENS_WORDS && mode != ELMAN_TOKENS_SPACE) return;
  if (counts->distinct < MANY_WORDS || 10 * counts->once <= 3 * counts->distinct) return;
  note(
      "%s: %zu of %zu words occur once; in other text, about %.1f %% of the words will be unknown; "
      "--%s-tokens bpe splits words into subwords, so that no word is unknown",
      side, counts->once, counts->distinct, 100 * (double)counts->once / (double)counts->tokens,
      side);
}

/* Write what a side consists of: "Latin script", "Chinese characters, without spaces between
 * words". After "auto:", this text is the reason why the library chose these tokens. */
static void describe_script(char *text, size_t size, const char *script, elman_token_mode mode) {
  const char *spaces = mode == ELMAN_TOKENS_SPACE   ? ", with spaces between words"
                       : mode == ELMAN_TOKENS_CHARS ? ", without spaces between words"
                                                    : "";
  if (script == NULL)
    snprintf(text, size, "no script has most of the words");
  else if (strcmp(script, "Han") == 0)
    snprintf(text, size, "Chinese characters%s", spaces);
  else
    snprintf(text, size, "%s script%s", script, mode == ELMAN_TOKENS_CHARS ? spaces : "");
}

/* A side of a model for describe_side. */
struct side_of_model {
  const char *name, *script;
  elman_token_mode mode, asked; /* `asked` is the mode that the user chose */
  elman_normalization normalization;
  size_t merges, vocabulary;
};

static void describe_side(const struct side_of_model *side) {
  char merges[64] = "", script[128];
  const bool automatic = side->asked == ELMAN_TOKENS_AUTO_BPE ||
                         (side->asked == ELMAN_TOKENS_AUTO && side->mode != ELMAN_TOKENS_BPE);
  if (side->mode == ELMAN_TOKENS_BPE)
    snprintf(merges, sizeof merges, " with %zu merge operation%s", side->merges,
             plural(side->merges));
  describe_script(script, sizeof script, side->script, side->mode);
  note("%s: %s%s, vocabulary size %zu, normalization %s (%s%s)", side->name,
       elman_token_mode_name(side->mode), merges, side->vocabulary,
       elman_normalization_name(side->normalization), automatic ? "auto: " : "", script);
}

/* Write a language as "German (de)" or "xog". */
static const char *describe_language(char text[128], elman_language language) {
  const char *name = elman_language_name(language.code);
  if (language.code[0] == '\0')
    snprintf(text, 128, "a language that is not stated");
  else if (name == NULL)
    snprintf(text, 128, "%s", language.code);
  else
    snprintf(text, 128, "%s (%s)", name, language.code);
  return text;
}

static void describe_languages(const elman_model_info *info, bool from_names) {
  char source[128], target[128];
  if (info->source_language.code[0] == '\0' && info->target_language.code[0] == '\0') return;
  note("languages: from %s to %s%s", describe_language(source, info->source_language),
       describe_language(target, info->target_language),
       from_names ? ", taken from the file names" : "");
}

void training_describe_model(const elman_model *model, const elman_model_options *asked,
                             bool names_languages) {
  const elman_model_info info = elman_model_get_info(model);
  /* Joint subwords determine the mode, so the text is not the reason. */
  const bool resolved = asked == NULL || asked->joint_subwords;
  describe_languages(&info, names_languages);
  describe_side(&(struct side_of_model){"source", info.source_script, info.source_tokens,
                                        resolved ? info.source_tokens : asked->source_tokens,
                                        info.source_normalization, info.source_merges,
                                        info.source_vocabulary});
  describe_side(&(struct side_of_model){"target", info.target_script, info.target_tokens,
                                        resolved ? info.target_tokens : asked->target_tokens,
                                        info.target_normalization, info.target_merges,
                                        info.target_vocabulary});
  describe_spacing("source", &info.source_counts, info.source_tokens);
  describe_rare_words("source", &info.source_counts, info.source_tokens);
  describe_spacing("target", &info.target_counts, info.target_tokens);
  describe_rare_words("target", &info.target_counts, info.target_tokens);
  note("%zu parameters, %s attention", info.parameters, info.attention);
}

bool training_tune_progress(void *context, size_t done, size_t total) {
  struct progress *progress = context;
  if (progress_due(progress))
    progress_draw(progress, "tuning the search: %zu of %zu sentences", done, total);
  return interrupt_signal() == 0 || !group_leads();
}

static bool is_same_search(elman_search a, elman_search b) {
  return a.beam == b.beam && fabs(a.length_penalty - b.length_penalty) < 1e-9;
}

void training_describe_search(const elman_search_trial trials[ELMAN_SEARCH_TRIALS],
                              elman_search chosen) {
  note("search on the dev pairs, by %s:",
       trials[0].by_chrf ? "chrF2, because most references have fewer than 4 words" : "BLEU");
  for (size_t i = 0; i < ELMAN_SEARCH_TRIALS; i++) {
    const elman_search_trial *trial = &trials[i];
    char penalty[64] = "";
    if (trial->search.beam > 1)
      snprintf(penalty, sizeof penalty, ", length penalty %g", trial->search.length_penalty);
    note("  beam size %zu%s: BLEU %.2f  chrF2 %.2f%s", trial->search.beam, penalty, trial->bleu,
         trial->chrf, is_same_search(trial->search, chosen) ? "  stored in the model" : "");
  }
}

/* Return whether a line is due: for the first epoch, the last epoch, and about LINES_PER_RUN epochs
 * in total. */
static bool is_line_due(const elman_train_report *report) {
  const size_t stride = (report->epochs + LINES_PER_RUN - 1) / LINES_PER_RUN;
  return report->epoch == 1 || report->epoch == report->epochs || report->epoch % stride == 0;
}

static double tokens_per_second(const struct training *training, size_t tokens) {
  return (training->line_tokens + (double)tokens) / (now() - training->line_at);
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

/* Report many unknown words: a model trained on mostly unknown words mostly produces them. */
static void note_unknown(const struct training *training, const char *side, double share) {
  const double worth_a_word = 0.2;
  if (share <= worth_a_word) return;
  char advice[128] = "train without --init-from to build a vocabulary from these pairs";
  if (training->own_vocabulary)
    snprintf(advice, sizeof advice,
             "lower --min-count, raise --max-vocabulary or use '--%s-tokens chars'", side);
  note("%.0f %% of the %s tokens are not in the vocabulary and are learned as one unknown word; %s",
       100 * share, side, advice);
}

/* Report that the model sees no source without a final mark. People often type such sentences. */
static void note_marks(const struct training *training, const elman_train_report *report) {
  enum { LEAST_PAIRS = 1000 };
  const double nearly_all = 0.95;
  const elman_train_options *options = training->options;
  if (report->pairs < LEAST_PAIRS || report->marked_source <= nearly_all ||
      options->drop_source_mark > 0 || options->drop_marks > 0)
    return;
  note("%.0f %% of the source sentences end with a mark, so that sentences without one will be "
       "translated worse; --drop-source-mark 0.3 drops some marks",
       100 * report->marked_source);
}

/* Report options of augmentation that suit no pair, such as the case of Chinese sources. */
static void note_idle(const struct training *training, const elman_train_report *report) {
  char name[64];
  unsigned bit = 1;
  for (const elman_option *row = elman_option_next(NULL, ELMAN_SCOPES_TRAIN); row != NULL;
       row = elman_option_next(row, ELMAN_SCOPES_TRAIN)) {
    if (strcmp(row->group, "Augmentation") != 0) continue;
    if ((report->idle & training->augmentation & bit) != 0)
      note("%s changes no pair of this epoch; docs/training.md states which pairs it can change",
           elman_option_write_name(name, sizeof name, row->name, ELMAN_NAMES_OPTION));
    bit <<= 1;
  }
}

static void note_guide(const struct training *training, const elman_train_report *report) {
  const elman_train_options *options = training->options;
  if (options->guide_weight <= 0) return;
  note("guided alignment from %s, weight %g (--guide-weight)", options->guide_name,
       options->guide_weight);
  if (report->unguided > 0)
    note("guided alignment ignores %zu pair%s without alignment links", report->unguided,
         plural(report->unguided));
}

/* Report a warm-up that is longer than the run: learning is then slower than --learning-rate
 * suggests. */
static void note_warm_up(const struct training *training, const elman_train_report *report) {
  const elman_train_options *options = training->options;
  const double updates = (double)report->updates * (double)report->epochs;
  if ((double)options->warm_up > updates)
    note("the learning rate will not reach %g: the run has %.0f update%s, fewer than --warm-up %zu",
         options->learning_rate, updates, plural((uint64_t)updates), options->warm_up);
}

/* Time of an update in bfloat16, as measured in docs/performance.md with V 6,000 and H 512. */
static const struct {
  const char *instructions, *time;
} bfloat16_times[] = {
    {"AMX-BF16", "an update of a large network takes about 0.53 times as long as in float32"},
    {"AVX512-BF16",
     "on AMD, an update of a large network takes about 0.6 times as long as in float32"}};

/* Print a note on what bfloat16 changes here: the speed, or only the results. */
static void note_precision(const struct training *training) {
  const elman_model_info info = elman_model_get_info(training->model);
  const char *instructions = elman_machine_get().bfloat16;
  if (training->options->precision != ELMAN_PRECISION_BFLOAT16) return;
  if (strcmp(info.arithmetic, "portable") == 0)
    note("bfloat16 is not faster in portable arithmetic: the operands are rounded, but multiplied "
         "in float32");
  else if (strcmp(instructions, "none") == 0)
    note("bfloat16 is not faster here, because the processor, the chosen kernel or the system does "
         "not offer fast instructions for it; updates are computed in float32");
  else
    for (size_t i = 0; i < sizeof bfloat16_times / sizeof *bfloat16_times; i++)
      if (strcmp(instructions, bfloat16_times[i].instructions) == 0)
        note("bfloat16 with %s: %s", instructions, bfloat16_times[i].time);
}

/* Print the start of the run. In a resumed run, the first report describes an update in the middle
 * of the run. */
static void note_start(struct training *training, const elman_train_report *report) {
  training->first = false;
  training->done_before =
      share_done(report) - 1 / ((double)report->updates * (double)report->epochs);
  training->line_tokens =
      -(double)report->tokens * (double)(report->update - 1) / (double)report->update;
  train_log_start(&training->log, training->model, training->options, report);
  if (report->left_out > 0)
    note("%zu pair%s skipped: a side has more than %zu token%s (--max-length)", report->left_out,
         plural(report->left_out), training->options->max_length,
         plural(training->options->max_length));
  if (report->unaligned > 0)
    note("%zu pair%s skipped because of the alignment, the first: %s: %s", report->unaligned,
         plural(report->unaligned), report->first_unaligned->where,
         report->first_unaligned->message);
  note_precision(training);
  note_guide(training, report);
  note_warm_up(training, report);
  note_unknown(training, "source", report->unknown_source);
  note_unknown(training, "target", report->unknown_target);
  note_marks(training, report);
  note_idle(training, report);
  if (report->epoch > 1 || report->update > 1)
    note("resuming in epoch %zu, after %zu of %zu updates", report->epoch, report->update - 1,
         report->updates);
}

/* Return whether to continue. After the time limit, begin no update except the last one of the
 * run. */
static bool may_continue(struct training *training) {
  if (training->ends_at > 0 && now() >= training->ends_at && !training->finished)
    training->time_is_over = true;
  return interrupt_signal() == 0 && !training->time_is_over;
}

static bool on_update(void *context, const elman_train_report *report) {
  struct training *training = context;
  training->epoch = report->epoch;
  training->skipped = report->skipped;
  training->up_to_date = false;
  training->finished = report->epoch == report->epochs && report->update == report->updates;
  if (training->first)
    training->sent_before = group_sent();
  else
    training->updates++;
  training->sent = group_sent();
  if (training->first) note_start(training, report);
  train_log_update(&training->log, report, tokens_per_second(training, report->tokens));
  const bool epoch_ends = report->update == report->updates;
  if (train_speed_add(&training->speed, report)) {
    progress_erase(&training->progress);
    train_speed_note(&training->speed, report, training->options);
  }
  if (progress_due(&training->progress)) draw_progress(training, report);
  if (epoch_ends) training->line_tokens += (double)report->tokens;
  if (epoch_ends && is_line_due(report)) print_epoch(training, report);
  return may_continue(training);
}

static const char *best_score(const char *measure) {
  return strcmp(measure, "loss") == 0   ? "lowest loss"
         : strcmp(measure, "chrf") == 0 ? "best chrF2"
                                        : "best BLEU";
}

/* Report that the library did not choose BLEU, before the scores of the first validation. */
static void note_measure(const struct training *training, const elman_validation *validation) {
  const char *wanted = training->options->validate_by;
  const bool chosen = wanted == NULL || strcmp(wanted, "auto") == 0;
  if (training->measure != NULL || !chosen || strcmp(validation->measure, "bleu") == 0) return;
  note("  %s selects the best model: most references have fewer than 4 words, which is too short "
       "for BLEU (--validate-by)",
       strcmp(validation->measure, "chrf") == 0 ? "chrF2" : validation->measure);
}

static bool on_validation(void *context, const elman_validation *validation) {
  struct training *training = context;
  char perplexity[32];
  train_log_validation(&training->log, validation);
  progress_erase(&training->progress);
  note_measure(training, validation);
  training->measure = validation->measure;
  if (validation->best) {
    training->best_epoch = validation->epoch;
    training->best_update = validation->update;
  }
  note("  dev: loss %.4f  perplexity %s  BLEU %.2f  chrF2 %.2f%s", validation->loss,
       real_text(perplexity, sizeof perplexity, validation->perplexity, 2), validation->bleu,
       validation->chrf, validation->best ? "  best" : "");
  return may_continue(training);
}

/* Report a failure to write the checkpoint once, not at every attempt that fails for the same
 * reason. */
static void on_checkpoint(void *context, const elman_error *problem) {
  struct training *training = context;
  const bool failed_before = training->checkpoint != EX_OK;
  training->up_to_date = problem == NULL;
  if (training->requested && problem == NULL) {
    progress_erase(&training->progress);
    note("wrote the checkpoint in epoch %zu (SIGUSR1); training continues", training->epoch);
  }
  const bool answers = training->requested && problem != NULL;
  training->requested = false;
  if (failed_before == (problem != NULL) && !answers) return;
  progress_erase(&training->progress);
  training->checkpoint = problem == NULL ? EX_OK : report_error(problem);
  note(problem == NULL ? "checkpoints can be written again"
                       : "skipped this checkpoint; training continues");
}

/* Report a failure to write or delete a snapshot once, as on_checkpoint does for checkpoints. */
static void on_snapshot(void *context, const elman_snapshot *snapshot) {
  struct training *training = context;
  const bool failed_before = training->keeping != EX_OK, begins = snapshot->update == 0;
  if (snapshot->problem == NULL && !begins) training->snapshots = snapshot->own;
  if (begins && snapshot->removed > 0 && snapshot->problem == NULL)
    note("%s.update*: deleted %zu snapshot%s of an earlier run", training->options->output,
         snapshot->removed, plural(snapshot->removed));
  if (begins && snapshot->others > 0 && snapshot->problem == NULL)
    note("%s.update*: kept %zu snapshot%s of an earlier run; --keep-last does not count %s",
         training->options->output, snapshot->others, plural(snapshot->others),
         snapshot->others == 1 ? "it" : "them");
  if (failed_before == (snapshot->problem != NULL)) return;
  progress_erase(&training->progress);
  training->keeping = snapshot->problem == NULL ? EX_OK : report_error(snapshot->problem);
  note(snapshot->problem == NULL ? "snapshots can be written again"
                                 : "could not write or delete a snapshot; training continues");
}

/* Return whether SIGUSR1 requests a checkpoint. An output that is a device has none. */
static bool wants_checkpoint(void *context) {
  struct training *training = context;
  const bool wanted = interrupt_take_request();
  training->requested = wanted && training->options->checkpoint != NULL;
  if (wanted && !training->requested)
    note("%s is not a regular file: no checkpoint is written", training->options->output);
  return training->requested;
}

void training_watch(struct training *training, elman_train_options *options) {
  training->started_at = training->line_at = now();
  options->report = on_update;
  options->validated = on_validation;
  options->checkpoint_wanted = wants_checkpoint;
  options->checkpoint_written = on_checkpoint;
  options->snapshot_written = on_snapshot;
  options->context = training;
}

/* Print why a run ended, for a run that no signal stopped. */
static void describe_reason(const struct training *training) {
  const elman_train_options *options = training->options;
  if (training->time_is_over)
    note("time limit (--hours) reached in epoch %zu; %s", training->epoch,
         training->up_to_date ? "--resume continues the run"
                              : "without a checkpoint, --resume is not possible");
  else if (training->first && options->resume)
    note("nothing to do: this run is finished; %s",
         options->patience > 0 ? "to continue it, raise --patience if it stopped early, or "
                                 "--epochs if it reached its last epoch"
                               : "raise --epochs to continue it");
  else if (!training->first && !training->finished)
    note("stopped early in epoch %zu: no new best score in %zu validation%s (--patience)",
         training->epoch, options->patience, plural(options->patience));
}

/* Print which models a run left, for a run that no signal stopped. */
static void describe_model(const struct training *training) {
  const elman_train_options *options = training->options;
  const size_t kept =
      training->snapshots < options->keep_last ? training->snapshots : options->keep_last;
  if (kept > 0)
    note("%s.update*: kept %zu snapshot%s, one per %s; 'elman average' averages several into one "
         "model",
         options->output, kept, plural(kept), options->dev == NULL ? "epoch" : "validation");
  if (options->dev == NULL || training->first) return;
  if (training->best_epoch > 0)
    note("kept the model of epoch %zu, update %" PRIu64 ": it has the %s on the dev pairs",
         training->best_epoch, training->best_update, best_score(training->measure));
  else if (training->measure != NULL)
    note("kept the best model, found before this run was resumed");
  else
    note("no validation ran; %s",
         options->resume
             ? "kept the best model of the run so far, or the last model if there is none"
         : options->validate_every > 0
             ? "kept the last model; a smaller --validate-every validates earlier"
             : "kept the last model; --validate-every validates earlier");
}

static void describe_traffic(const struct training *training) {
  if (group_joined() != NULL && training->updates > 0)
    note("%zu process%s; process 0 sent %" PRIu64 " bytes per update", group_joined()->size,
         group_joined()->size == 1 ? "" : "es",
         (training->sent - training->sent_before) / training->updates);
}

static void describe_result(const char *path) {
  const char *quote = strpbrk(path, " \t'\"\\$&|;<>()*?[]#~`!") == NULL ? "" : "'";
  if (strcmp(path, DEFAULT_MODEL) == 0)
    note("wrote %s; use it with: elman translate TEXT", path);
  else if (strchr(path, '\'') != NULL)
    note("wrote %s", path);
  else
    note("wrote %s; use it with: elman translate -m %s%s%s TEXT", path, quote, path, quote);
}

void training_describe_end(const struct training *training, enum training_end end,
                           const char *path) {
  if (end != DONE)
    note("%s in epoch %zu; the model so far is saved, %s", end == STOPPED ? "stopped" : "failed",
         training->epoch,
         training->up_to_date ? "and --resume continues the run"
                              : "but without a checkpoint, --resume is not possible");
  if (training->skipped > 0)
    note("%zu update%s skipped: the loss or its gradient was not finite; lower the learning rate "
         "(--learning-rate) or clip the gradients (--clip-norm)",
         training->skipped, plural(training->skipped));
  if (end == DONE) describe_reason(training);
  if (end != STOPPED) describe_model(training);
  if (end == DONE) describe_traffic(training);
  describe_result(path);
}
