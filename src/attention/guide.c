#include "attention/guide.h"

#include <float.h>
#include <math.h>

#include "attention/mechanism.h"

/* Of a row in the first head, or of one of a single query's heads side by side. */
static double mean_of_heads(const struct attention_row *row, size_t heads, size_t key) {
  const size_t S = row->pass->shape.keys;
  double sum = 0;
  for (size_t n = 0; n < heads; n++) sum += (double)row->weights[n * S + key];
  return sum / (double)heads;
}

double guided_log_of_weights(const struct attention_row *row, size_t key) {
  return log(fmax(mean_of_heads(row, row->pass->layer.config.heads, key), FLT_MIN));
}

void guide_losses(double *losses, const struct attention_pass *pass) {
  const struct guide *guide = pass->layer.guide;
  const struct attention_config config = pass->layer.config;
  const size_t B = pass->shape.batch, N = config.heads, S = pass->shape.keys;
  guided_log *const own = attention_mechanism(config.kind)->guided_log;
  guided_log *const log_of = own != NULL ? own : guided_log_of_weights;
  for (size_t i = 0; i < pass->shape.queries * B; i++) {
    const struct attention_row row = {.pass = pass,
                                      .position = i,
                                      .visible = mask_visible(pass->shape, i % B, i / B),
                                      .weights = pass->cache.weights + i * N * S};
    const size_t first = guide->starts[i], end = guide->starts[i + 1];
    double sum = 0;
    for (size_t k = first; k < end; k++) sum -= log_of(&row, guide->sources[k]);
    losses[i] = end == first ? 0 : sum / (double)(end - first); /* (75) */
  }
}

/* Where all heads have lost sight of a key, each has an equal share. */
real guided_pull(const struct guided *guided, size_t i) {
  const size_t N = guided->row->pass->layer.config.heads, S = guided->row->pass->shape.keys;
  if (N == 1) return -guided->scale;
  const struct attention_row first = {.pass = guided->row->pass,
                                      .weights = guided->row->weights - guided->head * S};
  const double sum = (double)N * mean_of_heads(&first, N, guided->keys[i]);
  const double own = (double)guided->row->weights[guided->keys[i]];
  return -guided->scale * (real)(sum > 0 ? own / sum : 1 / (double)N);
}

/* With l the gradients of the logarithms: du_s += l_s - a_s Σ l. It stays of the size of λ/M
 * where weights vanish, and the gradients of the weights themselves would be without bound.  (78)
 */
void guided_softmax_backward(real *dscores, const struct guided *guided,
                             const struct attention_scratch *scratch) {
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
                    const struct attention_scratch *scratch) {
  const struct attention_layer *layer = &row->pass->layer;
  const struct guide *guide = layer->guide;
  const size_t at = row->position + row->pass->shape.first_query * row->pass->shape.batch;
  const size_t first = guide->starts[at], count = guide->starts[at + 1] - first;
  guided_backward *const own = attention_mechanism(layer->config.kind)->guided_backward;
  const struct guided guided = {row, guide->sources + first, count, n,
                                layer->guide_scale / (real)count};
  if (count > 0) (own != NULL ? own : guided_softmax_backward)(dscores, &guided, scratch);
}
