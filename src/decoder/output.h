/* The output layer: packed features to logits and losses, with gradients in training, with scores
 * in search. docs/bptt.md, (9) to (14). */
#ifndef ELMAN_DECODER_OUTPUT_H
#define ELMAN_DECODER_OUTPUT_H

#include "base/arena.h"
#include "decoder/decoder.h"
#include "tensor/cross_entropy.h"

/* logits (rows,V_tgt) = W_o features + b_o */
void output_logits(real *logits, const real *features /* (rows,F) */, size_t rows,
                   const struct decoder_parameters *weights);

/* A batch on its way through the output layer. Logits would be the largest array of all: they are
 * held for a block of rows at a time. */
struct output_pass {
  const struct decoder_parameters *weights;
  const real *features;   /* (N,F) */
  const uint32_t *labels; /* (N) */
  size_t tokens;          /* N */
  size_t mean_of;         /* the gradient is that of the losses' sum over this number: N, or that of
                             the whole where the batch is part of one */
  double smoothing;       /* η */
  size_t block;           /* rows of logits */
  real *logits;           /* (block,V) */
  double *losses;         /* (N): come out */
};

/* Rows of a block for N tokens: enough that the weights are read seldom, all blocks about equal. */
size_t output_block(size_t tokens);

/* The logits of the last block stay. */
void output_losses(const struct output_pass *pass);

/* ---- training: logits, loss and gradients in one go. docs/bptt.md, (9) to (14);
 * docs/performance.md, (90) ----
 *
 * A block of rows is worked on in tiles of the vocabulary, which stay in the second-level cache:
 * product, bias and exponentials of a tile go together, and so do, once the sums of all tiles are
 * known, its gradient and the two products backward. Sizes of tiles depend on the shape alone, and
 * so do the bits of all results. */

struct output_tiles {
  size_t width; /* columns of all but the last */
  size_t count;
  size_t groups; /* of tiles one after the other; each sums its own share of the features' gradient,
                    and threads share out the groups */
};

struct output_scratch {
  struct output_tiles tiles;
  struct softmax_part *parts; /* (tiles,rows of a block) */
  real *features;             /* (groups - 1,rows,F): all sums but the first */
};

struct output_tiles output_tiles_of(size_t rows, struct decoder_sizes sizes);
void output_allocate(struct output_scratch *scratch, struct arena *arena, size_t rows,
                     struct decoder_sizes sizes);

/* The losses; adds the gradient of the mean loss to those of the weights and gives that of the
 * features, dfeatures (N,F), overwritten. Nothing of use stays in the logits. */
void output_learn(const struct decoder_parameters *gradients, real *dfeatures,
                  const struct output_scratch *scratch, const struct output_pass *pass);

/* ---- search: the logits of some rows, and how they compare ----
 *
 * One pass over the weights: the product, the bias, the maximum and Σ exp of a tile of the
 * vocabulary go together, while the tile is in cache. */

enum { SCORES_BLOCK = 64 }; /* logits with a maximum of their own */

struct output_scores {
  real *logits;     /* (R,V) */
  real *largest;    /* (R,blocks) */
  double *sums;     /* (R,blocks): Σ exp(logit - largest) */
  double *log_sums; /* (R): log Σ exp(logit); not finite where a logit is no number */
  size_t V, blocks;
};

/* For R rows; the logits are the caller's. */
void output_scores_allocate(struct output_scores *scores, struct arena *arena, size_t rows,
                            struct decoder_sizes sizes);

/* Of `rows` rows of features (rows,F), at most R. */
void output_scores_fill(const struct output_scores *scores, const real *features, size_t rows,
                        const struct decoder_parameters *weights);

#endif
