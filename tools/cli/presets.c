#include "presets.h"

#include <string.h>

/* The settings that all presets for real corpora share; docs/quality.md has the measured effect of
 * each. */
#define REGULARIZED                                                                                \
  "bidirectional attention=additive attentional-layer orthogonal min-count=2 batch-size=64 "       \
  "label-smoothing=0.1 average=0.999 "

static const struct {
  const char *name, *settings;
} presets[] = {{"plain", ""},
               {"small", REGULARIZED "embedding-size=128 hidden-size=256 dropout=0.3 epochs=12"},
               {"base", REGULARIZED "embedding-size=256 hidden-size=512 dropout=0.4 epochs=32"}};

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

void preset_apply(int argc, char **argv, struct option *options) {
  const char *value = find_value(argc, argv);
  for (size_t i = 0; value != NULL && preset_name(i) != NULL; i++)
    if (strcmp(preset_name(i), value) == 0) options_preset(options, presets[i].settings);
}
