/* elman attention --matrices: attention on files of numbers, without a model. */
#ifndef ELMAN_CLI_ATTENTION_MATRICES_H
#define ELMAN_CLI_ATTENTION_MATRICES_H

#include "elman.h"
#include "options/command_line.h"

struct matrices_options {
  bool wanted, scale;
  const char *normalize, *weights;
  elman_attention_options attention; /* key_length 0 = all */
};

struct matrices_options matrices_options_default(void);

/* Return "softmax" or "sum"; NULL past the last. */
const char *matrices_normalization(size_t index);

/* Rows of an option table. */
#define MATRICES_OPTIONS(matrices)                                                                 \
  OPTION("matrices", 0, NULL,                                                                      \
         "take files of numbers in place of sentences; with it:", .group = "Matrices",             \
         .flag = &(matrices).wanted),                                                              \
      OPTION("attention", 0, "KIND", "mechanism", .group = "Matrices",                             \
             .text = &(matrices).attention.mechanism, .choice = elman_attention_name),             \
      OPTION("heads", 0, "N", "heads, which divide the columns", .group = "Matrices",              \
             .count = &(matrices).attention.heads, .least = 1, .most = 64),                        \
      OPTION("attention-window", 0, "N",                                                           \
             "keys that local attention sees to each side, or of a segment of hierarchical", "5",  \
             .group = "Matrices", .count = &(matrices).attention.window, .least = 1,               \
             .most = 1000),                                                                        \
      OPTION("weights", 0, "FILE", "learned weights of the mechanism: safetensors, as a model is", \
             .group = "Matrices", .text = &(matrices).weights, .use = FILE_IS_READ),               \
      OPTION("scale", 0, NULL, "divide products by the root of the columns of a head",             \
             .group = "Matrices", .flag = &(matrices).scale),                                      \
      OPTION("causal", 0, NULL, "query t sees keys 1 to t only", .group = "Matrices",              \
             .flag = &(matrices).attention.causal),                                                \
      OPTION("key-length", 0, "N", "keys after the Nth are padding, which no query sees",          \
             "all keys", .group = "Matrices", .count = &(matrices).attention.key_length,           \
             .least = 1, .most = 1000000000),                                                      \
      OPTION("normalize", 0, "NAME", "how scores become weights", .group = "Matrices",             \
             .text = &(matrices).normalize, .choice = matrices_normalization)

/* Run `elman attention --matrices`. `format` and `output` may be NULL. Return the exit code. */
int attention_matrices(const struct matrices_options *options, const struct usage *usage,
                       const struct operands *operands, const char *format, const char *output);

#endif
