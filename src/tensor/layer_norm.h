/* Layer normalisation of a row of n numbers, with a gain for each: nn.LayerNorm of PyTorch without
 * its bias. J. L. Ba, J. R. Kiros and G. E. Hinton, "Layer normalization", arXiv:1607.06450, 2016.
 * docs/beyond.md, equations 83 and 84. */
#ifndef ELMAN_TENSOR_LAYER_NORM_H
#define ELMAN_TENSOR_LAYER_NORM_H

#include "tensor/real.h"

/* normalized (n) = (x - mean) · scale and y (n) = gain ⊙ normalized, in the place of x. Gives the
 * scale, 1 / √(variance + 1e-5). */
real layer_norm_forward(real *x, real *normalized, const real *gain, size_t n);

/* dx (n) in the place of dy. */
void layer_norm_backward(real *dy, const real *normalized, real scale, const real *gain, size_t n);

#endif
