/* A hash table of item numbers, with open addressing and at most half of the slots in use. The
 * caller stores the items and compares keys; the table stores hashes of the keys. The hash function
 * affects only time and memory, never results. */
#ifndef ELMAN_BASE_TABLE_H
#define ELMAN_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define TABLE_NONE UINT32_MAX

/* The caller initializes the struct to zero. table_reset reuses the memory. */
struct table {
  struct table_slot {
    uint32_t item; /* TABLE_NONE = free */
    uint32_t hash; /* low 32 bits of the hash of the key */
  } * slots;
  size_t slot_count; /* a power of two, or 0 */
  size_t capacity;
  size_t count; /* number of items */
};

void table_free(struct table *table);

/* Remove all items and reserve memory for `count` of them. The table grows beyond that if
 * needed. */
elman_status table_reset(struct table *table, size_t count, elman_error *error) CHECKED;

/* Add an item below TABLE_NONE whose key is not in the table. After an error the table is
 * unchanged. */
elman_status table_add(struct table *table, uint64_t hash, size_t item, elman_error *error) CHECKED;

/* Return whether item number `item` of `items` has this key. */
typedef bool table_match(const void *items, size_t item, const void *key);

/* Return the item with this key, or TABLE_NONE. The function is inline so that the compiler also
 * inlines the comparison. */
static inline uint32_t table_find(const struct table *table, uint64_t hash, table_match *has_key,
                                  const void *items, const void *key) {
  if (table->count == 0) return TABLE_NONE;
  for (size_t at = (size_t)hash;; at++) {
    const struct table_slot *slot = &table->slots[at & (table->slot_count - 1)];
    if (slot->item == TABLE_NONE) return TABLE_NONE;
    if (slot->hash == (uint32_t)hash && has_key(items, slot->item, key)) return slot->item;
  }
}

/* FNV-1a, for hashes that are compared within one file or one group of processes. */

#define HASH_START UINT64_C(0xCBF29CE484222325)

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
  return hash;
}

#endif
