/* A vocabulary: the tokens of one language and their counts, by id.
 *
 * Ids start with the specials (source: <unk>; target: <unk>, <s>, </s>). The words follow in
 * descending order of counts; words with equal counts are in byte order. A word of the text that is
 * spelled like a special is an unknown word, not the special. */
#ifndef ELMAN_VOCAB_VOCABULARY_H
#define ELMAN_VOCAB_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/table.h"
#include "base/text.h"
#include "elman/model.h"
#include "vocab/scripts.h"
#include "vocab/tokens.h"

/* Strings with counts, numbered in the order in which they are added. For src/vocab and src/corpus
 * only. */

struct word {
  size_t start; /* index in `bytes` */
  size_t length;
  uint64_t count;
};

/* A table of words. The caller initializes the struct to zero. */
struct word_table {
  struct buffer bytes; /* all words, each followed by a NUL */
  struct word *words;
  size_t count;
  size_t capacity;
  struct table index;
};

/* Return a word. It is valid until a word is added. */
static inline struct text word_text(const struct word_table *table, size_t index) {
  const struct word *word = &table->words[index];
  return (struct text){table->bytes.bytes + word->start, word->length};
}

/* Return the number of a word, or TABLE_NONE. */
uint32_t word_find(const struct word_table *table, struct text text);

/* Find a word, or add it with the count 0. `text` must not point into the table. */
elman_status word_add(struct word **word, struct word_table *table, struct text text,
                      elman_error *error) CHECKED;
void word_table_free(struct word_table *table);

enum { TOKEN_UNKNOWN = 0, TOKEN_START = 1, TOKEN_END = 2 };

struct vocabulary; /* never changes after construction, so several threads may read it */

/* Counts the tokens of a corpus for building a vocabulary. */
struct token_counter;

elman_status token_counter_create(struct token_counter **counter, elman_error *error) CHECKED;
elman_status token_counter_add(struct token_counter *counter, const struct tokens *tokens,
                               elman_error *error) CHECKED;

/* Add these tokens to the vocabulary regardless of their counts. */
elman_status token_counter_keep(struct token_counter *counter, const struct tokens *tokens,
                                elman_error *error) CHECKED;

/* Add the counts of `from`. Append the words that are new, in the order of `from`. */
elman_status token_counter_merge(struct token_counter *counter, const struct token_counter *from,
                                 elman_error *error) CHECKED;
void token_counter_free(struct token_counter *counter);

struct token_counts {
  size_t tokens, distinct, once; /* all, different ones, and those that occur once */
};

struct token_counts token_counter_counts(const struct token_counter *counter);

/* Build a vocabulary of the kept tokens, and of at most `max_words` words (0 = unlimited; specials
 * do not count) that occur at least `min_count` times. Ids do not depend on the order in which
 * tokens were counted. */
elman_status vocabulary_from_counts(struct vocabulary **vocabulary,
                                    const struct token_counter *counter, elman_side side,
                                    uint64_t min_count, size_t max_words,
                                    elman_error *error) CHECKED;

/* Build a vocabulary from a model file: `tokens` contains all tokens by id, and `counts` their
 * counts, which are ignored for specials. Return ELMAN_BAD_DATA for wrong or missing specials, a
 * duplicate or empty token, and invalid UTF-8. */
elman_status vocabulary_from_list(struct vocabulary **vocabulary, const struct tokens *tokens,
                                  const uint64_t *counts, elman_side side,
                                  elman_error *error) CHECKED;
void vocabulary_free(struct vocabulary *vocabulary);
size_t vocabulary_size(const struct vocabulary *vocabulary);
size_t vocabulary_specials(const struct vocabulary *vocabulary); /* ids below this are specials */
struct text vocabulary_token(const struct vocabulary *vocabulary,
                             size_t id);                                   /* followed by a NUL */
uint64_t vocabulary_count(const struct vocabulary *vocabulary, size_t id); /* 0 for specials */
double vocabulary_total(const struct vocabulary *vocabulary);              /* sum of all counts */

/* Return the length in characters of the longest word that consists of unspaced letters. */
size_t vocabulary_longest_unspaced(const struct vocabulary *vocabulary);

/* Return the script of most tokens with letters, weighted by their counts; SCRIPT_NONE if no script
 * has more than half of them. */
enum script vocabulary_script(const struct vocabulary *vocabulary);

/* Return the id of a token; TOKEN_UNKNOWN for a missing token and for specials. */
uint32_t vocabulary_find(const struct vocabulary *vocabulary, struct text token);

#endif
