/* Unicode normalization of text. */
#ifndef ELMAN_VOCAB_NORMALIZE_H
#define ELMAN_VOCAB_NORMALIZE_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"
#include "elman/tokens.h"

/* Replace the contents of `into` by `text` in this form, with each run of Unicode white space
 * replaced by one space, and none at the ends. `text` must be valid UTF-8. */
elman_status text_normalize(struct buffer *into, struct text text, elman_normalization form,
                            elman_error *error) CHECKED;

/* Remove spaces from normalized text that are insignificant in a mode and rarely typed. In `words`
 * these are spaces between two Han, kana or full-width characters; in `chars`, spaces beside one
 * such character. `words` keeps a space between Han and Latin letters, which would otherwise be
 * joined. */
void text_drop_spaces(struct buffer *normalized, elman_token_mode mode);

/* Replace the contents of `into` by `text` in NFKD with case folding, without invisible characters
 * (soft hyphens, joiners). Texts that differ in case, width and the like become equal. For
 * comparison only. `text` must be valid UTF-8. */
elman_status text_fold(struct buffer *into, struct text text, elman_error *error) CHECKED;

/* ---- punctuation ---- */

/* Punctuation marks that users do not distinguish are mapped to one form.
 *
 * NFKC makes full-width marks narrow, but does not unify marks that differ in more than width: 。
 * and the full stop, curly and straight quotation marks, hyphens and short dashes. The table in
 * normalize.c maps them to narrow forms. If a side is written with full-width marks, like Chinese,
 * marks then become full-width, except
 *
 *   . , : '   between two ASCII letters or digits (3.5, 1,000, 3:30, Tom's)
 *   .         beside another one (...)
 *
 * Straight quotation marks alternately open and close; curly ones are kept. Each character is
 * mapped to one character, and unified text is not changed. */

/* Return whether the character is the narrow or full-width form of a mark with two forms. For
 * src/vocab only. */
bool sign_has_two_forms(int codepoint);

#endif
