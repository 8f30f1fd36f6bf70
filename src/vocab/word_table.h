/* Strings and a count of each, by the number in which they came. Inside src/vocab and src/corpus.
 */
#ifndef ELMAN_VOCAB_WORD_TABLE_H
#define ELMAN_VOCAB_WORD_TABLE_H

#include "base/table.h"
#include "base/text.h"

struct word {
  size_t start; /* in `bytes` */
  size_t length;
  uint64_t count;
};

/* Start from all zero. */
struct word_table {
  struct buffer bytes; /* all words, one behind the other, with a NUL behind each */
  struct word *words;
  size_t count;
  size_t capacity;
  struct table index;
};

/* Valid until a word is added. */
static inline struct text word_text(const struct word_table *table, size_t index) {
  const struct word *word = &table->words[index];
  return (struct text){table->bytes.bytes + word->start, word->length};
}

/* Its number, or TABLE_NONE. */
uint32_t word_find(const struct word_table *table, struct text text);

/* *word is the new or old entry; a new one has the count 0. `text` lies elsewhere. */
elman_status word_add(struct word **word, struct word_table *table, struct text text,
                      elman_error *error) CHECKED;

void word_table_free(struct word_table *table);

#endif
