/* Text from elsewhere on its way to a terminal: what would steer it, or turn the writing direction,
 * is made visible. */
#ifndef ELMAN_CLI_VISIBLE_H
#define ELMAN_CLI_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The characters of elman_unsafe_character as \u{hex}: for messages and reports, which people read,
 * wherever they go. */
void print_visible(FILE *stream, const char *text);
void print_visible_bytes(FILE *stream, const char *text, size_t length);

/* The same on a terminal; into files and pipes the bytes as they are: for data. Leaves errno as it
 * was but for a failing write: output_flush tells of it. */
void print_data(FILE *stream, const char *text);

/* The same, where what is written into the stream ends on a terminal or not. */
void print_data_for(FILE *stream, const char *text, bool terminal);

/* Leaves errno as it was. */
bool stream_is_terminal(FILE *stream);

#endif
