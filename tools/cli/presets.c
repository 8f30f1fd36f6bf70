#include "presets.h"

#include <string.h>

static void plain(elman_model_options *model, elman_train_options *train) {
  (void)model;
  (void)train;
}

/* What all settings for real corpora share; docs/quality.md tells what each part brought. */
static void regularized(elman_model_options *model, elman_train_options *train) {
  model->bidirectional = true;
  model->attention = "additive";
  model->attentional_layer = true;
  model->orthogonal_initial_values = true;
  model->min_count = 2;
  train->batch_size = 64;
  train->label_smoothing = 0.1;
  train->average = 0.999;
}

static void small(elman_model_options *model, elman_train_options *train) {
  regularized(model, train);
  model->embedding_size = 128;
  model->hidden_size = 256;
  train->dropout = 0.3;
  train->epochs = 12;
}

static void base(elman_model_options *model, elman_train_options *train) {
  regularized(model, train);
  model->embedding_size = 256;
  model->hidden_size = 512;
  train->dropout = 0.4;
  train->epochs = 32;
}

static const struct {
  const char *name;
  void (*apply)(elman_model_options *model, elman_train_options *train);
} presets[] = {{"plain", plain}, {"small", small}, {"base", base}};

const char *preset_name(size_t index) {
  return index < sizeof presets / sizeof *presets ? presets[index].name : NULL;
}

/* The value of --preset, or NULL. */
static const char *find_value(int argc, char **argv) {
  static const char option[] = "--preset";
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strncmp(argv[i], option, strlen(option)) != 0) continue;
    const char *rest = argv[i] + strlen(option);
    if (*rest == '=') return rest + 1;
    if (*rest == '\0' && i + 1 < argc) return argv[i + 1];
  }
  return NULL;
}

void preset_apply(int argc, char **argv, elman_model_options *model, elman_train_options *train) {
  const char *value = find_value(argc, argv);
  for (size_t i = 0; value != NULL && preset_name(i) != NULL; i++) {
    if (strcmp(preset_name(i), value) == 0) presets[i].apply(model, train);
  }
}
