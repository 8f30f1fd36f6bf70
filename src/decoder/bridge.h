/* From the encoder's final states to the decoder's first: a copy, or tanh(W e + b) where the
 * encoder reads in both directions. docs/bptt.md, equations 5 and 21;
 * docs/beyond.md, 33. */
#ifndef ELMAN_DECODER_BRIDGE_H
#define ELMAN_DECODER_BRIDGE_H

#include "decoder/decoder.h"

/* d0 (B,H) of one layer from final (B,H). */
void bridge_forward(real *d0, const real *final, const struct decoder_parameters *weights,
                    size_t layer, size_t batch, struct decoder_sizes sizes);

/* dfinal (B,H) is overwritten; dd0 (B,H) too. */
void bridge_backward(real *dfinal, const struct decoder_parameters *gradients, real *dd0,
                     const real *d0, const real *final, const struct decoder_parameters *weights,
                     size_t layer, size_t batch, struct decoder_sizes sizes);

#endif
