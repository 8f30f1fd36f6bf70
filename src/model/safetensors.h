/* The safetensors format: 8 bytes with the header's length (little-endian), a JSON header with each
 * tensor's type, shape and offsets, then the numbers. https://github.com/huggingface/safetensors
 *
 * The reader trusts nothing: it checks the whole header against the file's size before a number is
 * read or memory of a size found in the file is asked for. */
#ifndef ELMAN_MODEL_SAFETENSORS_H
#define ELMAN_MODEL_SAFETENSORS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "base/status.h"
#include "tensor/real.h"

enum { MAX_DIMENSIONS = 4, SAFETENSORS_MAX_HEADER = 100000000 };

enum number_type { NUMBER_F32, NUMBER_F64, NUMBER_OTHER };

struct stored_tensor {
  const char *name; /* owned by the header */
  enum number_type type;
  const char *type_name; /* likewise */
  size_t shape[MAX_DIMENSIONS];
  int dimensions;
  uint64_t begin, end; /* bytes, from the end of the header */
  uint64_t digest;     /* of its bytes, once they were read */
  bool is_digested;
};

/* An open file whose header is valid: names unique, types known to have a size, shapes agreeing
 * with offsets, offsets following each other from 0 to the file's end without a gap. */
struct safetensors {
  int descriptor;
  const char *path; /* the caller's */
  json_t *header;
  const json_t *metadata; /* string to string; NULL if the file has none */
  struct stored_tensor *tensors;
  size_t count;
  uint64_t data_start;
};

elman_status safetensors_open(struct safetensors *file, const char *path,
                              elman_error *error) CHECKED;
void safetensors_close(struct safetensors *file);

/* Says whether the file's checksum fits, if it has one: ELMAN_BAD_DATA when the file is damaged or
 * was altered. Best called when its tensors were read, for it reads those that were not. */
elman_status safetensors_verify(const struct safetensors *file, elman_error *error) CHECKED;

/* NULL if there is no such tensor. */
const struct stored_tensor *safetensors_find(const struct safetensors *file, const char *name);

/* NULL if there is no such entry. */
const char *safetensors_metadata(const struct safetensors *file, const char *key);

/* Whether a tensor is a vector of `rows` (dimensions 1) or a matrix of rows and columns. */
bool safetensors_has_shape(const struct stored_tensor *tensor, int dimensions, size_t rows,
                           size_t columns);

/* Reads all numbers of a tensor of type F32 or F64, converted to real. A number that is not finite
 * is ELMAN_BAD_DATA. */
elman_status safetensors_read(real *values, const struct safetensors *file,
                              const struct stored_tensor *tensor, elman_error *error) CHECKED;

/* Stores a JSON value as text in `metadata`, as the format asks. Takes the value over, also NULL.
 * 0, or -1 when memory ran out. */
int safetensors_set_json(json_t *metadata, const char *key, json_t *value);

/* For writing: what to store as F32, in this order. */
struct tensor_source {
  const char *name;
  const real *values;
  size_t shape[2];
  int dimensions;
};

/* Writes a whole file to `stream`; write errors stay in its error flag. `metadata` (string to
 * string) is borrowed and gets the checksum. A number that is not finite is
 * ELMAN_INVALID_ARGUMENT before anything is written. */
elman_status safetensors_write(FILE *stream, json_t *metadata, const struct tensor_source *tensors,
                               size_t count, elman_error *error) CHECKED;

#endif
