/* The order of the sentence pairs in an epoch: shuffled, then put into batches of similar length.
 */
#ifndef ELMAN_TRAIN_ORDER_H
#define ELMAN_TRAIN_ORDER_H

#include "corpus/corpus.h"
#include "elman/train.h"

struct epoch_order {
  const struct corpus *corpus; /* borrowed */
  size_t *pairs;               /* (count): batch k begins at pairs[starts[k]] */
  size_t *starts;              /* (batches) */
  size_t count, batches;
  size_t batch_size;   /* pairs per batch, except for the last batch of a window */
  size_t batch_tokens; /* if not 0: maximum tokens per batch, which replaces batch_size */
  size_t window;       /* pairs that are sorted together */
  uint64_t seed;
  size_t epoch; /* epoch of this order; 0 = none yet */
};

/* Use the options `batch_size`, `batch_tokens` and `seed`. If `batch_tokens` is not 0, a batch has
 * as many pairs as fit: the number of pairs times the longest side, </s> included, is at most
 * `batch_tokens`. A pair longer than that is ELMAN_INVALID_ARGUMENT. */
elman_status epoch_order_create(struct epoch_order *order, const struct corpus *corpus,
                                const elman_train_options *options, elman_error *error) CHECKED;
void epoch_order_free(struct epoch_order *order);

/* Compute the order of one epoch, which depends only on seed and epoch. Pairs are sorted by length
 * within windows of many batches, so that batches contain little padding; then the batches are
 * shuffled. With `batch_tokens` the number of batches may differ between epochs. */
void epoch_order_fill(struct epoch_order *order, size_t epoch);

/* Return the pairs of batch k and set *size to their number. */
const size_t *epoch_order_batch(const struct epoch_order *order, size_t k, size_t *size);

#endif
