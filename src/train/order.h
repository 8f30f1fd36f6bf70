/* The order of the pairs in an epoch: shuffled, then put into batches of similar length. */
#ifndef ELMAN_TRAIN_ORDER_H
#define ELMAN_TRAIN_ORDER_H

#include "corpus/corpus.h"
#include "elman/train.h"

struct epoch_order {
  const struct corpus *corpus; /* borrowed */
  size_t *pairs;               /* (count): batch k is pairs[starts[k]] and those after it */
  size_t *starts;              /* (batches) */
  size_t count, batches;
  size_t batch_size;   /* pairs in a batch, but for the last of a window */
  size_t batch_tokens; /* not 0: instead, as many pairs as fit */
  size_t window;       /* pairs that are sorted together */
  uint64_t seed;
  size_t epoch; /* whose order it is; 0 = none yet */
};

/* Uses the options `batch_size`, `batch_tokens` and `seed`. If `batch_tokens` is not 0, a batch has
 * as many pairs as fit: pairs times the longest side of any, </s> included, is at most that. A
 * longer pair is ELMAN_INVALID_ARGUMENT. */
elman_status epoch_order_create(struct epoch_order *order, const struct corpus *corpus,
                                const elman_train_options *options, elman_error *error) CHECKED;
void epoch_order_free(struct epoch_order *order);

/* The order of one epoch: a function of seed and epoch only. Within windows of many batches, pairs
 * are sorted by length, so that little of a batch is padding; the batches are then shuffled. How
 * many batches there are may differ between epochs if their tokens are limited. */
void epoch_order_fill(struct epoch_order *order, size_t epoch);

/* The pairs of batch k; their number goes to *size. */
const size_t *epoch_order_batch(const struct epoch_order *order, size_t k, size_t *size);

#endif
