#include "corpus/pair_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { BLOCK = 1 << 20 };

struct pair_text_block {
  char *bytes;
  size_t used, size;
  size_t end; /* the pairs before this one are here, or in earlier blocks */
};

/* The last block, if it has so much room, or a new one. */
static elman_status block_with_room(struct pair_text_block **found, struct pair_text *text,
                                    size_t size, elman_error *error) {
  if (text->count > text->given_back) {
    *found = &text->blocks[text->count - 1];
    if ((*found)->size - (*found)->used >= size) return ELMAN_OK;
  }
  const elman_status status =
      array_grow(&text->blocks, &text->capacity, text->count + 1, sizeof *text->blocks, error);
  if (status != ELMAN_OK) return status;
  struct pair_text_block block = {.size = size > BLOCK ? size : BLOCK};
  block.bytes = malloc(block.size);
  if (block.bytes == NULL) return fail_no_memory(error);
  *found = &text->blocks[text->count++];
  **found = block;
  return ELMAN_OK;
}

elman_status pair_text_add(const char **copy, struct pair_text *text, const struct text *fields,
                           size_t count, elman_error *error) {
  struct pair_text_block *block = NULL;
  size_t size = 0;
  for (size_t i = 0; i < count; i++)
    if (__builtin_add_overflow(size, fields[i].length + 1, &size)) return fail_no_memory(error);
  const elman_status status = block_with_room(&block, text, size, error);
  if (status != ELMAN_OK) return status;
  *copy = block->bytes + block->used;
  for (size_t i = 0; i < count; i++) {
    if (fields[i].length > 0) memcpy(block->bytes + block->used, fields[i].bytes, fields[i].length);
    block->used += fields[i].length;
    block->bytes[block->used++] = '\0';
  }
  block->end = ++text->pairs;
  return ELMAN_OK;
}

void pair_text_give_back(struct pair_text *text, size_t before) {
  while (text->given_back < text->count && text->blocks[text->given_back].end <= before) {
    const struct pair_text_block *block = &text->blocks[text->given_back++];
    release_pages(block->bytes, block->size);
    free(block->bytes);
  }
}

void pair_text_free(struct pair_text *text) {
  pair_text_give_back(text, text->pairs);
  free(text->blocks);
  *text = (struct pair_text){0};
}
