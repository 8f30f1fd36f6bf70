/* Matrices that a user gives as files: NumPy's .npy, or plain text.
 *
 * The readers trust nothing: sizes that a file names are checked against the file before memory is
 * asked for, and every number is finite. */
#ifndef ELMAN_INSPECT_MATRIX_H
#define ELMAN_INSPECT_MATRIX_H

#include <stdio.h>

#include "base/status.h"
#include "base/text.h"
#include "elman/matrix.h"

/* Its first bytes tell the format. "-" is standard input. Nothing is owned after an error. */
elman_status matrix_read(elman_matrix *matrix, const char *path, elman_error *error) CHECKED;
void matrix_free(elman_matrix *matrix);

/* Takes memory for the numbers, which are not cleared. */
elman_status matrix_take(elman_matrix *matrix, size_t rows, size_t columns, const char *where,
                         elman_error *error) CHECKED;

/* The whole of a file; `where` is its name for messages. */
typedef elman_status matrix_reader(elman_matrix *matrix, struct text bytes, const char *where,
                                   elman_error *error);

/* A row a line, numbers apart by white space or single commas; without empty lines and # comments.
 */
matrix_reader matrix_read_text;

/* Versions 1 to 3, little-endian float32 or float64, two dimensions in either order. */
matrix_reader matrix_read_npy;
bool matrix_is_npy(struct text bytes);

/* Float32, version 1.0. Write errors stay in the stream's error flag. */
void matrix_write_npy(FILE *stream, const float *values, const size_t *sizes, size_t dimensions);

#endif
