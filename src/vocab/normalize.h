/* Unicode normalization of text. */
#ifndef ELMAN_VOCAB_NORMALIZE_H
#define ELMAN_VOCAB_NORMALIZE_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"
#include "elman/tokens.h"

/* Return whether the form unifies width and punctuation. */
static inline bool unifies(elman_normalization form) {
  return form == ELMAN_NFKC || form == ELMAN_NFKC_WIDE || form == ELMAN_NFKC_LOWER;
}

/* Normalize `text` to this form, remove invisible characters without meaning (invisible.h), replace
 * each run of Unicode white space by one space, and remove white space at the ends. The result
 * replaces the contents of `into`. `text` must be valid UTF-8. */
elman_status text_normalize(struct buffer *into, struct text text, elman_normalization form,
                            elman_error *error) CHECKED;

/* Like text_normalize, but without removing invisible characters. Apply drop_invisible, whose
 * result depends on neighbors, to a whole text first; then this function can normalize parts of
 * it. */
elman_status text_normalize_visible(struct buffer *into, struct text text, elman_normalization form,
                                    elman_error *error) CHECKED;

/* Remove from normalized text the spaces that have no meaning in a mode and are rarely typed. In
 * `words` these are spaces between two Han, kana or full-width characters. In `chars` they are
 * spaces beside one such character. `words` keeps a space between Han and Latin letters, which
 * would otherwise be joined. */
void text_drop_spaces(struct buffer *normalized, elman_token_mode mode);

/* Replace the contents of `into` by a form of `text` for comparison: NFKD with case folding,
 * without invisible characters (soft hyphens, joiners). Texts that differ only in case or width,
 * for example, become equal. `text` must be valid UTF-8. */
elman_status text_fold(struct buffer *into, struct text text, elman_error *error) CHECKED;

/* ---- punctuation ---- */

/* Normalization maps punctuation marks that users do not distinguish to one form.
 *
 * NFKC makes full-width marks narrow, but does not unify marks that differ in more than width.
 * Examples are 。 and the full stop, curly and straight quotation marks, hyphens and short dashes.
 * The table in normalize.c maps them to narrow forms. If a side is written with full-width marks,
 * like Chinese, marks then become full-width. The exceptions are
 *
 *   . , : '   between two ASCII letters or digits (3.5, 1,000, 3:30, Tom's)
 *   .         beside another one (...)
 *
 * Straight quotation marks alternately open and close; curly ones are kept. Each character is
 * mapped to one character. Normalizing unified text again does not change it. */

/* Return whether the character is the narrow or full-width form of a mark that has both. For
 * src/vocab only. */
bool sign_has_two_forms(int codepoint);

#endif
