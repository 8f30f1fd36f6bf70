/* Text to tokens and back.
 *
 * Every mode is lossless: tokens_join(tokens_split(x)) == x for every normalised text x. A mode has
 * a rule that says whether a space is expected between two neighbouring tokens; where the text
 * differs from the rule, the right-hand token carries a mark in front:
 *
 *   MARK_JOINED "￭" (U+FFED)  no space stood here although the rule expects one
 *   MARK_SPACED "▁" (U+2581)  a space stood here although the rule expects none
 *
 * A token whose own text begins with a mark character always carries an explicit mark, so that one
 * leading mark can always be removed; on the first token of a text it is the one that the rule
 * would expect after nothing.
 *
 *   space  split at white space; a space is expected between all tokens (so there are never marks,
 *          except on a token that itself begins with a mark character)
 *   words  letters and digits together, punctuation and symbols apart (one grapheme cluster each),
 *          Han characters one by one; a space is expected except: beside a Han character, kana
 *          or full-width punctuation; before closing punctuation (. , ! ? ; : % ) ] } ’ …); after
 *          opening punctuation ( [ { ‘ “ $ # and so on; before and after ' ’ - / and _
 *   chars  one extended grapheme cluster a token; no space is expected
 *
 * In `words` and `chars` text comes here without the spaces that say nothing: text_drop_spaces. */
#ifndef ELMAN_VOCAB_TOKENS_H
#define ELMAN_VOCAB_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "elman/tokens.h"

#define MARK_JOINED "\xEF\xBF\xAD"
#define MARK_SPACED "\xE2\x96\x81"

/* ---- modes ---- */

/* Spaces that say nothing in a mode, and that few people type: see text_drop_spaces. */
enum idle_spaces { NO_SPACES, SPACES_BETWEEN_HAN, SPACES_BESIDE_HAN };

/* How a mode splits text. A mode is a row of the table and a value of elman_token_mode. */
struct token_mode {
  const char *name;
  /* The end of the token that starts at byte `start` of a piece without spaces. NULL for `auto`. */
  size_t (*token_end)(struct text piece, size_t start);
  /* Whether a space is expected between two tokens. It sees them without marks, so that splitting
   * and joining cannot disagree. */
  bool (*space_expected)(struct text left, struct text right);
  enum idle_spaces idle_spaces;
  bool segments_han; /* see segment_unspaced */
  bool has_subwords; /* see subwords_split; a token may be a byte, or a mark alone */
};

/* Of an elman_token_mode; NULL if there is no such mode. */
const struct token_mode *token_mode_row(size_t mode);

/* Of an elman_token_mode: "space", "words", "chars", "auto", "bpe"; NULL for anything else. */
const char *token_mode_name(size_t mode);

/* Of an elman_normalization: "nfc", "nfkc", "nfkc-wide"; NULL for anything else. */
const char *normalization_name(size_t normalization);

/* ---- tokens ---- */

/* A list of tokens. Their bytes lie in `bytes`; item i is [starts[i], starts[i + 1]). Start from
 * all zero; a list may be reused and then keeps its memory. */
struct tokens {
  struct buffer bytes;
  size_t *starts; /* count + 1 entries once anything was added */
  size_t count;
  size_t capacity;
};

struct text tokens_get(const struct tokens *tokens, size_t index); /* marks included */
elman_status tokens_add(struct tokens *tokens, struct text token, elman_error *error) CHECKED;

/* Adds `mark` (MARK_JOINED, MARK_SPACED or "") and `surface` as one token. */
elman_status tokens_add_marked(struct tokens *tokens, const char *mark, struct text surface,
                               elman_error *error) CHECKED;
void tokens_clear(struct tokens *tokens);
void tokens_free(struct tokens *tokens);

/* Splits `text`, in mode `bpe` to words only (subwords_split splits them), which must be normalised
 * and lie elsewhere than in `tokens`; `mode` is not ELMAN_TOKENS_AUTO. Replaces what was there. */
elman_status tokens_split(struct tokens *tokens, struct text text, elman_token_mode mode,
                          elman_error *error) CHECKED;

/* Appends the text that the tokens came from to `into`. */
elman_status tokens_join(struct buffer *into, const struct tokens *tokens, elman_token_mode mode,
                         elman_error *error) CHECKED;
struct text token_surface(struct text token);
bool token_has_mark(struct text token);
bool token_is_spaced(struct text token); /* its mark is MARK_SPACED */

/* What people are shown of a token: its surface; of a mark alone the mark. */
struct text token_shown(struct text token);

/* In mode `bpe`: the byte that "<0xE4>" and its like stand for; -1 of any other token. */
int token_byte(struct text token);

/* What a token is in text. */
struct surface {
  struct text text; /* without its mark; the bytes of a mark alone are none */
  size_t next;      /* the token after it: byte units that are a character go together */
  bool is_bytes;
  char character[4]; /* what `text` then is */
};

/* Bytes that are no character of a word together give U+FFFD each. */
void tokens_surface(struct surface *surface, const struct tokens *tokens, size_t index,
                    elman_token_mode mode);

/* ---- words of the other language ---- */

/* Two neighbours of which at least one is a word of the other language, put where a word is
 * unknown. */
struct meeting {
  struct text left, right; /* without marks */
  bool left_foreign, right_foreign;
  bool foreign_characters; /* the other language is split into single characters */
};

/* Whether a space parts them: as the mode expects, but Han and kana stand apart from the words of a
 * text with spaces, and two foreign words are not joined to one. */
bool space_beside_foreign(elman_token_mode mode, const struct meeting *meeting);

#endif
