/* Splitting text into tokens, and joining tokens.
 *
 * Every mode is lossless: tokens_join(tokens_split(x)) == x for every normalized text x. The rule
 * of a mode determines whether a space is expected between two adjacent tokens. If the text differs
 * from the rule, the right-hand token starts with a mark:
 *
 *   MARK_JOINED "￭" (U+FFED)  no space although the rule expects one
 *   MARK_SPACED "▁" (U+2581)  a space although the rule expects none
 *
 * If the text of a token begins with a mark character, the token always has an additional mark.
 * Therefore one leading mark can always be removed. If the first token of a text needs an
 * additional mark, it gets the mark that agrees with the rule for the start of a text. The modes
 * are:
 *
 *   space  Split at white space. A space is expected between all tokens, so the only marks are
 *          the additional ones.
 *   words  Keep letters and digits together. Split off each grapheme cluster of punctuation and
 *          symbols, and each Han character. A space is expected except beside a Han character,
 *          kana or full-width punctuation; before closing punctuation (. , ! ? ; : % ) ] } ’ …);
 *          after opening punctuation ( [ { ‘ “ $ # and so on; before and after ' ’ - / and _
 *   chars  Make each extended grapheme cluster a token. No space is expected.
 *
 * For `words` and `chars`, text_drop_spaces first removes insignificant spaces. */
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

/* Kinds of spaces that text_drop_spaces removes. */
enum ignored_spaces { NO_SPACES, SPACES_BETWEEN_HAN, SPACES_BESIDE_HAN };

/* The definition of a token mode. The table has one row for each elman_token_mode. */
struct token_mode {
  const char *name;
  /* Return the end of the token that starts at byte `start` of a piece without spaces. The pointer
   * is NULL for `auto`. */
  size_t (*token_end)(struct text piece, size_t start);
  /* Return whether a space is expected between two tokens. The tokens are passed without marks, so
   * that splitting and joining agree. */
  bool (*space_expected)(struct text left, struct text right);
  enum ignored_spaces ignored_spaces;
  bool segments;     /* see segment_unspaced */
  bool has_subwords; /* see subwords_split: a token may be a byte or a mark alone */
};

/* Return the row of an elman_token_mode; NULL for an unknown mode. */
const struct token_mode *token_mode_row(size_t mode);

/* Return whether the mode is chosen from the text: ELMAN_TOKENS_AUTO or ELMAN_TOKENS_AUTO_BPE. */
bool token_mode_is_automatic(elman_token_mode mode);

/* ---- tokens ---- */

/* A list of tokens in `bytes`; token i is [starts[i], starts[i + 1]). The caller initializes the
 * struct to zero. A list may be reused and keeps its memory. */
struct tokens {
  struct buffer bytes;
  size_t *starts; /* (count + 1) unless the list was always empty */
  size_t count;
  size_t capacity;
  size_t most; /* functions that split stop when `count` exceeds this number; 0 = no limit */
};

/* Return whether the list has more tokens than its limit, so that splitting can stop. */
bool tokens_exceed(const struct tokens *tokens);

struct text tokens_get(const struct tokens *tokens, size_t index); /* includes the mark */
elman_status tokens_add(struct tokens *tokens, struct text token, elman_error *error) CHECKED;

/* Append `mark` (MARK_JOINED, MARK_SPACED or "") and `surface` as one token. */
elman_status tokens_add_marked(struct tokens *tokens, const char *mark, struct text surface,
                               elman_error *error) CHECKED;
void tokens_clear(struct tokens *tokens);
void tokens_free(struct tokens *tokens);

/* Replace the contents of `tokens` by the tokens of `text`. In mode `bpe` these tokens are words;
 * subwords_split splits them further. `text` must be normalized and not point into `tokens`; `mode`
 * must not be automatic (token_mode_is_automatic). */
elman_status tokens_split(struct tokens *tokens, struct text text, elman_token_mode mode,
                          elman_error *error) CHECKED;

/* Append the text of the tokens to `into`. */
elman_status tokens_join(struct buffer *into, const struct tokens *tokens, elman_token_mode mode,
                         elman_error *error) CHECKED;
struct text token_surface(struct text token);
bool token_has_mark(struct text token);
bool token_is_spaced(struct text token); /* whether its mark is MARK_SPACED */

/* Return the text of a token for display: its surface, or the mark if it is a mark alone. */
struct text token_shown(struct text token);

/* Return the byte of a token such as "<0xE4>" of mode `bpe`; -1 for any other token. */
int token_byte(struct text token);

/* The text of a token, without its mark. */
struct surface {
  struct text text; /* empty for a mark alone */
  size_t next;      /* index of the next token; it skips all byte tokens of a character */
  bool is_bytes;
  char character[4]; /* storage of `text` if is_bytes */
};

/* Get the text of token `index`. Byte tokens that do not form a valid character yield U+FFFD
 * each. */
void tokens_surface(struct surface *surface, const struct tokens *tokens, size_t index,
                    elman_token_mode mode);

/* ---- untranslated words ---- */

/* Two adjacent words. At least one is a word of the other language that was copied in place of an
 * unknown word. */
struct foreign_neighbors {
  struct text left, right; /* without marks */
  bool left_foreign, right_foreign;
  bool foreign_characters; /* the other language is split into single characters */
};

/* Return whether to insert a space between two words. Follow the rule of the mode with two
 * exceptions: Han and kana are separated from the words of text with spaces, and two foreign words
 * are not joined. */
bool space_beside_foreign(elman_token_mode mode, const struct foreign_neighbors *neighbors);

#endif
