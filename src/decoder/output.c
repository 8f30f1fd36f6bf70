#include "decoder/output.h"

#include <string.h>

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

void output_logits(real *logits, const real *features, const struct decoder_parameters *weights,
                   size_t n, struct decoder_sizes sizes) {
  const size_t V = sizes.vocabulary;
  /* o_t = W_o [d_t ; c_t] + b_o                                                      (9) */
  bias_forward(logits, weights->out_bias, n, V);
  linear_forward_add(logits, features, weights->out_weight, n, decoder_feature_size(sizes), V);
}

void output_forward(struct decoder_cache *cache, const struct sequence *target,
                    const struct decoder_parameters *weights, struct dropout dropout,
                    struct decoder_sizes sizes) {
  const size_t B = target->batch, H = sizes.hidden, A = sizes.attentional;
  const size_t F = decoder_feature_size(sizes), N = real_positions(target);
  if (A > 0) {
    pack(cache->features, F, 0, cache->attentional + B * A, A, target);
  } else {
    pack(cache->features, F, 0, decoder_outputs(cache, B, sizes), H, target);
    pack(cache->features, F, H, cache->attention.context, H, target);
  }
  dropout_apply(cache->features, N * F, 0, dropout);
  if (cache->logits != NULL) output_logits(cache->logits, cache->features, weights, N, sizes);
}

void output_backward(real *dattentional, real *doutputs, real *dcontext, real *dfeatures,
                     const struct decoder_parameters *gradients, const real *dlogits,
                     const struct decoder_cache *cache, const struct sequence *target,
                     const struct decoder_parameters *weights, struct dropout dropout,
                     struct decoder_sizes sizes) {
  const size_t H = sizes.hidden, A = sizes.attentional, V = sizes.vocabulary;
  const size_t F = decoder_feature_size(sizes), N = real_positions(target);
  /* dW_o += Σ do_t [d_t ; c_t]ᵀ, db_o += Σ do_t                                     (13) */
  linear_backward_weight(gradients->out_weight, dlogits, cache->features, N, F, V);
  bias_backward(gradients->out_bias, dlogits, N, V);
  /* [dd_t ; dc_t] = W_oᵀ do_t                                                        (14) */
  linear_backward_input(dfeatures, dlogits, weights->out_weight, N, F, V);
  dropout_apply(dfeatures, N * F, 0, dropout);
  if (A > 0) {
    unpack(dattentional, A, dfeatures, F, 0, target);
  } else {
    unpack(doutputs, H, dfeatures, F, 0, target);
    unpack(dcontext, H, dfeatures, F, H, target);
  }
}
