/* Text from anywhere, written so that it can do no harm where it is read. */
#ifndef ELMAN_INSPECT_ESCAPE_H
#define ELMAN_INSPECT_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* For all of these: control characters, and characters that are invisible or turn the
 * writing direction, are written as \u{hex}, in JSON as JSON does. */

/* For a terminal. */
void write_visible(FILE *stream, const char *text);

/* The columns that write_visible fills in a terminal. */
size_t visible_width(const char *text);

/* For a cell of a table: what a spreadsheet would take for a formula or for the start of a quoted
 * cell gets an apostrophe in front. */
void write_cell(FILE *stream, const char *text);

/* For the text and the attribute values of XML; at most `width` columns, then "…". */
void write_xml(FILE *stream, const char *text, size_t width);

/* A JSON string with its quotes, harmless also inside a script element of a page. */
void write_json_text(FILE *stream, const char *text);

/* For lists apart by white space and |||, without escapes: <U+hex> for \u{hex}; never empty. */
void write_plain_token(FILE *stream, const char *token);

/* Numbers with a decimal point, whatever the program's locale puts there. */

/* With that many digits behind the point, at most 9. */
void write_fixed(FILE *stream, double value, int decimals);

/* As "1.20e-03", with that many digits behind the point, at most 9. */
void write_scientific(FILE *stream, double value, int decimals);

/* For JSON: nine significant digits, which give a float back exactly, and never a whole number's
 * form; null for what JSON has no number for. */
void write_json_real(FILE *stream, double value);

/* What the pictures share: the document around them, its sizes and how it is seen in light and
 * dark. */

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

/* The head and the tail of a page for a browser that has no script, and may have none. */

/* Up to the heading, which is the title, too. */
void plain_page_begin(FILE *stream, const char *title);
void plain_page_end(FILE *stream);

/* Text of any length, in a direction of its own. */
void plain_page_text(FILE *stream, const char *text);

#endif
