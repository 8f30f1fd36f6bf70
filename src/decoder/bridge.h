/* From the encoder's final states to the decoder's first: a copy, or tanh(W e + b) where the
 * encoder reads in both directions; without the tanh for parts other than h, which have no bounds.
 * docs/bptt.md, equations 5 and 21; docs/beyond.md, 33 and 64. */
#ifndef ELMAN_DECODER_BRIDGE_H
#define ELMAN_DECODER_BRIDGE_H

#include "decoder/decoder.h"

/* Block 0 of the states of a layer, all parts. */
void bridge_forward(const struct decoder_pass *pass, size_t layer);

/* The layer's part of dfinals (layers,parts,B,H) is overwritten; the gradient of block 0 too. */
void bridge_backward(const struct decoder_parameters *gradients, real *dfinals,
                     const struct decoder_scratch *scratch, const struct decoder_pass *pass,
                     size_t layer);

#endif
