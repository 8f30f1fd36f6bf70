/* The checksum of a safetensors file. It covers the contents but not the layout of the header, so a
 * tool that only rearranges the file keeps it valid. docs/model-file.md defines it. */
#ifndef ELMAN_MODEL_CHECKSUM_H
#define ELMAN_MODEL_CHECKSUM_H

#include <stdint.h>

#include "base/json.h"
#include "base/status.h"

/* Key of the checksum in the metadata. */
#define CHECKSUM_KEY "elman.checksum"

enum { CHECKSUM_SIZE = 32 }; /* with the NUL */

/* The data of a tensor that the checksum covers; `digest` is the XXH64 of its bytes in the file. */
struct digested_tensor {
  const char *name, *type;
  const size_t *shape;
  int dimensions;
  uint64_t digest;
};

/* Compute the checksum, "xxh64:" and 16 digits. `metadata` (string to string) may be NULL; its
 * entry CHECKSUM_KEY is ignored. Sorts the tensors by name. */
elman_status checksum_make(char checksum[CHECKSUM_SIZE], const json_t *metadata,
                           struct digested_tensor *tensors, size_t count,
                           elman_error *error) CHECKED;

#endif
