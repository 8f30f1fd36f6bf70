/* An embedding: row `id` of a table. */
#ifndef ELMAN_RNN_EMBEDDING_H
#define ELMAN_RNN_EMBEDDING_H

#include <stdint.h>

#include "tensor/dropout.h"
#include "tensor/real.h"

/* Which part of a sentence is looked up, and where the rows go. */
struct embedding_shape {
  size_t steps, batch, size;
  const size_t *lengths; /* (batch) */
  size_t first;          /* the first of these steps */
  size_t row;            /* reals between two rows of x, at least `size` */
};

/* Equations 1 and 4. x (steps,batch) rows of `size` = table[id], dropped out; zero past the end of
 * a sentence, where `ids` is not read. */
void embedding_forward(real *x, const real *table /* (v,size) */,
                       const uint32_t *ids /* (steps,batch) */, struct dropout dropout,
                       struct embedding_shape shape);

/* Equations 20 and 24. dtable[id] += dx; a repeated word collects all its gradients. dx is dropped
 * out in place. */
void embedding_backward(real *dtable, real *dx, const uint32_t *ids, struct dropout dropout,
                        struct embedding_shape shape);

#endif
