/* The formats in which attention matrices are shown and stored, and the writer of several
 * translations in one format. */
#ifndef ELMAN_INSPECT_FORMAT_H
#define ELMAN_INSPECT_FORMAT_H

#include <stdio.h>

#include "base/status.h"
#include "elman/attention.h"
#include "elman/gradients.h"

/* The matrices of a translation in display order: one per head and then their average, or the only
 * head. */

size_t panel_count(const elman_translation *translation);

/* (T,S); index < panel_count */
const float *panel_weights(const elman_translation *translation, size_t index);
size_t panel_columns(const elman_translation *translation);

/* Return the name of a column. A name that is not a token is written into the buffer. */
struct column_buffer {
  char text[64];
};

const char *column_name(struct column_buffer *buffer, const elman_translation *translation,
                        size_t column);
size_t widest_column(const elman_translation *translation, size_t most);
bool column_known(const elman_translation *translation, size_t column);

/* Return an entry of row t of a panel's weights (T,S). */
double column_weight(const elman_translation *translation, const float *weights, size_t t,
                     size_t column);

/* Return the width of the widest of `count` tokens in columns, at most `most`. */
size_t widest_token(const char *const *tokens, size_t count, size_t most);
bool has_unknown(const elman_translation *translation);

/* Write "head 1" and so on, or "average"; nothing if there is only one panel. */
void write_panel_name(FILE *stream, const elman_translation *translation, size_t index);

/* Write the place if the style is numbered. Then write all panels with `write_panel`, each below
 * its name if there are several. An empty line separates translations. */
typedef void panel_writer(elman_attention_writer *writing, const elman_translation *translation,
                          const float *weights /* (T,S) */);

void write_panels(elman_attention_writer *writing, const elman_translation *translation,
                  panel_writer *write_panel);

/* The state of a writer. An error while writing is stored in the error flag of the stream. */
struct elman_attention_writer {
  const struct format *format;
  FILE *stream;
  elman_text_style style;
  size_t count;                /* translations written so far */
  elman_attention_place place; /* place of the current translation */
  /* the text after the head, for a format whose head is written last */
  FILE *held;
  char *held_bytes;
  size_t held_length;
  size_t width, height; /* size of the picture so far */
  const char *refusal;  /* reason why the sentence has no translation; NULL = it has one */
  bool source_words, target_words; /* the current translation is shown in words */
  bool failed;                     /* memory is exhausted */
  bool drawn;                      /* text: at least one weight was written */
  bool unknown;                    /* text, svg: at least one token is not in the vocabulary */
};

typedef void format_hook(elman_attention_writer *writing);

typedef void format_writer(elman_attention_writer *writing, const elman_translation *translation);

struct format {
  const char *name;
  const char *suffix; /* suffix of file names, with the dot */
  format_hook *begin; /* writes the head; may be NULL */
  format_writer *write;
  format_hook *end;  /* writes the tail; may be NULL */
  bool counts_words; /* the format requires translations in tokens and determines the words
                        itself */
};

/* All formats in the order of lists: format_NAME.c defines format_NAME. */
#define FORMATS(USE)                                                                               \
  USE(text) USE(json) USE(tsv) USE(npy) USE(svg) USE(html) USE(pharaoh) USE(softalignments)

/* ---- JSON: format_json.c ---- */

struct json_writer {
  FILE *stream;
  int digits;     /* significant digits of numbers */
  bool comma;     /* write a comma before the next member */
  bool in_script; /* the JSON must be harmless inside a script element */
};

/* Write the members of a translation; see elman/json.h. */
void write_json_translation(struct json_writer *json, const elman_translation *translation,
                            unsigned parts);
void write_json_trace(struct json_writer *json, const elman_gradient_trace *trace, bool hidden);

/* Write a line of the format json, without the line end. The line is harmless inside a script
 * element. */
void write_json_record(const elman_attention_writer *writing, const elman_translation *translation);

#endif
