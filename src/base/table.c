#include "base/table.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_SLOTS = 16 };

/* Maximum number of slots. The table stores 32 bits of each hash; they cannot distinguish more
 * slots. */
static const uint64_t MAX_SLOTS = (uint64_t)1 << 32;

static const uint64_t MAX_ITEMS = (uint64_t)1 << 31;

static elman_status fail_full(elman_error *error) {
  return fail(error, ELMAN_BAD_DATA, NULL, "more than %llu distinct entries are not supported",
              (unsigned long long)MAX_ITEMS);
}

void table_free(struct table *table) {
  free(table->slots);
  *table = (struct table){0};
}

static void put(struct table_slot *slots, size_t slot_count, struct table_slot slot) {
  size_t at = slot.hash & (slot_count - 1);
  while (slots[at].item != TABLE_NONE) at = (at + 1) & (slot_count - 1);
  slots[at] = slot;
}

elman_status table_reset(struct table *table, size_t count, elman_error *error) {
  size_t slot_count = LEAST_SLOTS;
  if (count > MAX_ITEMS) return fail_full(error);
  while (slot_count / 2 < count) slot_count *= 2;
  if (slot_count > table->capacity) {
    table_free(table);
    table->slots = reallocarray(NULL, slot_count, sizeof *table->slots);
    if (table->slots == NULL) return fail_no_memory(error);
    table->capacity = slot_count;
  }
  table->slot_count = slot_count;
  table->count = 0;
  memset(table->slots, 0xFF, slot_count * sizeof *table->slots); /* sets every item to TABLE_NONE */
  return ELMAN_OK;
}

static elman_status grow(struct table *table, elman_error *error) {
  struct table larger = {0};
  const elman_status status = table_reset(&larger, table->slot_count, error);
  if (status != ELMAN_OK) return status;
  for (size_t i = 0; i < table->slot_count; i++)
    if (table->slots[i].item != TABLE_NONE) put(larger.slots, larger.slot_count, table->slots[i]);
  larger.count = table->count;
  table_free(table);
  *table = larger;
  return ELMAN_OK;
}

elman_status table_add(struct table *table, uint64_t hash, size_t item, elman_error *error) {
  if (table->count >= table->slot_count / 2) {
    if (table->slot_count == MAX_SLOTS) return fail_full(error);
    const elman_status status = grow(table, error);
    if (status != ELMAN_OK) return status;
  }
  put(table->slots, table->slot_count, (struct table_slot){(uint32_t)item, (uint32_t)hash});
  table->count++;
  return ELMAN_OK;
}
