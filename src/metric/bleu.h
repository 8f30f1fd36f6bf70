/* Corpus BLEU (Papineni et al., "BLEU: a method for automatic evaluation of machine translation",
 * ACL 2002) with n-grams of 1 to 4 words and the exponential smoothing of mteval-v13a. */
#ifndef ELMAN_METRIC_BLEU_H
#define ELMAN_METRIC_BLEU_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "elman/metric.h"
#include "vocab/tokens.h"

/* ---- n-grams ---- */

/* The n-grams of one sequence of symbols, with their counts and their matches in other sequences.
 * They form a tree, in which the parent is the n-gram without its last symbol. The tree is in a
 * hash table, so that time is linear in the length. */
struct ngram {
  uint32_t parent; /* number of the parent n-gram, from 1; 0 for a unigram */
  uint32_t symbol;
  uint32_t count;   /* count in the counted sequence */
  uint32_t seen;    /* count in the sequence being matched */
  uint32_t matched; /* largest min(count, seen) over all sequences matched so far */
};

/* The caller initializes the struct to zero. Memory is reused. */
struct ngrams {
  struct ngram *items;
  size_t count, capacity;
  struct table index;
};

void ngrams_free(struct ngrams *ngrams);

/* Replace the contents by the n-grams of 1 to `orders` symbols. */
elman_status ngrams_count(struct ngrams *ngrams, const uint32_t *symbols, size_t length,
                          size_t orders, elman_error *error) CHECKED;

/* Match the stored n-grams with those of a sequence. Add to matched[n - 1] the number of n-grams of
 * n symbols that match here and did not match in earlier calls. The sum over all calls then
 * contains each n-gram's largest match. */
void ngrams_match(struct ngrams *ngrams, const uint32_t *symbols, size_t length, size_t orders,
                  uint32_t *matched);

/* Forget all matches. */
void ngrams_forget(struct ngrams *ngrams);

/* Return the number of n-grams of n symbols in a sequence. */
static inline size_t ngrams_in(size_t length, size_t n) {
  return length < n ? 0 : length - n + 1;
}

/* ---- tokens ---- */

/* The BLEU tokenizers of sacreBLEU, identical byte for byte.
 *
 *   13a   mteval-v13a, for European languages: decodes entities, separates punctuation,
 *         keeps numbers
 *   intl  mteval-v14, for all scripts with spaces: separates symbols, and Unicode punctuation that
 *         is not within numbers
 *   zh    separates each Chinese character and full-width sign, then does as 13a without entities
 *   char  separates all characters
 *   none  splits at white space
 *
 * BLEU_AUTO stands for the tokenizer that metric.c chooses; bleu_tokenize does not accept
 * BLEU_AUTO. */
enum bleu_tokenizer { BLEU_AUTO, BLEU_13A, BLEU_INTL, BLEU_ZH, BLEU_CHAR, BLEU_NONE };

/* Scratch memory of the tokenizers. The caller initializes the struct to zero. */
struct bleu_passes {
  struct buffer before, after; /* input and output of a pass */
};

void bleu_passes_free(struct bleu_passes *passes);

/* Replace the contents of `tokens` by the tokens of `line`, which must be valid UTF-8 and must not
 * point into `tokens` or `passes`. */
elman_status bleu_tokenize(struct tokens *tokens, struct bleu_passes *passes, struct text line,
                           enum bleu_tokenizer tokenizer, elman_error *error) CHECKED;

/* Return whether Python treats the character as white space: Unicode white space and the ASCII
 * separators U+001C to U+001F. */
bool is_python_space(int codepoint);

/* ---- scores ---- */

enum { BLEU_ORDERS = 4 };

/* Counts of a sentence, to be summed over a corpus: two lengths in words; whether the reference is
 * short; then, for n = 1 to 4, the matching n-grams and all n-grams of the hypothesis. */
enum {
  BLEU_HYPOTHESIS_LENGTH,
  BLEU_REFERENCE_LENGTH, /* the reference length closest to the hypothesis length; of two equally
                            close ones, the shorter */
  BLEU_SHORT,            /* 1 if the first reference has fewer than BLEU_ORDERS words */
  BLEU_MATCHED,
  BLEU_TOTAL = BLEU_MATCHED + BLEU_ORDERS,
  BLEU_COUNTS = BLEU_TOTAL + BLEU_ORDERS
};

/* The words of a sentence. Among the compared sentences, equal words have equal numbers. */
struct bleu_words {
  struct tokens words;
  uint32_t *numbers; /* (words.count) */
  size_t capacity;
};

void bleu_words_free(struct bleu_words *sentence);

/* Give each word the number of its first position in `known`, or TABLE_NONE if it does not occur
 * there. `index` finds the words of `known`. If `sentence` is `known`, fill the index. */
elman_status bleu_number_words(struct bleu_words *sentence, const struct bleu_words *known,
                               struct table *index, elman_error *error) CHECKED;

/* Scratch memory for counting. The caller initializes the struct to zero. */
struct bleu_work {
  struct bleu_passes passes;
  struct bleu_words hypothesis, reference;
  struct table index; /* words of the hypothesis */
  struct ngrams ngrams;
};

void bleu_work_free(struct bleu_work *work);

/* Compute the counts of one hypothesis against at least one reference. All texts must be valid
 * UTF-8. */
elman_status bleu_count(uint32_t counts[BLEU_COUNTS], struct bleu_work *work,
                        struct text hypothesis, const struct text *references,
                        size_t reference_count, enum bleu_tokenizer tokenizer,
                        elman_error *error) CHECKED;

/* Compute BLEU and its components from the sums. With `effective_order`, as for single sentences,
 * leave out the orders for which the hypothesis is too short. Without this flag, such an order
 * makes BLEU 0. */
void bleu_score(elman_metric_scores *scores, const uint64_t sums[BLEU_COUNTS],
                bool effective_order);

#endif
