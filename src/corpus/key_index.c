#include "corpus/key_index.h"

#include <stdlib.h>
#include <string.h>

elman_status key_index_create(struct key_index *index, size_t count, elman_error *error) {
  *index = (struct key_index){0};
  if (count >= NO_KEY)
    return fail(error, ELMAN_BAD_DATA, NULL, "there are more than %zu pairs", (size_t)NO_KEY - 1);
  size_t slots = 16;
  while (slots / 2 < count) {
    if (slots > SIZE_MAX / 2) return fail_no_memory(error);
    slots *= 2;
  }
  index->slots = reallocarray(NULL, slots, sizeof *index->slots);
  if (index->slots == NULL) return fail_no_memory(error);
  index->mask = slots - 1;
  return ELMAN_OK;
}

void key_index_free(struct key_index *index) {
  free(index->slots);
  *index = (struct key_index){0};
}

void key_index_reset(struct key_index *index, const uint64_t *keys) {
  index->keys = keys;
  memset(index->slots, 0xFF, (index->mask + 1) * sizeof *index->slots); /* NO_KEY */
}

size_t key_index_add(struct key_index *index, size_t position) {
  const uint64_t key = index->keys[position];
  size_t slot = (size_t)key & index->mask;
  while (index->slots[slot] != NO_KEY) {
    if (index->keys[index->slots[slot]] == key) return index->slots[slot];
    slot = (slot + 1) & index->mask;
  }
  index->slots[slot] = (uint32_t)position;
  return position;
}
