/* Models: creation, files, properties. */
#ifndef ELMAN_MODEL_H
#define ELMAN_MODEL_H

#include "elman/options.h"
#include "elman/pairs.h"

ELMAN_BEGIN

/* A network with its parameters and vocabularies. */
typedef struct elman_model elman_model;

/* Options of a new model; elman/options.h describes the fields. The normalization must not be
 * ELMAN_NFKC_WIDE or ELMAN_NFKC_LOWER. The library selects these two itself: ELMAN_NFKC becomes
 * ELMAN_NFKC_WIDE on a side that is mostly Chinese characters or kana, and
 * ELMAN_NORMALIZATION_AUTO_LOWER selects ELMAN_NFKC_LOWER. */
typedef struct elman_model_options {
  ELMAN_MODEL_OPTIONS(ELMAN_FIELD)
  uint64_t reserved_rows[16];
  uint64_t reserved[4];
} elman_model_options;

/* Options of training; see elman/train.h. */
typedef struct elman_train_options elman_train_options;

ELMAN_API elman_model_options elman_model_options_default(void);

/* Check the options as far as this is possible without pairs. */
ELMAN_CHECKED elman_status elman_model_options_check(const elman_model_options *options,
                                                     elman_error *error);

/* Create a model with the vocabularies of `pairs` and initial parameters. `training` has the
 * options with which the model will be trained. Its `max_length` applies here: longer pairs are
 * ignored. Its `seed` determines the initial parameters, and its `threads` also apply to this
 * function. NULL options = defaults. */
ELMAN_CHECKED elman_status elman_model_create(elman_model **model, const elman_pairs *pairs,
                                              const elman_model_options *options,
                                              const elman_train_options *training,
                                              elman_error *error);

/* Read the safetensors file at `path`. Return ELMAN_BAD_DATA for a missing or unexpected part and
 * for a wrong checksum. A file from another program may lack the checksum. */
ELMAN_CHECKED elman_status elman_model_load(elman_model **model, const char *path,
                                            elman_error *error);

/* Write the model as float32 and replace `path` atomically: at any time, readers see either the old
 * file or the complete new one. Return ELMAN_INVALID_ARGUMENT if a parameter is not finite. */
ELMAN_CHECKED elman_status elman_model_save(const elman_model *model, const char *path,
                                            elman_error *error);

/* Types of the numbers in a model file. Parameters in memory are always float32. */
typedef enum elman_number_type {
  ELMAN_FLOAT32,
  ELMAN_BFLOAT16, /* half the size; relative rounding error at most 2^-8 */
  ELMAN_FLOAT16,  /* half the size; relative rounding error at most 2^-11 from 6.1e-5 to 65504 */
  ELMAN_INT8      /* about a quarter of the size: matrices in eight bits, with a scale for each row,
                     as in ELMAN_PRECISION_INT8; vectors and matrices of one row stay float32 */
} elman_number_type;

/* Return "float32", "bfloat16", "float16" or "int8" for index 0 to 3; NULL for any other index. */
ELMAN_API const char *elman_number_type_name(size_t index);

/* Write the model to `path` as elman_model_save does, with numbers of `type`, rounded to nearest.
 * Return ELMAN_INVALID_ARGUMENT if a parameter is too large for the type. */
ELMAN_CHECKED elman_status elman_model_save_as(const elman_model *model, const char *path,
                                               elman_number_type type, elman_error *error);

/* Write the model to `stream` as elman_model_save_as writes it to a file. A write error sets the
 * stream's error flag, which the caller checks. */
ELMAN_CHECKED elman_status elman_model_write(FILE *stream, const elman_model *model,
                                             elman_number_type type, elman_error *error);

/* Read a model from the `size` bytes of its file, which are only needed during the call. Errors are
 * those of elman_model_load. */
ELMAN_CHECKED elman_status elman_model_read(elman_model **model, const void *bytes, size_t size,
                                            elman_error *error);
ELMAN_API void elman_model_free(elman_model *model);

/* Average the parameters of the models in `count` files, at least one.
 *
 * Average models of one training run that are a few validations apart, or models that elman_train
 * trained further from one model. The average often translates better than each of these models. An
 * average of independently trained models is useless; combine such models as an ensemble
 * (elman_translate_options).
 *
 * All models must have the same configuration and vocabularies. If a file differs from paths[0],
 * return ELMAN_INVALID_ARGUMENT; the message names the difference. Return ELMAN_BAD_DATA if a model
 * has another seed and its parameters are almost uncorrelated with those of the others. Sums are
 * computed in double, in the order of the files. Everything else, such as the history, is copied
 * from the model with the most updates. */
ELMAN_CHECKED elman_status elman_model_average(elman_model **average, const char *const *paths,
                                               size_t count, elman_error *error);

/* Amount of training of a model; all 0 for an untrained model. It contains no times, so that equal
 * training runs write equal files. */
typedef struct elman_history {
  uint64_t epochs; /* completed epochs */
  uint64_t updates;
  uint64_t tokens; /* target tokens trained on, </s> included */
  double work;     /* amount of computation: tokens times parameters, embeddings excluded. Two cores
                      compute about 1e10 to 5e10 per second */
} elman_history;

/* Read the history of the model in the file at `path`, without reading the parameters. The work is
 * infinite if the file has no checksum: another program wrote such a file, for example PyTorch. */
ELMAN_CHECKED elman_status elman_model_read_history(elman_history *history, const char *path,
                                                    elman_error *error);

/* Counts of a side of the pairs from which the model was created; 0 for a loaded model. */
typedef struct elman_side_counts {
  size_t spaced;   /* sampled lines of a script without spaces that have spaces between words */
  size_t unspaced; /* sampled lines of such a script that have none; ELMAN_TOKENS_CHARS treats both
                      kinds alike */
  size_t tokens;   /* tokens of all lines */
  size_t distinct, once; /* distinct tokens, and distinct tokens that occur once */
} elman_side_counts;

/* Settings of the last training run of a model; for an untrained model, the settings with which it
 * was created. */
typedef struct elman_train_settings {
  ELMAN_TRAIN_OPTIONS(ELMAN_FIELD)
  uint64_t reserved_rows[16];
} elman_train_settings;

/* The search for translations that suits a model; fields as in elman_translate_options. */
typedef struct elman_search {
  size_t beam; /* 0 = the model stores no search */
  double length_penalty;
} elman_search;

/* Properties of a model. Hyperparameters have their actual values: 0 and AUTO are replaced by the
 * values that were used. */
typedef struct elman_model_info {
  ELMAN_MODEL_OPTIONS(ELMAN_FIELD)
  uint64_t reserved_rows[16];
  elman_train_settings training;
  elman_history history;
  const char *version; /* version of the library that created or wrote the model */
  size_t source_vocabulary, target_vocabulary; /* tokens, special tokens included */
  size_t source_merges, target_merges;         /* merge operations; 0 except for mode `bpe` */
  elman_normalization source_normalization, target_normalization;
  const char *source_script, *target_script; /* script of most words of the vocabulary: "Latin",
                                                "Han", "Japanese", ...; NULL if there is none */
  elman_side_counts source_counts, target_counts;
  elman_search search;                 /* see elman_tune_search and elman_model_set_search */
  elman_precision translate_precision; /* int8 for a model that was read from a file with ELMAN_INT8
                                          and not changed since, otherwise float32 */
  bool writes_unknown; /* translations can contain unknown words, which `replace_unknown` replaces.
                          This is so if the target is not in mode `bpe`, or if `copy_noise` or
                          `copy_numbers` taught the model to write them for text that is to be
                          copied */
  size_t parameters;   /* number of trainable values */
  size_t tensors;
  uint64_t reserved[8];
} elman_model_info;

/* Return the properties. Pointers are valid until the model is trained or freed. */
ELMAN_API elman_model_info elman_model_get_info(const elman_model *model);

/* Store `search` in the model and in the files that are saved from it. A beam of 0 removes the
 * stored search, and so does elman_train. The library does not apply a stored search by itself;
 * elman_model_translate_options returns it. Return ELMAN_INVALID_ARGUMENT for values that no search
 * accepts. */
ELMAN_CHECKED elman_status elman_model_set_search(elman_model *model, elman_search search,
                                                  elman_error *error);

/* Properties of a tensor. */
typedef struct elman_tensor_info {
  const char *name;       /* as in the file; valid as long as the model */
  size_t rows, columns;   /* a vector has 1 column */
  int dimensions;         /* 1 or 2 */
  elman_number_type type; /* type in the file that the model was read from; float32 for a new one */
  double minimum, maximum, mean, deviation; /* statistics of its values */
} elman_tensor_info;

/* Return the properties of tensor `index`, below info.tensors. */
ELMAN_API elman_tensor_info elman_model_get_tensor(const elman_model *model, size_t index);

/* The two sides of a pair. */
typedef enum elman_side { ELMAN_SOURCE, ELMAN_TARGET } elman_side;

/* Return the text of token `id`, below the vocabulary's size. The string is valid as long as the
 * model. Set *length to its length in bytes and *count to its frequency in the training data, which
 * is 0 for special tokens; either pointer may be NULL. Two tokens may have the same text, with
 * different boundaries. */
ELMAN_API const char *elman_model_get_token(const elman_model *model, elman_side side, size_t id,
                                            size_t *length, uint64_t *count);

/* Whether a space precedes a token. DEFAULT follows the rule of the tokenization mode; SPACE and
 * NONE are exceptions to this rule. */
typedef enum elman_boundary {
  ELMAN_BOUNDARY_DEFAULT,
  ELMAN_BOUNDARY_SPACE,
  ELMAN_BOUNDARY_NONE
} elman_boundary;

/* Return the boundary of token `id`, below the vocabulary's size. */
ELMAN_API elman_boundary elman_model_get_boundary(const elman_model *model, elman_side side,
                                                  size_t id);

ELMAN_END

#endif
