#include "decoder/output.h"

#include <string.h>

#include "base/team.h"
#include "tensor/cross_entropy.h"
#include "tensor/linear.h"

/* The dropout site between the encoder's and the decoder's. */
enum { SITE_OUTPUT = 2 * MAX_LAYERS };

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

static double work_of(const struct packing *packing) {
  return (double)WORK_OF_FUNCTION * (double)(packing->target->steps * packing->target->batch) *
         (double)packing->F;
}

static struct packing packing_of(const struct decoder_pass *pass, real *packed) {
  const size_t H = pass->sizes.hidden, A = pass->sizes.attentional;
  return (struct packing){.packed = packed,
                          .left_size = A > 0 ? A : H,
                          .F = decoder_feature_size(pass->sizes),
                          .target = pass->target,
                          .dropout = dropout_site(pass->dropouts.units, SITE_OUTPUT)};
}

void output_features(const struct decoder_pass *pass) {
  const struct decoder_cache *cache = pass->cache;
  const size_t A = pass->sizes.attentional;
  struct packing packing = packing_of(pass, cache->features);
  packing.left = A > 0 ? cache->attentional + pass->target->batch * A : decoder_outputs(pass);
  packing.right = cache->attention.context;
  share_out(pass->target->steps, work_of(&packing), pack_step, &packing);
}

void output_features_backward(const struct decoder_scratch *scratch,
                              const struct decoder_pass *pass) {
  const size_t A = pass->sizes.attentional;
  struct packing packing = packing_of(pass, scratch->features);
  packing.to_left = A > 0 ? scratch->attentional + pass->target->batch * A
                          : decoder_outputs_gradient(scratch, pass);
  packing.to_right = scratch->context;
  share_out(pass->target->steps, work_of(&packing), unpack_step, &packing);
}

/* ---- features to logits to losses ---- */

void output_logits(real *logits, const real *features, size_t rows,
                   const struct decoder_parameters *weights, struct decoder_sizes sizes) {
  const size_t V = sizes.vocabulary, F = decoder_feature_size(sizes);
  /* o_t = W_o [d_t ; c_t] + b_o                                                      (9) */
  linear_forward(
      logits, features,
      (struct linear){.weight = weights->out_weight, .bias = weights->out_bias, .in = F, .out = V},
      rows);
}

size_t output_block(size_t tokens) {
  enum { MOST_ROWS = 384 };
  const size_t blocks = (tokens + MOST_ROWS - 1) / MOST_ROWS;
  return blocks <= 1 ? tokens : (tokens + blocks - 1) / blocks;
}

void output_losses(const struct output_pass *pass) {
  const size_t V = pass->sizes.vocabulary, F = decoder_feature_size(pass->sizes);
  for (size_t first = 0; first < pass->tokens; first += pass->block) {
    const size_t left = pass->tokens - first, rows = left < pass->block ? left : pass->block;
    output_logits(pass->logits, pass->features + first * F, rows, pass->weights, pass->sizes);
    cross_entropy_forward(pass->losses + first, pass->logits, pass->labels + first, pass->smoothing,
                          rows, V);
  }
}
