/* The formats in which attention matrices are shown and stored, and the writing of several
 * translations in one of them. */
#ifndef ELMAN_INSPECT_FORMAT_H
#define ELMAN_INSPECT_FORMAT_H

#include <stdio.h>

#include "base/status.h"
#include "inspect/hard_alignment.h"
#include "inspect/translation.h"

struct text_style {
  bool color;                 /* text: shades in a colour */
  bool numbers;               /* text: numbers in place of shades */
  size_t width;               /* text: columns of the terminal; 0 = any number */
  struct alignment_rule rule; /* pharaoh: which links there are */
};

/* A translation and its place among those that are written. */
struct record {
  const struct translation *translation;
  size_t sentence, hypothesis; /* from 1 */
};

/* One writing, from its head to its tail. What goes wrong with the stream stays in its error flag.
 */
struct writing {
  const struct format *format;
  FILE *stream;
  struct text_style style;
  size_t count; /* records that were written before */
  /* For a format whose head can be written last only: what comes after the head. */
  FILE *held;
  char *held_bytes;
  size_t held_length;
  size_t width, height; /* of the picture so far */
  bool drawn;           /* text: a weight */
  bool unknown;         /* text, svg: a token that the vocabulary lacks */
};

typedef elman_status format_hook(struct writing *writing, elman_error *error);
typedef elman_status format_writer(struct writing *writing, const struct record *record,
                                   elman_error *error);

struct format {
  const char *name;
  const char *suffix; /* of file names, with the dot */
  format_hook *begin; /* writes the head; may be NULL */
  format_writer *write;
  format_hook *end; /* writes the tail; may be NULL */
};

/* From index 0 up; NULL past the last. */
const struct format *format_at(size_t index);
/* NULL if there is no such format. */
const struct format *format_named(const char *name);
const struct format *format_of_path(const char *path);

/* Start, any number of records, finish; then, whatever came of it, free. `style` may be NULL. */
elman_status writing_start(struct writing *writing, FILE *stream, const struct format *format,
                           const struct text_style *style, elman_error *error) CHECKED;
elman_status writing_add(struct writing *writing, const struct record *record,
                         elman_error *error) CHECKED;
elman_status writing_finish(struct writing *writing, elman_error *error) CHECKED;
void writing_free(struct writing *writing);

/* All formats, in the order in which they are listed: format_NAME.c defines format_NAME. */
#define FORMATS(USE)                                                                               \
  USE(text) USE(json) USE(tsv) USE(npy) USE(svg) USE(html) USE(pharaoh) USE(softalignments)
#define DECLARE_FORMAT(name) extern const struct format format_##name;
FORMATS(DECLARE_FORMAT)

/* The object that is a line of the format json, without the line's end; harmless also inside a
 * script element of a page. */
void write_json_record(FILE *stream, const struct record *record);

#endif
