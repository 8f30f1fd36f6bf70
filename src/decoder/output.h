/* The output layer: the real positions of the decoder's states, packed, to logits and losses.
 * docs/bptt.md, equations 9 to 11; how it learns stands in output_learn.h. */
#ifndef ELMAN_DECODER_OUTPUT_H
#define ELMAN_DECODER_OUTPUT_H

#include "decoder/decoder.h"

/* features (N,F) of the cache, from its states, contexts or attentional states; and from the
 * gradients of the features to those of what they were made of: h_1 .. h_T, or d_t and c_t, in the
 * scratch, all overwritten. */
void output_features(const struct decoder_pass *pass);
void output_features_backward(const struct decoder_scratch *scratch,
                              const struct decoder_pass *pass);

/* logits (rows,V_tgt) = W_o features + b_o */
void output_logits(real *logits, const real *features /* (rows,F) */, size_t rows,
                   const struct decoder_parameters *weights, struct decoder_sizes sizes);

/* A batch on its way through the output layer. Logits would be the largest array of all: they are
 * held for a block of rows at a time. */
struct output_pass {
  struct decoder_sizes sizes;
  const struct decoder_parameters *weights;
  const real *features;   /* (N,F) */
  const uint32_t *labels; /* (N) */
  size_t tokens;          /* N */
  size_t mean_of;         /* the gradient is that of the losses' sum over this number: N, or that of
                             the whole where the batch is part of one */
  double smoothing;       /* ε */
  size_t block;           /* rows of logits */
  real *logits;           /* (block,V) */
  double *losses;         /* (N): come out */
};

/* Rows of a block for N tokens: enough that the weights are read seldom, all blocks about equal. */
size_t output_block(size_t tokens);

/* The logits of the last block stay. */
void output_losses(const struct output_pass *pass);

#endif
