#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "model/parameters.h"

/* Gram and Schmidt, twice for accuracy, on rows of independent normal numbers, which begin with
 * number `first` of the stream: a random orthogonal matrix. In double, so that both precisions
 * start from the same weights. */
static void make_orthogonal(double *matrix, size_t n, struct random_stream stream, uint64_t first) {
  for (size_t i = 0; i < n * n; i++) matrix[i] = random_normal(stream, first + i);
  for (size_t i = 0; i < n; i++) {
    double *row = matrix + i * n;
    for (size_t pass = 0; pass < 2; pass++) {
      for (size_t k = 0; k < i; k++) {
        const double *other = matrix + k * n;
        double dot = 0;
        for (size_t j = 0; j < n; j++) dot += row[j] * other[j];
        for (size_t j = 0; j < n; j++) row[j] -= dot * other[j];
      }
      double square = 0;
      for (size_t j = 0; j < n; j++) square += row[j] * row[j];
      for (size_t j = 0; j < n; j++) row[j] /= sqrt(square);
    }
  }
}

/* A matrix for each gate. */
static elman_status initialize_orthogonal(real *values, const struct parameter *row,
                                          struct random_stream stream, elman_error *error) {
  const size_t n = row->columns, size = parameter_size(row);
  double *matrix = malloc(n * n * sizeof *matrix);
  if (matrix == NULL) return fail_no_memory(error);
  for (size_t first = 0; first < size; first += n * n) {
    make_orthogonal(matrix, n, stream, first);
    for (size_t i = 0; i < n * n; i++) values[first + i] = (real)matrix[i];
  }
  free(matrix);
  return ELMAN_OK;
}

static void initialize_identity(real *values, const struct parameter *row) {
  for (size_t i = 0; i < row->rows; i++)
    for (size_t j = 0; j < row->columns; j++) values[i * row->columns + j] = i % row->columns == j;
}

static void initialize_plain(real *values, const struct parameter *row, bool normal, double scale,
                             struct random_stream stream) {
  for (size_t j = 0; j < parameter_size(row); j++)
    values[j] =
        (real)(scale * (normal ? random_normal(stream, j) : 2 * random_uniform(stream, j) - 1));
}

elman_status parameters_initialize(real *block, const struct parameter_table *table,
                                   enum initial_values values, uint64_t seed, elman_error *error) {
  elman_status status = ELMAN_OK;
  for (size_t i = 0; i < table->count && status == ELMAN_OK; i++) {
    const struct parameter *row = &table->rows[i];
    const struct random_stream stream = {seed, RANDOM_INITIAL_WEIGHTS, (uint32_t)i};
    real *numbers = block + row->offset;
    if (row->alias || row->initializer == INIT_ZERO) continue;
    if (row->initializer == INIT_ONE)
      for (size_t j = 0; j < parameter_size(row); j++) numbers[j] = 1;
    else if (row->initializer == INIT_IDENTITY)
      initialize_identity(numbers, row);
    else if (row->initializer == INIT_EMBEDDING)
      initialize_plain(numbers, row, true, values == INITIAL_PYTORCH ? 1 : row->bound, stream);
    else if (row->initializer == INIT_RECURRENT && values == INITIAL_ORTHOGONAL)
      status = initialize_orthogonal(numbers, row, stream, error);
    else
      initialize_plain(numbers, row, false, row->bound, stream);
  }
  return status;
}
