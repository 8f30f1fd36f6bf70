#include "train/preset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"
#include "group/group.h"
#include "options/command_line.h"
#include "options/library_options.h"

/* ---- the presets ---- */

/* Settings shared by all presets for real corpora; docs/experiments.md measures their effects. */
#define SHARED                                                                                     \
  "bidirectional attention=additive attentional-layer orthogonal min-count=2 batch-size=64 "       \
  "source-tokens=auto-bpe target-tokens=auto-bpe subword-dropout=0.1 label-smoothing=0.1 "         \
  "tie-embeddings schedule=linear optimizer=muon drop-source-mark=0.05 normalization=auto-lower "  \
  "validate-by=chrf tune-search "

static const struct {
  const char *name, *settings;
} presets[] = {
    {"plain", ""},
    {"quick", SHARED "cell=gru embedding-size=256 hidden-size=256 subwords=2000 warm-up=150 "
                     "average=0.995 dropout=0.2 learning-rate=0.009 epochs=6"},
    {"small", SHARED "cell=gru embedding-size=384 hidden-size=384 subwords=4000 warm-up=200 "
                     "average=0.997 dropout=0.3 learning-rate=0.006 epochs=9"},
    {"base", SHARED "layer-norm embedding-size=512 hidden-size=512 subwords=4000 warm-up=300 "
                    "average=0.998 dropout=0.38 learning-rate=0.005 epochs=20"},
    {"strong", SHARED "cell=gru embedding-size=512 hidden-size=512 subwords=4000 warm-up=300 "
                      "average=0.9985 dropout=0.45 learning-rate=0.0045 epochs=20"}};

const char *preset_name(size_t index) {
  return index < sizeof presets / sizeof *presets ? presets[index].name : NULL;
}

const char *preset_settings(size_t index) {
  return presets[index].settings;
}

/* Return the epochs of a preset; 0 if it sets none. */
static double preset_epochs(const char *name) {
  for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
    const char *epochs = strstr(presets[i].settings, "epochs=");
    if (strcmp(presets[i].name, name) == 0)
      return epochs == NULL ? 0 : strtod(epochs + strlen("epochs="), NULL);
  }
  return 0;
}

/* ---- settings that other options exclude ---- */

static bool may_use_bpe(elman_token_mode mode) {
  return mode == ELMAN_TOKENS_AUTO || mode == ELMAN_TOKENS_BPE || mode == ELMAN_TOKENS_AUTO_BPE;
}

/* Return whether the new model may split a side into subwords. A model of --init-from may. */
static bool uses_bpe(const struct train_job *job) {
  const elman_model_options *model = &job->model;
  const elman_token_mode modes[] = {model->source_tokens, model->target_tokens};
  const bool merges = model->subwords > 0 || model->source_subwords > 0 || model->joint_subwords;
  bool uses = job->output.init_from != NULL;
  for (size_t i = 0; i < 2; i++)
    uses = uses || (may_use_bpe(modes[i]) && (modes[i] != ELMAN_TOKENS_AUTO || merges));
  return uses;
}

/* Return whether an option of the library was given. */
static bool row_given(const elman_option *row, const struct usage *usage,
                      const struct operands *operands) {
  bool given[ELMAN_MAX_OPTIONS];
  (void)library_options_given(given, usage, operands);
  return given[row->index];
}

/* Switch off the preset's augmentation, which changes the words that a guide links. */
static void fit_augmentation(struct train_job *job, const struct usage *usage,
                             const struct operands *operands) {
  char name[64];
  for (const elman_option *row = elman_option_next(NULL, ELMAN_SCOPES_TRAIN); row != NULL;
       row = elman_option_next(row, ELMAN_SCOPES_TRAIN)) {
    double *share = (double *)((char *)&job->train + row->offset);
    if (strcmp(row->group, "Augmentation") != 0 || *share <= 0 || row_given(row, usage, operands))
      continue;
    note("preset %s: with --guide, %s does not apply", job->preset,
         elman_option_write_name(name, sizeof name, row->name, ELMAN_NAMES_OPTION));
    *share = 0;
  }
}

/* Set the bits of the augmentation options that were given, in their order. */
static unsigned own_augmentation(const struct usage *usage, const struct operands *operands) {
  unsigned bits = 0, bit = 1;
  for (const elman_option *row = elman_option_next(NULL, ELMAN_SCOPES_TRAIN); row != NULL;
       row = elman_option_next(row, ELMAN_SCOPES_TRAIN)) {
    if (strcmp(row->group, "Augmentation") != 0) continue;
    if (row_given(row, usage, operands)) bits |= bit;
    bit <<= 1;
  }
  return bits;
}

/* Switch off settings that come from the preset and that other options exclude, and report each.
 * Refuse such settings if they were given themselves. */
int preset_fit_options(struct train_job *job, const struct usage *usage,
                       const struct operands *operands) {
  const bool splits =
      may_use_bpe(job->model.source_tokens) || may_use_bpe(job->model.target_tokens);
  job->own.subword_dropout = option_given(usage, operands, "subword-dropout");
  job->own.learning_rate = option_given(usage, operands, "learning-rate");
  job->own.warm_up = option_given(usage, operands, "warm-up");
  job->own.average = option_given(usage, operands, "average");
  job->own.dropout = option_given(usage, operands, "dropout");
  job->own.augmentation = own_augmentation(usage, operands);
  if (job->own.subword_dropout && job->train.subword_dropout > 0 && !uses_bpe(job))
    return report_usage(usage->command,
                        "--subword-dropout needs BPE on at least one side (--subwords)");
  if (job->output.tunes_search && job->train.dev_name == NULL) {
    if (option_given(usage, operands, "tune-search"))
      return report_usage(usage->command, "--tune-search needs --dev");
    note("preset %s: without --dev, the search is not tuned", job->preset);
    job->output.tunes_search = false;
  }
  if (job->train.dev_name == NULL && !option_given(usage, operands, "validate-by"))
    job->train.validate_by = NULL;
  if (job->model.subwords > 0 && !splits && !option_given(usage, operands, "subwords")) {
    note("preset %s: without bpe, --subwords does not apply", job->preset);
    job->model.subwords = 0;
  }
  if (job->model.tie_embeddings && !job->model.attentional_layer &&
      !option_given(usage, operands, "tie-embeddings")) {
    note("preset %s: without --attentional-layer, --tie-embeddings does not apply", job->preset);
    job->model.tie_embeddings = false;
  }
  if (job->guide != NULL && job->train.subword_dropout > 0 && !job->own.subword_dropout) {
    note("preset %s: with --guide, --subword-dropout does not apply", job->preset);
    job->train.subword_dropout = 0;
  }
  if (job->guide != NULL) fit_augmentation(job, usage, operands);
  if (option_given(usage, operands, "optimizer") && !job->own.learning_rate &&
      preset_epochs(job->preset) > 0 && strcmp(job->train.optimizer, "muon") != 0)
    note("preset %s: its learning rate is made for --optimizer muon; %s usually needs a smaller "
         "--learning-rate",
         job->preset, job->train.optimizer);
  return EX_OK;
}

/* Switch off the preset's subword dropout if the model splits no side into subwords. */
void preset_fit_model(struct train_job *job, const elman_model *model) {
  const elman_model_info info = elman_model_get_info(model);
  if (job->train.subword_dropout <= 0 || job->own.subword_dropout ||
      info.source_tokens == ELMAN_TOKENS_BPE || info.target_tokens == ELMAN_TOKENS_BPE)
    return;
  note("preset %s: without bpe, --subword-dropout does not apply", job->preset);
  job->train.subword_dropout = 0;
}

/* ---- settings that depend on the length of the run ---- */

/* The numbers of pairs, and of pairs per update, with which the presets were tuned. */
#define TUNED_PAIRS 26155.0
#define TUNED_BATCH 64.0

double expected_updates(const struct train_job *job, size_t pairs) {
  enum { PAIR_TOKENS = 20, AUTO_EPOCHS = 10, AUTO_UPDATES = 400 };
  const elman_train_options *options = &job->train;
  const double batch = options->batch_tokens > 0 ? (double)options->batch_tokens / PAIR_TOKENS
                                                 : (double)options->batch_size;
  const double in_epoch = ceil((double)pairs / batch);
  if (options->epochs != ELMAN_EPOCHS_AUTO) return in_epoch * (double)options->epochs;
  return in_epoch * AUTO_EPOCHS + AUTO_UPDATES;
}

/* Round to two significant digits, so that a message can state the exact value. */
static double rounded(double value) {
  char digits[32];
  snprintf(digits, sizeof digits, "%.1e", value);
  return strtod(digits, NULL);
}

/* The length of a run, and its updates and epochs in multiples of those of the tuned preset. */
struct run_length {
  double total, updates, epochs;
};

/* Scale the settings for a run of this length. A short run needs larger steps, and less
 * regularization. docs/training.md, section 2. */
static void scale(elman_train_options *options, const struct run_length *length) {
  const double updates = fmin(fmax(length->updates, 1.0 / 64), 64);
  const double epochs = fmin(fmax(length->epochs, 1.0 / 64), 64);
  options->learning_rate = rounded(options->learning_rate * pow(updates, -0.3));
  options->average = 1 - rounded(fmin((1 - options->average) / updates, 0.5));
  const double warm_up = (double)options->warm_up * sqrt(updates);
  options->warm_up = (size_t)ceil(fmin(warm_up, length->total / 5));
  options->dropout = rounded(fmin(options->dropout * pow(epochs, 0.2), 0.6));
}

/* Set *scaled to the settings for this length. A resumed run keeps the settings of its checkpoint,
 * even with another --epochs. Only process 0 has the checkpoint. */
static int find_settings(elman_train_options *scaled, const struct train_job *job,
                         const struct run_length *length) {
  elman_checkpoint_state state = ELMAN_CHECKPOINT_NONE;
  elman_status status = ELMAN_OK;
  elman_error error;
  if (group_leads() && job->train.resume)
    status = elman_checkpoint_get_state(&state, job->train.checkpoint, &error);
  if (status == ELMAN_OK && state == ELMAN_CHECKPOINT_NONE) scale(scaled, length);
  if (status == ELMAN_OK && state != ELMAN_CHECKPOINT_NONE)
    status = elman_checkpoint_get_options(scaled, job->train.checkpoint, &error);
  struct {
    double learning_rate, average, dropout, warm_up;
  } values = {scaled->learning_rate, scaled->average, scaled->dropout, (double)scaled->warm_up};
  const elman_status shared = elman_group_broadcast(job->train.group, &values, sizeof values,
                                                    status == ELMAN_OK ? &error : NULL);
  if (status != ELMAN_OK || shared != ELMAN_OK) return report_error(&error);
  scaled->learning_rate = values.learning_rate;
  scaled->average = values.average;
  scaled->dropout = values.dropout;
  scaled->warm_up = (size_t)values.warm_up;
  return EX_OK;
}

int preset_fit_length(struct train_job *job, size_t pairs) {
  elman_train_options *options = &job->train, scaled = *options;
  const double epochs = preset_epochs(job->preset), updates = expected_updates(job, pairs);
  if (epochs <= 0 || options->epochs == 0) return EX_OK;
  const double tuned = ceil(TUNED_PAIRS / TUNED_BATCH) * epochs;
  const struct run_length length = {updates, updates / tuned, (double)options->epochs / epochs};
  const int code = find_settings(&scaled, job, &length);
  if (code != EX_OK) return code;
  const elman_train_options before = *options;
  if (!job->own.learning_rate) options->learning_rate = scaled.learning_rate;
  if (!job->own.warm_up) options->warm_up = scaled.warm_up;
  if (!job->own.average) options->average = scaled.average;
  if (!job->own.dropout) options->dropout = scaled.dropout;
  if (group_leads() && !elman_options_equal(ELMAN_SCOPES_TRAIN, &before, options))
    note("preset %s is made for %.0f updates, and this run has about %.0f: learning rate %g, "
         "warm-up %zu, "
         "moving average %g, dropout %g",
         job->preset, tuned, updates, options->learning_rate, options->warm_up, options->average,
         options->dropout);
  return EX_OK;
}
