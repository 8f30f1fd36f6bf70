/* The checksum of a safetensors file, defined in docs/model-file.md. It covers the contents but not
 * the layout of the header, so a tool that only rearranges the file keeps it valid. */
#ifndef ELMAN_MODEL_CHECKSUM_H
#define ELMAN_MODEL_CHECKSUM_H

#include <stdint.h>

#include "base/json.h"
#include "base/status.h"

/* Metadata key under which the checksum is stored. */
#define CHECKSUM_KEY "elman.checksum"

enum { CHECKSUM_SIZE = 32 }; /* size of the text, including the NUL */

/* One tensor that the checksum covers. `digest` is the XXH64 of its bytes in the file. */
struct digested_tensor {
  const char *name, *type;
  const size_t *shape;
  int dimensions;
  uint64_t digest;
};

/* Compute the checksum, "xxh64:" and 16 digits. `metadata` maps strings to strings and may be NULL;
 * its entry CHECKSUM_KEY is ignored. Sort the tensors by name. */
elman_status checksum_make(char checksum[CHECKSUM_SIZE], const json_t *metadata,
                           struct digested_tensor *tensors, size_t count,
                           elman_error *error) CHECKED;

#endif
