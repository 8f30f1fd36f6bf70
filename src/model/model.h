/* A model: configuration, weights and both vocabularies; all that translation needs. */
#ifndef ELMAN_MODEL_MODEL_H
#define ELMAN_MODEL_MODEL_H

#include "corpus/vocabulary_pair.h"
#include "elman/model.h"
#include "model/parameters.h"
#include "vocab/codec.h"

/* How the model was made, as far as that is known. */
struct model_past {
  elman_history history; /* without `work` */
  bool start_known; /* the options of its initialization are known and are in its configuration */
  bool training_known; /* the settings of its last training run are known: */
  elman_train_settings training;
};

enum { MODEL_VERSION_SIZE = 32 };

struct model {
  struct model_config config;
  struct parameter_table table;
  real *block;               /* owned; all weights */
  struct parameters weights; /* views into the block */
  struct model_past past;
  bool loaded;                      /* read from a file; otherwise created here */
  char version[MODEL_VERSION_SIZE]; /* version of the program that created or wrote it */
  size_t trainings; /* training runs since creation; shows whether values derived from the weights
                       are current */
  struct script_sample sample[2]; /* by side; empty in a model read from a file */
  struct vocabulary *source_vocabulary, *target_vocabulary; /* owned */
  struct merges *merges[2]; /* by side; owned; NULL unless the side uses BPE */
};

/* Create a model with zero weights. It owns `vocabularies`, even if this fails. Values of `config`
 * that the vocabularies determine, and those given as 0, are filled in. */
elman_status model_create(struct model **model, struct vocabulary_pair vocabularies,
                          struct model_config config, elman_error *error) CHECKED;
void model_free(struct model *model);

/* The public handle is this struct under another name. */
static inline struct model *inner_model(elman_model *model) {
  return (struct model *)model;
}

static inline const struct model *inner_model_const(const elman_model *model) {
  return (const struct model *)model;
}

struct codec model_source_codec(const struct model *model);
struct codec model_target_codec(const struct model *model);

#endif
