/* Parameters are a table. One list gives the names, the shapes, the initial values and the struct
 * of views; weights, gradients and the optimiser's moments are blocks of equal layout, so
 * optimiser, clipping, files and gradient checks all walk the same table. */
#ifndef ELMAN_MODEL_PARAMETERS_H
#define ELMAN_MODEL_PARAMETERS_H

#include <stdint.h>

#include "base/status.h"
#include "decoder/decoder.h"
#include "encoder/encoder.h"

/* Everything that fixes the shapes and the arithmetic of a network. */
struct model_config {
  size_t source_vocabulary, target_vocabulary; /* V_src, V_tgt, specials included */
  size_t embedding_size, hidden_size;          /* E, H */
  enum attention_kind attention;
};

enum { MAX_LAYER_SIZE = 16384, MAX_VOCABULARY = 1 << 24 };

/* Sizes from 1 to the limits above, or STATUS_INVALID_ARGUMENT. */
enum status model_config_check(const struct model_config *config, struct error *error) CHECKED;

/* The views: weights, or gradients, or moments, by the block they look into. */
struct parameters {
  struct encoder_parameters encoder;
  struct decoder_parameters decoder;
};

/* PyTorch's initial values of the module that the tensor belongs to. */
enum initializer {
  INIT_NORMAL, /* nn.Embedding: N(0,1) */
  INIT_UNIFORM /* nn.RNN, nn.Linear: U(-bound, bound) */
};

struct parameter {
  char name[64]; /* as PyTorch's state_dict has it */
  size_t rows, columns;
  int dimensions; /* 1: a vector of `rows`; 2: a matrix */
  enum initializer initializer;
  double bound;
  size_t offset; /* in reals, from the start of a block; a multiple of 64 bytes */
};

enum { MAX_PARAMETERS = 16 };

struct parameter_table {
  struct parameter rows[MAX_PARAMETERS];
  size_t count;
  size_t block; /* reals in a block, gaps included */
};

size_t parameter_size(const struct parameter *parameter); /* rows · columns */

/* `config` has passed model_config_check. */
enum status parameter_table_create(struct parameter_table *table, const struct model_config *config,
                                   struct error *error) CHECKED;

/* Points the views into a block of table->block reals. */
void parameters_bind(struct parameters *views, real *block, const struct model_config *config);

/* A zeroed block; free() it. Gaps between tensors are zero and stay zero. */
enum status parameter_block_create(real **block, const struct parameter_table *table,
                                   struct error *error) CHECKED;

/* Writes the initial values; a tensor's depend on the seed and its place in the table only. */
void parameters_initialize(real *block, const struct parameter_table *table, uint64_t seed);

#endif
