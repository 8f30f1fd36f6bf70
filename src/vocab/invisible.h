/* Characters that are invisible and have no meaning in a text. */
#ifndef ELMAN_VOCAB_INVISIBLE_H
#define ELMAN_VOCAB_INVISIBLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Control characters, soft hyphens, byte order marks and marks of the writing direction have no
 * meaning. The following invisible characters have a meaning in certain places:
 *
 * - zero-width joiner: within emoji; after letters of scripts that join letters, such as Arabic, or
 *   that form conjuncts, such as Devanagari
 * - zero-width non-joiner: between two letters of such scripts
 * - zero-width space: between two letters of South-East Asian scripts
 * - variation selector: within emoji; after letters of Mongolian, Myanmar, Phags-pa, Manichaean
 * - grapheme joiner: after Hebrew letters
 * - tag: within the emoji of a flag
 *
 * After characters without meaning have been removed, another removal changes nothing, even if the
 * text was normalized in between. */

/* Return whether the text has an invisible character without meaning. */
bool has_invisible(struct text text);

/* Append to `into` the text without invisible characters that have no meaning. `origins` may be
 * NULL. Otherwise it has text.length + 1 elements; set origins[i] to the place in `text` of byte i
 * of the result, and the element after the last byte to text.length. */
void drop_invisible(struct buffer *into, struct text text, size_t *origins);

/* Return whether the text has only white space and invisible characters without meaning. */
bool text_is_blank(struct text text);

#endif
