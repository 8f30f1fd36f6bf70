/* From the encoder's final states to the decoder's first: a copy, or tanh(W e + b) where the
 * encoder reads in both directions. docs/bptt.md, equations 5 and 21;
 * docs/beyond.md, 33. */
#ifndef ELMAN_DECODER_BRIDGE_H
#define ELMAN_DECODER_BRIDGE_H

#include "decoder/decoder.h"

/* Block 0 of the states of a layer. */
void bridge_forward(const struct decoder_pass *pass, size_t layer);

/* dfinal (B,H) is overwritten; the gradient of block 0 too. */
void bridge_backward(const struct decoder_parameters *gradients, real *dfinal,
                     const struct decoder_scratch *scratch, const struct decoder_pass *pass,
                     size_t layer);

#endif
