/* Text from elsewhere on its way to a terminal: what would steer it, or turn the writing direction,
 * is made visible. */
#ifndef ELMAN_CLI_VISIBLE_H
#define ELMAN_CLI_VISIBLE_H

#include <stddef.h>
#include <stdio.h>

/* The code point of a control character (C0, C1, DEL), a line or paragraph separator or a
 * bidirectional control at the start of `text`, and its length in bytes; -1 = something else. */
long control_at(const char *text, size_t length, size_t *size);

/* Those as \u{hex}: for messages and reports, which people read, wherever they go. */
void print_visible(FILE *stream, const char *text);
void print_visible_bytes(FILE *stream, const char *text, size_t length);

/* The same on a terminal; into files and pipes the bytes as they are: for data. Leaves errno as it
 * was but for a failing write: output_flush tells of it. */
void print_data(FILE *stream, const char *text);

#endif
