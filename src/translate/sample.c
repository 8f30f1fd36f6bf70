#include "translate/sample.h"

#include <math.h>

#include "base/random.h"
#include "vocab/vocabulary.h"

/* What is drawn from. */
struct tokens_seen {
  const real *logits; /* (V) */
  size_t V;
  bool without_unknown;
};

static bool may_come(const struct tokens_seen *seen, size_t id) {
  return id != TOKEN_START && (id != TOKEN_UNKNOWN || !seen->without_unknown);
}

/* ---- the k likeliest ---- */

struct ranked {
  real logit;
  size_t id;
};

/* Among equals the smaller id comes first. */
static bool is_before(struct ranked a, struct ranked b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

/* A heap, the last in rank at the root. */
static void sift_down(struct ranked *heap, size_t count, size_t at) {
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && is_before(heap[child], heap[child + 1])) child++;
    if (!is_before(heap[at], heap[child])) return;
    const struct ranked kept = heap[at];
    heap[at] = heap[child];
    heap[child] = kept;
  }
}

/* The last of the k tokens that may be drawn; of fewer than k, one behind all. */
static struct ranked last_of(const struct tokens_seen *seen, size_t k) {
  struct ranked heap[ELMAN_MOST_TOP_K];
  size_t count = 0;
  for (size_t id = 0; id < seen->V; id++) {
    const struct ranked one = {seen->logits[id], id};
    if (!may_come(seen, id)) continue;
    if (count < k) {
      heap[count++] = one;
      for (size_t i = count / 2; count == k && i-- > 0;) sift_down(heap, count, i);
    } else if (is_before(one, heap[0])) {
      heap[0] = one;
      sift_down(heap, count, 0);
    }
  }
  return count < k ? (struct ranked){-(real)INFINITY, SIZE_MAX} : heap[0];
}

/* ---- drawing ---- */

uint32_t sample_token(const real *logits, size_t V, bool without_unknown,
                      const elman_translate_options *options, uint64_t sentence, size_t step) {
  const struct tokens_seen seen = {logits, V, without_unknown};
  const struct random_stream stream = {options->sample_seed, RANDOM_SAMPLE, (uint32_t)step};
  const struct ranked last = options->top_k == 0 ? (struct ranked){-(real)INFINITY, SIZE_MAX}
                                                 : last_of(&seen, options->top_k);
  double largest = -INFINITY, part = INFINITY;
  size_t drawn = TOKEN_END;
  for (size_t id = 0; id < V; id++)
    if (may_come(&seen, id)) largest = fmax(largest, (double)logits[id]);
  /* The first time all of it is summed, the second time up to the part that was drawn. */
  for (int time = 0; time < 2; time++) {
    double sum = 0;
    for (size_t id = 0; id < V && sum <= part; id++) {
      if (!may_come(&seen, id) || is_before(last, (struct ranked){logits[id], id})) continue;
      sum += exp(((double)logits[id] - largest) / options->temperature);
      drawn = id;
    }
    part = random_uniform(stream, sentence) * sum;
  }
  return (uint32_t)drawn;
}
