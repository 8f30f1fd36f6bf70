#include "inspect/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static const size_t MAX_FILE = (size_t)1 << 30;

elman_status matrix_take(elman_matrix *matrix, size_t rows, size_t columns, const char *where,
                         elman_error *error) {
  size_t bytes;
  *matrix = (elman_matrix){0};
  if (rows == 0 || columns == 0)
    return fail(error, ELMAN_BAD_DATA, where, "holds no numbers: it has %zu row%s and %zu column%s",
                rows, plural(rows), columns, plural(columns));
  if (__builtin_mul_overflow(rows, columns, &bytes) ||
      __builtin_mul_overflow(bytes, sizeof(float), &bytes))
    return fail(error, ELMAN_BAD_DATA, where, "a matrix of %zu rows and %zu columns is impossible",
                rows, columns);
  float *values = malloc(bytes);
  if (values == NULL) return fail_no_memory(error);
  *matrix = (elman_matrix){rows, columns, values};
  return ELMAN_OK;
}

void matrix_free(elman_matrix *matrix) {
  free(matrix->values);
  *matrix = (elman_matrix){0};
}

elman_status matrix_read(elman_matrix *matrix, const char *path, elman_error *error) {
  struct buffer file = {0};
  *matrix = (elman_matrix){0};
  elman_status status = file_read(&file, path, MAX_FILE, error);
  if (status == ELMAN_OK) {
    const struct text bytes = buffer_text(&file);
    matrix_reader *read = matrix_is_npy(bytes) ? matrix_read_npy : matrix_read_text;
    status = read(matrix, bytes, file_name(path), error);
  }
  buffer_free(&file);
  if (status != ELMAN_OK) matrix_free(matrix);
  return status;
}
