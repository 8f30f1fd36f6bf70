/* The table of hyperparameters. Its rows generate the fields of elman_model_options and
 * elman_train_options with defaults and limits. They also generate the options and help of the
 * command, and the entries of model files, checkpoints, logs and `elman inspect`.
 *
 * A new hyperparameter needs one row here and the code that uses it. */
#ifndef ELMAN_HYPERPARAMETERS_H
#define ELMAN_HYPERPARAMETERS_H

#include "elman/precision.h"
#include "elman/tokens.h"

ELMAN_BEGIN

/* Where a value is stored, and which values must agree. Scopes are bits of a set. */
typedef enum elman_scope {
  ELMAN_SCOPE_MODEL = 1,    /* defines the model; stored in its file; must match a checkpoint */
  ELMAN_SCOPE_START = 2,    /* used only to create a model; stored in its file */
  ELMAN_SCOPE_TRAINING = 4, /* affects all updates; stored in the file; must match a checkpoint */
  ELMAN_SCOPE_END = 8       /* like TRAINING, but training may resume with another value */
} elman_scope;

/* X(type, field, option, label, minimum, maximum, default, scope, since, group, help)
 *
 * `field` is also the name in files. `option` is the name of the command-line option. `label` is
 * the name in messages and in the text of `inspect`. Limits of choices are 0. `group` is the
 * heading of the option in help; the command defines the order of the groups.
 *
 * `since` is 1 for values that every model file contains, and 2 for numbers that older files lack.
 * It is 3 for flags and choices that model files contain only if they differ from the first choice,
 * and 4 if the same is true of checkpoints. A new row has 2 or 4. */
#define ELMAN_MODEL_HYPERPARAMETERS(X)                                                             \
  X(SIZE, embedding_size, "embedding-size", "embedding size", 1, 16384, 128, MODEL, 1, "Network",  \
    "embedding dimension")                                                                         \
  X(SIZE, hidden_size, "hidden-size", "hidden size", 1, 16384, 128, MODEL, 1, "Network",           \
    "dimension of the hidden state")                                                               \
  X(SIZE, layers, "layers", "layers", 1, 8, 1, MODEL, 1, "Network",                                \
    "number of encoder layers, and of decoder layers")                                             \
  X(CELL, cell, "cell", "recurrent cell", 0, 0, "elman", MODEL, 2, "Network", "recurrent cell")    \
  X(FLAG, layer_norm, "layer-norm", "layer normalization", 0, 1, false, MODEL, 3, "Network",       \
    "layer normalization of gate pre-activations")                                                 \
  X(FLAG, residual, "residual", "residual connections", 0, 1, false, MODEL, 3, "Network",          \
    "residual connections around every layer after the first")                                     \
  X(FLAG, bidirectional, "bidirectional", "bidirectional encoder", 0, 1, false, MODEL, 1,          \
    "Network", "bidirectional encoder, half the hidden size in each direction")                    \
  X(ATTENTION, attention, "attention", "attention", 0, 0, "dot", MODEL, 1, "Attention",            \
    "attention mechanism")                                                                         \
  X(SIZE, attention_heads, "heads", "attention heads", 0, 64, 0, MODEL, 2, "Attention",            \
    "number of heads of multihead attention; 0 = 4")                                               \
  X(SIZE, attention_window, "attention-window", "attention window", 0, 1000, 0, MODEL, 2,          \
    "Attention", "tokens on each side of the center (local) or per segment (hierarchical); 0 = 5") \
  X(FLAG, clause_segments, "clause-segments", "clause segments", 0, 1, false, MODEL, 3,            \
    "Attention", "clauses, split at punctuation, as segments of hierarchical attention")           \
  X(SIZE, encoder_self_attention, "encoder-self-attention", "encoder self-attention", 0, 64, 0,    \
    MODEL, 2, "Attention", "heads of self-attention over encoder states; 0 disables")              \
  X(SIZE, decoder_self_attention, "decoder-self-attention", "decoder self-attention", 0, 64, 0,    \
    MODEL, 2, "Attention", "heads of self-attention over the decoder states so far; 0 disables")   \
  X(FLAG, plain_self_attention, "plain-self-attention", "plain self-attention", 0, 1, false,       \
    MODEL, 2, "Attention", "self-attention without learned projections")                           \
  X(FLAG, attentional_layer, "attentional-layer", "attentional layer", 0, 1, false, MODEL, 1,      \
    "Network", "tanh layer over decoder state and context vector")                                 \
  X(FLAG, input_feeding, "input-feeding", "input feeding", 0, 1, false, MODEL, 1, "Network",       \
    "previous attentional vector as additional decoder input")                                     \
  X(ARITHMETIC, arithmetic, "arithmetic", "arithmetic", 0, 0, "fast", MODEL, 3, "Training",        \
    "portable: the same bits on every processor, at some cost in time")                            \
  X(FLAG, tie_embeddings, "tie-embeddings", "tied embeddings", 0, 1, false, MODEL, 1, "Network",   \
    "one matrix for target embedding and output layer")                                            \
  X(TOKENS, source_tokens, "source-tokens", "source tokenization", 0, 0, ELMAN_TOKENS_AUTO, MODEL, \
    1, "Tokenization", "tokenization of source text")                                              \
  X(TOKENS, target_tokens, "target-tokens", "target tokenization", 0, 0, ELMAN_TOKENS_AUTO, MODEL, \
    1, "Tokenization", "tokenization of target text")                                              \
  X(NORMALIZATION, normalization, "normalize", "normalization", 0, 0, ELMAN_NFKC, START, 2,        \
    "Tokenization", "Unicode normalization; nfkc also unifies width and punctuation")              \
  X(FLAG, orthogonal_initial_values, "orthogonal", "orthogonal initialization", 0, 1, false,       \
    START, 2, "Network", "orthogonal initial recurrent matrices, embeddings of norm about 1")      \
  X(SIZE, min_count, "min-count", "minimum word count", 1, 1000000000, 1, START, 2,                \
    "Tokenization", "minimum count of a word; rarer words become unknown words")                   \
  X(SIZE, max_vocabulary, "max-vocab", "maximum vocabulary size", 0, 1000000000, 0, START, 2,      \
    "Tokenization", "maximum vocabulary size per side; 0 = no limit")                              \
  X(SIZE, subwords, "subwords", "merge operations", 0, 1000000, 0, START, 2, "Tokenization",       \
    "BPE with N merge operations per side; 0 = 8000 for a side with bpe")                          \
  X(SIZE, source_subwords, "source-subwords", "source merge operations", 0, 1000000, 0, START, 2,  \
    "Tokenization", "merge operations of the source side; 0 = same as target")                     \
  X(FLAG, joint_subwords, "joint", "joint merge operations", 0, 1, false, START, 2,                \
    "Tokenization", "merge operations learned from both sides together")

/* Hyperparameters of training; the columns are those of ELMAN_MODEL_HYPERPARAMETERS. */
#define ELMAN_TRAIN_HYPERPARAMETERS(X)                                                             \
  X(SIZE, batch_size, "batch-size", "batch size", 1, 65536, 32, TRAINING, 2, "Training",           \
    "sentence pairs per update")                                                                   \
  X(SIZE, batch_tokens, "batch-tokens", "batch size in tokens", 0, 16777216, 0, TRAINING, 2,       \
    "Training", "maximum tokens per batch, padding included; replaces --batch-size; 0 disables")   \
  X(SIZE, shards, "shards", "shards", 1, 1024, 1, TRAINING, 2, "Training",                         \
    "parts of a batch, computed one after the other or by one process each")                       \
  X(PRECISION, precision, "precision", "precision", 0, 0, ELMAN_PRECISION_FLOAT32, TRAINING, 4,    \
    "Training", "operands of large matrix products; bfloat16 is faster on some processors")        \
  X(REAL, learning_rate, "lr", "learning rate", 1e-9, 1e30, 0.001, TRAINING, 2, "Optimization",    \
    "learning rate of Adam")                                                                       \
  X(SCHEDULE, schedule, "lr-schedule", "learning-rate schedule", 0, 0, "constant", TRAINING, 2,    \
    "Optimization", "learning-rate schedule")                                                      \
  X(SIZE, warm_up, "warm-up", "warm-up", 0, 1000000000, 0, TRAINING, 2, "Optimization",            \
    "updates of linear learning-rate warm-up")                                                     \
  X(SHARE, dropout, "dropout", "dropout", 0, 0.999999, 0, TRAINING, 2, "Regularization",           \
    "dropout probability of embeddings and layer outputs")                                         \
  X(SHARE, attention_dropout, "attention-dropout", "attention dropout", 0, 0.999999, 0, TRAINING,  \
    2, "Regularization", "dropout probability of attention weights")                               \
  X(SHARE, label_smoothing, "label-smoothing", "label smoothing", 0, 0.999999, 0, TRAINING, 2,     \
    "Regularization", "label smoothing: probability spread over the vocabulary")                   \
  X(SHARE, subword_dropout, "subword-dropout", "subword dropout", 0, 0.999999, 0, TRAINING, 2,     \
    "Regularization", "BPE-dropout: probability of skipping a merge operation")                    \
  X(REAL, guide_weight, "guide-weight", "guide weight", 0, 1000, 0, TRAINING, 2, "Attention",      \
    "guided-alignment loss weight, 0.3 with --guide; 0 disables")                                  \
  X(REAL, average, "average", "moving average", 0, 0.999999, 0, TRAINING, 2, "Optimization",       \
    "decay of a moving average of the parameters; 0 disables")                                     \
  X(REAL, clip_norm, "clip-norm", "clipping norm", 0, 1e9, 1, TRAINING, 2, "Optimization",         \
    "maximum gradient norm; 0 = no limit")                                                         \
  X(SIZE, max_length, "max-length", "maximum length", 0, 1000000, 200, TRAINING, 2, "Input",       \
    "maximum tokens per side; longer pairs are skipped; 0 = no limit")                             \
  X(SEED, seed, "seed", "seed", 0, 0, 1, TRAINING, 2, "Training",                                  \
    "random seed of initialization, shuffling and dropout")                                        \
  X(SIZE, validate_every, "validate-every", "validation interval", 0, 1000000000, 0, TRAINING, 2,  \
    "Validation", "updates between validations; 0 = after each epoch")                             \
  X(MEASURE, validate_by, "validate-by", "validation metric", 0, 0, "bleu", TRAINING, 3,           \
    "Validation", "metric that selects the best model")                                            \
  X(SIZE, patience, "patience", "patience", 0, 1000000, 0, END, 2, "Validation",                   \
    "validations without improvement before training stops; 0 disables")

/* Types of the fields. */
#define ELMAN_TYPE_SIZE size_t
#define ELMAN_TYPE_SEED uint64_t
#define ELMAN_TYPE_REAL double
#define ELMAN_TYPE_SHARE double
#define ELMAN_TYPE_FLAG bool
#define ELMAN_TYPE_CELL const char *       /* a name from elman_cell_name; NULL = "elman" */
#define ELMAN_TYPE_ATTENTION const char *  /* a name from elman_attention_name; NULL = "dot" */
#define ELMAN_TYPE_ARITHMETIC const char * /* a name from elman_arithmetic_name; NULL = "fast" */
#define ELMAN_TYPE_SCHEDULE const char *   /* a name from elman_schedule_name; NULL = "constant" */
#define ELMAN_TYPE_MEASURE const char *    /* a name from elman_measure_name; NULL = "bleu" */
#define ELMAN_TYPE_PRECISION elman_precision
#define ELMAN_TYPE_TOKENS elman_token_mode
#define ELMAN_TYPE_NORMALIZATION elman_normalization

#define ELMAN_FIELD(type, field, ...) ELMAN_TYPE_##type field;

/* Representation of a value. */
typedef enum elman_value {
  ELMAN_VALUE_SIZE,
  ELMAN_VALUE_SEED,
  ELMAN_VALUE_REAL,
  ELMAN_VALUE_FLAG,
  ELMAN_VALUE_NAME, /* const char *: the name of a choice; NULL = the first */
  ELMAN_VALUE_ENUM  /* an enum: the index of a choice */
} elman_value;

/* A row, for programs that iterate over the table. */
typedef struct elman_hyperparameter {
  const char *name, *option, *label, *group, *help; /* columns of the row */
  const char *argument; /* placeholder of the value in help; NULL for a flag */
  elman_value value;
  double minimum, maximum; /* limits of sizes and reals */
  const char *(*choice)(
      size_t index); /* for names and enums: return the name of a choice; NULL after the last */
  elman_scope scope;
  int since;
  size_t offset; /* offset of the field in its structs: elman_model_options and elman_model_info for
                    MODEL and START, otherwise elman_train_options and elman_train_settings */
} elman_hyperparameter;

/* Return the next row of these scopes after `row`, or the first one if `row` is NULL. Return NULL
 * after the last row. The rows of models come first. */
ELMAN_API const elman_hyperparameter *elman_hyperparameter_next(const elman_hyperparameter *row,
                                                                unsigned scopes);

/* Return the row with this name in files, or NULL. */
ELMAN_API const elman_hyperparameter *elman_hyperparameter_find(const char *name);

/* Return the name of the choice that the struct at `fields` contains for this row. */
ELMAN_API const char *elman_hyperparameter_choice(const elman_hyperparameter *row,
                                                  const void *fields);

/* Return the name of a recurrent cell, attention mechanism, arithmetic, learning-rate schedule or
 * validation measure, from index 0; NULL after the last. "portable" arithmetic computes the same
 * bits on every processor; "fast" uses the fastest matrix products, whose last bits depend on it.
 * "plateau" halves the learning rate after each validation without a new best score; "inverse-sqrt"
 * decreases it with the square root of the number of updates; "linear" decreases it to 0 at the end
 * of the last epoch; "late-linear" does so in the last third of the run and keeps it constant
 * before. */
ELMAN_API const char *elman_cell_name(size_t index);
ELMAN_API const char *elman_attention_name(size_t index);
ELMAN_API const char *elman_arithmetic_name(size_t index);
ELMAN_API const char *elman_schedule_name(size_t index);
ELMAN_API const char *elman_measure_name(size_t index);

ELMAN_END

#endif
