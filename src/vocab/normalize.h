/* Text in one of the normal forms. */
#ifndef ELMAN_VOCAB_NORMALIZE_H
#define ELMAN_VOCAB_NORMALIZE_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"
#include "elman/tokens.h"

/* Replaces the contents of `into` by `text` in this form, with every run of Unicode white space one
 * space and none at the ends. `text` must be valid UTF-8. */
elman_status text_normalize(struct buffer *into, struct text text, elman_normalization form,
                            elman_error *error) CHECKED;

/* Drops the spaces from normalised text that say nothing in a mode, and that few people type: in
 * `words` those between two of Han, kana and full-width signs, in `chars` those beside one. A space
 * between Han and Latin stays in `words`, which is what other languages are split into: the word on
 * either side would be written without it. */
void text_drop_spaces(struct buffer *normalized, elman_token_mode mode);

/* Replaces the contents of `into` by `text` in NFKD with its case folded, without characters that
 * nobody sees (soft hyphens, joiners). Texts that differ in case, width or the like become equal.
 * For comparing, not for reading. `text` must be valid UTF-8. */
elman_status text_fold(struct buffer *into, struct text text, elman_error *error) CHECKED;

/* ---- signs ---- */

/* Punctuation that a typist cannot distinguish gets one form per sign.
 *
 * NFKC makes full-width signs narrow, but leaves apart what differs in more than width: 。 and the
 * full stop, curly and straight quotation marks, dashes of the length of a hyphen. The table of
 * normalize.c names their narrow forms. Where a side is to be written in full-width signs, as
 * Chinese is, signs then become full-width, except
 *
 *   . , : '   between two ASCII letters or digits (3.5, 1,000, 3:30, Tom's)
 *   .         beside another one (...)
 *
 * A straight quotation mark opens or closes by turns; a curly one stays what it is. One character
 * becomes one character, and what is unified already stays as it is. */

/* Inside src/vocab. The sign has a narrow form and a full-width one, and this is either of them. */
bool sign_has_two_forms(int codepoint);

#endif
