/* elman attention --matrices: attention on files of numbers, without a model. */
#ifndef ELMAN_CLI_ATTENTION_MATRICES_H
#define ELMAN_CLI_ATTENTION_MATRICES_H

#include "elman.h"
#include "options.h"

struct matrices_options {
  bool wanted, scale;
  const char *normalize, *weights;
  elman_attention_options attention; /* key_length 0 = all */
};

struct matrices_options matrices_options_default(void);

/* "softmax", "sum" */
const char *matrices_normalization(size_t index);

/* Whether no option is given that belongs to sentences when matrices are wanted, or the other way
 * round. Gives an exit code, after a message if that is not 0. */
int matrices_options_check(const struct matrices_options *options, const struct usage *usage,
                           const struct operands *operands);

/* `format` may be NULL; so may `output`. Gives an exit code. */
int attention_matrices(const struct matrices_options *options, const struct usage *usage,
                       const struct operands *operands, const char *format, const char *output);

#endif
