/* XXH64 with seed 0: a checksum against accidental damage, not against an attacker.
 * https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md */
#ifndef ELMAN_BASE_XXH64_H
#define ELMAN_BASE_XXH64_H

#include <stddef.h>
#include <stdint.h>

enum { XXH64_LANES = 4, XXH64_STRIPE = 32 };

struct xxh64 {
  uint64_t lanes[XXH64_LANES];
  uint64_t total;                   /* bytes added so far */
  unsigned char rest[XXH64_STRIPE]; /* bytes after the last whole stripe */
};

void xxh64_start(struct xxh64 *sum);
void xxh64_add(struct xxh64 *sum, const void *bytes, size_t size);
/* Return the checksum of all bytes added so far. More bytes may be added afterwards. */
uint64_t xxh64_value(const struct xxh64 *sum);

uint64_t xxh64_of(const void *bytes, size_t size);

#endif
