/* A model: configuration, weights, and both vocabularies. All that is needed to translate. */
#ifndef ELMAN_MODEL_MODEL_H
#define ELMAN_MODEL_MODEL_H

#include "corpus/corpus.h"
#include "model/parameters.h"
#include "vocab/codec.h"

/* What training it has had, in all. No time: the same training gives the same file. */
struct training_history {
  uint64_t epochs; /* whole ones */
  uint64_t updates;
  uint64_t tokens; /* target tokens learnt from, </s> included */
};

struct model {
  struct model_config config;
  struct parameter_table table;
  real *block;               /* owned; all weights */
  struct parameters weights; /* views into the block */
  struct training_history history;
  size_t trainings; /* since it was made: what is derived from the weights holds for one number */
  elman_token_mode source_mode, target_mode;
  elman_normalization source_normalization, target_normalization;
  struct script_sample sample[2]; /* by side; none once it was saved and loaded */
  struct vocabulary *source_vocabulary, *target_vocabulary; /* owned */
};

/* Takes over `vocabularies`, also when it fails. The vocabulary sizes of `config` are filled in
 * here; all weights are zero. */
elman_status model_create(struct model **model, struct vocabulary_pair vocabularies,
                          struct model_config config, elman_error *error) CHECKED;
void model_free(struct model *model);

struct codec model_source_codec(const struct model *model);
struct codec model_target_codec(const struct model *model);

#endif
