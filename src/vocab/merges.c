#include "vocab/merges.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"

static bool is_pair(const void *items, size_t index, const void *key) {
  const struct merge *merge = (const struct merge *)items + index, *wanted = key;
  return merge->left == wanted->left && merge->right == wanted->right;
}

uint32_t merges_rank(const struct merges *merges, uint32_t left, uint32_t right) {
  if (left == TABLE_NONE || right == TABLE_NONE) return TABLE_NONE;
  const struct merge key = {left, right, 0};
  return table_find(&merges->pairs, symbols_hash(left, right), is_pair, merges->items, &key);
}

elman_status merges_intern(uint32_t *symbol, struct merges *merges, struct text text,
                           elman_error *error) {
  struct word *word;
  const elman_status status = word_add(&word, &merges->symbols, text, error);
  if (status == ELMAN_OK) *symbol = (uint32_t)(word - merges->symbols.words);
  return status;
}

/* The symbol of two strings together, which may be symbols themselves: they move while one is
 * added. */
static elman_status intern_both(uint32_t *symbol, struct merges *merges, struct text left,
                                struct text right, elman_error *error) {
  struct buffer both = {0};
  buffer_append_text(&both, left);
  buffer_append_text(&both, right);
  const elman_status status = both.failed
                                  ? fail_no_memory(error)
                                  : merges_intern(symbol, merges, buffer_text(&both), error);
  buffer_free(&both);
  return status;
}

elman_status merges_add(struct merges *merges, struct text left, struct text right,
                        elman_error *error) {
  struct merge merge;
  if (merges->count == MOST_MERGES)
    return fail(error, ELMAN_BAD_DATA, NULL, "there are more than %d merges", MOST_MERGES);
  elman_status status = merges_intern(&merge.left, merges, left, error);
  if (status == ELMAN_OK) status = merges_intern(&merge.right, merges, right, error);
  if (status == ELMAN_OK) status = intern_both(&merge.result, merges, left, right, error);
  if (status == ELMAN_OK)
    status = array_grow(&merges->items, &merges->capacity, merges->count + 1, sizeof *merges->items,
                        error);
  if (status == ELMAN_OK && merges_rank(merges, merge.left, merge.right) == TABLE_NONE)
    status = table_add(&merges->pairs, symbols_hash(merge.left, merge.right), merges->count, error);
  if (status != ELMAN_OK) return status;
  struct word *result = &merges->symbols.words[merge.result];
  if (result->count == 0) result->count = merges->count + 1;
  merges->items[merges->count++] = merge;
  return ELMAN_OK;
}

elman_status merges_copy(struct merges *to, const struct merges *from, elman_error *error) {
  elman_status status = ELMAN_OK;
  for (size_t rank = 0; status == ELMAN_OK && rank < from->count; rank++)
    status = merges_add(to, merges_text(from, from->items[rank].left),
                        merges_text(from, from->items[rank].right), error);
  return status;
}

void merges_clear(struct merges *merges) {
  word_table_free(&merges->symbols);
  table_free(&merges->pairs);
  free(merges->items);
  *merges = (struct merges){0};
}

void merges_free(struct merges *merges) {
  if (merges == NULL) return;
  merges_clear(merges);
  free(merges);
}

uint32_t merges_symbol(const struct merges *merges, struct text character, bool ends) {
  enum { LONGEST = 4 }; /* bytes of a character */
  char bytes[LONGEST + sizeof END_OF_WORD];
  if (!ends) return word_find(&merges->symbols, character);
  if (character.length > LONGEST) return TABLE_NONE;
  memcpy(bytes, character.bytes, character.length);
  memcpy(bytes + character.length, END_OF_WORD, sizeof END_OF_WORD);
  return word_find(&merges->symbols,
                   (struct text){bytes, character.length + sizeof END_OF_WORD - 1});
}

const struct merge *merges_origin(const struct merges *merges, uint32_t symbol) {
  if (symbol == TABLE_NONE) return NULL;
  const uint64_t number = merges->symbols.words[symbol].count;
  return number == 0 ? NULL : &merges->items[number - 1];
}

/* ---- lines ---- */

elman_status merges_add_line(struct merges *merges, struct text line, elman_error *error) {
  struct text right = line;
  const struct text left = text_cut(&right, ' ');
  if (left.length == 0 || right.length == 0 || memchr(right.bytes, ' ', right.length) != NULL)
    return fail(error, ELMAN_BAD_DATA, NULL,
                "is no merge: two parts with one space between are needed");
  if (text_valid_prefix(line) < line.length)
    return fail(error, ELMAN_BAD_DATA, NULL, "is not valid UTF-8 text");
  return merges_add(merges, left, right, error);
}

void merges_append_line(struct buffer *into, const struct merges *merges, size_t rank) {
  const struct merge *merge = &merges->items[rank];
  buffer_append_text(into, merges_text(merges, merge->left));
  buffer_append(into, " ", 1);
  buffer_append_text(into, merges_text(merges, merge->right));
}

uint64_t merges_hash(uint64_t hash, const struct merges *merges) {
  for (size_t rank = 0; rank < merges->count; rank++) {
    const struct text sides[] = {merges_text(merges, merges->items[rank].left),
                                 merges_text(merges, merges->items[rank].right)};
    for (size_t i = 0; i < 2; i++) hash = hash_bytes(hash, sides[i].bytes, sides[i].length + 1);
  }
  return hash;
}
