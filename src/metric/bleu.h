/* BLEU (Papineni et al., "BLEU: a method for automatic evaluation of machine translation", ACL
 * 2002) of a corpus, with n-grams of 1 to 4 words and the exponential smoothing of mteval-v13a. */
#ifndef ELMAN_METRIC_BLEU_H
#define ELMAN_METRIC_BLEU_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "elman/metric.h"
#include "vocab/tokens.h"

/* ---- n-grams ---- */

/* The n-grams of one sequence of symbols with their counts, and what other sequences share with
 * them. A tree of n-grams (the parent is the n-gram without its last symbol) kept in a hash table,
 * so that time is linear in the length. */
struct ngram {
  uint32_t parent; /* number of an n-gram, from 1; 0 = none, this is a unigram */
  uint32_t symbol;
  uint32_t count;   /* in the counted sequence */
  uint32_t seen;    /* in the sequence that is being matched */
  uint32_t matched; /* largest min(count, seen) of the sequences matched so far */
};

/* Start from all zero; memory is reused. */
struct ngrams {
  struct ngram *items;
  size_t count, capacity;
  struct table index;
};

void ngrams_free(struct ngrams *ngrams);

/* Replaces the contents by the n-grams of 1 to `orders` symbols. */
elman_status ngrams_count(struct ngrams *ngrams, const uint32_t *symbols, size_t length,
                          size_t orders, elman_error *error) CHECKED;

/* Adds to matched[n - 1] how many n-grams of n symbols find a partner in this sequence that found
 * none in those before: the sum over all calls is that of each n-gram's largest match. */
void ngrams_match(struct ngrams *ngrams, const uint32_t *symbols, size_t length, size_t orders,
                  uint32_t *matched);

/* From now on as if nothing had been matched yet. */
void ngrams_forget(struct ngrams *ngrams);

/* How many n-grams of n symbols a sequence has. */
static inline size_t ngrams_in(size_t length, size_t n) {
  return length < n ? 0 : length - n + 1;
}

/* ---- tokens ---- */

/* The tokenisers of BLEU, which are part of its definition: sacreBLEU's, byte for byte.
 *
 *   13a   mteval-v13a, for European languages: entities, punctuation apart, numbers whole
 *   zh    each Chinese character and full-width sign apart, the rest as in 13a without entities
 *   char  each character
 *   none  at white space */
enum bleu_tokenizer { BLEU_13A, BLEU_ZH, BLEU_CHAR, BLEU_NONE };

/* Of a bleu_tokenizer: "13a", "zh", "char", "none"; NULL for anything else. */
const char *bleu_tokenizer_name(size_t tokenizer);

/* Scratch of tokenising. Start from all zero. */
struct bleu_passes {
  struct buffer before, after; /* each pass reads the one, writes the other */
};

void bleu_passes_free(struct bleu_passes *passes);

/* Replaces what was in `tokens`. `line` is valid UTF-8 and lies elsewhere. */
elman_status bleu_tokenize(struct tokens *tokens, struct bleu_passes *passes, struct text line,
                           enum bleu_tokenizer tokenizer, elman_error *error) CHECKED;

/* White space for Python: Unicode's and the four ASCII separators U+001C to U+001F. */
bool is_python_space(int codepoint);

/* ---- scores ---- */

enum { BLEU_ORDERS = 4 };

/* Counts of a sentence, which are summed over a corpus: two lengths in words, and for n = 1 to 4
 * the n-grams of the hypothesis that a reference has too, and all n-grams of the hypothesis. */
enum {
  BLEU_HYPOTHESIS_LENGTH,
  BLEU_REFERENCE_LENGTH, /* of the reference whose length is closest, the shorter of two */
  BLEU_MATCHED,
  BLEU_TOTAL = BLEU_MATCHED + BLEU_ORDERS,
  BLEU_COUNTS = BLEU_TOTAL + BLEU_ORDERS
};

/* A sentence's words as numbers, the same for equal words of all sentences that are compared. */
struct bleu_words {
  struct tokens words;
  uint32_t *numbers; /* words.count of them */
  size_t capacity;
};

/* Scratch of counting. Start from all zero. */
struct bleu_work {
  struct bleu_passes passes;
  struct bleu_words hypothesis, reference;
  struct table index; /* of the hypothesis' words */
  struct ngrams ngrams;
};

void bleu_work_free(struct bleu_work *work);

/* One hypothesis against its references, at least one. All valid UTF-8. */
elman_status bleu_count(uint32_t counts[BLEU_COUNTS], struct bleu_work *work,
                        struct text hypothesis, const struct text *references,
                        size_t reference_count, enum bleu_tokenizer tokenizer,
                        elman_error *error) CHECKED;

/* Sets what BLEU and its parts are for these sums. */
void bleu_score(elman_metric_scores *scores, const uint64_t sums[BLEU_COUNTS]);

#endif
