/* The table of parameters: names, shapes, initial values and views of all tensors. Weights,
 * gradients and the optimizer's moments are blocks of equal layout, so optimizer, clipping, files
 * and gradient checks all use the same table. */
#ifndef ELMAN_MODEL_PARAMETERS_H
#define ELMAN_MODEL_PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/hyperparameters.h"

/* Views into a block of weights, gradients or moments, and the sizes of encoder and decoder. */
struct parameters {
  struct encoder_parameters encoder;
  struct decoder_parameters decoder;
};

/* The distribution of a tensor's initial values. */
enum initializer {
  INIT_EMBEDDING, /* N(0,1), or N(0,1/E) */
  INIT_RECURRENT, /* U(-bound, bound), or a random orthogonal matrix for each gate */
  INIT_IDENTITY,
  INIT_ZERO, /* a new block is zero */
  INIT_ONE,
  INIT_UNIFORM /* U(-bound, bound) */
};

/* PyTorch's initial values of nn.Embedding, nn.RNN (nn.GRU, nn.LSTM) and nn.Linear; or small
 * embeddings and orthogonal recurrent matrices (Saxe, McClelland and Ganguli, ICLR 2014), whose
 * products neither grow nor vanish. */
enum initial_values { INITIAL_PYTORCH, INITIAL_ORTHOGONAL };

struct parameter {
  char name[64]; /* as in PyTorch's state_dict */
  size_t rows, columns;
  int dimensions; /* 1: a vector of `rows`; 2: a matrix */
  enum initializer initializer;
  double bound;
  size_t offset; /* in reals, from the start of a block; a multiple of 64 bytes */
  bool alias;    /* shares the elements of an earlier row: tied weights */
};

enum {
  MAX_PARAMETERS = 2 + 5 * MAX_LAYERS * (DIRECTIONS + 1) + 2 * MAX_STATE_PARTS * MAX_LAYERS +
                   3 * MAX_ATTENTION_PARTS + 2 + 2
};

struct parameter_table {
  struct parameter rows[MAX_PARAMETERS];
  size_t count;
  size_t block; /* reals in a block, gaps included */
};

size_t parameter_size(const struct parameter *parameter); /* rows · columns */

/* `config` must have passed model_config_check. */
elman_status parameter_table_create(struct parameter_table *table,
                                    const struct model_config *config, elman_error *error) CHECKED;

/* Point the views into a block of table->block reals. Parameters that the configuration lacks
 * become NULL. */
void parameters_bind(struct parameters *views, real *block, const struct model_config *config);

/* Allocate a zeroed block, aligned to 64 bytes. Gaps between tensors stay zero. Pages of a large
 * block that are never written use no memory. */
elman_status parameter_block_create(real **block, const struct parameter_table *table,
                                    elman_error *error) CHECKED;
void parameter_block_free(real *block);

/* Write the initial values into a new block. A tensor's values depend only on the seed and its
 * index in the table. */
elman_status parameters_initialize(real *block, const struct parameter_table *table,
                                   enum initial_values values, uint64_t seed,
                                   elman_error *error) CHECKED;

#endif
