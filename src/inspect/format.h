/* The formats in which attention matrices are shown and stored. */
#ifndef ELMAN_INSPECT_FORMAT_H
#define ELMAN_INSPECT_FORMAT_H

#include <stdio.h>

#include "base/status.h"
#include "inspect/translation.h"

struct text_style {
  bool color; /* shades as 256-colour escapes; else as characters */
};

/* Writes one translation; what went wrong with the stream stays in its error flag. */
typedef enum status format_writer(FILE *stream, const struct translation *translation,
                                  const struct text_style *style, struct error *error);

struct format {
  const char *name;
  const char *suffix; /* of file names, with the dot */
  format_writer *write;
};

/* From index 0 up; NULL past the last. */
const struct format *format_at(size_t index);
/* NULL if there is no such format. */
const struct format *format_named(const char *name);
const struct format *format_of_path(const char *path);

format_writer format_write_text, format_write_json, format_write_tsv, format_write_npy;

/* Writes a token so that it can do no harm in a terminal or a table: control characters, and
 * characters that are invisible or turn the writing direction, as \u{hex}. */
void write_visible(FILE *stream, const char *token);
/* The columns that write_visible fills in a terminal. */
size_t visible_width(const char *token);

#endif
