/* FNV-1a, a hash for what is compared within one file or one group. */
#ifndef ELMAN_BASE_FNV_H
#define ELMAN_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xCBF29CE484222325)

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
  return hash;
}

#endif
