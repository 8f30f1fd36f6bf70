/* The output layer: from packed features to logits and losses, with gradients in training and with
 * scores in search. docs/bptt.md, (9) to (14). */
#ifndef ELMAN_DECODER_OUTPUT_H
#define ELMAN_DECODER_OUTPUT_H

#include "base/arena.h"
#include "decoder/decoder.h"
#include "tensor/cross_entropy.h"
#include "tensor/eight_bits.h"

/* Compute logits (rows,V_tgt) = W_o features + b_o. */
void output_logits(real *logits, const real *features /* (rows,F) */, size_t rows,
                   const struct decoder_parameters *weights);

/* A pass of the output layer over a batch. All logits together would be the largest array of
 * training, so only a block of rows is in memory at a time. */
struct output_pass {
  const struct decoder_parameters *weights;
  const real *features;   /* (N,F) */
  const uint32_t *labels; /* (N) */
  size_t tokens;          /* N */
  size_t mean_of; /* divisor of the sum of the losses: the number of tokens of the whole batch, even
                     if the pass covers a part of it */
  double smoothing; /* η */
  double r_drop;    /* α: rows 2i and 2i + 1 are two passes of one token; 0 = none */
  size_t block;     /* number of rows of logits in a block */
  real *logits;     /* (block,V) */
  double *losses;   /* (N): the losses, which are the result */
};

/* Return the number of rows of a block for N tokens, a multiple of `copies`, which divides N.
 * Blocks have about equal sizes, and are large so that the weights are read rarely. */
size_t output_block(size_t tokens, size_t copies);

/* Compute the losses, without the divergences of R-Drop. Leave the logits of the last block in
 * pass->logits. */
void output_losses(const struct output_pass *pass);

/* ---- training: logits, loss and gradients together. docs/bptt.md, (9) to (14); docs/kernels.md,
 * (95) ----
 *
 * A block of rows is processed in tiles of the vocabulary that fit in the second-level cache.
 * Product, bias and exponentials of a tile are computed together; once the sums of all tiles are
 * known, the gradient of a tile and its two backward products are also computed together. The sizes
 * of tiles depend only on the shape, and so do the bits of all results. */

struct output_tiles {
  size_t width; /* number of columns of each tile; the last tile may have fewer */
  size_t count;
  size_t groups; /* number of groups of consecutive tiles; each group sums its part of the features'
                    gradient, and threads share the groups */
};

struct output_scratch {
  struct output_tiles tiles;
  struct softmax_part *parts; /* (tiles,rows of a block) */
  real *differences;          /* with R-Drop (rows of a block / 2,V): differences of two passes */
  real *features;             /* (groups - 1,rows,F): the sums of all groups except the first */
};

struct output_tiles output_tiles_of(size_t rows, struct decoder_sizes sizes);
void output_allocate(struct output_scratch *scratch, struct arena *arena, size_t rows,
                     size_t copies, struct decoder_sizes sizes);

/* Compute the losses, without the divergences of R-Drop. Add the gradient of the mean loss, with
 * the divergences (98), to the gradients of the weights. Set
 * dfeatures (N,F), the gradient of the features. The logits are undefined afterwards. */
void output_gradient(const struct decoder_parameters *gradients, real *dfeatures,
                     const struct output_scratch *scratch, const struct output_pass *pass);

/* ---- search: the logits of some rows, and their maxima and sums ----
 *
 * One pass over the weights: product, bias, maximum and Σ exp of a tile of the vocabulary are
 * computed together, while the tile is in the cache. */

enum { SCORES_BLOCK = 256 }; /* number of logits that share a maximum and a sum */

struct output_scores {
  real *logits;                       /* (R,V) */
  real *largest;                      /* (R,blocks) */
  double *sums;                       /* (R,blocks): Σ exp(logit - largest) */
  double *log_sums;                   /* (R): log Σ exp(logit); not finite if a logit is NaN */
  struct eight_bit_features features; /* (R,F); not used for weights of floats */
  size_t V, blocks;
  bool without_sums; /* log_sums become the largest logits, and `sums` are 0, or NaN
                        if a logit is not finite. This suffices to find the most probable token */
};

/* Allocate arrays for R rows. The caller provides the logits. */
void output_scores_allocate(struct output_scores *scores, struct arena *arena, size_t rows,
                            struct decoder_sizes sizes);

/* Compute the scores of `rows` rows of features (rows,F); `rows` is at most R. */
void output_scores_fill(const struct output_scores *scores, const real *features, size_t rows,
                        const struct decoder_parameters *weights);

#endif
