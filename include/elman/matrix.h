/* Matrices in files. */
#ifndef ELMAN_MATRIX_H
#define ELMAN_MATRIX_H

#include "elman/status.h"

ELMAN_BEGIN

/* A matrix. The caller owns it and frees it as a whole. */
typedef struct elman_matrix {
  size_t rows, columns; /* both at least 1 */
  float *values;        /* (rows,columns), all finite */
} elman_matrix;

/* Read the file at `path`; "-" is standard input. The first bytes determine the format: NumPy's
 * .npy (float32 or float64, two dimensions) or text. Text has one row per line, numbers separated
 * by white space or commas, and comments after #. Return ELMAN_BAD_DATA for a file in neither
 * format and for a truncated file. */
ELMAN_CHECKED elman_status elman_matrix_read(elman_matrix **matrix, const char *path,
                                             elman_error *error);
ELMAN_API void elman_matrix_free(elman_matrix *matrix);

/* Write `values` as .npy: float32, row-major, with 1 to 3 `dimensions` whose lengths are in
 * `sizes`. A write error sets the stream's error flag. */
ELMAN_API void elman_npy_write(FILE *stream, const float *values, const size_t *sizes,
                               size_t dimensions);

ELMAN_END

#endif
