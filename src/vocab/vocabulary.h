/* A vocabulary: the tokens of one language and their counts, by id.
 *
 * Ids start with the specials (source: <unk>; target: <unk>, <s>, </s>), followed by the words in
 * descending order of counts, equal counts in byte order. A word of the text that is spelled like a
 * special is not that special but an unknown word. */
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

/* Strings with counts, numbered in the order of their addition. For src/vocab and src/corpus
 * only. */

struct word {
  size_t start; /* in `bytes` */
  size_t length;
  uint64_t count;
};

/* Start from all zero. */
struct word_table {
  struct buffer bytes; /* all words, each followed by a NUL */
  struct word *words;
  size_t count;
  size_t capacity;
  struct table index;
};

/* Return a word; valid until a word is added. */
static inline struct text word_text(const struct word_table *table, size_t index) {
  const struct word *word = &table->words[index];
  return (struct text){table->bytes.bytes + word->start, word->length};
}

/* Return the number of a word, or TABLE_NONE. */
uint32_t word_find(const struct word_table *table, struct text text);

/* Find or add a word; a new one has the count 0. `text` must not point into the table. */
elman_status word_add(struct word **word, struct word_table *table, struct text text,
                      elman_error *error) CHECKED;
void word_table_free(struct word_table *table);

enum { TOKEN_UNKNOWN = 0, TOKEN_START = 1, TOKEN_END = 2 };

struct vocabulary; /* immutable after construction: several threads may read it */

/* Counts the tokens of a corpus, from which a vocabulary is built. */
struct token_counter;

elman_status token_counter_create(struct token_counter **counter, elman_error *error) CHECKED;
elman_status token_counter_add(struct token_counter *counter, const struct tokens *tokens,
                               elman_error *error) CHECKED;

/* Include these tokens in the vocabulary regardless of their counts. */
elman_status token_counter_keep(struct token_counter *counter, const struct tokens *tokens,
                                elman_error *error) CHECKED;

/* Add the counts of `from`. Append its new words in their order. */
elman_status token_counter_merge(struct token_counter *counter, const struct token_counter *from,
                                 elman_error *error) CHECKED;
void token_counter_free(struct token_counter *counter);

/* Build a vocabulary of words that occur at least `min_count` times, at most `max_words` of them (0
 * = unlimited; specials are not counted), and of the kept tokens. Ids do not depend on the order in
 * which tokens were counted. */
elman_status vocabulary_from_counts(struct vocabulary **vocabulary,
                                    const struct token_counter *counter, elman_side side,
                                    uint64_t min_count, size_t max_words,
                                    elman_error *error) CHECKED;

/* Build a vocabulary from a model file: all tokens by id, with their counts (ignored for specials).
 * Wrong or missing specials, a duplicate or empty token and invalid UTF-8 are ELMAN_BAD_DATA. */
elman_status vocabulary_from_list(struct vocabulary **vocabulary, const struct tokens *tokens,
                                  const uint64_t *counts, elman_side side,
                                  elman_error *error) CHECKED;
void vocabulary_free(struct vocabulary *vocabulary);
size_t vocabulary_size(const struct vocabulary *vocabulary);
size_t vocabulary_specials(const struct vocabulary *vocabulary); /* ids below this are specials */
struct text vocabulary_token(const struct vocabulary *vocabulary, size_t id); /* followed by a
                                                                                 NUL */
uint64_t vocabulary_count(const struct vocabulary *vocabulary, size_t id);    /* specials: 0 */
double vocabulary_total(const struct vocabulary *vocabulary); /* sum of all counts */

/* Return the length in characters of the longest word that consists of Han characters. */
size_t vocabulary_longest_han(const struct vocabulary *vocabulary);

/* Return whether at least a fifth of the Han characters, kana and full-width characters were
 * counted after a space, as in segmented text that was split into characters with its spaces. */
bool vocabulary_is_spaced(const struct vocabulary *vocabulary);

/* Return the id of a token; TOKEN_UNKNOWN for a missing token and for specials. */
uint32_t vocabulary_find(const struct vocabulary *vocabulary, struct text token);

#endif
