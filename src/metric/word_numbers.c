#include "metric/word_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "metric/ngrams.h"

void word_numbers_free(struct word_numbers *sentence) {
  tokens_free(&sentence->words);
  free(sentence->numbers);
  *sentence = (struct word_numbers){0};
}

void word_index_free(struct word_index *index) {
  free(index->slots);
  *index = (struct word_index){0};
}

/* FNV-1a, with the high bits folded in. */
static size_t hash_of(struct text word) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < word.length; i++)
    hash = (hash ^ (unsigned char)word.bytes[i]) * UINT64_C(0x100000001B3);
  return (size_t)(hash ^ hash >> 32);
}

static size_t find_slot(const struct word_index *index, const struct tokens *words,
                        struct text word) {
  const size_t mask = index->slot_count - 1;
  size_t slot = hash_of(word) & mask;
  while (index->slots[slot] != 0 && !text_equal(tokens_get(words, index->slots[slot] - 1), word))
    slot = (slot + 1) & mask;
  return slot;
}

static elman_status make_room(struct word_numbers *sentence, elman_error *error) {
  void *memory = sentence->numbers;
  const elman_status status = array_grow(&memory, &sentence->capacity, sentence->words.count,
                                         sizeof *sentence->numbers, error);
  sentence->numbers = memory;
  return status;
}

elman_status word_index_build(struct word_index *index, struct word_numbers *sentence,
                              elman_error *error) {
  const size_t count = sentence->words.count;
  if (count >= UINT32_MAX - 1) return fail_no_memory(error);
  index->slot_count = 16;
  while (index->slot_count < 2 * count) index->slot_count *= 2;
  void *memory = index->slots;
  elman_status status =
      array_grow(&memory, &index->slot_capacity, index->slot_count, sizeof *index->slots, error);
  index->slots = memory;
  if (status == ELMAN_OK) status = make_room(sentence, error);
  if (status != ELMAN_OK) return status;
  memset(index->slots, 0, index->slot_count * sizeof *index->slots);
  for (size_t i = 0; i < count; i++) {
    const size_t slot = find_slot(index, &sentence->words, tokens_get(&sentence->words, i));
    if (index->slots[slot] == 0) index->slots[slot] = (uint32_t)i + 1;
    sentence->numbers[i] = index->slots[slot] - 1;
  }
  return ELMAN_OK;
}

elman_status word_index_apply(const struct word_index *index, const struct word_numbers *sentence,
                              struct word_numbers *other, elman_error *error) {
  const elman_status status = make_room(other, error);
  if (status != ELMAN_OK) return status;
  for (size_t i = 0; i < other->words.count; i++) {
    const size_t slot = find_slot(index, &sentence->words, tokens_get(&other->words, i));
    other->numbers[i] = index->slots[slot] == 0 ? SYMBOL_UNKNOWN : index->slots[slot] - 1;
  }
  return ELMAN_OK;
}
