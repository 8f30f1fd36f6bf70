#include "metric/ngrams.h"

#include <stdlib.h>

#include "base/text.h"
#include "base/xxh64.h"

void ngrams_free(struct ngrams *ngrams) {
  free(ngrams->items);
  table_free(&ngrams->index);
  *ngrams = (struct ngrams){0};
}

struct key {
  uint32_t parent, symbol;
};

static bool is_ngram(const void *items, size_t item, const void *key) {
  const struct ngram *ngram = (const struct ngram *)items + item;
  const struct key *wanted = key;
  return ngram->symbol == wanted->symbol && ngram->parent == wanted->parent;
}

/* The position of an n-gram, or TABLE_NONE. */
static uint32_t find(const struct ngrams *ngrams, struct key key) {
  return table_find(&ngrams->index, xxh64_of(&key, sizeof key), is_ngram, ngrams->items, &key);
}

static elman_status add(uint32_t *number, struct ngrams *ngrams, uint32_t symbol,
                        elman_error *error) {
  const struct key key = {*number, symbol};
  uint32_t found = find(ngrams, key);
  if (found == TABLE_NONE) {
    elman_status status = array_grow(&ngrams->items, &ngrams->capacity, ngrams->count + 1,
                                     sizeof *ngrams->items, error);
    if (status == ELMAN_OK)
      status = table_add(&ngrams->index, xxh64_of(&key, sizeof key), ngrams->count, error);
    if (status != ELMAN_OK) return status;
    found = (uint32_t)ngrams->count++;
    ngrams->items[found] = (struct ngram){.parent = key.parent, .symbol = symbol};
  }
  ngrams->items[found].count++;
  *number = found + 1;
  return ELMAN_OK;
}

/* The n-grams that an ordinary sentence has. A long one makes the table grow, for most of what it
 * may hold at worst is repetition. */
enum { ORDINARY = 2048 };

elman_status ngrams_count(struct ngrams *ngrams, const uint32_t *symbols, size_t length,
                          size_t orders, elman_error *error) {
  size_t most;
  if (__builtin_mul_overflow(length, orders, &most)) return fail_no_memory(error);
  elman_status status = table_reset(&ngrams->index, most < ORDINARY ? most : ORDINARY, error);
  ngrams->count = 0;
  for (size_t i = 0; i < length && status == ELMAN_OK; i++) {
    uint32_t number = 0;
    for (size_t n = 0; n < orders && n < length - i && status == ELMAN_OK; n++)
      status = add(&number, ngrams, symbols[i + n], error);
  }
  return status;
}

void ngrams_match(struct ngrams *ngrams, const uint32_t *symbols, size_t length, size_t orders,
                  uint32_t *matched) {
  for (size_t i = 0; i < ngrams->count; i++) ngrams->items[i].seen = 0;
  for (size_t i = 0; i < length; i++) {
    uint32_t number = 0;
    for (size_t n = 0; n < orders && n < length - i; n++) {
      const uint32_t found = find(ngrams, (struct key){number, symbols[i + n]});
      if (found == TABLE_NONE) break; /* what is longer is not there either */
      struct ngram *ngram = &ngrams->items[found];
      number = found + 1;
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
