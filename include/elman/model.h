/* Models: options, files, what they hold. */
#ifndef ELMAN_MODEL_H
#define ELMAN_MODEL_H

#include "elman/hyperparameters.h"
#include "elman/pairs.h"

ELMAN_BEGIN

/* A network with its weights and vocabularies. */
typedef struct elman_model elman_model;

/* elman/hyperparameters.h says what each field is. A normalization is ELMAN_NFC or ELMAN_NFKC: a
 * side that asks for it becomes ELMAN_NFKC_WIDE. */
typedef struct elman_model_options {
  ELMAN_MODEL_HYPERPARAMETERS(ELMAN_FIELD)
  size_t max_length; /* tokens on a side: longer pairs count for nothing, as elman_train leaves
                        them out; 0 (default) = no limit */
  uint64_t seed;     /* of the initial weights; default 1 */
  size_t threads;    /* 0 (default) = one a core; the result does not depend on it */
} elman_model_options;

ELMAN_API elman_model_options elman_model_options_default(void);

/* A model with vocabularies counted from `pairs`, and initial weights. NULL options = defaults. */
ELMAN_CHECKED elman_status elman_model_create(elman_model **model, const elman_pairs *pairs,
                                              const elman_model_options *options,
                                              elman_error *error);

/* Reads the file at `path`, in safetensors form. Anything missing or superfluous in it, and a
 * checksum of something else than it holds, are ELMAN_BAD_DATA; files of other tools may have no
 * checksum. */
ELMAN_CHECKED elman_status elman_model_load(elman_model **model, const char *path,
                                            elman_error *error);

/* Replaces `path` at once: a reader sees the old file or the new one, never a part, whatever fails.
 * A model with a weight that is not finite is ELMAN_INVALID_ARGUMENT. */
ELMAN_CHECKED elman_status elman_model_save(const elman_model *model, const char *path,
                                            elman_error *error);
ELMAN_API void elman_model_free(elman_model *model);

/* *average has the mean of the weights of the models in `count` files, at least one: models of one
 * training, a few validations apart, or trained on from one (elman_train), whose mean often
 * translates better than each. Models that were not one to begin with have nothing in common that
 * could be averaged in this way; elman_translate_options can let them translate together. All have
 * the same configuration and vocabularies; the first file that differs from paths[0] is
 * ELMAN_INVALID_ARGUMENT, and what differs is named. One that was trained with another seed, and
 * whose weights have next to nothing in common with those before, is ELMAN_BAD_DATA. Sums are taken
 * in double, in the order of the files. The rest, its history among it, is that of the model with
 * the most updates. */
ELMAN_CHECKED elman_status elman_model_average(elman_model **average, const char *const *paths,
                                               size_t count, elman_error *error);

/* The training that a model has had, in all; all 0 if it has had none, or if its file is too old to
 * say. There is no time in it: the same training gives the same file, byte for byte. */
typedef struct elman_history {
  uint64_t epochs; /* whole ones */
  uint64_t updates;
  uint64_t tokens; /* target tokens learnt from, </s> included */
  double work; /* how often a token met a weight: the tokens times all weights but the embeddings.
                  Two cores do about 1e10 to 5e10 a second */
} elman_history;

/* Of the model in the file at `path`, of which no more is read than is needed. */
ELMAN_CHECKED elman_status elman_model_read_history(elman_history *history, const char *path,
                                                    elman_error *error);

/* The mostly Han sides in a sample of the pairs that a model was made from, with spaces between
 * words and without; ELMAN_TOKENS_CHARS takes both alike. None in a model that was loaded. */
typedef struct elman_spacing {
  size_t spaced, unspaced;
} elman_spacing;

/* How a model was trained the last time. */
typedef struct elman_train_settings {
  ELMAN_TRAIN_HYPERPARAMETERS(ELMAN_FIELD)
} elman_train_settings;

/* What a model is, and how it came to be. */
typedef struct elman_model_info {
  ELMAN_MODEL_HYPERPARAMETERS(ELMAN_FIELD) /* no 0 stands for a default, and no AUTO for a mode */
  bool start_known; /* its file tells how it was made: the fields of ELMAN_SCOPE_START hold */
  const elman_train_settings *training; /* NULL if it had none or the file does not tell */
  elman_history history;
  const char *version;                         /* of the library that made or wrote it */
  size_t source_vocabulary, target_vocabulary; /* tokens, specials included */
  size_t source_merges, target_merges; /* what was learnt to split words by; 0 but for mode `bpe` */
  elman_normalization source_normalization, target_normalization;
  elman_spacing source_spacing, target_spacing;
  size_t parameters; /* numbers that training changes */
  size_t tensors;
} elman_model_info;

/* Its pointers live as long as the model, and until it is trained. */
ELMAN_API elman_model_info elman_model_get_info(const elman_model *model);

/* One of a model's tensors. */
typedef struct elman_tensor_info {
  const char *name;                         /* as in the file; lives as long as the model */
  size_t rows, columns;                     /* a vector has 1 column */
  int dimensions;                           /* 1 or 2 */
  double minimum, maximum, mean, deviation; /* of its numbers */
} elman_tensor_info;

/* index < info.tensors */
ELMAN_API elman_tensor_info elman_model_get_tensor(const elman_model *model, size_t index);

/* The two sides of a pair. */
typedef enum elman_side { ELMAN_SOURCE, ELMAN_TARGET } elman_side;

/* The text of the token with this id (less than the vocabulary's size) as a string that lives as
 * long as the model, its length in bytes in *length (may be NULL) and how often it stood in the
 * training corpus in *count (may be NULL; specials: 0). Two tokens may have one text: see below. */
ELMAN_API const char *elman_model_get_token(const elman_model *model, elman_side side, size_t id,
                                            size_t *length, uint64_t *count);

/* How a token follows the one before it: as the way of splitting expects, or behind a space or
 * joined although it expects the other. */
typedef enum elman_boundary {
  ELMAN_BOUNDARY_DEFAULT,
  ELMAN_BOUNDARY_SPACE,
  ELMAN_BOUNDARY_NONE
} elman_boundary;

/* Of the token with this id, less than the vocabulary's size. */
ELMAN_API elman_boundary elman_model_get_boundary(const elman_model *model, elman_side side,
                                                  size_t id);

ELMAN_END

#endif
