#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/group.h"
#include "base/status.h"
#include "elman/preset.h"

/* ---- the presets ---- */

/* Settings shared by all presets for real corpora; docs/experiments.md measures their effects. */
#define SHARED                                                                                     \
  "bidirectional attention=additive attentional_layer orthogonal min_count=2 batch_size=64 "       \
  "source_tokens=auto-bpe target_tokens=auto-bpe subword_dropout=0.1 label_smoothing=0.1 "         \
  "tie_embeddings schedule=linear optimizer=muon drop_source_mark=0.05 normalization=auto-lower "  \
  "validate_by=chrf tune_search "

static const struct preset_row {
  const char *name, *settings;
} presets[] = {
    {"plain", ""},
    {"quick", SHARED "cell=gru embedding_size=256 hidden_size=256 subwords=2000 warm_up=150 "
                     "average=0.995 dropout=0.2 learning_rate=0.009 epochs=6"},
    {"small", SHARED "cell=gru embedding_size=384 hidden_size=384 subwords=4000 warm_up=200 "
                     "average=0.997 dropout=0.3 learning_rate=0.006 epochs=9"},
    {"base", SHARED "layer_norm embedding_size=512 hidden_size=512 subwords=4000 warm_up=300 "
                    "average=0.998 dropout=0.38 learning_rate=0.005 epochs=20"},
    {"strong", SHARED "cell=gru embedding_size=512 hidden_size=512 subwords=4000 warm_up=300 "
                      "average=0.9985 dropout=0.45 learning_rate=0.0045 epochs=20"}};

enum { PRESETS = sizeof presets / sizeof *presets, NAME_SIZE = 48 };

const char *elman_preset_name(size_t index) {
  return index < PRESETS ? presets[index].name : NULL;
}

const char *elman_preset_settings(size_t index) {
  return index < PRESETS ? presets[index].settings : NULL;
}

static const struct preset_row *preset_find(const char *name) {
  if (name == NULL) return &presets[0];
  for (size_t i = 0; i < PRESETS; i++)
    if (strcmp(presets[i].name, name) == 0) return &presets[i];
  return NULL;
}

static elman_status find_row(const struct preset_row **row, const elman_preset *preset,
                             elman_error *error) {
  *row = preset_find(preset->name);
  if (*row != NULL) return ELMAN_OK;
  char names[128] = "";
  for (size_t i = 0, used = 0; i < PRESETS; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ",
                             presets[i].name);
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "preset must be one of %s, not '%.60s'", names,
              preset->name);
}

/* A setting: its name, and its value as text. The value of a flag is "on". */
struct preset_setting {
  char name[NAME_SIZE], value[NAME_SIZE];
};

/* Read the setting at the start of `rest`. Return the text after it; NULL if there is none. */
static const char *next_setting(struct preset_setting *setting, const char *rest) {
  const size_t length = strcspn(rest, " "), name = strcspn(rest, "= ");
  if (length == 0) return NULL;
  snprintf(setting->name, sizeof setting->name, "%.*s", (int)name, rest);
  snprintf(setting->value, sizeof setting->value, "%.*s",
           name < length ? (int)(length - name - 1) : 2, name < length ? rest + name + 1 : "on");
  return rest + length + strspn(rest + length, " ");
}

/* Find a setting of a preset. */
static bool find_setting(struct preset_setting *setting, const struct preset_row *preset,
                         const char *name) {
  const char *rest = preset->settings;
  while ((rest = next_setting(setting, rest)) != NULL)
    if (strcmp(setting->name, name) == 0) return true;
  return false;
}

bool elman_preset_tunes_search(const char *name) {
  struct preset_setting setting;
  const struct preset_row *row = preset_find(name);
  return row != NULL && find_setting(&setting, row, "tune_search");
}

/* Return the epochs of a preset; 0 if it sets none. */
static double preset_epochs(const struct preset_row *preset) {
  struct preset_setting setting;
  return find_setting(&setting, preset, "epochs") ? strtod(setting.value, NULL) : 0;
}

/* ---- the options that a preset sets ---- */

static bool is_given(const elman_preset *preset, const elman_option *row) {
  return preset->given != NULL && preset->given[row->index];
}

/* Return whether an option of training was given. */
static bool given_training(const elman_preset *preset, const char *name) {
  return is_given(preset, elman_option_find(ELMAN_SCOPES_TRAIN, name));
}

static bool given_model(const elman_preset *preset, const char *name) {
  return is_given(preset, elman_option_find(ELMAN_SCOPES_MODEL, name));
}

__attribute__((format(printf, 2, 3))) static void note(const elman_preset *preset,
                                                       const char *format, ...) {
  char message[512];
  const int used = snprintf(message, sizeof message, "preset %s", preset_find(preset->name)->name);
  va_list arguments;
  if (preset->note == NULL) return;
  va_start(arguments, format);
  vsnprintf(message + used, sizeof message - (size_t)used, format, arguments);
  va_end(arguments);
  preset->note(preset->context, message);
}

/* In the struct at `fields`, set the preset's options of these scopes that were not given. */
static elman_status set_rows(void *fields, unsigned scopes, const struct preset_row *row,
                             const elman_preset *preset, elman_error *error) {
  struct preset_setting setting;
  const char *rest = row->settings;
  elman_status status = ELMAN_OK;
  while (status == ELMAN_OK && (rest = next_setting(&setting, rest)) != NULL) {
    const elman_option *option = elman_option_find(scopes, setting.name);
    if (option != NULL && !is_given(preset, option))
      status = elman_option_set(option, fields, setting.value, ELMAN_FORM_WORD, ELMAN_NAMES_FIELD,
                                error);
  }
  return status;
}

static bool may_use_bpe(elman_token_mode mode) {
  return mode == ELMAN_TOKENS_AUTO || mode == ELMAN_TOKENS_BPE || mode == ELMAN_TOKENS_AUTO_BPE;
}

static void fit_model_options(elman_model_options *options, const elman_preset *preset) {
  const bool splits = may_use_bpe(options->source_tokens) || may_use_bpe(options->target_tokens);
  if (options->subwords > 0 && !splits && !given_model(preset, "subwords")) {
    note(preset, ": without bpe, `subwords` does not apply");
    options->subwords = 0;
  }
  if (options->tie_embeddings && !options->attentional_layer &&
      !given_model(preset, "tie_embeddings")) {
    note(preset, ": without `attentional_layer`, `tie_embeddings` does not apply");
    options->tie_embeddings = false;
  }
}

/* Switch off the preset's augmentation, because it changes the words that a guide links. */
static void fit_augmentation(elman_train_options *options, const elman_preset *preset) {
  const elman_option *row = NULL;
  while ((row = elman_option_next(row, ELMAN_SCOPES_TRAIN)) != NULL) {
    double *share = (double *)(void *)((char *)options + row->offset);
    if (strcmp(row->group, "Augmentation") != 0 || *share <= 0 || is_given(preset, row)) continue;
    note(preset, ": with guided alignment, `%s` does not apply", row->name);
    *share = 0;
  }
}

static void fit_train_options(elman_train_options *options, const elman_preset *preset) {
  const bool has_dev = options->dev != NULL || options->dev_name != NULL;
  if (!has_dev && !given_training(preset, "validate_by")) options->validate_by = NULL;
  if (options->guide_weight > 0 && options->subword_dropout > 0 &&
      !given_training(preset, "subword_dropout")) {
    note(preset, ": with guided alignment, `subword_dropout` does not apply");
    options->subword_dropout = 0;
  }
  if (options->guide_weight > 0) fit_augmentation(options, preset);
  if (given_training(preset, "optimizer") && !given_training(preset, "learning_rate") &&
      preset_epochs(preset_find(preset->name)) > 0 && options->optimizer != NULL &&
      strcmp(options->optimizer, "muon") != 0)
    note(preset,
         ": its learning rate is made for `optimizer` muon; %s usually needs a smaller "
         "`learning_rate`",
         options->optimizer);
}

elman_status elman_preset_apply(elman_model_options *model, elman_train_options *train,
                                const elman_preset *preset, elman_error *error) {
  const struct preset_row *row;
  elman_status status = find_row(&row, preset, error);
  if (status == ELMAN_OK && model != NULL)
    status = set_rows(model, ELMAN_SCOPES_MODEL, row, preset, error);
  if (status == ELMAN_OK && train != NULL)
    status = set_rows(train, ELMAN_SCOPES_TRAIN, row, preset, error);
  if (status != ELMAN_OK) return status;
  if (train != NULL && train->epochs == ELMAN_EPOCHS_AUTO && preset_epochs(row) > 0)
    train->epochs = (size_t)preset_epochs(row);
  if (model != NULL) fit_model_options(model, preset);
  if (train != NULL) fit_train_options(train, preset);
  return ELMAN_OK;
}

/* ---- settings that depend on the model and on the length of the run ---- */

/* The numbers of pairs, and of pairs per update, with which the presets were tuned. */
#define TUNED_PAIRS 26155.0
#define TUNED_BATCH 64.0

double elman_expected_updates(const elman_train_options *options, size_t pairs) {
  enum { PAIR_TOKENS = 20, AUTO_EPOCHS = 10, AUTO_UPDATES = 400 };
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

/* The number of updates of a run, and the ratios of its updates and epochs to those of the tuned
 * preset. */
struct run_length {
  double total, updates, epochs;
};

/* Scale the settings for a run of this length. A short run needs larger steps, and less
 * regularization. docs/training.md, section 2. */
static void scale_settings(elman_train_options *options, const struct run_length *length) {
  const double updates = fmin(fmax(length->updates, 1.0 / 64), 64);
  const double epochs = fmin(fmax(length->epochs, 1.0 / 64), 64);
  options->learning_rate = rounded(options->learning_rate * pow(updates, -0.3));
  options->average = 1 - rounded(fmin((1 - options->average) / updates, 0.5));
  const double warm_up = (double)options->warm_up * sqrt(updates);
  options->warm_up = (size_t)ceil(fmin(warm_up, length->total / 5));
  options->dropout = rounded(fmin(options->dropout * pow(epochs, 0.2), 0.6));
}

static bool is_first(const elman_group *group) {
  return group == NULL || group->rank == 0;
}

/* Set *scaled to the settings for this length. A resumed run keeps the settings of its checkpoint,
 * even with another number of epochs. Only process 0 has the checkpoint. */
static elman_status find_settings(elman_train_options *scaled, const elman_train_options *options,
                                  const struct run_length *length, elman_error *error) {
  elman_checkpoint_state state = ELMAN_CHECKPOINT_NONE;
  elman_status status = ELMAN_OK;
  elman_error problem;
  if (is_first(options->group) && options->resume && options->checkpoint != NULL)
    status = elman_checkpoint_get_state(&state, options->checkpoint, &problem);
  if (status == ELMAN_OK && state == ELMAN_CHECKPOINT_NONE) scale_settings(scaled, length);
  if (status == ELMAN_OK && state != ELMAN_CHECKPOINT_NONE)
    status = elman_checkpoint_get_options(scaled, options->checkpoint, &problem);
  struct {
    double learning_rate, average, dropout, warm_up;
  } values = {scaled->learning_rate, scaled->average, scaled->dropout, (double)scaled->warm_up};
  const elman_status shared = elman_group_broadcast(options->group, &values, sizeof values,
                                                    status == ELMAN_OK ? error : NULL);
  if (status != ELMAN_OK) return fail_again(error, &problem);
  if (shared != ELMAN_OK) return shared;
  scaled->learning_rate = values.learning_rate;
  scaled->average = values.average;
  scaled->dropout = values.dropout;
  scaled->warm_up = (size_t)values.warm_up;
  return ELMAN_OK;
}

static elman_status fit_length(elman_train_options *options, size_t pairs, double epochs,
                               const elman_preset *preset, elman_error *error) {
  elman_train_options scaled = *options;
  const elman_train_options before = *options;
  const double updates = elman_expected_updates(options, pairs);
  const double tuned = ceil(TUNED_PAIRS / TUNED_BATCH) * epochs;
  const struct run_length length = {updates, updates / tuned, (double)options->epochs / epochs};
  const elman_status status = find_settings(&scaled, options, &length, error);
  if (status != ELMAN_OK) return status;
  if (!given_training(preset, "learning_rate")) options->learning_rate = scaled.learning_rate;
  if (!given_training(preset, "warm_up")) options->warm_up = scaled.warm_up;
  if (!given_training(preset, "average")) options->average = scaled.average;
  if (!given_training(preset, "dropout")) options->dropout = scaled.dropout;
  if (is_first(options->group) && !elman_options_equal(ELMAN_SCOPES_TRAIN, &before, options))
    note(preset,
         " is made for %.0f updates, and this run has about %.0f; this run uses learning rate %g, "
         "warm-up %zu, moving average %g, dropout %g",
         tuned, updates, options->learning_rate, options->warm_up, options->average,
         options->dropout);
  return ELMAN_OK;
}

elman_status elman_preset_fit(elman_train_options *options, const elman_model *model, size_t pairs,
                              const elman_preset *preset, elman_error *error) {
  const struct preset_row *row;
  const elman_model_info info = elman_model_get_info(model);
  const elman_status status = find_row(&row, preset, error);
  if (status != ELMAN_OK) return status;
  if (options->subword_dropout > 0 && !given_training(preset, "subword_dropout") &&
      info.source_tokens != ELMAN_TOKENS_BPE && info.target_tokens != ELMAN_TOKENS_BPE) {
    note(preset, ": without bpe, `subword_dropout` does not apply");
    options->subword_dropout = 0;
  }
  const double epochs = preset_epochs(row);
  if (epochs <= 0 || options->epochs == 0) return ELMAN_OK;
  return fit_length(options, pairs, epochs, preset, error);
}
