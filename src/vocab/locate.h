/* Positions of tokens in the text that they came from, and the words that contain them. */
#ifndef ELMAN_VOCAB_LOCATE_H
#define ELMAN_VOCAB_LOCATE_H

#include "elman/attention.h"
#include "vocab/tokens.h"

/* Token i occupies bytes [starts[i], ends[i]) of a text. White space belongs to no token. */
struct spans {
  size_t *starts, *ends; /* (tokens) */
};

/* Find the tokens of `text`, which need not be normalized. If normalization changed the characters
 * at a token boundary, both tokens get all of these characters. Tokens that are bytes of one
 * character all get that character. The range of a mark alone is empty. */
elman_status locate_tokens(struct spans spans, const struct tokens *tokens, struct text text,
                           elman_token_mode mode, elman_normalization form,
                           elman_error *error) CHECKED;

/* Find the first `count` tokens in the result of tokens_join. Later tokens, such as </s>, get an
 * empty range at the end. */
void locate_joined(struct spans spans, const struct tokens *tokens, size_t count,
                   elman_token_mode mode, struct text joined);

/* ---- words ---- */

/* The words [first, end) that a token overlaps, numbered from 0. The range is empty for white
 * space, and for a token without bytes after the last word, such as </s>. */
struct word_range {
  size_t first, end;
};

/* Return the number of words of a text. White space separates words. */
size_t words_count(struct text text);

/* Find the next word at or after byte *at; advance *at to its end. Return false after the last
 * word. */
bool word_next(size_t *start, size_t *at, struct text text);

/* ---- units ---- */

/* Units are the items that word alignments count: the words of a text. If the text is not separated
 * into words, the units are its tokens. */

/* Numbers of the mostly Han lines of one side of a corpus, with and without a space between two Han
 * characters. Lines with a single character do not count. The caller initializes the struct to
 * zero. */
struct unit_lines {
  size_t spaced, unspaced;
};

void unit_lines_add(struct unit_lines *lines, struct text text);

/* Return whether the units of a text are its tokens. By default, this holds for mostly Han text of
 * a side on which most such lines have no spaces. If `lines` is NULL, the text is the only line. */
bool units_are_tokens(struct text text, elman_alignment_units units,
                      const struct unit_lines *lines);

/* A text with the positions of its tokens. */
struct unit_side {
  struct text text;
  const size_t *starts, *ends; /* (tokens) */
  size_t tokens;
  bool by_tokens; /* result of units_are_tokens */
};

size_t units_count(const struct unit_side *side);

/* Set units[i] to the range of units that token i overlaps. If the token has no bytes, set it to
 * the unit that follows. From one non-empty range to the next, neither start nor end decreases. */
void units_locate(struct word_range *units, const struct unit_side *side);

#endif
