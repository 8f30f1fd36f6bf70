/* A model: configuration, weights, and both vocabularies. All that is needed to translate. */
#ifndef ELMAN_MODEL_MODEL_H
#define ELMAN_MODEL_MODEL_H

#include "corpus/vocabulary_pair.h"
#include "elman/model.h"
#include "model/parameters.h"
#include "vocab/codec.h"

/* How it came about, as far as that is known. */
struct model_past {
  elman_history history; /* without the work */
  bool start_known;      /* the options of its making are those of its configuration */
  bool training_known;   /* its last training had these: */
  elman_train_settings training;
};

enum { MODEL_VERSION_SIZE = 32 };

struct model {
  struct model_config config;
  struct parameter_table table;
  real *block;               /* owned; all weights */
  struct parameters weights; /* views into the block */
  struct model_past past;
  bool loaded;                      /* from a file; else it was made */
  char version[MODEL_VERSION_SIZE]; /* of the program that made or wrote it */
  size_t trainings; /* since it was made: what is derived from the weights holds for one number */
  struct script_sample sample[2]; /* by side; none once it was saved and loaded */
  struct vocabulary *source_vocabulary, *target_vocabulary; /* owned */
  struct merges *merges[2]; /* by side; owned; NULL unless its text is split to subwords */
};

/* Takes over `vocabularies`, also when it fails. What they fix in `config` is filled in here, and
 * what 0 stands for; all weights are zero. */
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
