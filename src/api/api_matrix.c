#include <stdlib.h>

#include "api/call.h"
#include "inspect/matrix.h"

struct owned_matrix {
  elman_matrix view; /* first, so that it can be freed by the view */
  struct matrix inner;
};

elman_status elman_matrix_read(elman_matrix **matrix, const char *path, elman_error *error) {
  struct owned_matrix *owned = calloc(1, sizeof *owned);
  *matrix = NULL;
  if (owned == NULL) return fail_no_memory(error);
  const elman_status status = matrix_read(&owned->inner, path, error);
  if (status != ELMAN_OK) {
    free(owned);
    return status;
  }
  owned->view = (elman_matrix){owned->inner.rows, owned->inner.columns, owned->inner.values};
  *matrix = &owned->view;
  return ELMAN_OK;
}

void elman_matrix_free(elman_matrix *matrix) {
  struct owned_matrix *owned = (struct owned_matrix *)matrix;
  if (owned == NULL) return;
  matrix_free(&owned->inner);
  free(owned);
}

void elman_npy_write(FILE *stream, const float *values, const size_t *sizes, size_t dimensions) {
  matrix_write_npy(stream, values, sizes, dimensions);
}
