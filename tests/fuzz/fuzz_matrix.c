/* A matrix file, .npy or text, is refused with a message or has finite numbers of its shape. */
#include <math.h>

#include "elman/matrix.h"
#include "fuzz.h"

bool fuzz_one(const uint8_t *bytes, size_t size) {
  elman_error error = {.message = ""};
  elman_matrix *matrix;
  const elman_status status = elman_matrix_read(&matrix, fuzz_file(bytes, size), &error);
  if (status != ELMAN_OK) {
    REQUIRE(status == ELMAN_BAD_DATA && error.message[0] != '\0');
    return false;
  }
  REQUIRE(matrix->rows > 0 && matrix->columns > 0);
  for (size_t i = 0; i < matrix->rows * matrix->columns; i++) REQUIRE(isfinite(matrix->values[i]));
  elman_matrix_free(matrix);
  return true;
}
