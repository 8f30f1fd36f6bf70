/* Where tokens stand in the text that they came from, and which of its words they belong to. */
#ifndef ELMAN_VOCAB_LOCATE_H
#define ELMAN_VOCAB_LOCATE_H

#include "vocab/tokens.h"

/* Token i lies in bytes [starts[i], ends[i]) of a text; white space is in none. */
struct spans {
  size_t *starts, *ends; /* one a token */
};

/* Finds the tokens that `text`, which need not be normalised, was split into. Where normalising
 * changed what a token boundary cuts through, both tokens have all of it; so have those that are
 * bytes of one character. A mark alone has no byte. */
elman_status locate_tokens(struct spans spans, const struct tokens *tokens, struct text text,
                           elman_token_mode mode, elman_normalization form,
                           elman_error *error) CHECKED;

/* Finds the first `count` tokens in what tokens_join made of them. Later ones, such as </s>, are
 * put at the end, without a byte. */
void locate_joined(struct spans spans, const struct tokens *tokens, size_t count,
                   elman_token_mode mode, struct text joined);

/* No word: the token is white space, or nothing behind the last word, as </s> is. */
#define NO_WORD ((size_t)-1)

/* The words of a text: what white space separates. */
size_t count_words(struct text text);

/* words[i] = the number, from 0, of the word that token i begins in or, if it has no byte, stands
 * before. */
void locate_words(size_t *words, const size_t *starts, const size_t *ends, size_t count,
                  struct text text);

#endif
