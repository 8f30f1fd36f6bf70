/* A hash table of items that lie elsewhere, by number: open addressing, at most half full. It knows
 * the hash of each item's key; to compare keys is the caller's part, so that keys may be bytes,
 * pairs of numbers or whatever else. Only memory and time depend on the hash, never a result. */
#ifndef ELMAN_BASE_TABLE_H
#define ELMAN_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define TABLE_NONE UINT32_MAX

/* Start from all zero; memory is reused. */
struct table {
  struct table_slot {
    uint32_t item; /* TABLE_NONE = free */
    uint32_t hash; /* the low bits of the key's */
  } * slots;
  size_t slot_count; /* a power of two, or 0 */
  size_t capacity;
  size_t count; /* items */
};

void table_free(struct table *table);

/* Empties the table and makes room for `count` items; more make it grow. */
elman_status table_reset(struct table *table, size_t count, elman_error *error) CHECKED;

/* Adds an item, below TABLE_NONE, whose key is not there yet. An error changes nothing. */
elman_status table_add(struct table *table, uint64_t hash, size_t item, elman_error *error) CHECKED;

/* Whether item number `item` of `items` has this key. */
typedef bool table_match(const void *items, size_t item, const void *key);

/* The item with this key, or TABLE_NONE. Here, so that the comparison is compiled in. */
static inline uint32_t table_find(const struct table *table, uint64_t hash, table_match *has_key,
                                  const void *items, const void *key) {
  if (table->count == 0) return TABLE_NONE;
  for (size_t at = (size_t)hash;; at++) {
    const struct table_slot *slot = &table->slots[at & (table->slot_count - 1)];
    if (slot->item == TABLE_NONE) return TABLE_NONE;
    if (slot->hash == (uint32_t)hash && has_key(items, slot->item, key)) return slot->item;
  }
}

/* FNV-1a, a hash for what is compared within one file or one group. */

#define HASH_START UINT64_C(0xCBF29CE484222325)

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
  return hash;
}

#endif
