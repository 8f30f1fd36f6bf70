#include "train/order.h"

#include <stdlib.h>

#include "base/random.h"

enum {
  WINDOW = 64,               /* batches that are sorted together */
  LEAST_BATCHES = 2 * WINDOW /* with fewer, batches would be nearly the same in every epoch */
};

elman_status epoch_order_create(struct epoch_order *order, size_t count, size_t batch_size,
                                elman_error *error) {
  if (batch_size > count) batch_size = count;
  const size_t batches = (count + batch_size - 1) / batch_size;
  *order = (struct epoch_order){.pairs = calloc(count + 1, sizeof *order->pairs),
                                .starts = calloc(batches + 1, sizeof *order->starts),
                                .count = count,
                                .batches = batches,
                                .batch_size = batch_size};
  if (order->pairs != NULL && order->starts != NULL) return ELMAN_OK;
  epoch_order_free(order);
  return fail_no_memory(error);
}

void epoch_order_free(struct epoch_order *order) {
  free(order->pairs);
  free(order->starts);
  *order = (struct epoch_order){0};
}

/* Fisher and Yates; `offset` keeps the random numbers of two shuffles of one stream apart. */
static void shuffle(size_t *items, size_t count, struct random_stream stream, uint64_t offset) {
  for (size_t i = count; i > 1; i--) {
    const size_t j = random_below(stream, offset + i, i);
    const size_t kept = items[i - 1];
    items[i - 1] = items[j];
    items[j] = kept;
  }
}

static size_t length_of(const struct sentences *sentences, size_t index) {
  return sentences->starts[index + 1] - sentences->starts[index];
}

/* By target length, for it costs most; then by source length; then by number, so that the order is
 * the same with every C library. */
static int by_length(const void *a, const void *b, void *context) {
  const struct corpus *corpus = context;
  const size_t left = *(const size_t *)a, right = *(const size_t *)b;
  const size_t keys[][2] = {{length_of(&corpus->target, left), length_of(&corpus->target, right)},
                            {length_of(&corpus->source, left), length_of(&corpus->source, right)},
                            {left, right}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    if (keys[i][0] != keys[i][1]) return keys[i][0] < keys[i][1] ? -1 : 1;
  }
  return 0;
}

void epoch_order_fill(struct epoch_order *order, const struct corpus *corpus, uint64_t seed,
                      size_t epoch) {
  const struct random_stream stream = {seed, RANDOM_EPOCH_ORDER, (uint32_t)epoch};
  for (size_t i = 0; i < order->count; i++) order->pairs[i] = i;
  shuffle(order->pairs, order->count, stream, 0);
  const size_t window = order->batch_size * WINDOW;
  for (size_t start = 0; start < order->count && order->batches >= LEAST_BATCHES; start += window) {
    const size_t size = order->count - start < window ? order->count - start : window;
    qsort_r(order->pairs + start, size, sizeof *order->pairs, by_length, (void *)corpus);
  }
  for (size_t k = 0; k < order->batches; k++) order->starts[k] = k * order->batch_size;
  shuffle(order->starts, order->batches, stream, order->count + 1);
}

const size_t *epoch_order_batch(const struct epoch_order *order, size_t k, size_t *size) {
  const size_t start = order->starts[k], left = order->count - start;
  *size = left < order->batch_size ? left : order->batch_size;
  return order->pairs + start;
}
