/* The output layer: the real positions of the decoder's states, packed, to logits. docs/bptt.md,
 * equations 9, 13 and 14. */
#ifndef ELMAN_DECODER_OUTPUT_H
#define ELMAN_DECODER_OUTPUT_H

#include "decoder/decoder.h"

/* features (N,F) and, unless they are NULL, logits (N,V_tgt) of the cache, from its states,
 * contexts or attentional states. */
void output_forward(struct decoder_cache *cache, const struct sequence *target,
                    const struct decoder_parameters *weights, struct dropout dropout,
                    struct decoder_sizes sizes);

/* logits (n,V_tgt) of features (n,F). */
void output_logits(real *logits, const real *features, const struct decoder_parameters *weights,
                   size_t n, struct decoder_sizes sizes);

/* Overwrites what the output layer sees: dattentional h_1 .. h_T (T,B,A), or doutputs (T,B,H) and
 * dcontext (T,B,H). dfeatures (N,F) is scratch. */
void output_backward(real *dattentional, real *doutputs, real *dcontext, real *dfeatures,
                     const struct decoder_parameters *gradients, const real *dlogits,
                     const struct decoder_cache *cache, const struct sequence *target,
                     const struct decoder_parameters *weights, struct dropout dropout,
                     struct decoder_sizes sizes);

#endif
