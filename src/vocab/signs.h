/* Punctuation that a typist cannot tell apart, each sign in one form. Inside src/vocab only.
 *
 * NFKC makes full-width signs narrow, but leaves apart what differs in more than width: 。 and the
 * full stop, curly and straight quotation marks, dashes of the length of a hyphen. The table of
 * signs.c names their narrow forms. Where a side is to be written in full-width signs, as Chinese
 * is, signs then become full-width, except
 *
 *   . , : '   between two ASCII letters or digits (3.5, 1,000, 3:30, Tom's)
 *   .         beside another one (...)
 *
 * A straight quotation mark opens or closes by turns; a curly one stays what it is. One character
 * becomes one character, and what is unified already stays as it is. */
#ifndef ELMAN_VOCAB_SIGNS_H
#define ELMAN_VOCAB_SIGNS_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"

/* Unifies the signs of `text`, which is in NFKC but for what this changes. */
elman_status signs_unify(struct buffer *text, bool wide, elman_error *error) CHECKED;

/* The sign has a narrow form and a full-width one, and this is either of them. */
bool sign_has_two_forms(int codepoint);

#endif
