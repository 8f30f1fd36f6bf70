/* The output layer: the real positions of the decoder's states, packed, to logits and losses.
 * docs/bptt.md, equations 9 to 11; how it learns stands in output_learn.h. */
#ifndef ELMAN_DECODER_OUTPUT_H
#define ELMAN_DECODER_OUTPUT_H

#include "decoder/decoder.h"

/* features (N,F) of the cache, from its states, contexts or attentional states; and from their
 * gradients to those of what they were made of, overwritten: dattentional h_1 .. h_T (T,B,A), or
 * doutputs (T,B,H) and dcontext (T,B,H). dfeatures is overwritten too. */
void output_features(struct decoder_cache *cache, const struct sequence *target,
                     struct dropout dropout, struct decoder_sizes sizes);
void output_features_backward(real *dattentional, real *doutputs, real *dcontext, real *dfeatures,
                              const struct sequence *target, struct dropout dropout,
                              struct decoder_sizes sizes);

/* logits (rows,V_tgt) = W_o features + b_o */
void output_logits(real *logits, const real *features /* (rows,F) */, size_t rows,
                   const struct decoder_parameters *weights, struct decoder_sizes sizes);

/* What the output layer is to give, and for how many rows its logits are held at a time: they would
 * be the largest array of all. */
struct output_task {
  const uint32_t *expected; /* (N) */
  size_t tokens;            /* N */
  size_t block;             /* rows of cache->logits */
  double smoothing;         /* ε */
};

/* Rows of a block for N tokens: enough that the weights are read seldom, all blocks about equal. */
size_t output_block(size_t tokens);

/* losses (N); the logits of the last block stay in the cache. */
void output_losses(double *losses, struct decoder_cache *cache, struct output_task task,
                   const struct decoder_parameters *weights, struct decoder_sizes sizes);

#endif
