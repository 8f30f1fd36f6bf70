/* The matrices of a translation in the order in which they are shown: each head's and then their
 * average or, where there is one head, that one alone. */
#ifndef ELMAN_INSPECT_PANELS_H
#define ELMAN_INSPECT_PANELS_H

#include "inspect/format.h"

size_t panel_count(const elman_translation *translation);
/* (T,S); index < panel_count */
const float *panel_weights(const elman_translation *translation, size_t index);
/* What a panel has across: the source tokens, NO_TOKEN where there is a sentinel, and segments,
 * "tokens 1-5" and so on. No token has a space in it. */
#define NO_TOKEN "no token"
size_t panel_columns(const elman_translation *translation);
/* Where it is no token's, it is written into the buffer. */
struct column_buffer {
  char text[64];
};
const char *column_name(struct column_buffer *buffer, const elman_translation *translation,
                        size_t column);
size_t widest_column(const elman_translation *translation, size_t most);
bool column_known(const elman_translation *translation, size_t column);
/* Row t of a panel's weights (T,S). */
double column_weight(const elman_translation *translation, const float *weights, size_t t,
                     size_t column);
/* The columns of the widest of `count` tokens, each cut at `most`. */
size_t widest_token(const char *const *tokens, size_t count, size_t most);
bool has_unknown(const elman_translation *translation);
/* "head 1" and so on, or "average"; nothing where there is one panel. */
void write_panel_name(FILE *stream, const elman_translation *translation, size_t index);

/* Writes the place, if the style has numbers, then all panels by `write_panel`, each below its name
 * if there are several; an empty line parts them from the translation before. */
typedef void panel_writer(elman_attention_writer *writing, const elman_translation *translation,
                          const float *weights /* (T,S) */);
void write_panels(elman_attention_writer *writing, const elman_translation *translation,
                  panel_writer *write_panel);

#endif
