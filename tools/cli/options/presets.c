#include "options/presets.h"

#include <stddef.h>

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

const char *preset_settings(size_t index) {
  return presets[index].settings;
}
