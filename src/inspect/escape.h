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

#endif
