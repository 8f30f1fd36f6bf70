/* The configuration of a network: sizes, kinds and words. */
#ifndef ELMAN_MODEL_CONFIG_H
#define ELMAN_MODEL_CONFIG_H

#include "base/team.h"
#include "decoder/decoder.h"
#include "encoder/encoder.h"
#include "model/options.h"

/* All settings that determine the shapes, the arithmetic and the words of a network. */
struct model_config {
  ELMAN_MODEL_OPTIONS(ELMAN_FIELD)
  size_t source_vocabulary, target_vocabulary; /* V_src, V_tgt, including special tokens */
  elman_normalization source_normalization, target_normalization;
};

/* Return the default configuration. Its vocabularies have one token and must be set, because this
 * size is never valid. */
struct model_config model_config_default(void);

/* Replace 0 and NULL by the default values. */
void model_config_complete(struct model_config *config);

/* Return ELMAN_INVALID_ARGUMENT if a size is outside its limits or if settings contradict each
 * other. */
elman_status model_config_check(const struct model_config *config, elman_error *error) CHECKED;

/* Return the arithmetic that the configuration names. */
enum arithmetic arithmetic_of(const struct model_config *config);
struct encoder_sizes encoder_sizes_of(const struct model_config *config);
struct decoder_sizes decoder_sizes_of(const struct model_config *config);

#endif
