/* The order of the sentence pairs in an epoch: shuffled, then grouped into batches of similar
 * length. */
#ifndef ELMAN_TRAIN_ORDER_H
#define ELMAN_TRAIN_ORDER_H

#include "corpus/corpus.h"
#include "elman/train.h"

struct epoch_order {
  const struct corpus *corpus; /* borrowed */
  size_t *pairs;  /* (count): indices of the sentence pairs; batch k begins at pairs[starts[k]] */
  size_t *starts; /* (batches): index in `pairs` at which each batch begins */
  size_t count, batches;
  size_t batch_size;   /* number of pairs per batch; the last batch of a window may have fewer */
  size_t batch_tokens; /* maximum number of tokens per batch, which replaces batch_size; 0 = no such
                          limit */
  size_t window;       /* number of pairs that are sorted together */
  struct sized_pair {
    size_t target, source; /* lengths */
    size_t index;
  } * sized; /* (window): pairs being sorted */
  uint64_t seed;
  size_t epoch; /* epoch that this order belongs to */
};

/* Create the order of epoch 1 with the options `batch_size`, `batch_tokens` and `seed`. If
 * `batch_tokens` is not 0, it limits the size of a batch: the number of pairs times the longest
 * side, including </s>. A batch then has as many pairs as fit. Return ELMAN_INVALID_ARGUMENT if a
 * single pair is longer than `batch_tokens`. */
elman_status epoch_order_create(struct epoch_order *order, const struct corpus *corpus,
                                const elman_train_options *options, elman_error *error) CHECKED;
void epoch_order_free(struct epoch_order *order);

/* Compute the order of one epoch, which depends only on seed and epoch. Sort pairs by length within
 * windows of many batches, so that batches contain little padding; then shuffle the batches. With
 * `batch_tokens` the number of batches may differ between epochs. */
void epoch_order_fill(struct epoch_order *order, size_t epoch);

/* Return the pairs of batch k and set *size to their number. */
const size_t *epoch_order_batch(const struct epoch_order *order, size_t k, size_t *size);

#endif
