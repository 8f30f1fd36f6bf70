/* Source text that is copied into a translation in place of an unknown word. */
#ifndef ELMAN_TRANSLATE_COPIED_H
#define ELMAN_TRANSLATE_COPIED_H

#include <stdbool.h>

#include "vocab/locate.h"

/* A source text and its tokens. */
struct copied_source {
  struct text text; /* as given */
  const struct tokens *tokens;
  struct spans spans; /* of the tokens in the text */
  elman_token_mode mode;
  bool lower; /* the tokens are in lower case; the text may have capital letters */
};

/* Return whether the text has no space between token s > 0 and the token before it. */
bool is_joined(const struct copied_source *source, size_t s);

/* Adjacent tokens of a word, a URL or an e-mail address share the text that is copied for them. Set
 * firsts[s] to the first of the tokens that share the text of token s. With `whole`, set it to
 * NOT_COPIED for punctuation and for characters of text without spaces, which noise never teaches
 * to copy, unless the source has nothing else. */
#define NOT_COPIED SIZE_MAX
void copied_firsts(size_t *firsts, const struct copied_source *source, elman_token_mode target,
                   bool whole);

/* Replace the contents of `into` by the text of token s, as a token of a target in mode `target`.
 * With `whole`, for models that noise taught to copy, copy the longest text around the token that
 * has neither spaces nor other scripts, for example a URL; leave out marks at its ends. Without
 * `whole`, copy the token, or the word around it if only the source is divided into subwords or
 * characters. */
void copy_source_word(struct buffer *into, const struct copied_source *source, size_t s,
                      elman_token_mode target, bool whole);

#endif
