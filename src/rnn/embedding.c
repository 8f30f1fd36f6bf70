#include "rnn/embedding.h"

#include <string.h>

void embedding_forward(real *x, const real *table, const uint32_t *ids, const size_t *lengths,
                       size_t steps, size_t batch, size_t size) {
  for (size_t t = 0; t < steps; t++) {
    for (size_t b = 0; b < batch; b++) {
      real *row = x + (t * batch + b) * size;
      if (t < lengths[b])
        memcpy(row, table + ids[t * batch + b] * size, size * sizeof *row);
      else
        memset(row, 0, size * sizeof *row);
    }
  }
}

void embedding_backward(real *dtable, const real *dx, const uint32_t *ids, const size_t *lengths,
                        size_t steps, size_t batch, size_t size) {
  for (size_t t = 0; t < steps; t++) {
    for (size_t b = 0; b < batch; b++) {
      if (t >= lengths[b]) continue;
      real *row = dtable + ids[t * batch + b] * size;
      const real *drow = dx + (t * batch + b) * size;
      for (size_t i = 0; i < size; i++) row[i] += drow[i];
    }
  }
}
