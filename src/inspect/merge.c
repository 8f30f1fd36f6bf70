#include "inspect/merge.h"

#include <string.h>

static size_t group_of(const struct grouping *grouping, size_t i) {
  return grouping->of == NULL ? i : grouping->of[i];
}

static size_t group_size(const struct grouping *grouping, size_t group) {
  size_t size = 0;
  for (size_t i = 0; i < grouping->count; i++) size += group_of(grouping, i) == group;
  return size;
}

void merge_matrix(double *merged, const float *matrix, const struct grouping *rows,
                  const struct grouping *columns) {
  const size_t N = columns->count, G = columns->groups;
  memset(merged, 0, rows->groups * G * sizeof *merged);
  for (size_t t = 0; t < rows->count; t++) {
    const size_t row = group_of(rows, t);
    for (size_t s = 0; s < N && row != NO_WORD; s++) {
      const size_t column = group_of(columns, s);
      if (column != NO_WORD) merged[row * G + column] += (double)matrix[t * N + s];
    }
  }
  for (size_t row = 0; row < rows->groups && rows->of != NULL; row++) {
    const size_t size = group_size(rows, row);
    for (size_t column = 0; column < G && size > 1; column++)
      merged[row * G + column] /= (double)size;
  }
}
