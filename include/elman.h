/* elman: a recurrent sequence-to-sequence translator with encoder–decoder attention.
 *
 *   elman_pairs *pairs;  elman_model *model;  elman_translator *translator;
 *   elman_pairs_read(&pairs, &pairs_options, &error);         sentence pairs from files
 *   elman_model_create(&model, pairs, &model_options, &error);   vocabularies, initial weights
 *   elman_train(model, pairs, &train_options, &error);
 *   elman_model_save(model, "model.safetensors", &error);
 *   elman_translator_create(&translator, model, &error);
 *   elman_translate(&translation, translator, "我 爱 学习", strlen(...), NULL, &error);
 *
 * Conventions. Text is UTF-8. A function that can fail returns an elman_status, which must be
 * looked at, and fills `error` unless that is NULL; its output is then NULL or unchanged. What a
 * `_create`, `_read` or `_load` gave is returned to the matching `_free`, which accepts NULL. A
 * `const` argument may be used by several threads at once; any other argument by one at a time.
 * Pointers in `options` structs are borrowed for the call. The library prints nothing, never exits,
 * and leaves the locale, signals and OpenMP's settings as they were.
 *
 * OpenBLAS is set up for the whole process by the first call that loads a model or computes: one
 * thread (elman runs its own), and, where OpenBLAS chose kernels for less than the processor can do
 * (it goes by a list of models), those for AVX-512, AVX2 or AVX. The variable OPENBLAS_CORETYPE, if
 * it is set, decides instead; if not, it is set and removed again in that call. A program that uses
 * OpenBLAS itself, or reads its environment in another thread, makes that first call while no other
 * thread does either.
 *
 * OpenBLAS wants 128 MB of address space for each thread that multiplies, and for each that it
 * starts when it is loaded; those wait for ever if it is refused. Calls of this library look for it
 * first, and fail with ELMAN_NO_MEMORY; but where address space is limited (ulimit -v), a program
 * that is to end at all is started with OPENBLAS_NUM_THREADS=1, as `elman` starts itself.
 *
 * Matrices are row-major. S and T are the numbers of source and target tokens. */
#ifndef ELMAN_H
#define ELMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ELMAN_API __attribute__((visibility("default")))
#define ELMAN_CHECKED __attribute__((visibility("default"), warn_unused_result))

/* ---- errors ---- */

typedef enum elman_status {
  ELMAN_OK,
  ELMAN_INVALID_ARGUMENT, /* something was asked for that cannot be */
  ELMAN_BAD_DATA,         /* a corpus, text or model file does not hold what it should */
  ELMAN_NO_INPUT,         /* a file does not exist or cannot be opened */
  ELMAN_NO_MEMORY,
  ELMAN_CANNOT_CREATE, /* an output file cannot be created */
  ELMAN_IO,            /* reading or writing failed half-way */
  ELMAN_INTERRUPTED    /* a callback asked to stop; what was done so far is kept */
} elman_status;

typedef struct elman_error {
  elman_status code;
  char message[512]; /* what was wrong and what to do, one line */
  char where[512];   /* "file:line" or "file", or empty */
} elman_error;

/* "0.1.0" */
ELMAN_API const char *elman_version(void);

/* ---- the machine ---- */

/* Who chose OpenBLAS's kernels: OpenBLAS, the variable OPENBLAS_CORETYPE, or this library. */
typedef enum elman_kernel_choice {
  ELMAN_KERNELS_BY_BLAS,
  ELMAN_KERNELS_BY_USER,
  ELMAN_KERNELS_BY_PROCESSOR
} elman_kernel_choice;

/* What the speed, and the last bits of a result, depend on. Static strings. */
typedef struct elman_machine {
  const char *blas;             /* OpenBLAS's version and how it was built */
  const char *kernels;          /* the family in use, for example "SkylakeX" */
  const char *original_kernels; /* the family that OpenBLAS had chosen */
  elman_kernel_choice choice;
  const char *processor; /* the vector instructions that it has */
  const char *compiled;  /* those that the library's own loops were compiled for */
  const char *screen;    /* those of eight-bit products in greedy search */
  size_t threads;        /* that a call uses if nothing else is said */
} elman_machine;

/* Sets up OpenBLAS. */
ELMAN_API elman_machine elman_machine_get(void);

/* ---- tokens ---- */

/* How text becomes tokens: at white space; letters and digits together with punctuation apart and
 * Han characters one by one; by extended grapheme clusters; or the fitting one of these. */
typedef enum elman_token_mode {
  ELMAN_TOKENS_SPACE,
  ELMAN_TOKENS_WORDS,
  ELMAN_TOKENS_CHARS,
  ELMAN_TOKENS_AUTO
} elman_token_mode;

/* "space", "words", "chars", "auto"; NULL for any other value. */
ELMAN_API const char *elman_token_mode_name(elman_token_mode mode);

/* How text is written before it is split. NFKC is Unicode's, which takes full-width letters and the
 * like for ordinary ones, with punctuation unified that a typist cannot tell apart: curly quotation
 * marks become straight ones, dashes hyphens. A side whose lines are mostly Han or kana is WIDE:
 * its punctuation is full-width instead, however it was typed. */
typedef enum elman_normalization { ELMAN_NFC, ELMAN_NFKC, ELMAN_NFKC_WIDE } elman_normalization;

/* "nfc", "nfkc", "nfkc-wide"; NULL for any other value. */
ELMAN_API const char *elman_normalization_name(elman_normalization normalization);

/* ---- sentence pairs ---- */

typedef struct elman_pairs elman_pairs;

/* Called for each line that is left out. */
typedef void elman_skipped_function(void *context, const char *file, size_t line,
                                    const char *problem);

typedef struct elman_pairs_options {
  const char *const *files; /* TSV, a pair a line; "-" is standard input */
  size_t file_count;
  const char *source_file; /* instead of `files`: two files with a sentence a line */
  const char *target_file;
  size_t source_column, target_column; /* columns of the TSV, from 1; default 1 and 2 */
  size_t alignment_column; /* column with word alignments "i-j i-j ...", 0-based; 0 = none */
  bool strict;             /* a bad line is an error, not skipped */
  bool whole_lines;        /* keeps the lines for elman_pairs_line, but no alignments */
  elman_skipped_function *skipped; /* may be NULL */
  void *context;
} elman_pairs_options;

ELMAN_API elman_pairs_options elman_pairs_options_default(void);

/* Reads all pairs into memory. A line that is not valid UTF-8, lacks a column or has an empty side
 * is skipped and counted. ELMAN_BAD_DATA when not one pair is left. */
ELMAN_CHECKED elman_status elman_pairs_read(elman_pairs **pairs, const elman_pairs_options *options,
                                            elman_error *error);
ELMAN_API void elman_pairs_free(elman_pairs *pairs);
ELMAN_API size_t elman_pairs_count(const elman_pairs *pairs);
ELMAN_API size_t elman_pairs_skipped(const elman_pairs *pairs);

/* The line that a pair (index less than the count) was read from, with all its columns but without
 * its line end; NULL unless `whole_lines` was set. Of two files it is the source's line. The length
 * in bytes goes to *length (may be NULL). */
ELMAN_API const char *elman_pairs_line(const elman_pairs *pairs, size_t index, size_t *length);

/* ---- looking at a corpus ---- */

typedef enum elman_finding {
  /* bad lines, which are no pairs */
  ELMAN_FINDING_NOT_UTF8,
  ELMAN_FINDING_LACKS_COLUMN,
  ELMAN_FINDING_EMPTY, /* the line or one of its sides */
  /* worth a look */
  ELMAN_FINDING_DUPLICATE,      /* the same pair again in the same part */
  ELMAN_FINDING_NEAR_DUPLICATE, /* the same but for case, width, punctuation or white space */
  ELMAN_FINDING_OTHER_TARGET,   /* the same source again in the part, with another target */
  ELMAN_FINDING_OTHER_SOURCE,
  ELMAN_FINDING_LENGTH_RATIO,  /* a side is far longer or shorter than the other one promises */
  ELMAN_FINDING_TOO_LONG,      /* a side has more tokens than `max_length` */
  ELMAN_FINDING_MIXED_SCRIPTS, /* no Han characters on a side of Han, or some on the other */
  ELMAN_FINDING_SWAPPED,       /* source and target seem to have changed places */
  /* leaks: the same stands in an earlier part; LIKE is the same but for case, width, punctuation
     or white space */
  ELMAN_FINDING_SAME_PAIR,
  ELMAN_FINDING_SAME_SOURCE,
  ELMAN_FINDING_SAME_TARGET,
  ELMAN_FINDING_LIKE_PAIR,
  ELMAN_FINDING_LIKE_SOURCE,
  ELMAN_FINDING_LIKE_TARGET
} elman_finding;

/* "not_utf8", "lacks_column", ...; NULL for any other value. */
ELMAN_API const char *elman_finding_name(elman_finding finding);

typedef struct elman_check_options {
  const elman_pairs_options *parts; /* each one file, or a source and a target file; the first is
                                       the one to train on */
  size_t part_count;
  elman_token_mode source_tokens, target_tokens; /* default ELMAN_TOKENS_AUTO */
  size_t max_length;                             /* tokens on a side; default 200, as in training */
  double max_ratio; /* times longer or shorter than expected, above 1; default 3 */
  size_t examples;  /* kept of each finding in each part; default 3 */
} elman_check_options;

ELMAN_API elman_check_options elman_check_options_default(void);

typedef struct elman_check elman_check; /* what was found */

/* Looks at the parts one by one and for leaks between them. That something is found is no error. */
ELMAN_CHECKED elman_status elman_check_create(elman_check **check,
                                              const elman_check_options *options,
                                              elman_error *error);
ELMAN_API void elman_check_free(elman_check *check);

/* Neither leaks nor bad lines. */
ELMAN_API bool elman_check_clean(const elman_check *check);

typedef struct elman_check_part {
  const char *name; /* of its file; lives as long as `check` */
  size_t pairs;
  size_t leaking;                        /* pairs with a leak of any kind */
  size_t source_tokens, target_tokens;   /* how many */
  size_t unknown_source, unknown_target; /* of them, those that the first part lacks */
} elman_check_part;

/* part < part_count of the options */
ELMAN_API elman_check_part elman_check_get_part(const elman_check *check, size_t part);
/* The lines of a part that a finding holds for. */
ELMAN_API size_t elman_check_count(const elman_check *check, elman_finding finding, size_t part);
/* The lines of a part that have a leak of this kind from the part `earlier` < `part`. */
ELMAN_API size_t elman_check_shared(const elman_check *check, elman_finding leak, size_t part,
                                    size_t earlier);

/* What the first part's sides are split into (never ELMAN_TOKENS_AUTO), and its different tokens.
 */
typedef struct elman_check_tokens {
  elman_token_mode source_tokens, target_tokens;
  size_t source_vocabulary, target_vocabulary;
} elman_check_tokens;

ELMAN_API elman_check_tokens elman_check_get_tokens(const elman_check *check);

typedef struct elman_check_example {
  elman_finding finding;
  size_t part, line;                   /* line from 1 */
  size_t other_part, other_line;       /* where the same stood before; line 0 = nowhere */
  const char *source, *target;         /* NULL for a bad line */
  const char *problem;                 /* what is wrong with a bad line; else empty */
  size_t source_length, target_length; /* characters (LENGTH_RATIO) or tokens (TOO_LONG); or 0 */
} elman_check_example;

/* False when there is no example of this number (from 0). The text lives as long as `check`. */
ELMAN_API bool elman_check_get_example(elman_check_example *example, const elman_check *check,
                                       size_t index);

/* ---- splitting a corpus ---- */

typedef enum elman_part { ELMAN_PART_TRAIN, ELMAN_PART_DEV, ELMAN_PART_TEST } elman_part;
#define ELMAN_PARTS 3

/* "train", "dev", "test"; NULL for any other value. */
ELMAN_API const char *elman_part_name(elman_part part);

typedef struct elman_part_size {
  size_t pairs;
  double share; /* of all pairs, 0 to 1, in place of `pairs`; at least one pair if it is above 0 */
} elman_part_size;

typedef struct elman_split_options {
  elman_part_size dev, test; /* default a share of 0.05 each; training has the rest */
  uint64_t seed;             /* default 1 */
} elman_split_options;

ELMAN_API elman_split_options elman_split_options_default(void);

typedef struct elman_split elman_split; /* which part each pair goes to */

/* Pairs that share a side, but for case, width, punctuation or white space, form a group, and a
 * group lies whole in one part. The smallest groups go to dev and test, which may get less than
 * they shall when no group fits. ELMAN_INVALID_ARGUMENT when nothing is left to train on;
 * ELMAN_BAD_DATA when dev or test would stay empty. */
ELMAN_CHECKED elman_status elman_split_create(elman_split **split, const elman_pairs *pairs,
                                              const elman_split_options *options,
                                              elman_error *error);
ELMAN_API void elman_split_free(elman_split *split);

/* index < the number of pairs */
ELMAN_API elman_part elman_split_part(const elman_split *split, size_t index);

typedef struct elman_split_info {
  size_t pairs[ELMAN_PARTS];  /* by elman_part */
  size_t wanted[ELMAN_PARTS]; /* what was asked for */
  size_t groups;
  size_t largest; /* pairs in the largest group */
} elman_split_info;

ELMAN_API elman_split_info elman_split_get_info(const elman_split *split);

/* ---- models ---- */

typedef struct elman_model elman_model;

/* The names of the attention mechanisms, from index 0 up; NULL past the last. */
ELMAN_API const char *elman_attention_name(size_t index);

typedef struct elman_model_options {
  size_t embedding_size;   /* default 128 */
  size_t hidden_size;      /* default 128 */
  size_t layers;           /* of the encoder, and of the decoder; 1 (default) to 8 */
  bool bidirectional;      /* the encoder reads both ways, with hidden_size / 2 units each */
  const char *attention;   /* a name from elman_attention_name; default "dot" */
  size_t heads;            /* of "multihead", which they divide; 0 (default) = 4 there, else 1 */
  size_t attention_window; /* of "local": source words to each side of the centre that are seen;
                              0 (default) = 5 there, else none */
  size_t encoder_self_attention; /* heads of a self-attention layer over the encoder's states, whose
                                    result is added to them; 0 (default) = none */
  size_t decoder_self_attention; /* the same over the decoder's states so far */
  bool plain_self_attention;     /* without linear maps of queries, keys, values and result */
  bool attentional_layer; /* a tanh layer over [RNN output; context] before the output layer */
  bool input_feeding;     /* its state joins the decoder's next input; needs that layer */
  bool tie_embeddings;    /* the output layer is the target embedding; needs that layer */
  bool orthogonal_initial_values; /* orthogonal recurrent matrices and small embeddings, instead of
                                     PyTorch's initial values */
  elman_token_mode source_tokens, target_tokens; /* default ELMAN_TOKENS_AUTO */
  elman_normalization normalization; /* ELMAN_NFC, or ELMAN_NFKC (default): a side that asks for it
                                        becomes ELMAN_NFKC_WIDE */
  size_t min_count;                  /* words seen less often are unknown words; default 1 */
  size_t max_vocabulary;             /* words a side, the most frequent; 0 (default) = no limit */
  size_t max_length; /* tokens on a side: longer pairs count for nothing, as elman_train leaves
                        them out; 0 (default) = no limit */
  uint64_t seed;     /* of the initial weights; default 1 */
} elman_model_options;

ELMAN_API elman_model_options elman_model_options_default(void);

/* A model with both vocabularies counted from `pairs`, and initial weights. */
ELMAN_CHECKED elman_status elman_model_create(elman_model **model, const elman_pairs *pairs,
                                              const elman_model_options *options,
                                              elman_error *error);

/* One safetensors file; a file with anything missing or superfluous is ELMAN_BAD_DATA, and so is
 * one that holds something else than its checksum says. Files of other tools may have no checksum.
 */
ELMAN_CHECKED elman_status elman_model_load(elman_model **model, const char *path,
                                            elman_error *error);

/* Replaces `path` at once: a reader sees the old file or the new one, never a part, whatever fails.
 * A model with a weight that is not finite is ELMAN_INVALID_ARGUMENT. */
ELMAN_CHECKED elman_status elman_model_save(const elman_model *model, const char *path,
                                            elman_error *error);
ELMAN_API void elman_model_free(elman_model *model);

/* What training a model has had, in all; all 0 if it has had none, or if its file is too old to
 * say. There is no time in it: the same training gives the same file, byte for byte. */
typedef struct elman_history {
  uint64_t epochs; /* whole ones */
  uint64_t updates;
  uint64_t tokens; /* target tokens learnt from, </s> included */
  double work; /* how often a token met a weight: the tokens times all weights but the embeddings.
                  Two cores do about 1e10 to 5e10 a second */
} elman_history;

/* Reads no more of the file than it needs. */
ELMAN_CHECKED elman_status elman_model_read_history(elman_history *history, const char *path,
                                                    elman_error *error);

/* Of a sample of the pairs that a model was made from, the sides that are mostly Han: with spaces
 * between their words, and without. Where there are both, ELMAN_TOKENS_CHARS takes them alike. None
 * in a model that was loaded. */
typedef struct elman_spacing {
  size_t spaced, unspaced;
} elman_spacing;

typedef struct elman_model_info {
  size_t embedding_size, hidden_size, layers;
  bool bidirectional, attentional_layer, input_feeding, tie_embeddings;
  size_t source_vocabulary, target_vocabulary; /* tokens, specials included */
  size_t parameters;                           /* numbers that training changes */
  size_t tensors;
  const char *attention;
  size_t heads, attention_window;                        /* 1 and 0 where the mechanism has none */
  size_t encoder_self_attention, decoder_self_attention; /* heads; 0 = none */
  bool plain_self_attention;
  elman_token_mode source_tokens, target_tokens; /* never ELMAN_TOKENS_AUTO */
  elman_normalization source_normalization, target_normalization;
  elman_spacing source_spacing, target_spacing;
} elman_model_info;

ELMAN_API elman_model_info elman_model_get_info(const elman_model *model);

typedef struct elman_tensor_info {
  const char *name;                         /* as in the file; lives as long as the model */
  size_t rows, columns;                     /* a vector has 1 column */
  int dimensions;                           /* 1 or 2 */
  double minimum, maximum, mean, deviation; /* of its numbers */
} elman_tensor_info;

/* index < info.tensors */
ELMAN_API elman_tensor_info elman_model_get_tensor(const elman_model *model, size_t index);

typedef enum elman_side { ELMAN_SOURCE, ELMAN_TARGET } elman_side;

/* The text of the token with this id (less than the vocabulary's size) as a string that lives as
 * long as the model, its length in bytes in *length (may be NULL) and how often it stood in the
 * training corpus in *count (may be NULL; specials: 0). Two tokens may have one text: see below. */
ELMAN_API const char *elman_model_get_token(const elman_model *model, elman_side side, size_t id,
                                            size_t *length, uint64_t *count);

/* How a token follows the one before it: as the way of splitting expects, or behind a space or
 * joined although it expects the other. */
typedef enum elman_joint {
  ELMAN_JOINT_EXPECTED,
  ELMAN_JOINT_SPACED,
  ELMAN_JOINT_JOINED
} elman_joint;

ELMAN_API elman_joint elman_model_get_joint(const elman_model *model, elman_side side, size_t id);

/* ---- training ---- */

typedef struct elman_train_report {
  size_t epoch, epochs;   /* from 1 */
  size_t update, updates; /* within the epoch, from 1 */
  size_t tokens;          /* target tokens seen in this epoch, </s> included */
  size_t left_out;        /* pairs that are not trained on, since a side is too long */
  double unknown_source;  /* share of the source's tokens that the vocabulary lacks, 0 to 1: the
                             model learns them as one unknown word */
  double unknown_target;
  double loss;          /* mean cross-entropy per target token over this epoch so far */
  double update_loss;   /* of this update alone */
  double gradient_norm; /* before clipping */
  double learning_rate;
  size_t skipped; /* updates left out so far, since their loss was not finite */
} elman_train_report;

typedef struct elman_validation {
  size_t epoch;       /* the current one, from 1 */
  uint64_t update;    /* updates since the start */
  double loss;        /* mean cross-entropy per target token, without label smoothing */
  double perplexity;  /* exp(loss) */
  double exact_match; /* of greedy translations, 0 to 1 */
  double bleu, chrf;  /* likewise, 0 to 100 */
  bool best;          /* a higher BLEU than all before */
} elman_validation;

/* Called after every update, and after every validation. Both return false to stop: training ends
 * with ELMAN_INTERRUPTED, and the model keeps what it has learnt. */
typedef bool elman_train_function(void *context, const elman_train_report *report);
typedef bool elman_validation_function(void *context, const elman_validation *validation);

/* Called after every attempt to write the checkpoint: `problem` says why that failed; NULL = it is
 * written. Training goes on in any case, and tries again when the next checkpoint is due. */
typedef void elman_saved_function(void *context, const elman_error *problem);

/* The names of the learning-rate schedules, from index 0 up: "constant"; "plateau", halved after
 * each validation that brings no new best; "inverse-sqrt", falling with the root of the number of
 * updates. NULL past the last. */
ELMAN_API const char *elman_schedule_name(size_t index);

#define ELMAN_EPOCHS_AUTO SIZE_MAX

typedef struct elman_train_options {
  size_t epochs;        /* default ELMAN_EPOCHS_AUTO: at least 10 and as many as give 400 updates */
  size_t batch_size;    /* sentences; default 32 */
  double learning_rate; /* of Adam; default 0.001, at most 1e30 */
  const char *schedule; /* a name from elman_schedule_name; default "constant" */
  size_t warm_up; /* updates during which the learning rate rises to its full value; default 0 */
  double dropout; /* probability, from 0 (default) to below 1 */
  double attention_dropout; /* the same for attention weights */
  double label_smoothing;   /* share spread over the vocabulary, from 0 (default) to below 1 */
  double average;    /* decay of a moving average of the weights, which then is what is validated
                        and kept; from 0 (default, off) to below 1 */
  double clip_norm;  /* largest norm of all gradients together; 0 = off; default 1 */
  size_t max_length; /* pairs with a longer side are left out; 0 = none; default 200 tokens */
  uint64_t seed;     /* of the order of the pairs and of dropout; default 1 */
  size_t threads;    /* 0 (default) = one a core; the result does not depend on it */

  const elman_pairs *dev; /* pairs to validate on; the best model is kept. NULL (default) = none */
  size_t validate_every;  /* updates between validations; 0 (default) = after each epoch */
  size_t
      patience; /* validations without a new best after which training ends; 0 (default) = no end */

  const char *pairs_name; /* what a message calls the pairs where a checkpoint belongs to others,
                             such as the names of their files; NULL (default) = nothing */
  const char *dev_name;   /* likewise the dev pairs */
  const char *checkpoint; /* file to which training is saved when it stops; NULL (default) = none.
                             For one training at a time: see elman_lock_take */
  const char *output;     /* where the model will go: a checkpoint has the permissions of the file
                             there. NULL (default) = those of any new file */
  double save_every;      /* and every so many seconds; 0 (default) = only when it stops */
  bool resume; /* go on from the checkpoint, if it is there: the final model is the same, byte
                  for byte, as that of a run that never stopped. ELMAN_INVALID_ARGUMENT when
                  corpus, model or options differ */

  elman_train_function *report;         /* may be NULL */
  elman_validation_function *validated; /* may be NULL */
  elman_saved_function *saved;          /* NULL (default) = a checkpoint that cannot be written ends
                                           training, with its error */
  void *context;
} elman_train_options;

ELMAN_API elman_train_options elman_train_options_default(void);

typedef enum elman_checkpoint {
  ELMAN_CHECKPOINT_NONE,
  ELMAN_CHECKPOINT_UNFINISHED,
  ELMAN_CHECKPOINT_FINISHED /* its training came to its end: little is lost if it is replaced */
} elman_checkpoint;

/* What is in the file of a checkpoint. Whatever but absence keeps it from being looked at is an
 * error. */
ELMAN_CHECKED elman_status elman_checkpoint_look(elman_checkpoint *checkpoint, const char *path,
                                                 elman_error *error);

/* Trains with teacher forcing, back-propagation through time and Adam. An update whose loss is not
 * finite is left out; ten in a row are an error, and the model is then of no use. */
ELMAN_CHECKED elman_status elman_train(elman_model *model, const elman_pairs *pairs,
                                       const elman_train_options *options, elman_error *error);

/* ---- translating ---- */

/* Scratch memory for one translation after the other. The model must outlive it. */
typedef struct elman_translator elman_translator;

ELMAN_CHECKED elman_status elman_translator_create(elman_translator **translator,
                                                   const elman_model *model, elman_error *error);
ELMAN_API void elman_translator_free(elman_translator *translator);

/* Read only; owned by the caller, freed whole.
 *
 * Rows of attention weights, of each head as of their average, sum to 1 (to rounding) with every
 * mechanism but "local". There a Gaussian around the predicted centre takes a part of what a
 * softmax has shared out, and a row sums to 1 at most and to exp(-2) = 0.135 at least. Overrides
 * make rows of sum 1 in any case, but for ELMAN_OVERRIDE_SHUFFLE, which leaves the sum as it is,
 * and ELMAN_OVERRIDE_CELL, which changes one row only. Dropout of weights is for training alone. */
typedef struct elman_translation {
  const char *text;                 /* the translation as plain text */
  const char *source;               /* what was translated, as it was given */
  double log_probability;           /* natural logarithm, summed over the target tokens; NaN where
                                       the options ask for no scores */
  double score;                     /* log_probability / T^length_penalty: larger is better */
  size_t source_count;              /* S; 0 when the text was empty or white space only */
  size_t target_count;              /* T */
  size_t heads;                     /* matrices of attention weights, at least 1 */
  const char *const *source_tokens; /* (S); also words that are unknown */
  const uint32_t *source_ids;       /* (S): see elman_model_get_token; 0 = unknown */
  const bool *source_known;         /* (S): false where the vocabulary lacks the word */
  const size_t *source_starts;      /* (S): token s is the bytes from source_starts[s] up to, */
  const size_t *source_ends;        /* but not including, source_ends[s] of `source` */
  const char *const *target_tokens; /* (T); the last is "</s>" if the decoder ended by itself */
  const uint32_t *target_ids;       /* (T): what the decoder said, 0 for an unknown word */
  const size_t *target_starts;      /* (T): the same in `text`; "</s>" has no byte */
  const size_t *target_ends;
  bool ended;                           /* the last target token is "</s>" */
  bool forced;                          /* a reference was forced */
  const float *attention;               /* (T,S): attention weights, the average of the heads */
  const float *head_attention;          /* (heads,T,S): those of each head */
  const struct elman_translation *next; /* the next best translation of the same sentence, which
                                           goes with the first; NULL past the last */
} elman_translation;

#define ELMAN_MOST_BEAM 1024
#define ELMAN_DEFAULT_MAX_BYTES ((size_t)1 << 22)
#define ELMAN_MOST_OVERRIDES 64

/* An intervention: attention weights are changed, in every head, while the model decodes, and what
 * the decoder then does shows whether it needs them as they are. */
typedef enum elman_override_kind {
  ELMAN_OVERRIDE_UNIFORM,  /* all source words have the same weight */
  ELMAN_OVERRIDE_SHUFFLE,  /* the weights of a target word change places at random */
  ELMAN_OVERRIDE_POSITION, /* source word `column` has all the weight */
  ELMAN_OVERRIDE_CELL /* for target word `row` source word `column` has `weight`, and the others
                         share what is left in the proportions they had */
} elman_override_kind;

typedef struct elman_override {
  elman_override_kind kind;
  size_t row, column; /* from 0; in a shorter sentence `column` is the last word */
  double weight;      /* 0 to 1 */
} elman_override;

typedef struct elman_translate_options {
  size_t max_bytes;  /* of a text; a longer one is ELMAN_BAD_DATA, and is not looked at; 0 = no
                        limit; default ELMAN_DEFAULT_MAX_BYTES. Memory grows with the longest */
  size_t max_length; /* target tokens; 0 (default) = none, but see max_ratio */
  double max_ratio;  /* target tokens for each source token; 0 (default) = none; where neither is
                        set the limit is 2 S + 10, where both are it is the smaller */
  size_t beam;       /* translations that are followed at once, 1 to ELMAN_MOST_BEAM; 1 (default)
                        is greedy search: at each step the likeliest token */
  size_t n_best;     /* how many of them are given, as `next`; 1 (default) to beam */
  double length_penalty; /* A in the score log p / T^A, which chooses among translations of
                            different lengths; 0 favours short ones; default 1; at most 10 */
  bool replace_unknown;  /* an unknown word becomes the source word with the largest weight */
  bool without_scores; /* log_probability and score may be NaN: greedy search then needs to know the
                          likeliest token only, which is several times faster; the translation and
                          its attention are the same */
  const char *reference; /* not NULL: force this translation instead of searching for one */
  const elman_override *overrides; /* applied in turn; default none */
  size_t override_count;
  uint64_t override_seed; /* of ELMAN_OVERRIDE_SHUFFLE; default 1 */
} elman_translate_options;

ELMAN_API elman_translate_options elman_translate_options_default(void);

/* Translates one sentence of `length` bytes. `options` may be NULL for the defaults. Text that is
 * not valid UTF-8, or has more than 5,000 tokens or more than `max_bytes`, is ELMAN_BAD_DATA. */
ELMAN_CHECKED elman_status elman_translate(elman_translation **translation,
                                           elman_translator *translator, const char *text,
                                           size_t length, const elman_translate_options *options,
                                           elman_error *error);
ELMAN_API void elman_translation_free(elman_translation *translation);

/* Translates `count` sentences at once, which is much faster than one by one; sentences of like
 * length are best. texts[i] has lengths[i] bytes, and its translation goes to translations[i]. A
 * sentence that cannot be translated makes the result ELMAN_BAD_DATA: its translation is NULL,
 * errors[i] says why (`errors` has `count` elements, or is NULL; the code of the others is
 * ELMAN_OK), and the others are translated as ever. With any other error there are no translations.
 * The result of a sentence does not depend on the others, to rounding. */
ELMAN_CHECKED elman_status elman_translate_batch(elman_translation **translations,
                                                 elman_error *errors, elman_translator *translator,
                                                 const char *const *texts, const size_t *lengths,
                                                 size_t count,
                                                 const elman_translate_options *options,
                                                 elman_error *error);

/* ---- attention matrices as files ---- */

/* The names of the formats, from index 0 up ("text", "json", ...), and the suffixes of their files
 * (".txt", ".json", ...); NULL past the last.
 *
 *   text            a heat map for a terminal, and what its shades mean
 *   json            an object a line: tokens, places, probability, weights, entropy of each target
 *                   token's weights (in nats) and coverage, the sum of each source token's weights
 *   tsv             a table; a cell that begins with = + - @ or a quotation mark gets an apostrophe
 *                   in front
 *   npy             float32, (T,S) or, with several heads, (heads,T,S); one array after the other
 *   svg             one picture, a heat map below the other
 *   html            one page for a browser, with a script that shows the sentences
 *   pharaoh         a line "i-j i-j ..." of links between words or tokens, from 0
 *   softalignments  what the program SoftAlignments reads as the output of Nematus
 *
 * text and tsv have an empty line between translations, and show each head and then the average. A
 * source token that the vocabulary lacks is marked: in text by "*" behind it, in tsv by "
 * (unknown)", in json by a flag, in svg and html by a line below it. In none can a token do harm to
 * a terminal, a table, a page or a script. */
ELMAN_API const char *elman_format_name(size_t index);
ELMAN_API const char *elman_format_suffix(size_t index);

/* The format that a file's name asks for by its suffix (".txt" is "text"); NULL if none does. */
ELMAN_API const char *elman_format_of_path(const char *path);

/* Which words belong together. The weight between two words is the sum over the source word's
 * tokens, and the mean over the target word's. */
typedef enum elman_alignment_rule {
  ELMAN_ALIGNMENT_ARGMAX,      /* a target word and the source word of its largest weight */
  ELMAN_ALIGNMENT_THRESHOLD,   /* two words with at least a certain weight */
  ELMAN_ALIGNMENT_INTERSECTION /* argmax, where it is also the source word's largest weight */
} elman_alignment_rule;

/* "argmax", "threshold", "intersection"; NULL for any other value. */
ELMAN_API const char *elman_alignment_rule_name(elman_alignment_rule rule);

/* What is linked. Words are what white space separates. */
typedef enum elman_alignment_units {
  ELMAN_UNITS_AUTO, /* on a side that is mostly Han without spaces its tokens, else words */
  ELMAN_UNITS_WORDS,
  ELMAN_UNITS_TOKENS
} elman_alignment_units;

/* "auto", "words", "tokens"; NULL for any other value. */
ELMAN_API const char *elman_alignment_units_name(elman_alignment_units units);

#define ELMAN_DEFAULT_THRESHOLD 0.25 /* at most four source words for a target word */

/* All zero is the default. */
typedef struct elman_text_style {
  bool color;   /* text: · ░ ▒ ▓ █ in a colour that light and dark terminals show */
  bool numbers; /* text: the weights with two decimals in place of these shades */
  size_t width; /* text: columns of the terminal; what is wider goes on below. 0 = any number */
  elman_alignment_rule alignment; /* pharaoh */
  double threshold;               /* pharaoh: of that rule; 0 stands for ELMAN_DEFAULT_THRESHOLD */
  elman_alignment_units units;    /* pharaoh */
} elman_text_style;

/* Several translations in one format and one stream. */
typedef struct elman_attention_writer elman_attention_writer;

/* Writes the format's head. The stream must outlive the writer, which does not close it. `style`
 * may be NULL. Here and below write errors stay in the stream's error flag. */
ELMAN_CHECKED elman_status elman_attention_writer_create(elman_attention_writer **writer,
                                                         FILE *stream, const char *format,
                                                         const elman_text_style *style,
                                                         elman_error *error);

/* Which translation it is, from 1. */
typedef struct elman_attention_place {
  size_t sentence;   /* its line in the input */
  size_t hypothesis; /* 1 is the best of the sentence */
} elman_attention_place;

/* Writes one translation (not those behind it in `next`). */
ELMAN_CHECKED elman_status elman_attention_writer_add(elman_attention_writer *writer,
                                                      const elman_translation *translation,
                                                      elman_attention_place place,
                                                      elman_error *error);

/* Writes the format's tail; nothing can be added after it. */
ELMAN_CHECKED elman_status elman_attention_writer_finish(elman_attention_writer *writer,
                                                         elman_error *error);
ELMAN_API void elman_attention_writer_free(elman_attention_writer *writer);

/* One translation alone, from head to tail. */
ELMAN_CHECKED elman_status elman_attention_write(FILE *stream, const elman_translation *translation,
                                                 const char *format, const elman_text_style *style,
                                                 elman_error *error);

/* The same into a file, which is replaced at once as by elman_model_save. */
ELMAN_CHECKED elman_status elman_attention_save(const char *path,
                                                const elman_translation *translation,
                                                const char *format, elman_error *error);

/* ---- attention over a corpus ---- */

/* Sums over any number of translations. */
typedef struct elman_attention_summary elman_attention_summary;

/* What `style`, which may be NULL, says about pharaoh are the links that are compared with a gold
 * alignment. */
ELMAN_CHECKED elman_status elman_attention_summary_create(elman_attention_summary **summary,
                                                          const elman_text_style *style,
                                                          elman_error *error);

/* Adds one translation (not those behind it in `next`). `alignment` is the gold alignment between
 * the units of the style, "i-j i-j ..." from 0; NULL or empty = none. One that is not
 * of that form, or names a word that is not there, is ELMAN_BAD_DATA, and nothing is added. */
ELMAN_CHECKED elman_status elman_attention_summary_add(elman_attention_summary *summary,
                                                       const elman_translation *translation,
                                                       const char *alignment, elman_error *error);
ELMAN_API void elman_attention_summary_free(elman_attention_summary *summary);

/* Means over all target tokens, source tokens or links of the corpus. a_ts is the weight of source
 * token s for target token t, the average of the heads. A mean of nothing is 0. */
typedef struct elman_attention_measures {
  size_t translations;
  size_t empty;         /* of them, without source or target tokens; they are in no number below */
  size_t source_tokens; /* how many */
  size_t target_tokens; /* how many, </s> included */
  double entropy;       /* -sum_s a_ts ln a_ts, in nats */
  double entropy_share; /* the same divided by ln S, where S > 1: 0 = one token, 1 = all alike */
  double covered;       /* share of source tokens with sum_t a_ts >= 0.5 */
  double coverage_distance; /* |sum_t a_ts - 1| of a source token */
  double end_on_last;       /* weight that </s> gives to the last source token */
  double words_on_last;     /* weight that the other target tokens give to it */
  double diagonality; /* 1 - sum_s a_ts |(t+1/2)/T - (s+1/2)/S|, t and s from 0, without </s>: 1 is
                         the diagonal, equal weights give about 2/3 */
  size_t aligned;     /* translations with a gold alignment */
  size_t links, gold_links, shared_links; /* found; in the gold alignments; in both */
  double alignment_error_rate; /* 1 - 2 shared / (found + gold): every gold link counts as sure */
} elman_attention_measures;

ELMAN_API elman_attention_measures
elman_attention_summary_get(const elman_attention_summary *summary);

/* ---- output files ---- */

/* A file that takes the place of the one at its path at once, when all of it is safely stored. */
typedef struct elman_file elman_file;

/* Opens a temporary file beside `path`; write to *stream, which has no descriptor. Devices and
 * pipes are written directly. */
ELMAN_CHECKED elman_status elman_file_create(elman_file **file, const char *path, FILE **stream,
                                             elman_error *error);
/* Stores what was written so far: then only putting it in place can fail. */
ELMAN_CHECKED elman_status elman_file_store(elman_file *file, elman_error *error);
/* Puts the file in place, or removes every trace of it and says why. `file` is gone either way. */
ELMAN_CHECKED elman_status elman_file_commit(elman_file *file, elman_error *error);
/* Removes the temporary file; what was at the path stays. */
ELMAN_API void elman_file_discard(elman_file *file);

/* A claim to an output that takes long, as a model does: two trainings that write to one file would
 * spoil each other's work. It is a file beside the output, named as that and ".lock", and ends with
 * the process if it is not released. */
typedef struct elman_lock elman_lock;

/* ELMAN_CANNOT_CREATE, with the number of the process, when another one has it. Where the file
 * cannot be made or the file system has no locks, nothing is claimed and elman_lock_problem says
 * why. A device or a pipe needs no claim. */
ELMAN_CHECKED elman_status elman_lock_take(elman_lock **lock, const char *path, elman_error *error);
/* NULL if there is none; else it lives as long as the lock. */
ELMAN_API const char *elman_lock_problem(const elman_lock *lock);
ELMAN_API void elman_lock_release(elman_lock *lock);

/* ---- metrics: scores of text against text, without a model ---- */

/* The lines of a file, without their ends. */
typedef struct elman_lines elman_lines;

/* Reads UTF-8 text with a sentence a line, empty lines included; "-" is standard input. LF or CRLF;
 * a byte order mark is dropped. ELMAN_BAD_DATA when a line is not valid UTF-8, and when the file is
 * empty. */
ELMAN_CHECKED elman_status elman_lines_read(elman_lines **lines, const char *path,
                                            elman_error *error);
ELMAN_API void elman_lines_free(elman_lines *lines);
ELMAN_API size_t elman_lines_count(const elman_lines *lines);
/* All lines; they live as long as the handle. */
ELMAN_API const char *const *elman_lines_get(const elman_lines *lines);

/* The names of BLEU's tokenisers, from index 0 up ("13a", "zh", "char", "none"); NULL past the
 * last.
 */
ELMAN_API const char *elman_bleu_tokens_name(size_t index);

typedef struct elman_metric_options {
  const char *bleu_tokens; /* a name from elman_bleu_tokens_name; NULL (default) = "zh" when the
                              first references are mostly Han, else "13a" */
  bool lowercase;          /* for BLEU: compare in lower case */
  bool chrf_lowercase;     /* the same for chrF */
  size_t resamples;        /* of elman_metrics_compare; default 1000 */
  uint64_t seed;           /* of the resamples; default 1 */
} elman_metric_options;

ELMAN_API elman_metric_options elman_metric_options_default(void);

/* As sacreBLEU 2 gives them: BLEU with n-grams of 1 to 4 words and exponential smoothing; chrF2
 * with n-grams of 1 to 6 characters. A signature tells how to get the same score again, as in
 * "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:elman-0.1.0". */
typedef struct elman_metric_scores {
  double bleu;                                /* 0 to 100 */
  double precisions[4];                       /* of the n-grams of 1 to 4 words; 0 to 100 */
  double brevity_penalty;                     /* 0 to 1 */
  size_t hypothesis_length, reference_length; /* words, as the tokeniser counts them */
  double chrf;                                /* 0 to 100 */
  char bleu_signature[160], chrf_signature[160];
} elman_metric_scores;

/* Scores hypothesis i against sentence i of each of the `sets` references, all
 * arrays of `count` strings. `sets` and `count` are at least 1. A sentence that is not valid UTF-8
 * or has more than 16 MiB is ELMAN_BAD_DATA. */
ELMAN_CHECKED elman_status elman_metrics(elman_metric_scores *scores, const char *const *hypotheses,
                                         const char *const *const *references, size_t sets,
                                         size_t count, const elman_metric_options *options,
                                         elman_error *error);

/* A score's mean over the resamples, and half the width of what holds 95 % of them. */
typedef struct elman_estimate {
  double mean, interval;
} elman_estimate;

typedef struct elman_comparison {
  elman_metric_scores scores[2]; /* of the first and the second output */
  elman_estimate bleu[2], chrf[2];
  /* How likely a difference as large as the one measured would be by chance alone. As in sacreBLEU,
   * two equal outputs have the smallest possible value, 1 / (resamples + 1). */
  double bleu_p_value, chrf_p_value;
} elman_comparison;

/* Paired bootstrap resampling of two outputs for the same references, with the statistics of
 * sacreBLEU's --paired-bs. The same seed gives the same result. */
ELMAN_CHECKED elman_status elman_metrics_compare(elman_comparison *comparison,
                                                 const char *const *first,
                                                 const char *const *second,
                                                 const char *const *const *references, size_t sets,
                                                 size_t count, const elman_metric_options *options,
                                                 elman_error *error);

/* ---- evaluating ---- */

typedef struct elman_scores {
  double loss;       /* mean cross-entropy per target token, </s> included */
  double perplexity; /* exp(loss) */
  size_t tokens;     /* target tokens, </s> included */
  size_t sentences;
  size_t left_out;                       /* pairs with a side of more than 5,000 tokens */
  size_t unknown_source, unknown_target; /* tokens that the vocabularies lack */
  double exact_match;          /* share of sentences translated exactly as the reference, 0 to 1;
                                  both normalised as the model does */
  size_t aligned_words;        /* target words with a gold alignment; 0 without such a column */
  double alignment_agreement;  /* share of them where the largest attention weight lies on a source
                                  word that the gold alignment names; 0 to 1 */
  elman_metric_scores metrics; /* BLEU and chrF of the translations, against the references as they
                                  were written */
} elman_scores;

typedef struct elman_evaluate_options {
  size_t batch_size; /* sentences; default 32; the result does not depend on it (to rounding) */
  size_t max_length; /* of a translation, as in elman_translate_options; likewise: */
  double max_ratio;
  size_t beam;                     /* default 1: greedy search */
  double length_penalty;           /* default 1 */
  const elman_override *overrides; /* as in elman_translate_options; for the translations only */
  size_t override_count;
  uint64_t override_seed;
  size_t threads;                                             /* 0 (default) = one a core */
  const char *bleu_tokens;                                    /* as in elman_metric_options */
  bool lowercase;                                             /* for BLEU */
  bool chrf_lowercase;                                        /* for chrF */
  bool (*progress)(void *context, size_t done, size_t total); /* false stops; may be NULL */
  void *context;
} elman_evaluate_options;

ELMAN_API elman_evaluate_options elman_evaluate_options_default(void);

ELMAN_CHECKED elman_status elman_evaluate(elman_scores *scores, const elman_model *model,
                                          const elman_pairs *pairs,
                                          const elman_evaluate_options *options,
                                          elman_error *error);

/* ---- gradients, for those who learn how they come about ---- */

typedef enum elman_verdict {
  ELMAN_GRADIENT_RIGHT,
  ELMAN_GRADIENT_ROUNDING, /* too small to be measured: rounding explains the difference */
  ELMAN_GRADIENT_WRONG,
  ELMAN_GRADIENT_TIED /* the tensor is another one's, under which it is checked */
} elman_verdict;

/* "right", "rounding", "wrong", "tied"; NULL for any other value. */
ELMAN_API const char *elman_verdict_name(elman_verdict verdict);

typedef struct elman_checked_tensor {
  const char *name;     /* as in the file; lives as long as the report, like the next one */
  const char *tied_to;  /* whose numbers these are; NULL if they are its own */
  size_t rows, columns; /* a vector has 1 column */
  int dimensions;       /* 1 or 2 */
  size_t checked;       /* how many of its numbers were tried; the norms are of their gradient: */
  double norm;          /* by back-propagation through time */
  double measured;      /* by differences */
  double error;         /* |a - b| / (|a| + |b|), from 0 to 1 */
  elman_verdict verdict;
} elman_checked_tensor;

/* Read only; freed whole. */
typedef struct elman_gradient_report {
  double loss;   /* mean over the target tokens, label smoothing included */
  size_t tokens; /* target tokens, </s> included */
  size_t unknown_source, unknown_target;
  size_t tensor_count;
  const elman_checked_tensor *tensors; /* in the order of the file */
  const elman_checked_tensor *worst;   /* the one with the largest error that is not of rounding;
                                          NULL if nothing could be measured */
  bool right;                          /* none is wrong */
} elman_gradient_report;

typedef struct elman_gradient_options {
  double step;      /* h: a number is moved by it up and down; default 1e-5; 1e-12 to 1 */
  double tolerance; /* the largest error of a right gradient; default 1e-7; 0 to 1 */
  size_t samples;   /* numbers tried of a tensor, chosen at random; 0 = all; default 50. Of an
                       embedding so many again, and at least one a word, in the rows of the
                       words of the pairs: other rows have no gradient */
  double dropout;   /* as in training, with one fixed mask; default 0; below 1 */
  double attention_dropout;
  double label_smoothing; /* as in training; default 0; below 1 */
  uint64_t seed;          /* of the numbers tried and of the mask; default 1 */
  bool (*progress)(void *context, size_t done,
                   size_t total); /* tensors; false stops; may be NULL */
  void *context;
} elman_gradient_options;

ELMAN_API elman_gradient_options elman_gradient_options_default(void);

/* Holds the gradient of the mean loss of `count` pairs, as one batch, against central differences.
 * Both are computed in double. `options` may be NULL for the defaults. A side that is empty, is not
 * valid UTF-8 or has more than 5,000 tokens is ELMAN_BAD_DATA. That a gradient is wrong is no error
 * of the call. */
ELMAN_CHECKED elman_status elman_gradient_check(elman_gradient_report **report,
                                                const elman_model *model,
                                                const char *const *sources,
                                                const char *const *targets, size_t count,
                                                const elman_gradient_options *options,
                                                elman_error *error);
ELMAN_API void elman_gradient_report_free(elman_gradient_report *report);

/* A unit whose state lies beyond this, up to 1, lets less than a tenth of its gradient pass. */
#define ELMAN_SATURATED 0.95

/* One layer in one direction. The arrays have one element a token, in the order of the tokens. */
typedef struct elman_traced_layer {
  elman_side side;         /* ELMAN_SOURCE: the encoder */
  size_t layer;            /* from 0, as in the names of tensors */
  bool reverse;            /* reads from the last token to the first */
  size_t steps, units;     /* steps: S or T */
  const double *states;    /* the norm of the gradient of the loss with respect to the state */
  const double *inputs;    /* the same with respect to what the tanh is taken of */
  const double *saturated; /* share of the units, 0 to 1 */
} elman_traced_layer;

/* Read only; freed whole. */
typedef struct elman_gradient_trace {
  double loss;                       /* whose gradients these are */
  size_t source_count, target_count; /* S and T, </s> included */
  const char *const *source_tokens;  /* (S); also words that are unknown */
  const bool *source_known;          /* (S) */
  const char *const *target_tokens;  /* (T); the last is "</s>" */
  const bool *target_known;          /* (T) */
  const double *losses;              /* (T): -log p of each target token */
  size_t layer_count;
  const elman_traced_layer *layers; /* the encoder's, then the decoder's */
} elman_gradient_trace;

/* How far back learning reaches for one pair: the size of the gradient at every step of encoder and
 * decoder, in double and under teacher forcing. `target_step` is the target token, from 1 to T,
 * whose loss is followed; 0 = the mean over all. Errors are those of elman_gradient_check; a step
 * that is not there is ELMAN_INVALID_ARGUMENT. */
ELMAN_CHECKED elman_status elman_trace(elman_gradient_trace **trace, const elman_model *model,
                                       const char *source, const char *target, size_t target_step,
                                       elman_error *error);
ELMAN_API void elman_trace_free(elman_gradient_trace *trace);
/* ---- matrices in files ---- */

/* Read only; owned by the caller, freed whole. */
typedef struct elman_matrix {
  size_t rows, columns; /* both at least 1 */
  const float *values;  /* (rows,columns), all finite */
} elman_matrix;

/* Reads NumPy's .npy (float32 or float64, two dimensions) or text: a row a line, numbers apart by
 * white space or commas, comments after #. What the file begins with tells which it is. "-" is
 * standard input. ELMAN_BAD_DATA when it is neither, or cut short. */
ELMAN_CHECKED elman_status elman_matrix_read(elman_matrix **matrix, const char *path,
                                             elman_error *error);
ELMAN_API void elman_matrix_free(elman_matrix *matrix);

/* Writes an array of 1 to 3 dimensions as .npy, float32. Write errors stay in the stream's error
 * flag. */
ELMAN_API void elman_npy_write(FILE *stream, const float *values, const size_t *sizes,
                               size_t dimensions);

/* ---- attention on plain matrices ----
 *
 * T queries look at S keys and take a weighted mean of S values, by any mechanism of the translator
 * and with the same code. docs/attention.md shows each of them. */

/* A learned weight of a mechanism, or the gradient of one. */
typedef struct elman_tensor {
  const char *name;     /* as in a model file after "decoder.attention.": "query.weight" */
  size_t rows, columns; /* a vector has 1 column */
  float *values;        /* (rows,columns) */
} elman_tensor;

/* The weights that a mechanism has for queries of `width` numbers, from index 0 up, with `values`
 * NULL; false past the last, and if there is no such mechanism. */
ELMAN_API bool elman_attention_weight(elman_tensor *weight, const char *mechanism, size_t width,
                                      size_t index);

/* Reads all weights of a mechanism from a safetensors file, where they have the names above, or the
 * same behind "decoder.attention.", as in a model file. Gives an array of *count, which lives in
 * one piece; free it by elman_attention_weights_free. */
ELMAN_CHECKED elman_status elman_attention_weights_load(elman_tensor **weights, size_t *count,
                                                        const char *path, const char *mechanism,
                                                        size_t width, elman_error *error);
ELMAN_API void elman_attention_weights_free(elman_tensor *weights);

#define ELMAN_ALL_KEYS SIZE_MAX

typedef struct elman_attention_options {
  const char *mechanism; /* a name from elman_attention_name; default "dot" */
  size_t heads;  /* N, which divides both widths; default 1, as "additive" and "local" need it */
  size_t window; /* of "local": keys to each side of the centre; default 5 */
  double scale;  /* what products are multiplied by; 0 (default) = what the mechanism takes: 1,
                    or for "scaled", "projected" and "multihead" 1 / sqrt(width / N) */
  bool divide_by_sum; /* weights are scores divided by their sum, without a softmax; a row whose sum
                         is not positive is ELMAN_BAD_DATA. Not for "local" */
  bool causal;        /* query t sees the keys 0 to t only, however many keys there are */
  size_t key_length;  /* keys from this one on are padding, which no query sees; at least 1;
                         default ELMAN_ALL_KEYS */
} elman_attention_options;

ELMAN_API elman_attention_options elman_attention_options_default(void);

/* All numbers are finite. The three matrices may be one: self-attention. */
typedef struct elman_attention_input {
  size_t query_count, key_count; /* T and S, at least 1 */
  size_t width;                  /* H, of queries and keys */
  size_t value_width;            /* V, of values; 0 = H, which it must be for "projected" and
                                    "multihead" */
  const float *queries;          /* (T,H) */
  const float *keys;             /* (S,H) */
  const float *values;           /* (S,V) */
  const elman_tensor *weights;   /* those of the mechanism, in any order, and no others */
  size_t weight_count;
} elman_attention_input;

/* Read only; owned by the caller, freed whole. */
typedef struct elman_attention_output {
  size_t heads, query_count, key_count, value_width; /* N, T, S, V */
  const float *scores;  /* (N,T,S): scaled, before the softmax; -INFINITY where masked */
  const float *weights; /* (N,T,S): exactly 0 where masked; rows sum to 1, or for "local" to
                           between exp(-2) and 1 */
  const float *context; /* (T,V) */
} elman_attention_output;

/* `options` may be NULL for the defaults. Sizes that do not fit are ELMAN_INVALID_ARGUMENT; numbers
 * that are not finite, or too large to compute with, ELMAN_BAD_DATA. */
ELMAN_CHECKED elman_status elman_attention_forward(elman_attention_output **output,
                                                   const elman_attention_input *input,
                                                   const elman_attention_options *options,
                                                   elman_error *error);
ELMAN_API void elman_attention_output_free(elman_attention_output *output);

/* Arrays that gradients are added to. NULL, or a weight left out, is not wanted. Two of them may be
 * one array, which then gets the sum, as self-attention needs it. */
typedef struct elman_attention_gradients {
  float *queries;              /* (T,H) */
  float *keys;                 /* (S,H) */
  float *values;               /* (S,V) */
  const elman_tensor *weights; /* named and shaped as the weights */
  size_t weight_count;
} elman_attention_gradients;

/* From the gradient of the context (T,V) to those of all that went in. After an error the arrays
 * are as they were. */
ELMAN_CHECKED elman_status elman_attention_backward(const elman_attention_gradients *gradients,
                                                    const float *dcontext,
                                                    const elman_attention_input *input,
                                                    const elman_attention_options *options,
                                                    elman_error *error);

#ifdef __cplusplus
}
#endif

#endif
