#include "attention/maps.h"

#include "tensor/linear.h"

void map_forward(real *y, const real *x, const real *weight, const real *bias, size_t rows,
                 size_t H) {
  if (bias == NULL) {
    linear_forward(y, x, weight, rows, H, H);
  } else {
    bias_forward(y, bias, rows, H);
    linear_forward_add(y, x, weight, rows, H, H);
  }
}

void map_backward(real *dx, real *dweight, real *dbias, const real *dy, const real *x,
                  const real *weight, size_t rows, size_t H) {
  linear_backward_weight(dweight, dy, x, rows, H, H);
  if (dbias != NULL) bias_backward(dbias, dy, rows, H);
  linear_backward_input_add(dx, dy, weight, rows, H, H);
}
