/* The order of an epoch: batches of similar length, drawn again in every epoch. */
#include "check.h"

#include <string.h>

#include "train/order.h"

enum { BATCH = 5, WINDOW = 64, BATCHES = 3 * WINDOW + 10, PAIRS = BATCH * BATCHES - 2 };

/* Lengths from 1 to 40, drawn independently for both sides. */
static void fill_side(struct sentences *side, unsigned which) {
  const struct random_stream stream = {5, 97, which};
  side->count = PAIRS;
  side->starts = calloc(PAIRS + 1, sizeof *side->starts);
  for (size_t i = 0; i < PAIRS; i++)
    side->starts[i + 1] = side->starts[i] + 1 + (size_t)random_below(stream, i, 40);
}

static struct corpus make_corpus(void) {
  struct corpus corpus = {.source = {.longest = 40}, .target = {.longest = 40}};
  fill_side(&corpus.source, 0);
  fill_side(&corpus.target, 1);
  return corpus;
}

static struct epoch_order order_with(const struct corpus *corpus,
                                     const elman_train_options *options, size_t epoch) {
  struct epoch_order order;
  cr_assert_eq(epoch_order_create(&order, corpus, options, NULL), ELMAN_OK);
  epoch_order_fill(&order, epoch);
  return order;
}

static struct epoch_order order_of(const struct corpus *corpus, uint64_t seed, size_t epoch) {
  return order_with(corpus, &(elman_train_options){.batch_size = BATCH, .seed = seed}, epoch);
}

static size_t length_of(const struct sentences *sentences, size_t i) {
  return sentences->starts[i + 1] - sentences->starts[i];
}

/* Find the batch of each pair. */
static void batches_of(size_t *batch, const struct epoch_order *order) {
  for (size_t i = 0; i < order->count; i++) batch[i] = SIZE_MAX;
  for (size_t k = 0; k < order->batches; k++) {
    size_t size;
    const size_t *pairs = epoch_order_batch(order, k, &size);
    for (size_t i = 0; i < size; i++) {
      cr_assert_lt(pairs[i], order->count);
      cr_assert_eq(batch[pairs[i]], SIZE_MAX, "pair %zu twice", pairs[i]);
      batch[pairs[i]] = k;
    }
  }
  for (size_t i = 0; i < order->count; i++) cr_assert_neq(batch[i], SIZE_MAX, "pair %zu", i);
}

/* Return the fraction of target positions that are padding. */
static double padding_of(const struct corpus *corpus, const struct epoch_order *order) {
  double places = 0, tokens = 0;
  for (size_t k = 0; k < order->batches; k++) {
    size_t size, longest = 0;
    const size_t *pairs = epoch_order_batch(order, k, &size);
    for (size_t i = 0; i < size; i++) {
      const size_t length = length_of(&corpus->target, pairs[i]);
      longest = length > longest ? length : longest;
      tokens += (double)length;
    }
    places += (double)(longest * size);
  }
  return 1 - tokens / places;
}

/* Return the fraction of those two pairs which share a batch in `a` that also share a batch in `b`.
 */
static double kept_together(const struct epoch_order *a, const struct epoch_order *b) {
  static size_t batch[PAIRS];
  batches_of(batch, b);
  double together = 0, all = 0;
  for (size_t k = 0; k < a->batches; k++) {
    size_t size;
    const size_t *pairs = epoch_order_batch(a, k, &size);
    for (size_t i = 0; i < size; i++) {
      for (size_t j = 0; j < i; j++) {
        together += batch[pairs[i]] == batch[pairs[j]];
        all++;
      }
    }
  }
  return together / all;
}

Test(order, each_pair_is_in_one_batch_of_similar_length) {
  static size_t batch[PAIRS];
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  owned_by(epoch_order_free) struct epoch_order order = order_of(&corpus, 1, 1);
  cr_assert_eq(order.batches, BATCHES);
  batches_of(batch, &order);
  cr_assert_lt(padding_of(&corpus, &order), 0.03, "random order would give a third of padding");
}

/* Sorting the whole corpus would give equal batches in every epoch. Two pairs share a batch again
 * as often as random windows make them: both must fall into one of three windows, and then among
 * the few lengths of a batch. */
Test(order, batches_differ_in_every_epoch) {
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  owned_by(epoch_order_free) struct epoch_order first = order_of(&corpus, 1, 1),
                                                next = order_of(&corpus, 1, 2);
  cr_assert_eq(kept_together(&first, &first), 1);
  cr_assert_lt(kept_together(&first, &next), 0.25);
}

/* Windows of 64 batches are sorted by target length, and pairs of equal target length by source
 * length. */
Test(order, windows_of_64_batches_are_sorted) {
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  owned_by(epoch_order_free) struct epoch_order order = order_of(&corpus, 1, 1);
  for (size_t i = 1; i < PAIRS; i++) {
    const size_t left = order.pairs[i - 1], right = order.pairs[i];
    const size_t before = 100 * length_of(&corpus.target, left) + length_of(&corpus.source, left);
    const size_t after = 100 * length_of(&corpus.target, right) + length_of(&corpus.source, right);
    if (i % (WINDOW * BATCH) == 0)
      cr_assert_gt(before, after, "a window begins at pair %zu", i);
    else
      cr_assert_leq(before, after, "pair %zu", i);
  }
}

/* Short batches do not come first: the order of the batches is correlated with length only by
 * chance. */
Test(order, batches_are_shuffled) {
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  owned_by(epoch_order_free) struct epoch_order order = order_of(&corpus, 1, 1);
  size_t falls = 0;
  for (size_t k = 1; k < order.batches; k++) falls += order.starts[k] < order.starts[k - 1];
  cr_assert(falls > BATCHES / 3 && falls < 2 * BATCHES / 3, "%zu falls", falls);
}

/* Three pairs have six orders. */
Test(order, all_orders_are_equally_likely) {
  enum { EPOCHS = 6000 };
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  owned_by(epoch_order_free) struct epoch_order order;
  size_t found[3][3] = {{0}};
  const elman_train_options options = {.batch_size = 1, .seed = 1};
  corpus.source.count = 3;
  cr_assert_eq(epoch_order_create(&order, &corpus, &options, NULL), ELMAN_OK);
  for (size_t epoch = 1; epoch <= EPOCHS; epoch++) {
    size_t size;
    epoch_order_fill(&order, epoch);
    found[*epoch_order_batch(&order, 0, &size)][*epoch_order_batch(&order, 1, &size)]++;
  }
  for (size_t first = 0; first < 3; first++) {
    for (size_t second = 0; second < 3; second++) {
      const double expected = first == second ? 0 : EPOCHS / 6.0;
      cr_assert_float_eq((double)found[first][second], expected, 5 * sqrt(expected * 5 / 6),
                         "%zu times %zu, %zu", found[first][second], first, second);
    }
  }
}

/* Return the index of an order of 0, 1, 2 among all six. */
static size_t rank_of_order(const size_t *order) {
  return 2 * order[0] + (order[1] > order[2]);
}

/* Pairs and batches are shuffled with different random numbers: each of the six orders of pairs
 * occurs with each of the six orders of batches. */
Test(order, pairs_and_batches_are_shuffled_independently) {
  enum { EPOCHS = 7200, ORDERS = 6 };
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  owned_by(epoch_order_free) struct epoch_order order;
  size_t found[ORDERS][ORDERS] = {{0}};
  const double expected = EPOCHS / (double)(ORDERS * ORDERS);
  corpus.source.count = 3;
  succeeds(epoch_order_create(&order, &corpus, &(elman_train_options){.batch_size = 1, .seed = 1},
                              &why));
  for (size_t epoch = 1; epoch <= EPOCHS; epoch++) {
    epoch_order_fill(&order, epoch);
    found[rank_of_order(order.pairs)][rank_of_order(order.starts)]++;
  }
  for (size_t i = 0; i < ORDERS * ORDERS; i++)
    cr_assert_float_eq((double)found[i / ORDERS][i % ORDERS], expected, 5 * sqrt(expected),
                       "%zu with %zu: %zu times", i / ORDERS, i % ORDERS,
                       found[i / ORDERS][i % ORDERS]);
}

/* With 127 batches nothing is sorted in windows: the batches would be nearly equal in every
 * epoch. */
Test(order, few_batches_are_not_sorted) {
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  corpus.source.count = (2 * WINDOW - 1) * BATCH;
  owned_by(epoch_order_free) struct epoch_order few = order_of(&corpus, 1, 1);
  corpus.source.count++;
  owned_by(epoch_order_free) struct epoch_order many = order_of(&corpus, 1, 1);
  cr_assert_gt(padding_of(&corpus, &few), 0.25);
  cr_assert_lt(padding_of(&corpus, &many), 0.05);
}

Test(order, order_depends_on_seed_and_epoch) {
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  struct epoch_order orders[] = {order_of(&corpus, 1, 1), order_of(&corpus, 1, 1),
                                 order_of(&corpus, 2, 1), order_of(&corpus, 1, 2)};
  for (size_t i = 1; i < 4; i++) {
    cr_assert_eq(memcmp(orders[0].pairs, orders[i].pairs, PAIRS * sizeof(size_t)) == 0, i == 1);
    cr_assert_eq(memcmp(orders[0].starts, orders[i].starts, BATCHES * sizeof(size_t)) == 0, i == 1);
  }
  for (size_t i = 0; i < 4; i++) epoch_order_free(&orders[i]);
}

/* ---- by tokens ---- */

static size_t larger_side(const struct corpus *corpus, size_t i) {
  const size_t source = length_of(&corpus->source, i), target = length_of(&corpus->target, i) + 1;
  return source > target ? source : target;
}

/* Return the size of a batch padded to its longest pair. *next gets the size with one more pair,
 * and 0 at the end of the corpus or of a window. */
static size_t padded(size_t *next, const struct epoch_order *order, size_t k) {
  size_t size, longest = 0;
  const size_t *pairs = epoch_order_batch(order, k, &size);
  const size_t end = order->starts[k] + size;
  for (size_t i = 0; i < size; i++) {
    const size_t length = larger_side(order->corpus, pairs[i]);
    longest = length > longest ? length : longest;
  }
  *next = 0;
  if (end < order->count && end % order->window != 0) {
    const size_t length = larger_side(order->corpus, pairs[size]);
    *next = (size + 1) * (length > longest ? length : longest);
  }
  return size * longest;
}

/* Pairs are sorted if there are many batches, and unsorted if there are few. */
Test(order, batches_are_filled_to_the_token_limit) {
  static size_t batch[PAIRS];
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  for (size_t tokens = 41; tokens < 20000; tokens *= 3) {
    owned_by(epoch_order_free) struct epoch_order order =
        order_with(&corpus, &(elman_train_options){.batch_tokens = tokens, .seed = 1}, 1);
    batches_of(batch, &order);
    for (size_t k = 0; k < order.batches; k++) {
      size_t next;
      cr_assert_leq(padded(&next, &order, k), tokens);
      cr_assert(next == 0 || next > tokens, "batch %zu of %zu tokens: %zu", k, tokens, next);
    }
  }
}

Test(order, token_batches_are_sorted_and_differ_by_epoch) {
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  const elman_train_options options = {.batch_tokens = 140, .seed = 1};
  owned_by(epoch_order_free) struct epoch_order first = order_with(&corpus, &options, 1);
  owned_by(epoch_order_free) struct epoch_order next = order_with(&corpus, &options, 2);
  cr_assert_lt(padding_of(&corpus, &first), 0.05);
  cr_assert_lt(kept_together(&first, &next), 0.25);
}

/* The longest side has 41 tokens, including </s>. */
Test(order, batch_smaller_than_longest_pair_is_rejected) {
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  struct epoch_order order;
  const elman_train_options options = {.batch_tokens = 40};
  fails(epoch_order_create(&order, &corpus, &options, &why), ELMAN_INVALID_ARGUMENT,
        "a target with </s> has 41 tokens");
}

/* Filling the epoch that is already filled has no effect; filling another epoch has. */
Test(order, epochs_can_be_filled_in_turn) {
  owned_by(corpus_free) struct corpus corpus = make_corpus();
  owned_by(epoch_order_free) struct epoch_order order = order_of(&corpus, 1, 1),
                                                second = order_of(&corpus, 1, 2);
  epoch_order_fill(&order, 1);
  epoch_order_fill(&order, 2);
  cr_assert_arr_eq(order.pairs, second.pairs, PAIRS * sizeof *order.pairs);
}
