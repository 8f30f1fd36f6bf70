/* What a network is: the hyperparameters that fix it, and the sizes of its two halves. */
#ifndef ELMAN_MODEL_MODEL_CONFIG_H
#define ELMAN_MODEL_MODEL_CONFIG_H

#include "base/status.h"
#include "decoder/decoder.h"
#include "elman/hyperparameters.h"
#include "encoder/encoder.h"

/* Everything that fixes the shapes and the arithmetic of a network, and its words. */
struct model_config {
  ELMAN_MODEL_HYPERPARAMETERS(ELMAN_FIELD)
  size_t source_vocabulary, target_vocabulary; /* V_src, V_tgt, specials included */
  elman_normalization source_normalization, target_normalization;
};

/* The default network with vocabularies of one token, which are never right. */
struct model_config model_config_default(void);

/* Replaces 0 and NULL by the values that they stand for. */
void model_config_complete(struct model_config *config);

enum { MAX_VOCABULARY = 1 << 24 };

/* Sizes within their limits and parts that go together, or ELMAN_INVALID_ARGUMENT. */
elman_status model_config_check(const struct model_config *config, elman_error *error) CHECKED;

struct encoder_sizes encoder_sizes_of(const struct model_config *config);
struct decoder_sizes decoder_sizes_of(const struct model_config *config);

#endif
