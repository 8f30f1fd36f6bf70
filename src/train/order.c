#include "train/order.h"

#include <stdlib.h>

#include "base/random.h"

enum {
  WINDOW = 64, /* number of batches that are sorted together */
  MIN_SORTED_BATCHES =
      2 * WINDOW /* with fewer batches, sorting would make nearly the same batches in every epoch */
};

/* Return the number of tokens of the longer side, where the target includes </s>. `batch_tokens`
 * limits this number. */
static size_t longer_side(const struct corpus *corpus, size_t index) {
  const size_t source = sentences_length(&corpus->source, index);
  const size_t target = sentences_length(&corpus->target, index) + 1;
  return source > target ? source : target;
}

/* Return the number of pairs of average length that fit into a batch of `tokens` tokens. */
static size_t average_size(const struct corpus *corpus, size_t tokens) {
  double sum = 0;
  for (size_t i = 0; i < corpus->source.count; i++) sum += (double)longer_side(corpus, i);
  const double size = (double)tokens * (double)corpus->source.count / sum;
  return size < (double)corpus->source.count ? (size_t)size : corpus->source.count;
}

static elman_status check_longest(const struct corpus *corpus, size_t tokens, elman_error *error) {
  const size_t target = corpus->target.longest + 1;
  const size_t longest = corpus->source.longest > target ? corpus->source.longest : target;
  if (longest <= tokens) return ELMAN_OK;
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
              "a %s has %zu tokens, but a batch allows %zu; raise the limit (`batch_tokens`) or "
              "skip long pairs (`max_length`)",
              longest == target ? "target with </s>" : "source", longest, tokens);
}

void epoch_order_free(struct epoch_order *order) {
  free(order->pairs);
  free(order->starts);
  free(order->sized);
  *order = (struct epoch_order){0};
}

/* Shuffle by Fisher-Yates. `offset` separates the random numbers of two shuffles of one stream. */
static void shuffle(size_t *items, size_t count, struct random_stream stream, uint64_t offset) {
  for (size_t i = count; i > 1; i--) {
    const size_t j = (size_t)random_below(stream, offset + i, i);
    const size_t moved = items[i - 1];
    items[i - 1] = items[j];
    items[j] = moved;
  }
}

/* Compare by target length, which determines most of the cost. Compare ties by source length, then
 * by index, so that the order is the same with every C library. */
static int by_length(const void *a, const void *b) {
  const struct sized_pair *left = a, *right = b;
  if (left->target != right->target) return left->target < right->target ? -1 : 1;
  if (left->source != right->source) return left->source < right->source ? -1 : 1;
  return left->index < right->index ? -1 : left->index > right->index;
}

/* Sort `count` pairs, at most a window, by length. */
static void sort_by_length(struct epoch_order *order, size_t *pairs, size_t count) {
  const struct corpus *corpus = order->corpus;
  for (size_t i = 0; i < count; i++)
    order->sized[i] = (struct sized_pair){sentences_length(&corpus->target, pairs[i]),
                                          sentences_length(&corpus->source, pairs[i]), pairs[i]};
  qsort(order->sized, count, sizeof *order->sized, by_length);
  for (size_t i = 0; i < count; i++) pairs[i] = order->sized[i].index;
}

/* Return the number of pairs in the batch that begins at `start`. */
static size_t size_at(const struct epoch_order *order, size_t start) {
  const size_t left = order->count - start;
  if (order->batch_tokens == 0) return left < order->batch_size ? left : order->batch_size;
  const size_t in_window = order->window - start % order->window;
  const size_t most = left < in_window ? left : in_window;
  size_t size = 0, longest = 0;
  while (size < most) {
    const size_t length = longer_side(order->corpus, order->pairs[start + size]);
    if (length > longest) longest = length;
    if (longest > order->batch_tokens / (size + 1)) break;
    size++;
  }
  return size;
}

static void cut(struct epoch_order *order) {
  order->batches = 0;
  for (size_t start = 0; start < order->count; start += size_at(order, start))
    order->starts[order->batches++] = start;
}

void epoch_order_fill(struct epoch_order *order, size_t epoch) {
  const struct random_stream stream = {order->seed, RANDOM_EPOCH_ORDER, (uint32_t)epoch};
  const size_t window = order->window;
  const bool sorted = order->count > (MIN_SORTED_BATCHES - 1) * order->batch_size;
  if (order->epoch == epoch) return;
  for (size_t i = 0; i < order->count; i++) order->pairs[i] = i;
  shuffle(order->pairs, order->count, stream, 0);
  for (size_t start = 0; start < order->count && sorted; start += window) {
    const size_t size = order->count - start < window ? order->count - start : window;
    sort_by_length(order, order->pairs + start, size);
  }
  cut(order);
  shuffle(order->starts, order->batches, stream, order->count + 1);
  order->epoch = epoch;
}

elman_status epoch_order_create(struct epoch_order *order, const struct corpus *corpus,
                                const elman_train_options *options, elman_error *error) {
  const size_t count = corpus->source.count, batch_tokens = options->batch_tokens;
  size_t batch_size = options->batch_size;
  *order = (struct epoch_order){
      .corpus = corpus, .count = count, .batch_tokens = batch_tokens, .seed = options->seed};
  if (batch_tokens > 0) {
    const elman_status status = check_longest(corpus, batch_tokens, error);
    if (status != ELMAN_OK) return status;
    batch_size = average_size(corpus, batch_tokens);
  }
  if (batch_size > count) batch_size = count;
  order->batch_size = batch_size;
  order->window = WINDOW * batch_size;
  order->batches = (count + batch_size - 1) / batch_size;
  order->pairs = calloc(count + 1, sizeof *order->pairs);
  order->starts = calloc((batch_tokens > 0 ? count : order->batches) + 1, sizeof *order->starts);
  order->sized = calloc((count < order->window ? count : order->window) + 1, sizeof *order->sized);
  if (order->pairs == NULL || order->starts == NULL || order->sized == NULL) {
    epoch_order_free(order);
    return fail_no_memory(error);
  }
  epoch_order_fill(order, 1);
  return ELMAN_OK;
}

const size_t *epoch_order_batch(const struct epoch_order *order, size_t k, size_t *size) {
  const size_t start = order->starts[k];
  *size = size_at(order, start);
  return order->pairs + start;
}
