#include "inspect/merge.h"

#include <string.h>

static struct word_range groups_of(const struct grouping *grouping, size_t i) {
  return grouping->of == NULL ? (struct word_range){i, i + 1} : grouping->of[i];
}

static size_t group_size(const struct grouping *grouping, size_t group) {
  size_t size = 0;
  for (size_t i = 0; i < grouping->count; i++) {
    const struct word_range of = groups_of(grouping, i);
    size += of.first <= group && group < of.end;
  }
  return size;
}

static void add_row(double *sums, const float *row, const struct grouping *columns) {
  for (size_t s = 0; s < columns->count; s++) {
    const struct word_range of = groups_of(columns, s);
    for (size_t column = of.first; column < of.end; column++)
      sums[column] += (double)row[s] / (double)(of.end - of.first);
  }
}

void merge_matrix(double *merged, const float *matrix, const struct grouping *rows,
                  const struct grouping *columns) {
  const size_t G = columns->groups;
  memset(merged, 0, rows->groups * G * sizeof *merged);
  for (size_t t = 0; t < rows->count; t++) {
    const struct word_range of = groups_of(rows, t);
    for (size_t row = of.first; row < of.end; row++)
      add_row(merged + row * G, matrix + t * columns->count, columns);
  }
  for (size_t row = 0; row < rows->groups && rows->of != NULL; row++) {
    const size_t size = group_size(rows, row);
    for (size_t column = 0; column < G && size > 1; column++)
      merged[row * G + column] /= (double)size;
  }
}
