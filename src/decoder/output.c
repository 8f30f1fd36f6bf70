#include "decoder/output.h"

#include <string.h>

#include "tensor/cross_entropy.h"
#include "tensor/linear.h"

/* packed (N, [first, first + width) of F) = the real positions of padded (T,B,width). */
static void pack(real *packed, size_t F, size_t first, const real *padded, size_t width,
                 const struct sequence *target) {
  size_t n = 0;
  for (size_t t = 0; t < target->steps; t++) {
    for (size_t b = 0; b < target->batch; b++) {
      if (t >= target->lengths[b]) continue;
      memcpy(packed + n++ * F + first, padded + (t * target->batch + b) * width,
             width * sizeof *packed);
    }
  }
}

/* The reverse; padded positions become zero. */
static void unpack(real *padded, size_t width, const real *packed, size_t F, size_t first,
                   const struct sequence *target) {
  size_t n = 0;
  for (size_t t = 0; t < target->steps; t++) {
    for (size_t b = 0; b < target->batch; b++) {
      real *row = padded + (t * target->batch + b) * width;
      if (t < target->lengths[b])
        memcpy(row, packed + n++ * F + first, width * sizeof *row);
      else
        memset(row, 0, width * sizeof *row);
    }
  }
}

static size_t real_positions(const struct sequence *target) {
  size_t n = 0;
  for (size_t b = 0; b < target->batch; b++) n += target->lengths[b];
  return n;
}

void output_features(struct decoder_cache *cache, const struct sequence *target,
                     struct dropout dropout, struct decoder_sizes sizes) {
  const size_t B = target->batch, H = sizes.hidden, A = sizes.attentional;
  const size_t F = decoder_feature_size(sizes);
  if (A > 0) {
    pack(cache->features, F, 0, cache->attentional + B * A, A, target);
  } else {
    pack(cache->features, F, 0, decoder_outputs(cache, B, sizes), H, target);
    pack(cache->features, F, H, cache->attention.context, H, target);
  }
  dropout_apply(cache->features, real_positions(target) * F, 0, dropout);
}

void output_features_backward(real *dattentional, real *doutputs, real *dcontext, real *dfeatures,
                              const struct sequence *target, struct dropout dropout,
                              struct decoder_sizes sizes) {
  const size_t H = sizes.hidden, A = sizes.attentional, F = decoder_feature_size(sizes);
  dropout_apply(dfeatures, real_positions(target) * F, 0, dropout);
  if (A > 0) {
    unpack(dattentional, A, dfeatures, F, 0, target);
  } else {
    unpack(doutputs, H, dfeatures, F, 0, target);
    unpack(dcontext, H, dfeatures, F, H, target);
  }
}

/* ---- features to logits to losses ---- */

void output_logits(real *logits, const real *features, size_t rows,
                   const struct decoder_parameters *weights, struct decoder_sizes sizes) {
  const size_t V = sizes.vocabulary, F = decoder_feature_size(sizes);
  /* o_t = W_o [d_t ; c_t] + b_o                                                      (9) */
  bias_forward(logits, weights->out_bias, rows, V);
  linear_forward_add(logits, features, weights->out_weight, rows, F, V);
}

size_t output_block(size_t tokens) {
  enum { MOST_ROWS = 384 };
  const size_t blocks = (tokens + MOST_ROWS - 1) / MOST_ROWS;
  return blocks <= 1 ? tokens : (tokens + blocks - 1) / blocks;
}

void output_losses(double *losses, struct decoder_cache *cache, struct output_task task,
                   const struct decoder_parameters *weights, struct decoder_sizes sizes) {
  const size_t V = sizes.vocabulary, F = decoder_feature_size(sizes);
  for (size_t first = 0; first < task.tokens; first += task.block) {
    const size_t rows = task.tokens - first < task.block ? task.tokens - first : task.block;
    output_logits(cache->logits, cache->features + first * F, rows, weights, sizes);
    cross_entropy_forward(losses + first, cache->logits, task.expected + first, task.smoothing,
                          rows, V);
  }
}
