/* The entries of a model file's metadata. docs/model-file.md says what they hold. */
#ifndef ELMAN_MODEL_MODEL_KEYS_H
#define ELMAN_MODEL_MODEL_KEYS_H

#include "elman/model.h"

static const char KEY_VERSION[] = "elman.version", KEY_CONFIG[] = "elman.config",
                  KEY_TRAINING[] = "elman.training";

/* Of a side; merges are there where its text is split to subwords. */
static const struct side_keys {
  const char *vocabulary, *counts, *merges;
} SIDE_KEYS[] = {
    [ELMAN_SOURCE] = {"elman.source_vocab", "elman.source_counts", "elman.source_merges"},
    [ELMAN_TARGET] = {"elman.target_vocab", "elman.target_counts", "elman.target_merges"}};

#endif
