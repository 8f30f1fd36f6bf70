#include "rnn/embedding.h"

#include <string.h>

/* The same place in a whole sentence has the same mask, however the sentence is cut. */
static uint64_t position(size_t t, size_t b, struct embedding_shape shape) {
  return ((shape.first + t) * shape.batch + b) * shape.size;
}

void embedding_forward(real *x, const real *table, const uint32_t *ids, struct dropout dropout,
                       struct embedding_shape shape) {
  for (size_t t = 0; t < shape.steps; t++) {
    for (size_t b = 0; b < shape.batch; b++) {
      real *row = x + (t * shape.batch + b) * shape.row;
      if (shape.first + t < shape.lengths[b]) {
        memcpy(row, table + ids[t * shape.batch + b] * shape.size, shape.size * sizeof *row);
        dropout_apply(row, shape.size, position(t, b, shape), dropout);
      } else {
        memset(row, 0, shape.size * sizeof *row);
      }
    }
  }
}

void embedding_backward(real *dtable, real *dx, const uint32_t *ids, struct dropout dropout,
                        struct embedding_shape shape) {
  for (size_t t = 0; t < shape.steps; t++) {
    for (size_t b = 0; b < shape.batch; b++) {
      if (shape.first + t >= shape.lengths[b]) continue;
      real *row = dtable + ids[t * shape.batch + b] * shape.size;
      real *drow = dx + (t * shape.batch + b) * shape.row;
      dropout_apply(drow, shape.size, position(t, b, shape), dropout);
      for (size_t i = 0; i < shape.size; i++) row[i] += drow[i];
    }
  }
}
