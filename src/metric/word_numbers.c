#include "metric/word_numbers.h"

#include <stdlib.h>

#include "metric/ngrams.h"

void word_numbers_free(struct word_numbers *sentence) {
  tokens_free(&sentence->words);
  free(sentence->numbers);
  *sentence = (struct word_numbers){0};
}

static bool is_word(const void *words, size_t position, const void *word) {
  return text_equal(tokens_get(words, position), *(const struct text *)word);
}

elman_status words_number(struct word_numbers *sentence, struct table *index, elman_error *error) {
  const struct tokens *words = &sentence->words;
  elman_status status = array_grow(&sentence->numbers, &sentence->capacity, words->count,
                                   sizeof *sentence->numbers, error);
  if (status == ELMAN_OK) status = table_reset(index, words->count, error);
  for (size_t i = 0; status == ELMAN_OK && i < words->count; i++) {
    const struct text word = tokens_get(words, i);
    const uint64_t hash = text_hash(word);
    const uint32_t found = table_find(index, hash, is_word, words, &word);
    sentence->numbers[i] = found == TABLE_NONE ? (uint32_t)i : found;
    if (found == TABLE_NONE) status = table_add(index, hash, i, error);
  }
  return status;
}

elman_status words_number_as(struct word_numbers *other, const struct word_numbers *sentence,
                             const struct table *index, elman_error *error) {
  const elman_status status = array_grow(&other->numbers, &other->capacity, other->words.count,
                                         sizeof *other->numbers, error);
  for (size_t i = 0; status == ELMAN_OK && i < other->words.count; i++) {
    const struct text word = tokens_get(&other->words, i);
    other->numbers[i] = table_find(index, text_hash(word), is_word, &sentence->words, &word);
  }
  return status;
}
