/* A vocabulary: the tokens of one language with their counts, by id.
 *
 * Ids run from 0: first the specials (source: <unk>; target: <unk>, <s>, </s>), then words by
 * falling count, equal counts in byte order. A word of the text that happens to be spelled like a
 * special is never that special: it is an unknown word. */
#ifndef ELMAN_VOCAB_VOCABULARY_H
#define ELMAN_VOCAB_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/table.h"
#include "base/text.h"
#include "elman/model.h"
#include "vocab/tokens.h"

/* Strings and a count of each, by the number in which they came. Inside src/vocab and src/corpus.
 */

struct word {
  size_t start; /* in `bytes` */
  size_t length;
  uint64_t count;
};

/* Start from all zero. */
struct word_table {
  struct buffer bytes; /* all words, one after the other, with a NUL after each */
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

enum { TOKEN_UNKNOWN = 0, TOKEN_START = 1, TOKEN_END = 2 };

struct vocabulary; /* immutable once built: may be read by several threads */

/* Counts tokens while a corpus is read; then becomes a vocabulary. */
struct token_counter;

elman_status token_counter_create(struct token_counter **counter, elman_error *error) CHECKED;
elman_status token_counter_add(struct token_counter *counter, const struct tokens *tokens,
                               elman_error *error) CHECKED;

/* These come into the vocabulary however rarely they are seen. */
elman_status token_counter_keep(struct token_counter *counter, const struct tokens *tokens,
                                elman_error *error) CHECKED;

/* Adds the counts of `from`, whose words come after those that are there, in their order. */
elman_status token_counter_merge(struct token_counter *counter, const struct token_counter *from,
                                 elman_error *error) CHECKED;
void token_counter_free(struct token_counter *counter);

/* Words seen at least `min_count` times, at most `max_words` of them (0 = no limit; the specials
 * are not counted), and those that are kept. Equal input gives equal ids, in whatever order the
 * tokens came. */
elman_status vocabulary_from_counts(struct vocabulary **vocabulary,
                                    const struct token_counter *counter, elman_side side,
                                    uint64_t min_count, size_t max_words,
                                    elman_error *error) CHECKED;

/* From a model file: all tokens by id, and their counts (any number for specials). Wrong or missing
 * specials, a repeated or empty token and invalid UTF-8 are ELMAN_BAD_DATA. */
elman_status vocabulary_from_list(struct vocabulary **vocabulary, const struct tokens *tokens,
                                  const uint64_t *counts, elman_side side,
                                  elman_error *error) CHECKED;
void vocabulary_free(struct vocabulary *vocabulary);
size_t vocabulary_size(const struct vocabulary *vocabulary);
size_t vocabulary_specials(const struct vocabulary *vocabulary); /* ids below this are no words */
struct text vocabulary_token(const struct vocabulary *vocabulary, size_t id); /* then a NUL */
uint64_t vocabulary_count(const struct vocabulary *vocabulary, size_t id);    /* specials: 0 */
double vocabulary_total(const struct vocabulary *vocabulary); /* sum of all counts */

/* The longest word that is Han throughout, in characters. */
size_t vocabulary_longest_han(const struct vocabulary *vocabulary);

/* At least a fifth of the Han characters, kana and full-width signs were counted after a space: so
 * they are where segmented text was split into characters with its spaces. */
bool vocabulary_is_spaced(const struct vocabulary *vocabulary);

/* TOKEN_UNKNOWN for what is not there, specials included. */
uint32_t vocabulary_find(const struct vocabulary *vocabulary, struct text token);

#endif
