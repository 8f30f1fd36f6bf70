/* Finds equal keys: which of n numbers stand for the same thing. */
#ifndef ELMAN_CORPUS_KEY_INDEX_H
#define ELMAN_CORPUS_KEY_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct key_index {
  const uint64_t *keys; /* (count), borrowed */
  uint32_t *slots;      /* open addressing, at most half full: a position in `keys`, or NO_KEY */
  size_t mask;
};

#define NO_KEY UINT32_MAX

/* For at most `count` keys. */
elman_status key_index_create(struct key_index *index, size_t count, elman_error *error) CHECKED;
void key_index_free(struct key_index *index);

/* Forgets all keys and takes others. */
void key_index_reset(struct key_index *index, const uint64_t *keys);

/* The position that was added first with the key of `position`; adds it if there is none. */
size_t key_index_add(struct key_index *index, size_t position);

#endif
