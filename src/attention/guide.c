#include "attention/guide.h"

#include <float.h>
#include <math.h>

#include "attention/mechanism.h"

/* ---- logarithms of weights ---- */

void log_sum_add(struct log_sum *log_sum, double x) {
  if (log_sum->sum == 0 || x > log_sum->largest) {
    log_sum->sum = log_sum->sum == 0 ? 1 : log_sum->sum * exp(log_sum->largest - x) + 1;
    log_sum->largest = x;
  } else {
    log_sum->sum += exp(x - log_sum->largest);
  }
}

double log_sum_of(const struct log_sum *log_sum) {
  return log_sum->largest + log(log_sum->sum);
}

double guided_log_of_softmax(const struct attention_row *row, size_t n, size_t key) {
  struct log_sum sum = {0};
  for (size_t s = row->visible.first; s < row->visible.end; s++)
    log_sum_add(&sum, (double)attention_score_at(row, n, s));
  return (double)attention_score_at(row, n, key) - log_sum_of(&sum);
}

static double log_in_head(const struct attention_row *row, size_t n, size_t key) {
  guided_log *const own = attention_mechanism(row->pass->layer.config.kind)->guided_log;
  return (own != NULL ? own : guided_log_of_softmax)(row, n, key);
}

static struct log_sum log_sum_of_heads(const struct attention_row *row, size_t key) {
  struct log_sum sum = {0};
  for (size_t n = 0; n < row->pass->layer.config.heads; n++)
    log_sum_add(&sum, log_in_head(row, n, key));
  return sum;
}

/* Of a row in the first head, or of one of a single query's heads side by side. */
static double mean_of_heads(const struct attention_row *row, size_t heads, size_t key) {
  const size_t S = row->pass->shape.keys;
  double sum = 0;
  for (size_t n = 0; n < heads; n++) sum += (double)row->weights[n * S + key];
  return sum / (double)heads;
}

/* Below this the digits of a float become few, and then there are none: scores tell more. */
static bool has_vanished(double weight) {
  return weight < (double)FLT_MIN;
}

/* The logarithm of the mean of the heads; the row is the first head's. */
static double log_of_mean(const struct attention_row *row, size_t key) {
  const size_t N = row->pass->layer.config.heads;
  const double mean = mean_of_heads(row, N, key);
  if (!has_vanished(mean)) return log(mean);
  const struct log_sum sum = log_sum_of_heads(row, key);
  return log_sum_of(&sum) - log((double)N);
}

/* ---- the loss ---- */

void guide_losses(double *losses, const struct attention_pass *pass) {
  const struct guide *guide = pass->layer.guide;
  const struct attention_config config = pass->layer.config;
  const size_t B = pass->shape.batch, N = config.heads, S = pass->shape.keys;
  for (size_t i = 0; i < pass->shape.queries * B; i++) {
    const struct attention_row row = {.pass = pass,
                                      .position = i,
                                      .visible = mask_visible(pass->shape, i % B, i / B),
                                      .weights = pass->cache.weights + i * N * S};
    const size_t first = guide->starts[i], end = guide->starts[i + 1];
    double sum = 0;
    for (size_t k = first; k < end; k++) sum -= log_of_mean(&row, guide->sources[k]);
    losses[i] = end == first ? 0 : sum / (double)(end - first); /* (75) */
  }
}

/* ---- the gradient ---- */

real guided_pull(const struct guided *guided, size_t i) {
  const size_t N = guided->row->pass->layer.config.heads, S = guided->row->pass->shape.keys;
  if (N == 1) return -guided->scale;
  const struct attention_row first = {.pass = guided->row->pass,
                                      .weights = guided->row->weights - guided->head * S};
  const size_t key = guided->keys[i];
  const double mean = mean_of_heads(&first, N, key);
  if (!has_vanished(mean))
    return -guided->scale * (real)((double)guided->row->weights[key] / ((double)N * mean));
  const struct log_sum sum = log_sum_of_heads(guided->row, key);
  return -guided->scale * (real)exp(log_in_head(guided->row, guided->head, key) - log_sum_of(&sum));
}

/* With l the gradients of the logarithms: du_s += l_s - a_s Σ l. It stays of the size of λ/M
 * where weights vanish, and the gradients of the weights themselves would be without bound.  (78)
 */
void guided_softmax_backward(real *dscores, const struct guided *guided,
                             const struct attention_arrays *scratch) {
  const struct attention_row *row = guided->row;
  real sum = 0;
  (void)scratch;
  for (size_t i = 0; i < guided->count; i++) {
    const real pull = guided_pull(guided, i);
    dscores[guided->keys[i]] += pull;
    sum += pull;
  }
  for (size_t s = row->visible.first; s < row->visible.end; s++)
    dscores[s] -= row->weights[s] * sum;
}

void guide_backward(real *dscores, const struct attention_row *row, size_t n,
                    const struct attention_arrays *scratch) {
  const struct attention_layer *layer = &row->pass->layer;
  const struct guide *guide = layer->guide;
  const size_t at = row->position + row->pass->shape.first_query * row->pass->shape.batch;
  const size_t first = guide->starts[at], count = guide->starts[at + 1] - first;
  guided_backward *const own = attention_mechanism(layer->config.kind)->guided_backward;
  const struct guided guided = {row, guide->sources + first, count, n,
                                layer->guide_scale / (real)count};
  if (count > 0) (own != NULL ? own : guided_softmax_backward)(dscores, &guided, scratch);
}
