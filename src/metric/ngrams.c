#include "metric/ngrams.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void ngrams_free(struct ngrams *ngrams) {
  free(ngrams->items);
  free(ngrams->slots);
  *ngrams = (struct ngrams){0};
}

/* The finaliser of SplitMix64: every bit of the key reaches the low bits. */
static size_t hash_of(uint32_t parent, uint32_t symbol) {
  uint64_t key = (uint64_t)parent << 32 | symbol;
  key = (key ^ key >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  key = (key ^ key >> 27) * UINT64_C(0x94D049BB133111EB);
  return (size_t)(key ^ key >> 31);
}

/* The slot that holds the n-gram's number, or the free one where it belongs. */
static size_t find_slot(const struct ngrams *ngrams, uint32_t parent, uint32_t symbol) {
  const size_t mask = ngrams->slot_count - 1;
  size_t slot = hash_of(parent, symbol) & mask;
  while (ngrams->slots[slot] != 0) {
    const struct ngram *found = &ngrams->items[ngrams->slots[slot] - 1];
    if (found->symbol == symbol && found->parent == parent) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

/* The n-grams that an ordinary sentence has. A long one makes the table grow, for most of what it
 * may hold at worst is repetition. */
enum { FIRST_SLOTS = 4096 };

static elman_status reserve_slots(struct ngrams *ngrams, size_t slot_count, elman_error *error) {
  void *memory = ngrams->slots;
  const elman_status status =
      array_grow(&memory, &ngrams->slot_capacity, slot_count, sizeof *ngrams->slots, error);
  ngrams->slots = memory;
  if (status != ELMAN_OK) return status;
  ngrams->slot_count = slot_count;
  memset(ngrams->slots, 0, slot_count * sizeof *ngrams->slots);
  return ELMAN_OK;
}

/* Empties the table, which may come to hold `most` n-grams. */
static elman_status clear(struct ngrams *ngrams, size_t most, elman_error *error) {
  if (most >= UINT32_MAX / 2) return fail_no_memory(error);
  size_t slot_count = 16;
  while (slot_count < 2 * most && slot_count < FIRST_SLOTS) slot_count *= 2;
  ngrams->count = 0;
  return reserve_slots(ngrams, slot_count, error);
}

static elman_status double_slots(struct ngrams *ngrams, elman_error *error) {
  const elman_status status = reserve_slots(ngrams, 2 * ngrams->slot_count, error);
  for (size_t i = 0; i < ngrams->count && status == ELMAN_OK; i++)
    ngrams->slots[find_slot(ngrams, ngrams->items[i].parent, ngrams->items[i].symbol)] =
        (uint32_t)i + 1;
  return status;
}

static elman_status add(uint32_t *number, struct ngrams *ngrams, uint32_t parent, uint32_t symbol,
                        elman_error *error) {
  size_t slot = find_slot(ngrams, parent, symbol);
  if (ngrams->slots[slot] == 0) {
    elman_status status = ELMAN_OK;
    if (2 * (ngrams->count + 1) > ngrams->slot_count) {
      status = double_slots(ngrams, error);
      if (status != ELMAN_OK) return status;
      slot = find_slot(ngrams, parent, symbol);
    }
    void *memory = ngrams->items;
    status =
        array_grow(&memory, &ngrams->capacity, ngrams->count + 1, sizeof *ngrams->items, error);
    ngrams->items = memory;
    if (status != ELMAN_OK) return status;
    ngrams->items[ngrams->count++] = (struct ngram){.parent = parent, .symbol = symbol};
    ngrams->slots[slot] = (uint32_t)ngrams->count;
  }
  *number = ngrams->slots[slot];
  ngrams->items[*number - 1].count++;
  return ELMAN_OK;
}

elman_status ngrams_count(struct ngrams *ngrams, const uint32_t *symbols, size_t length,
                          size_t orders, elman_error *error) {
  size_t most;
  if (__builtin_mul_overflow(length, orders, &most)) return fail_no_memory(error);
  elman_status status = clear(ngrams, most, error);
  for (size_t i = 0; i < length && status == ELMAN_OK; i++) {
    uint32_t number = 0;
    for (size_t n = 0; n < orders && n < length - i && status == ELMAN_OK; n++)
      status = add(&number, ngrams, number, symbols[i + n], error);
  }
  return status;
}

void ngrams_match(struct ngrams *ngrams, const uint32_t *symbols, size_t length, size_t orders,
                  uint32_t *matched) {
  for (size_t i = 0; i < ngrams->count; i++) ngrams->items[i].seen = 0;
  for (size_t i = 0; i < length; i++) {
    uint32_t number = 0;
    for (size_t n = 0; n < orders && n < length - i; n++) {
      number = ngrams->slots[find_slot(ngrams, number, symbols[i + n])];
      if (number == 0) break; /* what is longer is not there either */
      struct ngram *ngram = &ngrams->items[number - 1];
      ngram->seen++;
      if (ngram->seen > ngram->count || ngram->seen <= ngram->matched) continue;
      ngram->matched = ngram->seen;
      matched[n]++;
    }
  }
}

void ngrams_forget(struct ngrams *ngrams) {
  for (size_t i = 0; i < ngrams->count; i++) ngrams->items[i].matched = 0;
}
