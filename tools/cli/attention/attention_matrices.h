/* elman attention --matrices: compute attention on files of numbers, without a model. */
#ifndef ELMAN_CLI_ATTENTION_MATRICES_H
#define ELMAN_CLI_ATTENTION_MATRICES_H

#include "elman.h"
#include "options/command_line.h"

struct matrices_options {
  bool wanted, scale;
  const char *normalize, *weights;
  elman_attention_options attention; /* a key_length of 0 means all keys */
};

struct matrices_options matrices_options_default(void);

/* Return the name of the normalization at `index`, "softmax" or "sum"; NULL past the last. */
const char *matrices_normalization(size_t index);

/* Rows of an option table. `matrices` is a struct matrices_options. */
#define MATRICES_OPTIONS(matrices)                                                                 \
  OPTION("matrices", 0, NULL,                                                                      \
         "attention on matrices, without a model; required by the options below",                  \
         .group = "Matrices", .flag = &(matrices).wanted),                                         \
      OPTION("attention", 0, "KIND", "attention mechanism", .group = "Matrices",                   \
             .text = &(matrices).attention.mechanism, .choice = elman_attention_name),             \
      OPTION("heads", 0, "N", "number of heads; must divide the number of columns",                \
             .group = "Matrices", .count = &(matrices).attention.heads, .least = 1, .most = 64),   \
      OPTION("attention-window", 0, "N",                                                           \
             "keys on each side of the center (local) or per segment (hierarchical)", "5",         \
             .group = "Matrices", .count = &(matrices).attention.window, .least = 1,               \
             .most = 1000),                                                                        \
      OPTION("weights", 0, "FILE", "learned parameters of the mechanism (safetensors)",            \
             .group = "Matrices", .text = &(matrices).weights, .use = FILE_IS_READ),               \
      OPTION("scale", 0, NULL,                                                                     \
             "scores divided by the square root of the number of columns per head",                \
             .group = "Matrices", .flag = &(matrices).scale),                                      \
      OPTION("causal", 0, NULL, "causal mask: query t attends to keys 1 to t",                     \
             .group = "Matrices", .flag = &(matrices).attention.causal),                           \
      OPTION("key-length", 0, "N", "number of keys before the padding, which is masked",           \
             "all keys", .group = "Matrices", .count = &(matrices).attention.key_length,           \
             .least = 1, .most = 1000000000),                                                      \
      OPTION("normalize", 0, "NAME", "normalization of the scores", .group = "Matrices",           \
             .text = &(matrices).normalize, .choice = matrices_normalization)

/* Run `elman attention --matrices`. `format` and `output` may be NULL. Return the exit code. */
int attention_matrices(const struct matrices_options *options, const struct usage *usage,
                       const struct operands *operands, const char *format, const char *output);

#endif
