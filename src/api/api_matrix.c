#include <stdlib.h>

#include "api/call.h"
#include "inspect/matrix.h"

elman_status elman_matrix_read(elman_matrix **matrix, const char *path, elman_error *error) {
  *matrix = malloc(sizeof **matrix);
  if (*matrix == NULL) return fail_no_memory(error);
  const elman_status status = matrix_read(*matrix, path, error);
  if (status != ELMAN_OK) {
    free(*matrix);
    *matrix = NULL;
  }
  return status;
}

void elman_matrix_free(elman_matrix *matrix) {
  if (matrix == NULL) return;
  matrix_free(matrix);
  free(matrix);
}

void elman_npy_write(FILE *stream, const float *values, const size_t *sizes, size_t dimensions) {
  matrix_write_npy(stream, values, sizes, dimensions);
}
