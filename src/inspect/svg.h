/* What the pictures share: the document around them, its sizes and how it is seen in light and
 * dark. */
#ifndef ELMAN_INSPECT_SVG_H
#define ELMAN_INSPECT_SVG_H

#include <stddef.h>
#include <stdio.h>

/* In pixels, but for the columns of text. */
enum {
  SVG_CELL = 34,  /* across, of a token; two Han characters fit */
  SVG_COLUMN = 8, /* of text, at most */
  SVG_LINE = 22,
  SVG_MARGIN = 12,
  SVG_GAP = 6,      /* between a mark and its label */
  SVG_LABEL = 40,   /* columns; a longer token is cut */
  SVG_CAPTION = 120 /* columns */
};

/* What turned labels of that width take across and along: a little more than sin 45°. */
size_t svg_slope(size_t width);

/* For a file of its own. */
void svg_declaration(FILE *stream);

/* The element and what lies below the marks: `title` is text, `style` further rules, of which those
 * for dark are given apart. The document ends by </svg>. */
void svg_begin(FILE *stream, size_t width, size_t height, const char *title, const char *style,
               const char *dark_style);

#endif
