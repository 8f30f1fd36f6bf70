/* Functions that write text of any origin so that it cannot harm the program that reads the
 * output. */
#ifndef ELMAN_INSPECT_ESCAPE_H
#define ELMAN_INSPECT_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* All functions write control characters, and characters that are invisible or change the writing
 * direction, as \u{hex}; JSON uses its own escapes. */

/* Write text to a terminal. */
void write_visible(FILE *stream, const char *text);

/* Return the characters to write before and after a text within other text. They isolate a text
 * with right-to-left letters, so that it does not change the order of the text around it. If the
 * text has no right-to-left letters, both are empty. */
struct isolation {
  const char *begin, *end;
};
struct isolation isolation_of(const char *text);

/* Write text as write_visible does, isolated from the direction of the surrounding text. */
void write_isolated(FILE *stream, const char *text);

/* Return the number of terminal columns that write_visible fills. */
size_t visible_width(const char *text);

/* Return whether a spreadsheet would interpret the text of a cell as a formula or as the start of a
 * quoted cell. */
bool starts_formula(const char *text);

/* Write the cell of a table. Write an apostrophe before text that a spreadsheet would interpret as
 * a formula or as the start of a quoted cell. */
void write_cell(FILE *stream, const char *text);

/* Write text or an attribute value of XML: at most `width` columns, then "…". */
void write_xml(FILE *stream, const char *text, size_t width);

/* Write a JSON string with its quotes. With `in_script` the string is also harmless inside a script
 * element. */
void write_json_text(FILE *stream, const char *text, bool in_script);

/* Write a token for a list separated by white space and |||. Write <U+hex> instead of \u{hex}, and
 * never an empty token. */
void write_plain_token(FILE *stream, const char *token);

/* Numbers with a decimal point, independent of the locale. */

struct number_text {
  char text[400]; /* the largest double has 309 digits before the point */
};

/* Return "0.125" or "1.20e-03" with `decimals` digits after the point, at most 9. */
struct number_text fixed_text(double value, int decimals);
struct number_text scientific_text(double value, int decimals);
/* Return "0.125" or "1e-05" with up to `digits` significant digits. */
struct number_text short_text(double value, int digits);

/* Write a JSON number with up to `digits` significant digits. Write null if it is not finite. */
void write_json_number(FILE *stream, double number, int digits);

/* Parts common to all pictures: the document, sizes and colors. */

/* Sizes in pixels, except columns of text. */
enum {
#include "inspect/page/picture.inc"
  SVG_LABEL = 40,   /* columns; longer tokens are truncated */
  SVG_CAPTION = 120 /* columns */
};

/* Return the width and height of a label of length `width` that is rotated by 45°. The factor is
 * slightly more than sin 45°. */
size_t svg_slope(size_t width);

/* Write the XML declaration, for a separate file. */
void svg_declaration(FILE *stream);

/* Write the start of the svg element and its background. `title` is text; `style` are additional
 * rules. `dark_style` are the rules of dark mode, for a picture in a page that follows dark mode.
 * For a picture in a file, `dark_style` is NULL, because paper is white. The document must end with
 * </svg>. */
void svg_begin(FILE *stream, size_t width, size_t height, const char *title, const char *style,
               const char *dark_style);

/* Write the label of a column with its center at x. A rotated label ends there if `ends`; if not,
 * it starts there. */
void svg_label(FILE *stream, const char *text, bool known, bool ends, size_t x, size_t y,
               bool rotated);

/* Parts of an HTML page that permits no scripts. */

/* Write the page up to its heading, which is also its title. */
void plain_page_begin(FILE *stream, const char *title);
void plain_page_end(FILE *stream);

/* Write text of any length, isolated from the direction of the surrounding text. */
void plain_page_text(FILE *stream, const char *text);

#endif
