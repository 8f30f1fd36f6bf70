/* The linear map y = x Wᵀ + b over n rows, as in PyTorch's nn.Linear: W is (out,in). */
#ifndef ELMAN_TENSOR_LINEAR_H
#define ELMAN_TENSOR_LINEAR_H

#include "tensor/real.h"

/* y (n,out) = x Wᵀ, or y += x Wᵀ */
void linear_forward(real *y, const real *x /* (n,in) */, const real *weight /* (out,in) */,
                    size_t n, size_t in, size_t out);
void linear_forward_add(real *y, const real *x, const real *weight, size_t n, size_t in,
                        size_t out);

/* dx (n,in) = dy W, or dx += dy W */
void linear_backward_input(real *dx, const real *dy /* (n,out) */, const real *weight, size_t n,
                           size_t in, size_t out);
void linear_backward_input_add(real *dx, const real *dy, const real *weight, size_t n, size_t in,
                               size_t out);

/* dW (out,in) += dyᵀ x: all rows in one product */
void linear_backward_weight(real *dweight, const real *dy, const real *x, size_t n, size_t in,
                            size_t out);

/* y (n,out) = tanh(x Wᵀ + b), and what its backward pass makes of dy: dz = dy (1 - y²), in place.
 */
void linear_tanh_forward(real *y, const real *x, const real *weight, const real *bias, size_t n,
                         size_t in, size_t out);
void tanh_backward(real *dy, const real *y, size_t n);

/* y (n,out) = b in every row */
void bias_forward(real *y, const real *bias, size_t n, size_t out);
/* db (out) += the sum of dy's rows, added in double but for a few rows at a time */
void bias_backward(real *dbias, const real *dy, size_t n, size_t out);

#endif
