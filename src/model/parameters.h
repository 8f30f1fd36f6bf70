/* Parameters are a table. One list gives the names, the shapes, the initial values and the struct
 * of views; weights, gradients and the optimiser's moments are blocks of equal layout, so
 * optimiser, clipping, files and gradient checks all walk the same table. */
#ifndef ELMAN_MODEL_PARAMETERS_H
#define ELMAN_MODEL_PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/hyperparameters.h"

/* The views: weights, or gradients, or moments, by the block they look into; and the sizes of
 * encoder and decoder. */
struct parameters {
  struct encoder_parameters encoder;
  struct decoder_parameters decoder;
};

/* How a tensor's initial values are drawn. */
enum initializer {
  INIT_EMBEDDING, /* N(0,1), or N(0,1/E) */
  INIT_RECURRENT, /* U(-bound, bound), or random orthogonal matrices, one for each gate */
  INIT_IDENTITY,
  INIT_ZERO, /* which a fresh block is */
  INIT_ONE,
  INIT_UNIFORM /* U(-bound, bound) */
};

/* PyTorch's values of nn.Embedding, nn.RNN (nn.GRU, nn.LSTM) and nn.Linear, or small embeddings and
 * orthogonal recurrent matrices (Saxe, McClelland and Ganguli, ICLR 2014), whose products neither
 * grow nor vanish. */
enum initial_values { INITIAL_PYTORCH, INITIAL_ORTHOGONAL };

struct parameter {
  char name[64]; /* as PyTorch's state_dict has it */
  size_t rows, columns;
  int dimensions; /* 1: a vector of `rows`; 2: a matrix */
  enum initializer initializer;
  double bound;
  size_t offset; /* in reals, from the start of a block; a multiple of 64 bytes */
  bool alias;    /* shares its place with an earlier row: tied weights */
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

/* `config` has passed model_config_check. */
elman_status parameter_table_create(struct parameter_table *table,
                                    const struct model_config *config, elman_error *error) CHECKED;

/* Points the views into a block of table->block reals; what the configuration does not have is
 * NULL.
 */
void parameters_bind(struct parameters *views, real *block, const struct model_config *config);

/* A zeroed block, aligned to 64 bytes. Gaps between tensors are zero and stay zero. What nobody
 * writes to takes no memory as long as the block is a large one. */
elman_status parameter_block_create(real **block, const struct parameter_table *table,
                                    elman_error *error) CHECKED;
void parameter_block_free(real *block);

/* Writes the initial values into a fresh block; a tensor's depend on the seed and its place in the
 * table only. */
elman_status parameters_initialize(real *block, const struct parameter_table *table,
                                   enum initial_values values, uint64_t seed,
                                   elman_error *error) CHECKED;

#endif
