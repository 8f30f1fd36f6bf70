/* The formats in which attention matrices are shown and stored, and the writing of several
 * translations in one of them. */
#ifndef ELMAN_INSPECT_FORMAT_H
#define ELMAN_INSPECT_FORMAT_H

#include <stdio.h>

#include "base/status.h"
#include "elman/attention.h"

/* The matrices of a translation in the order in which they are shown: each head's and then their
 * average or, where there is one head, that one alone. */

size_t panel_count(const elman_translation *translation);

/* (T,S); index < panel_count */
const float *panel_weights(const elman_translation *translation, size_t index);
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

/* One writing, from head to tail. Write errors stay in the stream's error flag. */
struct elman_attention_writer {
  const struct format *format;
  FILE *stream;
  elman_text_style style;
  size_t count;                /* translations that were written before */
  elman_attention_place place; /* of the one that is written */
  /* For a format whose head can be written last only: what comes after the head. */
  FILE *held;
  char *held_bytes;
  size_t held_length;
  size_t width, height;            /* of the picture so far */
  const char *refusal;             /* why the sentence has no translation; NULL = it has one */
  bool source_words, target_words; /* the translation that is written is in words */
  bool failed;                     /* memory ran out */
  bool drawn;                      /* text: a weight */
  bool unknown;                    /* text, svg: a token that the vocabulary lacks */
};

typedef void format_hook(elman_attention_writer *writing);

typedef void format_writer(elman_attention_writer *writing, const elman_translation *translation);

struct format {
  const char *name;
  const char *suffix; /* of file names, with the dot */
  format_hook *begin; /* writes the head; may be NULL */
  format_writer *write;
  format_hook *end;  /* writes the tail; may be NULL */
  bool counts_words; /* it takes all translations in tokens, and finds the words of the text */
};

/* From index 0 up; NULL past the last. */
const struct format *format_at(size_t index);

/* NULL if there is no such format. */
const struct format *format_named(const char *name);
const struct format *format_of_path(const char *path);

/* Start, any number of translations, finish; free in any case. `style` may be NULL. */
elman_status writing_start(elman_attention_writer *writing, FILE *stream,
                           const struct format *format, const elman_text_style *style,
                           elman_error *error) CHECKED;
elman_status writing_add(elman_attention_writer *writing, const elman_translation *translation,
                         elman_attention_place place, elman_error *error) CHECKED;

/* A record without tokens, whose `refusal` is the reason's message. */
elman_status writing_add_refused(elman_attention_writer *writing, elman_attention_place place,
                                 const elman_error *reason, elman_error *error) CHECKED;
elman_status writing_finish(elman_attention_writer *writing, elman_error *error) CHECKED;
void writing_free(elman_attention_writer *writing);

/* All formats, in the order in which they are listed: format_NAME.c defines format_NAME. */
#define FORMATS(USE)                                                                               \
  USE(text) USE(json) USE(tsv) USE(npy) USE(svg) USE(html) USE(pharaoh) USE(softalignments)

/* A line of the format json without its end; harmless also inside a script element of a page. */
void write_json_record(const elman_attention_writer *writing, const elman_translation *translation);

#endif
