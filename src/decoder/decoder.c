#include "decoder/decoder.h"

#include <string.h>

#include "rnn/embedding.h"
#include "tensor/linear.h"

static struct rnn_shape rnn_shape_of(const struct sequence *target, struct decoder_sizes sizes) {
  return (struct rnn_shape){.steps = target->steps,
                            .batch = target->batch,
                            .input = sizes.embedding,
                            .hidden = sizes.hidden,
                            .lengths = target->lengths};
}

static struct attention_shape attention_shape_of(const struct sequence *target,
                                                 struct decoder_source source,
                                                 struct decoder_sizes sizes) {
  return (struct attention_shape){.queries = target->steps,
                                  .keys = source.steps,
                                  .batch = target->batch,
                                  .size = sizes.hidden,
                                  .query_lengths = target->lengths,
                                  .key_lengths = source.lengths};
}

/* features (N,2H) = [d_t ; c_t] of the real positions; returns N. */
static size_t features_forward(real *features, const real *states, const real *context,
                               const struct sequence *target, size_t H) {
  const size_t B = target->batch;
  size_t n = 0;
  for (size_t t = 0; t < target->steps; t++) {
    for (size_t b = 0; b < B; b++) {
      if (t >= target->lengths[b]) continue;
      real *row = features + n++ * 2 * H;
      memcpy(row, states + (t * B + b) * H, H * sizeof *row);
      memcpy(row + H, context + (t * B + b) * H, H * sizeof *row);
    }
  }
  return n;
}

/* dstates and dcontext (T,B,H) are overwritten; masked positions get zero. */
static void features_backward(real *dstates, real *dcontext, const real *dfeatures,
                              const struct sequence *target, size_t H) {
  const size_t B = target->batch;
  size_t n = 0;
  for (size_t t = 0; t < target->steps; t++) {
    for (size_t b = 0; b < B; b++) {
      real *dd = dstates + (t * B + b) * H, *dc = dcontext + (t * B + b) * H;
      if (t < target->lengths[b]) {
        const real *row = dfeatures + n++ * 2 * H;
        memcpy(dd, row, H * sizeof *row);
        memcpy(dc, row + H, H * sizeof *row);
      } else {
        memset(dd, 0, H * sizeof *dd);
        memset(dc, 0, H * sizeof *dc);
      }
    }
  }
}

static size_t real_positions(const struct sequence *target) {
  size_t n = 0;
  for (size_t b = 0; b < target->batch; b++) n += target->lengths[b];
  return n;
}

void decoder_forward(struct decoder_cache *cache, const struct sequence *target,
                     struct decoder_source source, const struct decoder_parameters *weights,
                     struct decoder_sizes sizes) {
  const size_t H = sizes.hidden, V = sizes.vocabulary;
  const real *outputs = cache->states + target->batch * H; /* d_1 .. d_T */

  embedding_forward(cache->inputs, weights->embedding, target->ids, target->lengths, target->steps,
                    target->batch, sizes.embedding);
  rnn_forward(cache->states, cache->inputs, &weights->rnn, rnn_shape_of(target, sizes));
  attention_forward(cache->context, cache->weights, outputs, source.states, source.states,
                    sizes.attention, attention_shape_of(target, source, sizes));
  const size_t n = features_forward(cache->features, outputs, cache->context, target, H);
  /* o_t = W_o [d_t ; c_t] + b_o                                                      (9) */
  bias_forward(cache->logits, weights->out_bias, n, V);
  linear_forward_add(cache->logits, cache->features, weights->out_weight, n, 2 * H, V);
}

void decoder_backward(const struct decoder_parameters *gradients, real *dsource,
                      struct decoder_gradients *scratch, const real *dlogits,
                      const struct decoder_cache *cache, const struct sequence *target,
                      struct decoder_source source, const struct decoder_parameters *weights,
                      struct decoder_sizes sizes) {
  const size_t H = sizes.hidden, V = sizes.vocabulary, N = real_positions(target);
  const size_t block = target->batch * H;
  const real *outputs = cache->states + block;
  real *doutputs = scratch->states + block;

  /* dW_o += Σ do_t [d_t ; c_t]ᵀ, db_o += Σ do_t                                     (13) */
  linear_backward_weight(gradients->out_weight, dlogits, cache->features, N, 2 * H, V);
  bias_backward(gradients->out_bias, dlogits, N, V);
  /* [dd_t ; dc_t] = W_oᵀ do_t                                                        (14) */
  linear_backward_input(scratch->features, dlogits, weights->out_weight, N, 2 * H, V);
  features_backward(doutputs, scratch->context, scratch->features, target, H);

  /* The source states are keys and values at once: both gradients go to dsource.   */
  attention_backward(doutputs, dsource, dsource, scratch->weights, scratch->context, cache->weights,
                     outputs, source.states, source.states, sizes.attention,
                     attention_shape_of(target, source, sizes));

  memset(scratch->states, 0, block * sizeof *scratch->states);
  rnn_backward(scratch->inputs, &gradients->rnn, scratch->states, cache->states, cache->inputs,
               &weights->rnn, rnn_shape_of(target, sizes));
  embedding_backward(gradients->embedding, scratch->inputs, target->ids, target->lengths,
                     target->steps, target->batch, sizes.embedding);
}
