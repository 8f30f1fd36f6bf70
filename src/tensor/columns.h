/* Some columns of an array of rows, copied and added. */
#ifndef ELMAN_TENSOR_COLUMNS_H
#define ELMAN_TENSOR_COLUMNS_H

#include <string.h>

#include "tensor/real.h"

/* `size` columns of rows that lie `width` apart. */
struct columns {
  real *first;
  size_t width, size;
};

static inline void columns_put(struct columns wide, const real *narrow, size_t rows) {
  for (size_t r = 0; r < rows; r++)
    memcpy(wide.first + r * wide.width, narrow + r * wide.size, wide.size * sizeof *narrow);
}

static inline void columns_take(real *narrow, struct columns wide, size_t rows) {
  for (size_t r = 0; r < rows; r++)
    memcpy(narrow + r * wide.size, wide.first + r * wide.width, wide.size * sizeof *narrow);
}

/* y (n) += x */
static inline void add_to(real *y, const real *x, size_t n) {
  for (size_t i = 0; i < n; i++) y[i] += x[i];
}

static inline void columns_add_to(real *narrow, struct columns wide, size_t rows) {
  for (size_t r = 0; r < rows; r++)
    for (size_t i = 0; i < wide.size; i++)
      narrow[r * wide.size + i] += wide.first[r * wide.width + i];
}

#endif
