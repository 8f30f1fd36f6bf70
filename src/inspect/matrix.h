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

/* Float32, version 1.0. Write errors stay in the stream's error flag. */
void matrix_write_npy(FILE *stream, const float *values, const size_t *sizes, size_t dimensions);

#endif
