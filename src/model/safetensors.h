/* The safetensors format: 8 bytes with the header's length (little-endian), a JSON header with
 * type, shape and offsets of each tensor, then the tensors.
 * https://github.com/huggingface/safetensors
 *
 * The reader trusts nothing. It checks the whole header against the file's size before it reads a
 * tensor or allocates memory of a size found in the file. */
#ifndef ELMAN_MODEL_SAFETENSORS_H
#define ELMAN_MODEL_SAFETENSORS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "base/status.h"
#include "model/number_type.h"
#include "tensor/real.h"

/* The end of the name of the scales of a tensor of type I8. */
#define SAFETENSORS_SCALE "_scale"

enum { MAX_DIMENSIONS = 4, SAFETENSORS_MAX_HEADER = 100000000 };

struct stored_tensor {
  const char *name; /* owned by the header */
  enum number_type type;
  const char *type_name; /* owned by the header */
  size_t shape[MAX_DIMENSIONS];
  int dimensions;
  uint64_t begin, end; /* offsets in bytes, from the end of the header */
  uint64_t digest;     /* XXH64 of the tensor's bytes, once they have been read */
  bool is_digested;
};

/* An open file with a valid header: names are unique, types are known, shapes agree with the
 * offsets, and the offsets cover the file to its end without gaps. */
struct safetensors {
  int descriptor;            /* -1 if the file is in memory */
  const unsigned char *data; /* (size): the file in memory; owned by the caller */
  uint64_t size;
  const char *path; /* for messages, owned by the caller; NULL in memory */
  json_t *header;
  const json_t *metadata; /* maps strings to strings; NULL if the file has none */
  struct stored_tensor *tensors;
  size_t count;
  uint64_t data_start;
};

elman_status safetensors_open(struct safetensors *file, const char *path,
                              elman_error *error) CHECKED;

/* Like safetensors_open, for the bytes of a file, which must outlive the struct. */
elman_status safetensors_open_bytes(struct safetensors *file, const void *bytes, size_t size,
                                    elman_error *error) CHECKED;
void safetensors_close(struct safetensors *file);

/* Verify the file's checksum, if it has one. Return ELMAN_BAD_DATA if the file is damaged or was
 * altered. The caller should read the tensors that it needs first, because this function reads all
 * tensors that have not been read yet. */
elman_status safetensors_verify(const struct safetensors *file, elman_error *error) CHECKED;

/* Return the tensor of this name; NULL if there is none. */
const struct stored_tensor *safetensors_find(const struct safetensors *file, const char *name);

/* Return the metadata entry with this key; NULL if there is none. */
const char *safetensors_metadata(const struct safetensors *file, const char *key);

/* Return whether the tensor is a vector of `rows` elements (dimensions 1) or a matrix of this size
 * (dimensions 2). */
bool safetensors_has_shape(const struct stored_tensor *tensor, int dimensions, size_t rows,
                           size_t columns);

/* Require the scales of a tensor of type I8 in the file: for the matrix NAME of (rows,columns), the
 * tensor NAME_scale of type F32 and shape (rows,1). */
elman_status safetensors_check_scales(const struct safetensors *file,
                                      const struct stored_tensor *tensor,
                                      elman_error *error) CHECKED;

/* Read all elements of a tensor of type F32, BF16, F16, F64 or I8, converted to real. Those of type
 * I8 are levels from -127 to 127, which are multiplied by the scales of their rows. Return
 * ELMAN_BAD_DATA if a value is not finite, a scale is negative, or scales are missing. */
elman_status safetensors_read(real *values, const struct safetensors *file,
                              const struct stored_tensor *tensor, elman_error *error) CHECKED;

/* Store a JSON value as text in `metadata`, as the format requires. Take ownership of the value,
 * which may be NULL. Return 0, or -1 when memory runs out. */
int safetensors_set_json(json_t *metadata, const char *key, json_t *value);

/* A tensor to write. */
struct tensor_source {
  const char *name;
  const real *values;
  size_t shape[2];
  int dimensions;
  enum number_type type; /* F32, BF16, F16 or I8 */
  const real *scales;    /* type I8: (rows), from eight_bits_scale; written as another tensor */
};

/* Write a whole file to `stream`. A write error sets the stream's error flag, which the caller
 * checks. `metadata` maps strings to strings and is borrowed; the checksum is added to it. If a
 * value is not finite in its type, return ELMAN_INVALID_ARGUMENT and write nothing. */
elman_status safetensors_write(FILE *stream, json_t *metadata, const struct tensor_source *tensors,
                               size_t count, elman_error *error) CHECKED;

#endif
