/* The linear map y = x Wᵀ + b over n rows, as in PyTorch's nn.Linear: W is (out,in). */
#ifndef ELMAN_TENSOR_LINEAR_H
#define ELMAN_TENSOR_LINEAR_H

#include <string.h>

#include "tensor/operand.h"

struct linear {
  const real *weight; /* (out,in) */
  const real *bias;   /* (out); NULL = none. The backward functions do not read it */
  size_t in, out;
  size_t row; /* distance between rows of y in reals; 0 = out, which linear_tanh_forward requires */
  const struct numerics *numerics;
};

struct linear_gradients {
  real *weight, *bias; /* `bias` may be NULL if there is none */
};

/* Compute y (n,out) = x Wᵀ + b for x (n,in). */
void linear_forward(real *y, const real *x, struct linear l, size_t n);

/* Compute y += x Wᵀ with weights in eight bits. There must be no bias. */
void linear_add_in_eight_bits(real *y, const real *x, struct linear l, size_t n);

/* Compute dx (n,in) = beta dx + dy W. */
void linear_backward_input(real *dx, real beta, const real *dy, struct linear l, size_t n);

/* Add dyᵀ x to dW and Σ dy to db, over all rows in one product. */
void linear_backward_weights(struct linear_gradients d, const real *dy, const real *x,
                             struct linear l, size_t n);

/* Run linear_backward_input and linear_backward_weights. */
void linear_backward(struct linear_gradients d, real *dx, real beta, const real *dy, const real *x,
                     struct linear l, size_t n);

/* Compute y (n,out) = tanh(x Wᵀ + b). tanh_backward computes dz = dy (1 - y²) in place. */
void linear_tanh_forward(real *y, const real *x, struct linear l, size_t n);
void tanh_backward(real *dy, const real *y, size_t n);

/* Set every row of y (n,out) to the bias. */
void bias_forward(real *y, const real *bias, size_t n, size_t out);

/* Add the sum of the rows of dy to db (out). The rows are `row` reals apart. The 8 rows of a
 * group are added in `real`, and the sums of the groups in double. */
void bias_backward(real *dbias, const real *dy, size_t row, size_t n, size_t out);

/* Add the sum of the rows of dy ⊙ x, both (n,out), to dg (out), for y = g ⊙ x. The precision is
 * that of bias_backward. */
void gain_backward(real *dgain, const real *dy, const real *x, size_t n, size_t out);

/* Functions that copy or add some columns of an array of rows. */

/* `size` columns of rows that are `width` reals apart. */
struct columns {
  real *first;
  size_t width, size;
};

static inline void columns_put(struct columns wide, const real *narrow, size_t rows) {
  for (size_t r = 0; r < rows; r++)
    memcpy(wide.first + r * wide.width, narrow + r * wide.size, wide.size * sizeof *narrow);
}

static inline void columns_get(real *narrow, struct columns wide, size_t rows) {
  for (size_t r = 0; r < rows; r++)
    memcpy(narrow + r * wide.size, wide.first + r * wide.width, wide.size * sizeof *narrow);
}

/* Add x (n) to y. */
static inline void add_to(real *y, const real *x, size_t n) {
  for (size_t i = 0; i < n; i++) y[i] += x[i];
}

static inline void columns_add_to(real *narrow, struct columns wide, size_t rows) {
  for (size_t r = 0; r < rows; r++)
    for (size_t i = 0; i < wide.size; i++)
      narrow[r * wide.size + i] += wide.first[r * wide.width + i];
}

/* Layer normalization of a row of n elements with a gain for each element: PyTorch's nn.LayerNorm
 * without bias. J. L. Ba, J. R. Kiros and G. E. Hinton, "Layer normalization", arXiv:1607.06450,
 * 2016. docs/beyond.md, (39) and (40). */

/* Compute normalized (n) = (x - mean) · scale, and replace x by y (n) = gain ⊙ normalized. Return
 * scale = 1 / √(variance + 1e-5). */
real layer_norm_forward(real *x, real *normalized, const real *gain, size_t n);

/* Replace dy (n) by dx, the gradient of the input. */
void layer_norm_backward(real *dy, const real *normalized, real scale, const real *gain, size_t n);

#endif
