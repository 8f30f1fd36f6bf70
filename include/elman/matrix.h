/* Matrices of numbers in files. */
#ifndef ELMAN_MATRIX_H
#define ELMAN_MATRIX_H

#include "elman/status.h"

ELMAN_BEGIN

/* Owned by the caller, freed whole. */
typedef struct elman_matrix {
  size_t rows, columns; /* both at least 1 */
  float *values;        /* (rows,columns), all finite */
} elman_matrix;

/* Reads the file at `path`, NumPy's .npy (float32 or float64, two dimensions) or text: a row a
 * line, numbers apart by white space or commas, comments after #. What the file begins with tells
 * which it is. "-" is standard input. ELMAN_BAD_DATA when it is neither, or cut short. */
ELMAN_CHECKED elman_status elman_matrix_read(elman_matrix **matrix, const char *path,
                                             elman_error *error);
ELMAN_API void elman_matrix_free(elman_matrix *matrix);

/* `values` as .npy, float32, row-major, of 1 to 3 `dimensions` with `sizes`. Write errors stay in
 * the stream's error flag. */
ELMAN_API void elman_npy_write(FILE *stream, const float *values, const size_t *sizes,
                               size_t dimensions);

ELMAN_END

#endif
