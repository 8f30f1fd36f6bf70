#include "attention/projection.h"

#include "tensor/linear.h"

void projection_forward(real *y, const real *x, const real *weight, const real *bias, size_t rows,
                        size_t H) {
  if (bias == NULL) {
    linear_forward(y, x, weight, rows, H, H);
  } else {
    bias_forward(y, bias, rows, H);
    linear_forward_add(y, x, weight, rows, H, H);
  }
}

void projection_backward(real *dx, struct projection p, const real *dy, const real *x, size_t rows,
                         size_t H) {
  linear_backward_weight(p.dweight, dy, x, rows, H, H);
  if (p.dbias != NULL) bias_backward(p.dbias, dy, rows, H);
  linear_backward_input_add(dx, dy, p.weight, rows, H, H);
}
