/* The matrices of a translation in the order in which they are shown: each head's and then their
 * average or, where there is one head, that one alone. */
#ifndef ELMAN_INSPECT_PANELS_H
#define ELMAN_INSPECT_PANELS_H

#include <stdio.h>

#include "elman/translate.h"

size_t panel_count(const elman_translation *translation);
/* (T,S); index < panel_count */
const float *panel_weights(const elman_translation *translation, size_t index);
/* The columns of the widest of `count` tokens, each cut at `most`. */
size_t widest_token(const char *const *tokens, size_t count, size_t most);
/* Whether the vocabulary lacks a source token. */
bool has_unknown(const elman_translation *translation);
/* "head 1" and so on, or "average"; nothing where there is one panel. */
void write_panel_name(FILE *stream, const elman_translation *translation, size_t index);
/* The same as a line. */
void write_panel_heading(FILE *stream, const elman_translation *translation, size_t index);

#endif
