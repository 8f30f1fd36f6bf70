/* Matrices from files: NumPy's .npy, or plain text.
 *
 * The input is untrusted: sizes in a file are checked against the file before memory is allocated,
 * and all numbers must be finite. */
#ifndef ELMAN_INSPECT_MATRIX_H
#define ELMAN_INSPECT_MATRIX_H

#include <stdio.h>

#include "base/status.h"
#include "base/text.h"
#include "elman/matrix.h"

/* Read a matrix. The first bytes determine the format. "-" is standard input. After an error
 * nothing is owned. */
elman_status matrix_read(elman_matrix *matrix, const char *path, elman_error *error) CHECKED;
void matrix_free(elman_matrix *matrix);

#endif
