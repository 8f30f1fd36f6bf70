/* The table of options: the settings of a model, of a training run and of a translation.
 *
 * A row generates the field of a struct with default and limits, the option and help of the
 * command, the field of the service, of JavaScript and of Python, and the entries of model files,
 * checkpoints, logs and `elman inspect`. A new option needs one row here and the code that uses
 * it. */
#ifndef ELMAN_OPTIONS_H
#define ELMAN_OPTIONS_H

#include "elman/language.h"
#include "elman/precision.h"
#include "elman/sentences.h"
#include "elman/tokens.h"

ELMAN_BEGIN

/* Maximum values of options, and the default of max_bytes. */
#define ELMAN_MAX_BEAM 1024
#define ELMAN_MAX_TOP_K 1024
#define ELMAN_MAX_TOKENS 5000
#define ELMAN_DEFAULT_MAX_BYTES ((size_t)1 << 22)

/* Kinds of options, for the selection of rows. Scopes are bits of a set. Each scope belongs to one
 * struct of options, whose name stands in brackets. */
typedef enum elman_scope {
  ELMAN_SCOPE_MODEL = 1, /* [elman_model_options] defines the model; stored in its file; must
                            match a checkpoint */
  ELMAN_SCOPE_START = 2, /* [elman_model_options] used only to create a model; stored in its file */
  ELMAN_SCOPE_TRAINING = 4,   /* [elman_train_options] affects all updates; stored in the file; must
                                 match a checkpoint */
  ELMAN_SCOPE_END = 8,        /* like TRAINING, but training may resume with another value */
  ELMAN_SCOPE_SEARCH = 16,    /* [elman_translate_options] selects the translation of a sentence */
  ELMAN_SCOPE_SCORE = 32,     /* [elman_translate_options] determines scores, and so the ranking */
  ELMAN_SCOPE_LIST = 64,      /* [elman_translate_options] determines what is returned */
  ELMAN_SCOPE_SAMPLING = 128, /* [elman_translate_options] draws translations at random */
  ELMAN_SCOPE_SEED = 256,     /* [elman_translate_options] seed of samples and overrides */
  ELMAN_SCOPE_WEIGHTS = 512,  /* [elman_translate_options] further weights to return */
  ELMAN_SCOPE_LIMIT = 1024,   /* [elman_translate_options] bounds memory and time */
  ELMAN_SCOPE_PRECISION = 2048, /* [elman_translate_options] precision of products */
  ELMAN_SCOPE_MACHINE = 4096,   /* [elman_translate_options] without influence on results */
  ELMAN_SCOPE_TEXT = 8192       /* [elman_translate_options] division of texts into sentences */
} elman_scope;

/* Sets of scopes: all rows of a struct. */
#define ELMAN_SCOPES_MODEL (ELMAN_SCOPE_MODEL | ELMAN_SCOPE_START)
#define ELMAN_SCOPES_TRAIN (ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END)
/* The set of all rows of elman_translate_options. */
#define ELMAN_SCOPES_TRANSLATE                                                                     \
  (ELMAN_SCOPE_SEARCH | ELMAN_SCOPE_SCORE | ELMAN_SCOPE_LIST | ELMAN_SCOPE_SAMPLING |              \
   ELMAN_SCOPE_SEED | ELMAN_SCOPE_WEIGHTS | ELMAN_SCOPE_LIMIT | ELMAN_SCOPE_PRECISION |            \
   ELMAN_SCOPE_MACHINE | ELMAN_SCOPE_TEXT)

/* X(type, field, also, label, minimum, maximum, default, scope, group, help)
 *
 * `field` is the name of the option everywhere: length_norm in C, Python, JSON, model files and
 * logs; --length-norm in the command; lengthNorm in JavaScript. `also` is a second name in the
 * command, or NULL. `label` is the name in the text of `inspect`. Limits of choices and seeds are
 * 0. `group` is the heading of the option in help; the command defines the order of the groups. In
 * `help`, "0 = ..." and "0 disables" say what 0 means. After the first release, add a new row at
 * the end of its table, in place of a reserved field: programs compiled with earlier headers then
 * still work. */
#define ELMAN_MODEL_OPTIONS(X)                                                                     \
  X(SIZE, embedding_size, NULL, "embedding size", 1, 16384, 128, MODEL, "Network",                 \
    "embedding dimension")                                                                         \
  X(SIZE, hidden_size, NULL, "hidden size", 1, 16384, 128, MODEL, "Network",                       \
    "dimension of the hidden state")                                                               \
  X(SIZE, layers, NULL, "layers", 1, 8, 1, MODEL, "Network",                                       \
    "number of encoder layers, and of decoder layers")                                             \
  X(CELL, cell, NULL, "recurrent cell", 0, 0, "elman", MODEL, "Network", "recurrent cell")         \
  X(FLAG, layer_norm, NULL, "layer normalization", 0, 1, false, MODEL, "Network",                  \
    "layer normalization of pre-activations")                                                      \
  X(FLAG, residual, NULL, "residual connections", 0, 1, false, MODEL, "Network",                   \
    "residual connections around every layer after the first")                                     \
  X(FLAG, bidirectional, NULL, "bidirectional encoder", 0, 1, false, MODEL, "Network",             \
    "bidirectional encoder, half the hidden size in each direction")                               \
  X(ATTENTION, attention, NULL, "attention", 0, 0, "dot", MODEL, "Attention",                      \
    "attention mechanism")                                                                         \
  X(SIZE, attention_heads, "heads", "attention heads", 0, 64, 0, MODEL, "Attention",               \
    "number of heads of multihead attention; 0 = 4")                                               \
  X(SIZE, attention_window, NULL, "attention window", 0, 1000, 0, MODEL, "Attention",              \
    "tokens on each side of the center (local) or per segment (hierarchical); 0 = 5")              \
  X(FLAG, clause_segments, NULL, "clause segments", 0, 1, false, MODEL, "Attention",               \
    "clauses, split at punctuation, as segments of hierarchical attention")                        \
  X(SIZE, encoder_self_attention, NULL, "encoder self-attention", 0, 64, 0, MODEL, "Attention",    \
    "heads of self-attention over encoder states; 0 disables")                                     \
  X(SIZE, decoder_self_attention, NULL, "decoder self-attention", 0, 64, 0, MODEL, "Attention",    \
    "heads of causal decoder self-attention; 0 disables")                                          \
  X(FLAG, plain_self_attention, NULL, "plain self-attention", 0, 1, false, MODEL, "Attention",     \
    "self-attention without learned projections")                                                  \
  X(FLAG, attentional_layer, NULL, "attentional layer", 0, 1, false, MODEL, "Network",             \
    "tanh layer over decoder state and context vector")                                            \
  X(FLAG, input_feeding, NULL, "input feeding", 0, 1, false, MODEL, "Network",                     \
    "previous attentional vector as additional decoder input")                                     \
  X(ARITHMETIC, arithmetic, NULL, "arithmetic", 0, 0, "fast", MODEL, "Training",                   \
    "speed or reproducibility; portable is slower and gives the same bits on every processor")     \
  X(FLAG, tie_embeddings, NULL, "tied embeddings", 0, 1, false, MODEL, "Network",                  \
    "one matrix for target embedding and output layer")                                            \
  X(LANGUAGE, source_language, NULL, "source language", 0, 0, ELMAN_NO_LANGUAGE, MODEL, "Input",   \
    "language of the source text, as a code such as de, pt-BR or zh-Hans")                         \
  X(LANGUAGE, target_language, NULL, "target language", 0, 0, ELMAN_NO_LANGUAGE, MODEL, "Input",   \
    "language of the target text")                                                                 \
  X(TOKENS, source_tokens, NULL, "source tokenization", 0, 0, ELMAN_TOKENS_AUTO, MODEL,            \
    "Tokenization", "tokenization of source text")                                                 \
  X(TOKENS, target_tokens, NULL, "target tokenization", 0, 0, ELMAN_TOKENS_AUTO, MODEL,            \
    "Tokenization", "tokenization of target text")                                                 \
  X(NORMALIZATION, normalization, "normalize", "normalization", 0, 0, ELMAN_NORMALIZATION_AUTO,    \
    START, "Tokenization",                                                                         \
    "Unicode normalization; nfkc also unifies width and punctuation; auto: nfkc of the source, "   \
    "nfc of the target; auto-lower: also lower case of the source, except Chinese and Japanese")   \
  X(FLAG, orthogonal, NULL, "orthogonal initialization", 0, 1, false, START, "Network",            \
    "orthogonal initial recurrent matrices, embeddings of norm about 1")                           \
  X(SIZE, min_count, NULL, "minimum word count", 1, 1000000000, 1, START, "Tokenization",          \
    "minimum count of a word; rarer words become unknown words")                                   \
  X(SIZE, max_vocabulary, "max-vocab", "maximum vocabulary size", 0, 1000000000, 0, START,         \
    "Tokenization", "maximum vocabulary size per side; 0 = no limit")                              \
  X(SIZE, subwords, NULL, "merge operations", 0, 1000000, 0, START, "Tokenization",                \
    "BPE with N merge operations per side; 0 = 8000 on a side with bpe")                           \
  X(SIZE, source_subwords, NULL, "source merge operations", 0, 1000000, 0, START, "Tokenization",  \
    "merge operations of the source side; 0 = same as target")                                     \
  X(FLAG, joint_subwords, "joint", "joint merge operations", 0, 1, false, START, "Tokenization",   \
    "merge operations learned from both sides together")

/* Options of training; the columns are those of ELMAN_MODEL_OPTIONS. */
#define ELMAN_TRAIN_OPTIONS(X)                                                                     \
  X(SIZE, batch_size, NULL, "batch size", 1, 65536, 32, TRAINING, "Training",                      \
    "sentence pairs per update")                                                                   \
  X(SIZE, batch_tokens, NULL, "batch size in tokens", 0, 16777216, 0, TRAINING, "Training",        \
    "maximum tokens per batch, padding included; replaces the batch size; 0 disables")             \
  X(SIZE, shards, NULL, "shards", 1, 1024, 1, TRAINING, "Training",                                \
    "parts of a batch whose gradients are computed separately and added")                          \
  X(PRECISION, precision, NULL, "precision", 0, 0, ELMAN_PRECISION_FLOAT32, TRAINING, "Training",  \
    "operands of large matrix products; bfloat16 is faster on some processors")                    \
  X(REAL, learning_rate, "lr", "learning rate", 1e-9, 1e30, 0.001, TRAINING, "Optimization",       \
    "learning rate of the optimizer")                                                              \
  X(OPTIMIZER, optimizer, NULL, "optimizer", 0, 0, "adam", TRAINING, "Optimization",               \
    "optimizer; muon needs fewer updates than adam")                                               \
  X(SCHEDULE, schedule, "lr-schedule", "learning-rate schedule", 0, 0, "constant", TRAINING,       \
    "Optimization", "learning-rate schedule")                                                      \
  X(SIZE, warm_up, NULL, "warm-up", 0, 1000000000, 0, TRAINING, "Optimization",                    \
    "updates of linear learning-rate warm-up")                                                     \
  X(SHARE, dropout, NULL, "dropout", 0, 0.999999, 0, TRAINING, "Regularization",                   \
    "dropout probability of embeddings and layer outputs")                                         \
  X(SHARE, attention_dropout, NULL, "attention dropout", 0, 0.999999, 0, TRAINING,                 \
    "Regularization", "dropout probability of attention weights")                                  \
  X(SHARE, label_smoothing, NULL, "label smoothing", 0, 0.999999, 0, TRAINING, "Regularization",   \
    "label smoothing: probability spread over the vocabulary")                                     \
  X(REAL, r_drop, NULL, "R-Drop", 0, 1000, 0, TRAINING, "Regularization",                          \
    "R-Drop: weight of the divergence between the outputs of two dropout masks; 0 disables")       \
  X(SHARE, subword_dropout, NULL, "subword dropout", 0, 0.999999, 0, TRAINING, "Regularization",   \
    "BPE-dropout: probability of skipping a merge operation")                                      \
  X(SHARE, drop_source_mark, NULL, "source mark dropping", 0, 1, 0, TRAINING, "Augmentation",      \
    "probability that a pair loses the final punctuation marks of its source")                     \
  X(SHARE, drop_marks, NULL, "final mark dropping", 0, 1, 0, TRAINING, "Augmentation",             \
    "probability that a pair loses the final punctuation marks of both sides")                     \
  X(SHARE, upper_case, NULL, "upper case", 0, 1, 0, TRAINING, "Augmentation",                      \
    "probability that a pair is written in capital letters")                                       \
  X(SHARE, title_case, NULL, "title case", 0, 1, 0, TRAINING, "Augmentation",                      \
    "probability that the words of a pair begin with capital letters")                             \
  X(SHARE, typos, NULL, "typos", 0, 1, 0, TRAINING, "Augmentation",                                \
    "probability of typing errors in the source of a pair")                                        \
  X(SHARE, merge, NULL, "merging", 0, 1, 0, TRAINING, "Augmentation",                              \
    "probability that a pair is joined with the next 1 to 3 pairs")                                \
  X(SHARE, copy_noise, NULL, "copy noise", 0, 1, 0, TRAINING, "Augmentation",                      \
    "probability that both sides of a pair get the same name, number or symbol")                   \
  X(SHARE, copy_numbers, NULL, "copied numbers", 0, 1, 0, TRAINING, "Augmentation",                \
    "probability that numbers on both sides of a pair become <unk> in the target, so that the "    \
    "model learns to copy them")                                                                   \
  X(REAL, guide_weight, NULL, "guide weight", 0, 1000, 0, TRAINING, "Attention",                   \
    "guided-alignment loss weight")                                                                \
  X(REAL, average, NULL, "moving average", 0, 0.999999, 0, TRAINING, "Optimization",               \
    "decay of a moving average of the parameters; 0 disables")                                     \
  X(REAL, clip_norm, NULL, "clipping norm", 0, 1e9, 1, TRAINING, "Optimization",                   \
    "maximum gradient norm; 0 = no limit")                                                         \
  X(SIZE, max_length, NULL, "maximum length", 0, 1000000, 200, TRAINING, "Input",                  \
    "maximum tokens per side; longer pairs are skipped; 0 = no limit")                             \
  X(SEED, seed, NULL, "seed", 0, 0, 1, TRAINING, "Training",                                       \
    "random seed of initialization, shuffling, dropout and augmentation")                          \
  X(SIZE, validate_every, NULL, "validation interval", 0, 1000000000, 0, TRAINING, "Validation",   \
    "updates between validations; 0 = after each epoch")                                           \
  X(MEASURE, validate_by, NULL, "validation metric", 0, 0, "auto", TRAINING, "Validation",         \
    "metric that selects the best model; auto: bleu, or chrf if most references are shorter than " \
    "4 words")                                                                                     \
  X(BLEU_TOKENS, bleu_tokens, NULL, "BLEU tokenization", 0, 0, "auto", TRAINING, "Validation",     \
    "tokenization for BLEU; auto follows the script of the target")                                \
  X(SIZE, patience, NULL, "patience", 0, 1000000, 0, END, "Validation",                            \
    "validations without improvement before training stops; 0 disables")

/* Options of translation. */
#define ELMAN_TRANSLATE_OPTIONS(X)                                                                 \
  X(SIZE, beam, NULL, "beam size", 1, ELMAN_MAX_BEAM, 1, SEARCH, "Search",                         \
    "beam size; 1 = greedy decoding")                                                              \
  X(REAL, length_penalty, NULL, "length penalty", 0, 10, 1, SCORE, "Search",                       \
    "exponent A of the score log p / T^A for T tokens; 0 favors short outputs")                    \
  X(LENGTH_NORM, length_norm, NULL, "length normalization", 0, 0, ELMAN_LENGTH_POWER, SCORE,       \
    "Search", "base of the length penalty; T for power, (5 + T) / 6 for wu")                       \
  X(REAL, coverage_penalty, NULL, "coverage penalty", 0, 10, 0, SCORE, "Search",                   \
    "coverage penalty weight (Wu et al. 2016); 0 disables")                                        \
  X(SIZE, max_length, NULL, "maximum length", 0, 1000000, 0, SEARCH, "Search",                     \
    "maximum tokens per translation; 0 = 2 S + 10 for S source tokens")                            \
  X(REAL, max_ratio, NULL, "maximum length ratio", 0, 1000, 0, SEARCH, "Search",                   \
    "maximum target tokens per source token; 0 = no limit")                                        \
  X(SIZE, n_best, NULL, "number of best translations", 1, ELMAN_MAX_BEAM, 1, LIST, "Output",       \
    "number of best translations per sentence; also the default beam size")                        \
  X(FLAG, equal_texts, NULL, "equal texts", 0, 1, false, LIST, "Output",                           \
    "n-best lists that may contain equal texts with different tokens")                             \
  X(FLAG, replace_unknown, "replace-unk", "replacement of unknown words", 0, 1, false, LIST,       \
    "Output", "source word with the largest attention weight in place of an unknown word")         \
  X(FLAG, sample, NULL, "sampling", 0, 1, false, SAMPLING, "Sampling",                             \
    "random sampling of each token by its probability")                                            \
  X(REAL, temperature, NULL, "temperature", 0.01, 100, 1, SAMPLING, "Sampling",                    \
    "sampling temperature; below 1 favors likely tokens")                                          \
  X(SIZE, top_k, NULL, "top-k sampling", 0, ELMAN_MAX_TOP_K, 0, SAMPLING, "Sampling",              \
    "number of most likely tokens to sample from; 0 = all")                                        \
  X(SEED, seed, NULL, "seed", 0, 0, 1, SEED, "Search",                                             \
    "random seed of sampling and of shuffled attention")                                           \
  X(FLAG, self_attention, NULL, "self-attention", 0, 1, false, WEIGHTS, "Attention",               \
    "self-attention weights of encoder and decoder")                                               \
  X(SIZE, max_bytes, "max-line", "maximum bytes", 0, 1000000000, ELMAN_DEFAULT_MAX_BYTES, LIMIT,   \
    "Input", "maximum bytes of a text; longer texts are refused; 0 = no limit")                    \
  X(SIZE, max_tokens, NULL, "maximum source tokens", 0, ELMAN_MAX_TOKENS, 0, LIMIT, "Input",       \
    "maximum tokens of a text; longer texts are refused; 0 = 5000")                                \
  X(SIZE, max_output, NULL, "maximum output", 0, 1000000, 0, LIMIT, "Search",                      \
    "maximum target tokens however they are determined; 0 = no limit")                             \
  X(TRANSLATE_PRECISION, precision, NULL, "precision", 0, 0, ELMAN_PRECISION_FLOAT32, PRECISION,   \
    "Search", "precision of matrix products; int8 is faster and rounds weights")                   \
  X(SIZE, threads, NULL, "threads", 0, 1024, 0, MACHINE, "General",                                \
    "number of processor cores to use; 0 = all")                                                   \
  X(SPLIT, split_sentences, NULL, "splitting into sentences", 0, 0, ELMAN_SPLIT_AUTO, TEXT,        \
    "Input", "splitting into sentences; auto splits a typed text, but not the lines of a file")

/* Options that need or exclude others: X(scopes, option, relation, condition, unless).
 *
 * A rule applies if `option` is given; with a value, as in "schedule = plateau", it applies if this
 * value is given. A flag counts as given if it is true, and a number counts as given if it is not
 * 0. If the rule applies, the option NEEDS the condition, or EXCLUDES it. `condition` consists of
 * alternatives, separated by " or ". An alternative is a comparison such as "beam > 1", "beam >=
 * n_best" or "attention = multihead", a row, or one of the facts that elman_options_check lists.
 * The rule does not apply if the fact `unless` holds. */
#define ELMAN_OPTION_RULES(X)                                                                      \
  X(MODEL, residual, NEEDS, "layers > 1", NULL)                                                    \
  X(MODEL, attention_heads, NEEDS, "attention = multihead", NULL)                                  \
  X(MODEL, attention_window, NEEDS, "attention = local or attention = hierarchical", NULL)         \
  X(MODEL, clause_segments, NEEDS, "attention = hierarchical", NULL)                               \
  X(MODEL, clause_segments, EXCLUDES, "attention_window > 0", NULL)                                \
  X(MODEL, plain_self_attention, NEEDS, "encoder_self_attention or decoder_self_attention", NULL)  \
  X(MODEL, input_feeding, NEEDS, "attentional_layer", NULL)                                        \
  X(MODEL, tie_embeddings, NEEDS, "attentional_layer", NULL)                                       \
  X(MODEL, joint_subwords, EXCLUDES, "source_subwords", NULL)                                      \
  X(TRAIN, batch_size, EXCLUDES, "batch_tokens", "assumed")                                        \
  X(TRAIN, patience, NEEDS, "dev", NULL)                                                           \
  X(TRAIN, validate_every, NEEDS, "dev", NULL)                                                     \
  X(TRAIN, validate_by, NEEDS, "dev", NULL)                                                        \
  X(TRAIN, bleu_tokens, NEEDS, "dev", NULL)                                                        \
  X(TRAIN, schedule = plateau, NEEDS, "dev", NULL)                                                 \
  X(TRAIN, r_drop, NEEDS, "dropout or attention_dropout", NULL)                                    \
  X(TRAIN, subword_dropout, EXCLUDES, "guide_weight", NULL)                                        \
  X(TRAIN, drop_source_mark, EXCLUDES, "guide_weight", NULL)                                       \
  X(TRAIN, drop_marks, EXCLUDES, "guide_weight", NULL)                                             \
  X(TRAIN, upper_case, EXCLUDES, "guide_weight", NULL)                                             \
  X(TRAIN, title_case, EXCLUDES, "guide_weight", NULL)                                             \
  X(TRAIN, typos, EXCLUDES, "guide_weight", NULL)                                                  \
  X(TRAIN, merge, EXCLUDES, "guide_weight", NULL)                                                  \
  X(TRAIN, copy_noise, EXCLUDES, "guide_weight", NULL)                                             \
  X(TRAIN, copy_numbers, EXCLUDES, "guide_weight", NULL)                                           \
  X(TRANSLATE, n_best, NEEDS, "beam >= n_best", NULL)                                              \
  X(TRANSLATE, equal_texts, NEEDS, "n_best > 1", NULL)                                             \
  X(TRANSLATE, sample, EXCLUDES, "beam > 1", NULL)                                                 \
  X(TRANSLATE, temperature, NEEDS, "sample", NULL)                                                 \
  X(TRANSLATE, top_k, NEEDS, "sample", NULL)                                                       \
  X(TRANSLATE, sample, EXCLUDES, "length_penalty or length_norm or coverage_penalty", NULL)        \
  X(TRANSLATE, length_norm, NEEDS, "length_penalty > 0", NULL)                                     \
  X(TRANSLATE, length_penalty, NEEDS, "beam > 1", "scores")                                        \
  X(TRANSLATE, length_norm, NEEDS, "beam > 1", "scores")                                           \
  X(TRANSLATE, coverage_penalty, NEEDS, "beam > 1", "scores")                                      \
  X(TRANSLATE, seed, NEEDS, "sample or shuffle", NULL)                                             \
  X(TRANSLATE, self_attention, EXCLUDES, "overrides or ensemble", NULL)                            \
  X(TRANSLATE, split_sentences = on, EXCLUDES, "places", NULL)

/* Types of the fields. */
#define ELMAN_TYPE_SIZE size_t
#define ELMAN_TYPE_SEED uint64_t
#define ELMAN_TYPE_REAL double
#define ELMAN_TYPE_SHARE double
#define ELMAN_TYPE_FLAG bool
#define ELMAN_TYPE_CELL const char *        /* a name from elman_cell_name; NULL = "elman" */
#define ELMAN_TYPE_ATTENTION const char *   /* a name from elman_attention_name; NULL = "dot" */
#define ELMAN_TYPE_ARITHMETIC const char *  /* a name from elman_arithmetic_name; NULL = "fast" */
#define ELMAN_TYPE_SCHEDULE const char *    /* a name from elman_schedule_name; NULL = "constant" */
#define ELMAN_TYPE_OPTIMIZER const char *   /* a name from elman_optimizer_name; NULL = "adam" */
#define ELMAN_TYPE_MEASURE const char *     /* a name from elman_measure_name; NULL = "auto" */
#define ELMAN_TYPE_BLEU_TOKENS const char * /* from elman_bleu_tokens_name; NULL = "auto" */
#define ELMAN_TYPE_PRECISION elman_precision
#define ELMAN_TYPE_TRANSLATE_PRECISION elman_precision
#define ELMAN_TYPE_LENGTH_NORM elman_length_norm
#define ELMAN_TYPE_SPLIT elman_split_sentences
#define ELMAN_TYPE_TOKENS elman_token_mode
#define ELMAN_TYPE_NORMALIZATION elman_normalization
#define ELMAN_TYPE_LANGUAGE elman_language

#define ELMAN_FIELD(type, field, ...) ELMAN_TYPE_##type field;

/* Representation of a value. */
typedef enum elman_value {
  ELMAN_VALUE_SIZE,
  ELMAN_VALUE_SEED,
  ELMAN_VALUE_REAL,
  ELMAN_VALUE_FLAG,
  ELMAN_VALUE_NAME,    /* const char *: the name of a choice; NULL = the first */
  ELMAN_VALUE_ENUM,    /* an enum: the index of a choice */
  ELMAN_VALUE_LANGUAGE /* elman_language; "" or "none" = not stated */
} elman_value;

/* More than the number of rows. */
#define ELMAN_MAX_OPTIONS 128

/* A row, for programs that iterate over the table. A caller may copy a row and lower its maximum.
 */
typedef struct elman_option {
  const char *name, *also, *label, *group, *help; /* columns of the row; `name` is its field */
  const char *argument; /* placeholder of the value in help; NULL for a flag */
  elman_value value;
  double minimum, maximum; /* limits of sizes and reals */
  /* For names and enums: return the name of a choice; NULL after the last. An empty name stands for
   * a value of the enum that cannot be chosen here. */
  const char *(*choice)(size_t index);
  elman_scope scope;
  size_t offset; /* offset of the field in the struct of its scope, and in elman_model_info and
                    elman_train_settings */
  size_t index;  /* below ELMAN_MAX_OPTIONS; unique among all rows */
} elman_option;

/* Return the next row of these scopes after `row`, or the first one if `row` is NULL. Return NULL
 * after the last row. */
ELMAN_API const elman_option *elman_option_next(const elman_option *row, unsigned scopes);

/* Return the row of these scopes with this name, or NULL. */
ELMAN_API const elman_option *elman_option_find(unsigned scopes, const char *name);

/* Return the name of the choice that the struct at `fields` contains for this row; NULL for a value
 * that is no choice, and for a row without choices. */
ELMAN_API const char *elman_option_choice(const elman_option *row, const void *fields);

/* How messages write the names of options. */
typedef enum elman_naming {
  ELMAN_NAMES_FIELD,   /* length_norm: C, Python and JSON */
  ELMAN_NAMES_OPTION,  /* --length-norm: the command */
  ELMAN_NAMES_SETTING, /* length-norm: option files, and ':set' of the REPL */
  ELMAN_NAMES_CAMEL    /* lengthNorm: JavaScript */
} elman_naming;

/* Write the name of an option, which is given as in C or JavaScript, into the `size` bytes of
 * `text`; longer names are cut. Return `text`. */
ELMAN_API const char *elman_option_write_name(char *text, size_t size, const char *name,
                                              elman_naming naming);

/* Write a message of the library with the names of options as `naming` writes them. In the messages
 * of elman_error, and in the advice of a finding, such names stand in backquotes: `max_length`.
 * Return `text`, which is cut at `size` bytes. */
ELMAN_API const char *elman_option_write_message(char *text, size_t size, const char *message,
                                                 elman_naming naming);

/* How a value is written. */
typedef enum elman_form {
  ELMAN_FORM_WORD, /* the form of a command line: 5, wu, on */
  ELMAN_FORM_JSON  /* 5, "wu", true */
} elman_form;

/* Read a value and store it in the field of the row, in the struct at `fields`. Return
 * ELMAN_INVALID_ARGUMENT for a value of the wrong type, outside the limits, or unknown; the field
 * is then unchanged, and the message names the option and its permitted values. */
ELMAN_CHECKED elman_status elman_option_set(const elman_option *row, void *fields,
                                            const char *value, elman_form form, elman_naming naming,
                                            elman_error *error);

/* Return ELMAN_INVALID_ARGUMENT with a message about `name`, which is no option of these scopes.
 * The message names the option that was probably meant, or states why nothing corresponds to
 * `name`; see elman_suggestion_offer. The candidates are the rows and the names in `others`, an
 * array that ends with NULL. `others` may be NULL. */
ELMAN_API elman_status elman_option_refuse(unsigned scopes, const char *name,
                                           const char *const *others, elman_naming naming,
                                           elman_error *error);

/* Check the fields of these scopes, which belong to the struct at `fields`: limits, choices and the
 * rules of ELMAN_OPTION_RULES. given[row->index] states whether a user gave the option; if `given`
 * is NULL, an option counts as given if its value differs from the default.
 *
 * The struct must be the struct of options to which the scopes belong. Rules also read fields that
 * are not rows, so this function cannot check elman_model_info and elman_train_settings.
 *
 * Facts in rules are `dev` (dev pairs, or their name), `scores` (translations need scores: not
 * without_scores), `overrides`, `shuffle` (an override of kind ELMAN_OVERRIDE_SHUFFLE), `places`
 * (an override of kind ELMAN_OVERRIDE_POSITION or ELMAN_OVERRIDE_CELL), `ensemble` and `assumed`
 * (`given` is NULL). */
ELMAN_CHECKED elman_status elman_options_check(unsigned scopes, const void *fields,
                                               const bool *given, elman_naming naming,
                                               elman_error *error);

/* Refuse options that have no effect: return ELMAN_INVALID_ARGUMENT if an option of these scopes is
 * given. The message consists of the name of the option, "has no effect" and `reason`. `fields` and
 * `given` are as for elman_options_check. */
ELMAN_CHECKED elman_status elman_options_unused(unsigned scopes, const void *fields,
                                                const bool *given, const char *reason,
                                                elman_naming naming, elman_error *error);

/* Return whether the fields of these scopes are equal in the structs at `one` and `other`. */
ELMAN_API bool elman_options_equal(unsigned scopes, const void *one, const void *other);

/* Return the name of a recurrent cell, attention mechanism, arithmetic, optimizer, learning-rate
 * schedule or validation measure, from index 0; NULL after the last. "portable" arithmetic computes
 * the same bits on every processor; "fast" uses the fastest matrix products, whose last bits depend
 * on the processor. The schedule "plateau" halves the learning rate after each validation without a
 * new best score; "inverse-sqrt" decreases it with the square root of the number of updates;
 * "linear" decreases it to 0 at the end of the last epoch; "late-linear" keeps it constant at
 * first, and decreases it to 0 in the last third of the run. */
ELMAN_API const char *elman_cell_name(size_t index);
ELMAN_API const char *elman_attention_name(size_t index);
ELMAN_API const char *elman_arithmetic_name(size_t index);
ELMAN_API const char *elman_optimizer_name(size_t index);
ELMAN_API const char *elman_schedule_name(size_t index);
ELMAN_API const char *elman_measure_name(size_t index);

ELMAN_END

#endif
