/* In which order an epoch sees the pairs: shuffled, then put into batches of similar length. */
#ifndef ELMAN_TRAIN_ORDER_H
#define ELMAN_TRAIN_ORDER_H

#include "corpus/corpus.h"

struct epoch_order {
  size_t *pairs;  /* (count): batch k is pairs[starts[k]] and those after it */
  size_t *starts; /* (batches) */
  size_t count, batches, batch_size;
};

elman_status epoch_order_create(struct epoch_order *order, size_t count, size_t batch_size,
                                elman_error *error) CHECKED;
void epoch_order_free(struct epoch_order *order);

/* The order of one epoch: a function of seed and epoch only. Within windows of many batches, pairs
 * are sorted by length, so that little of a batch is padding; the batches are then shuffled. */
void epoch_order_fill(struct epoch_order *order, const struct corpus *corpus, uint64_t seed,
                      size_t epoch);

/* The pairs of batch k; their number goes to *size. */
const size_t *epoch_order_batch(const struct epoch_order *order, size_t k, size_t *size);

#endif
