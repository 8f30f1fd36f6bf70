#include "decoder/output.h"

#include <string.h>

#include "tensor/cross_entropy.h"
#include "tensor/linear.h"
#include "tensor/share_out.h"

/* Numbers in all rows below which threads cost more than they bring. */
enum { PARALLEL_WORK = 1 << 16 };

/* Two arrays side by side, one row a real position: packed (N,F), from or to the padded ones, left
 * (T,B,left_size) and right (T,B,F - left_size). */
struct packing {
  real *packed;
  const real *left, *right;
  real *to_left, *to_right;
  size_t left_size, F;
  const struct sequence *target;
  struct dropout dropout;
};

/* Real positions before step t, which are the packed rows before it. */
static size_t rows_before(const struct sequence *target, size_t t) {
  size_t n = 0;
  for (size_t b = 0; b < target->batch; b++) n += target->lengths[b] < t ? target->lengths[b] : t;
  return n;
}

static void pack_step(const void *context, size_t t) {
  const struct packing *p = context;
  const size_t B = p->target->batch, F = p->F, left = p->left_size,
               first = rows_before(p->target, t);
  real *row = p->packed + first * F, *const start = row;
  for (size_t b = 0; b < B; b++) {
    if (t >= p->target->lengths[b]) continue;
    memcpy(row, p->left + (t * B + b) * left, left * sizeof *row);
    if (left < F) memcpy(row + left, p->right + (t * B + b) * (F - left), (F - left) * sizeof *row);
    row += F;
  }
  dropout_apply(start, (size_t)(row - start), first * F, p->dropout);
}

/* The reverse; padded positions become zero. */
static void unpack_step(const void *context, size_t t) {
  const struct packing *p = context;
  const size_t B = p->target->batch, F = p->F, left = p->left_size, right = F - left;
  const size_t first = rows_before(p->target, t), rows = rows_before(p->target, t + 1) - first;
  const real *row = p->packed + first * F;
  dropout_apply(p->packed + first * F, rows * F, first * F, p->dropout);
  for (size_t b = 0; b < B; b++) {
    real *to_left = p->to_left + (t * B + b) * left;
    real *to_right = right == 0 ? NULL : p->to_right + (t * B + b) * right;
    if (t < p->target->lengths[b]) {
      memcpy(to_left, row, left * sizeof *row);
      if (right > 0) memcpy(to_right, row + left, right * sizeof *row);
      row += F;
    } else {
      memset(to_left, 0, left * sizeof *row);
      if (right > 0) memset(to_right, 0, right * sizeof *row);
    }
  }
}

static bool is_worth_threads(const struct packing *packing) {
  return packing->target->steps * packing->target->batch * packing->F > PARALLEL_WORK;
}

void output_features(struct decoder_cache *cache, const struct sequence *target,
                     struct dropout dropout, struct decoder_sizes sizes) {
  const size_t B = target->batch, H = sizes.hidden, A = sizes.attentional;
  struct packing packing = {.packed = cache->features,
                            .F = decoder_feature_size(sizes),
                            .target = target,
                            .dropout = dropout};
  if (A > 0) {
    packing.left = cache->attentional + B * A;
    packing.left_size = A;
  } else {
    packing.left = decoder_outputs(cache, B, sizes);
    packing.left_size = H;
    packing.right = cache->attention.context;
  }
  share_out(target->steps, is_worth_threads(&packing), pack_step, &packing);
}

void output_features_backward(real *dattentional, real *doutputs, real *dcontext, real *dfeatures,
                              const struct sequence *target, struct dropout dropout,
                              struct decoder_sizes sizes) {
  const bool attentional = sizes.attentional > 0;
  const struct packing packing = {.packed = dfeatures,
                                  .to_left = attentional ? dattentional : doutputs,
                                  .to_right = dcontext,
                                  .left_size = attentional ? sizes.attentional : sizes.hidden,
                                  .F = decoder_feature_size(sizes),
                                  .target = target,
                                  .dropout = dropout};
  share_out(target->steps, is_worth_threads(&packing), unpack_step, &packing);
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
