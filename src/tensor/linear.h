/* The linear map y = x Wᵀ + b over n rows, as in PyTorch's nn.Linear: W is (out,in). */
#ifndef ELMAN_TENSOR_LINEAR_H
#define ELMAN_TENSOR_LINEAR_H

#include "tensor/real.h"

struct linear {
  const real *weight; /* (out,in) */
  const real *bias;   /* (out); NULL = none. The backward functions do not read it */
  size_t in, out;
  size_t row; /* reals between two rows of y; 0 = out. The forward functions know no bias then */
};
struct linear_gradients {
  real *weight, *bias; /* `bias` NULL = none */
};

/* y (n,out) = x Wᵀ + b, of x (n,in) */
void linear_forward(real *y, const real *x, struct linear l, size_t n);

/* dx (n,in) = beta dx + dy W */
void linear_backward_input(real *dx, real beta, const real *dy, struct linear l, size_t n);

/* dW += dyᵀ x, db += Σ dy: all rows in one product */
void linear_backward_weights(struct linear_gradients d, const real *dy, const real *x,
                             struct linear l, size_t n);

/* y (n,out) = tanh(x Wᵀ + b), and what its backward pass makes of dy: dz = dy (1 - y²), in place.
 */
void linear_tanh_forward(real *y, const real *x, struct linear l, size_t n);
void tanh_backward(real *dy, const real *y, size_t n);

/* y (n,out) = b in every row */
void bias_forward(real *y, const real *bias, size_t n, size_t out);
/* db (out) += the sum of dy's rows, which lie `row` reals apart, added in double but for a few rows
 * at a time */
void bias_backward(real *dbias, const real *dy, size_t row, size_t n, size_t out);
/* dg (out) += the sum of the rows of dy ⊙ x, both (n,out), added likewise: of y = g ⊙ x */
void gain_backward(real *dgain, const real *dy, const real *x, size_t n, size_t out);

#endif
