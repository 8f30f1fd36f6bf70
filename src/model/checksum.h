/* The checksum of a safetensors file: of what it holds, not of how its header is written, so that a
 * tool which only arranges the file anew does not spoil it. docs/model-file.md defines it. */
#ifndef ELMAN_MODEL_CHECKSUM_H
#define ELMAN_MODEL_CHECKSUM_H

#include <stdint.h>

#include "base/json.h"
#include "base/status.h"

/* Its key in the metadata. */
#define CHECKSUM_KEY "elman.checksum"

enum { CHECKSUM_SIZE = 32 }; /* with the NUL */

/* A tensor as it goes in: `digest` is the XXH64 of its bytes in the file. */
struct digested_tensor {
  const char *name, *type;
  const size_t *shape;
  int dimensions;
  uint64_t digest;
};

/* "xxh64:" and 16 digits. `metadata` (string to string) may be NULL; an entry CHECKSUM_KEY in it
 * does not count. Sorts the tensors by name. */
elman_status checksum_make(char checksum[CHECKSUM_SIZE], const json_t *metadata,
                           struct digested_tensor *tensors, size_t count,
                           elman_error *error) CHECKED;

#endif
