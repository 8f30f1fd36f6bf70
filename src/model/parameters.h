/* The table of parameters: names, shapes, initial values and views of all tensors. Weights,
 * gradients and the optimizer's moments are blocks with the same layout. Therefore optimizer,
 * clipping, files and gradient checks all use this table. */
#ifndef ELMAN_MODEL_PARAMETERS_H
#define ELMAN_MODEL_PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/config.h"
#include "tensor/eight_bits.h"

/* Views into a block of weights, gradients or moments, the sizes of encoder and decoder, and the
 * numerics of every pass over them. */
struct parameters {
  struct encoder_parameters encoder;
  struct decoder_parameters decoder;
  const struct numerics *numerics; /* the numerics of all parts; set by parameters_use */
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

/* Kinds of initial values. INITIAL_PYTORCH: as in nn.Embedding, nn.RNN (nn.GRU, nn.LSTM) and
 * nn.Linear. INITIAL_ORTHOGONAL: small embeddings, and orthogonal recurrent matrices, whose
 * products neither grow nor vanish (Saxe, McClelland and Ganguli, ICLR 2014). */
enum initial_values { INITIAL_PYTORCH, INITIAL_ORTHOGONAL };

struct parameter {
  char name[96]; /* name in PyTorch's state_dict */
  size_t rows, columns;
  int dimensions; /* 1: a vector of `rows` elements; 2: a matrix */
  enum initializer initializer;
  double bound;
  size_t offset; /* number of reals from the start of a block; a multiple of 64 bytes */
  bool hidden; /* whether the matrix maps vectors of the network to others, so that Muon can update
                  it; false for tables, the output layer and vectors */
  bool alias;  /* whether the tensor is tied: it shares the elements of an earlier row */
  unsigned stored; /* an elman_number_type: its type in the file that it was read from */
};

enum {
  MAX_PARAMETERS = 2 + 5 * MAX_LAYERS * (DIRECTIONS + 1) + 2 * MAX_STATE_PARTS * MAX_LAYERS +
                   3 * MAX_ATTENTION_PARTS + 2 + 2
};

struct parameter_table {
  struct parameter rows[MAX_PARAMETERS];
  size_t count;
  size_t block; /* number of reals in a block, including gaps */
};

size_t parameter_size(const struct parameter *parameter); /* Return rows · columns. */

/* Create the table. `config` must have passed model_config_check. */
elman_status parameter_table_create(struct parameter_table *table,
                                    const struct model_config *config, elman_error *error) CHECKED;

/* Point the views into a block of table->block reals. Set views of parameters that the
 * configuration lacks to NULL. Use the arithmetic of the configuration and float32. */
void parameters_bind(struct parameters *views, real *block, const struct model_config *config);

/* Make every product of these views use the numerics, which must outlive the views. Their set in
 * eight bits, if any, must contain all matrices of parameter_matrices. */
void parameters_use(struct parameters *views, const struct numerics *numerics);

/* List the matrices of a block that take part in matrix products: all except embeddings that serve
 * only as tables. Return their number. */
size_t parameter_matrices(struct float_matrix matrices[MAX_PARAMETERS], const real *block,
                          const struct parameter_table *table);

/* Allocate a zeroed block, aligned to 64 bytes. Gaps between tensors stay zero. Pages of a large
 * block that are never written use no memory. */
elman_status parameter_block_create(real **block, const struct parameter_table *table,
                                    elman_error *error) CHECKED;
void parameter_block_free(real *block);

/* Write the initial values into a new block. The values of a tensor depend only on the seed and on
 * its index in the table. */
elman_status parameters_initialize(real *block, const struct parameter_table *table,
                                   enum initial_values values, uint64_t seed,
                                   elman_error *error) CHECKED;

#endif
