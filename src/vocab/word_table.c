#include "vocab/word_table.h"

#include <stdlib.h>

static bool is_word(const void *table, size_t index, const void *text) {
  return text_equal(word_text(table, index), *(const struct text *)text);
}

static uint32_t find(const struct word_table *table, struct text text, uint64_t hash) {
  return table_find(&table->index, hash, is_word, table, &text);
}

uint32_t word_find(const struct word_table *table, struct text text) {
  return find(table, text, text_hash(text));
}

elman_status word_add(struct word **word, struct word_table *table, struct text text,
                      elman_error *error) {
  const uint64_t hash = text_hash(text);
  const uint32_t found = find(table, text, hash);
  if (found != TABLE_NONE) {
    *word = &table->words[found];
    return ELMAN_OK;
  }
  elman_status status =
      array_grow(&table->words, &table->capacity, table->count + 1, sizeof *table->words, error);
  if (status != ELMAN_OK) return status;
  const size_t start = table->bytes.length;
  buffer_append_text(&table->bytes, text);
  buffer_append(&table->bytes, "", 1);
  if (table->bytes.failed) return fail_no_memory(error);
  status = table_add(&table->index, hash, table->count, error);
  if (status != ELMAN_OK) return status;
  *word = &table->words[table->count++];
  **word = (struct word){.start = start, .length = text.length};
  return ELMAN_OK;
}

void word_table_free(struct word_table *table) {
  buffer_free(&table->bytes);
  free(table->words);
  table_free(&table->index);
  *table = (struct word_table){0};
}
