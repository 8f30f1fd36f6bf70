/* The tensors of a model, as a model file contains them. */
#ifndef ELMAN_MODEL_TENSOR_SOURCES_H
#define ELMAN_MODEL_TENSOR_SOURCES_H

#include "elman/model.h"
#include "model/parameters.h"
#include "model/safetensors.h"
#include "tensor/eight_bits.h"

struct tensor_sources {
  struct tensor_source list[2 * MAX_PARAMETERS];
  size_t count;
  char (*names)[sizeof((struct parameter *)NULL)->name + sizeof SAFETENSORS_SCALE]; /* of scales */
  real *scales; /* of all matrices in eight bits */
};

/* List the tensors of a block for a file with numbers of this type. A file with ELMAN_INT8 has:
 *
 * - each matrix of several rows in eight bits. Precision int8 of translation rounds exactly these
 *   matrices, so it uses the levels and scales of the file;
 * - vectors and matrices of one row as floats;
 * - a tied matrix under its first name only.
 *
 * Floats precede eight bits, so that they remain aligned. The caller must call
 * tensor_sources_free, also after a failure. */
elman_status tensor_sources_list(struct tensor_sources *sources, const real *block,
                                 const struct parameter_table *table, elman_number_type type,
                                 elman_error *error) CHECKED;
void tensor_sources_free(struct tensor_sources *sources);

#endif
