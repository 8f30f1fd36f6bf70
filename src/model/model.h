/* A model: everything that translation needs, namely configuration, weights and both
 * vocabularies. */
#ifndef ELMAN_MODEL_MODEL_H
#define ELMAN_MODEL_MODEL_H

#include "corpus/vocabulary_pair.h"
#include "elman/translate.h"
#include "model/parameters.h"
#include "tensor/screen.h"
#include "vocab/codec.h"

/* How the model was made. */
struct model_past {
  elman_history history;         /* the field `work` is not set */
  elman_train_settings training; /* of the last run; in an untrained model, those of its creation */
};

enum { MODEL_VERSION_SIZE = 32 };

struct derived;

struct model {
  struct model_config config;
  struct parameter_table table;
  real *block;               /* owned; the memory of all weights */
  struct parameters weights; /* views into the block */
  struct model_past past;
  bool loaded; /* the model was read from a file; otherwise it was created here */
  char version[MODEL_VERSION_SIZE]; /* version of the program that created the model or wrote the
                                       file */
  size_t changes; /* number of changes of the weights since creation; a value derived from the
                     weights is current only while this number stays the same */
  struct derived *derived;        /* owned */
  elman_search search;            /* beam 0 = none */
  struct script_sample sample[2]; /* indexed by side; empty in a model read from a file */
  struct token_counts counts[2];  /* indexed by side; empty in a model read from a file */
  struct vocabulary *source_vocabulary, *target_vocabulary; /* owned */
  struct merges *merges[2]; /* indexed by side; owned; NULL unless the side uses BPE */
};

/* Return the hyperparameters of training options. */
elman_train_settings train_settings_of(const elman_train_options *from);

/* Return whether training with these settings teaches the model to write <unk> where text is to be
 * copied. */
bool teaches_copying(const elman_train_settings *settings);

/* Create a model with zero weights. It takes ownership of `vocabularies`, even on failure. Values
 * of `config` that are 0 or that the vocabularies determine are filled in. */
elman_status model_create(struct model **model, struct vocabulary_pair vocabularies,
                          struct model_config config, elman_error *error) CHECKED;
void model_free(struct model *model);

/* Convert the public handle, which is this struct under another name. */
static inline struct model *inner_model(elman_model *model) {
  return (struct model *)model;
}

static inline const struct model *inner_model_const(const elman_model *model) {
  return (const struct model *)model;
}

/* Return whether translations can contain unknown words: a target in mode `bpe` has none, unless
 * noise taught the model to write them for symbols (corpus/augment.h). */
bool model_writes_unknown(const struct model *model);

/* Return whether a search must not choose <unk>: in mode `bpe`, <unk> is not text, unless it is
 * replaced. */
bool without_unknown(const struct model *model, const elman_translate_options *options);

/* Refuse a search whose values are out of range. */
elman_status search_check(elman_search search, elman_error *error) CHECKED;

/* Return the precision of translation that suits the weights: int8 if the weights come from a file
 * with ELMAN_INT8, otherwise float32. */
elman_precision model_precision(const struct model *model);

struct codec model_source_codec(const struct model *model);
struct codec model_target_codec(const struct model *model);

/* ---- values derived from the weights ----
 *
 * These values are made at the first use, and again after the weights have changed. All translators
 * of the model share them. They are valid until the weights change. Several threads may call these
 * functions with the same model.
 *
 * Set *screen to the screen of the model's output layer, or to NULL if no search with these options
 * uses it. With the screen, greedy search finds the most probable token. */
elman_status model_screen(const struct screen **screen, const struct model *model,
                          const elman_translate_options *options, elman_error *error) CHECKED;

/* Set *view to a view of the model whose products use weights in eight bits. Everything except its
 * weights belongs to the model. */
elman_status model_in_eight_bits(const struct model **view, const struct model *model,
                                 elman_error *error) CHECKED;

#endif
