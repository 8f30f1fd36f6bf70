/* The output layer as search needs it: the logits of some rows, and how they compare.
 *
 * One pass over the weights: the product, the bias, the maximum and Σ exp of a tile of the
 * vocabulary go together, while the tile is in cache. */
#ifndef ELMAN_DECODER_OUTPUT_SCORES_H
#define ELMAN_DECODER_OUTPUT_SCORES_H

#include "base/arena.h"
#include "decoder/decoder.h"

enum { SCORES_BLOCK = 64 }; /* logits with a maximum of their own */

struct output_scores {
  real *logits;     /* (R,V) */
  real *largest;    /* (R,blocks) */
  double *sums;     /* (R,blocks): Σ exp(logit - largest) */
  double *log_sums; /* (R): log Σ exp(logit); not finite where a logit is no number */
  size_t V, blocks;
};

/* For R rows; the logits are the caller's. */
void output_scores_take(struct output_scores *scores, struct arena *arena, size_t rows,
                        struct decoder_sizes sizes);

/* Of `rows` rows of features (rows,F), at most R. */
void output_scores_fill(const struct output_scores *scores, const real *features, size_t rows,
                        const struct decoder_parameters *weights, struct decoder_sizes sizes);

#endif
