/* An embedding: row `id` of a table. */
#ifndef ELMAN_RNN_EMBEDDING_H
#define ELMAN_RNN_EMBEDDING_H

#include <stdint.h>

#include "tensor/real.h"

/* Equations 1 and 4. x (steps,batch,size) = table[id]; zero past the end of a sentence, where `ids`
 * is not read. */
void embedding_forward(real *x, const real *table /* (v,size) */, const uint32_t *ids,
                       const size_t *lengths /* (batch) */, size_t steps, size_t batch,
                       size_t size);

/* Equations 20 and 24. dtable[id] += dx; a repeated word collects all its gradients. */
void embedding_backward(real *dtable, const real *dx /* (steps,batch,size) */, const uint32_t *ids,
                        const size_t *lengths, size_t steps, size_t batch, size_t size);

#endif
