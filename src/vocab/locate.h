/* Where tokens stand in the text that they came from, and which of its words they belong to. */
#ifndef ELMAN_VOCAB_LOCATE_H
#define ELMAN_VOCAB_LOCATE_H

#include "elman/attention.h"
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

/* ---- words ---- */

/* The words [first, end) that a token lies in, from 0. None where both are equal: the token is
 * white space, or has no byte and stands after the last word, as </s> does. */
struct word_range {
  size_t first, end;
};

/* The words of a text: what white space separates. */
size_t words_count(struct text text);

/* Finds the next word at or after byte *at, which moves to its end. False past the last. */
bool word_next(size_t *start, size_t *at, struct text text);

/* ---- units ---- */

/* Word alignments count units: the words of a text, or its tokens where it has no words. */

/* Whether the units of a text are its tokens: by default those of Han without spaces. */
bool units_are_tokens(struct text text, elman_alignment_units units);

/* A text with the places of its tokens. */
struct unit_side {
  struct text text;
  const size_t *starts, *ends; /* of its tokens */
  size_t tokens;
  bool by_tokens; /* units_are_tokens */
};

size_t units_count(const struct unit_side *side);

/* units[i] = every unit that token i has a byte of; the unit before which it stands, if it has no
 * byte. Neither end of the ranges falls from a token with a unit to the next. */
void units_locate(struct word_range *units, const struct unit_side *side);

#endif
