#include "tensor/linear.h"

#include <string.h>

#include "tensor/blas.h"
#include "tensor/elementary.h"
#include "tensor/share_out.h"

enum { PARALLEL_WORK = 1 << 18 };

static void forward(real *y, real beta, const real *x, const real *weight, size_t n, size_t in,
                    size_t out) {
  matrix_product(y, out, beta, 1, (struct operand){x, in, AS_IT_IS},
                 (struct operand){weight, in, TRANSPOSED}, n, out, in);
}

static void backward_input(real *dx, real beta, const real *dy, const real *weight, size_t n,
                           size_t in, size_t out) {
  matrix_product(dx, in, beta, 1, (struct operand){dy, out, AS_IT_IS},
                 (struct operand){weight, in, AS_IT_IS}, n, in, out);
}

void linear_forward(real *y, const real *x, const real *weight, size_t n, size_t in, size_t out) {
  forward(y, 0, x, weight, n, in, out);
}

void linear_forward_add(real *y, const real *x, const real *weight, size_t n, size_t in,
                        size_t out) {
  forward(y, 1, x, weight, n, in, out);
}

void linear_backward_input(real *dx, const real *dy, const real *weight, size_t n, size_t in,
                           size_t out) {
  backward_input(dx, 0, dy, weight, n, in, out);
}

void linear_backward_input_add(real *dx, const real *dy, const real *weight, size_t n, size_t in,
                               size_t out) {
  backward_input(dx, 1, dy, weight, n, in, out);
}

void linear_backward_weight(real *dweight, const real *dy, const real *x, size_t n, size_t in,
                            size_t out) {
  matrix_product(dweight, in, 1, 1, (struct operand){dy, out, TRANSPOSED},
                 (struct operand){x, in, AS_IT_IS}, out, in, n);
}

void linear_tanh_forward(real *y, const real *x, const real *weight, const real *bias, size_t n,
                         size_t in, size_t out) {
  bias_forward(y, bias, n, out);
  linear_forward_add(y, x, weight, n, in, out);
  for (size_t i = 0; i < n * out; i++) y[i] = tanh_real(y[i]);
}

void tanh_backward(real *dy, const real *y, size_t n) {
  for (size_t i = 0; i < n; i++) dy[i] *= 1 - y[i] * y[i];
}

struct bias_rows {
  real *y;
  const real *bias;
  size_t out;
};

static void copy_bias(const void *context, size_t i) {
  const struct bias_rows *rows = context;
  memcpy(rows->y + i * rows->out, rows->bias, rows->out * sizeof *rows->y);
}

void bias_forward(real *y, const real *bias, size_t n, size_t out) {
  const struct bias_rows rows = {y, bias, out};
  share_out(n, n * out > PARALLEL_WORK, copy_bias, &rows);
}

enum { COLUMNS = 64, ROWS = 8 }; /* so many columns stay in registers and first cache */

struct column_sums {
  real *sums;       /* (out), added to */
  const real *rows; /* (n,out) */
  size_t n, out;
};

/* COLUMNS of them. Some rows at a time are added as they are, the rest in double. */
static void add_columns(const void *context, size_t block) {
  const struct column_sums *all = context;
  const size_t start = block * COLUMNS;
  const size_t width = all->out - start < COLUMNS ? all->out - start : COLUMNS;
  const real *rows = all->rows + start;
  double totals[COLUMNS] = {0};
  for (size_t first = 0; first < all->n; first += ROWS) {
    const size_t end = all->n - first < ROWS ? all->n : first + ROWS;
    real some[COLUMNS] = {0};
    for (size_t i = first; i < end; i++) {
      for (size_t j = 0; j < width; j++) some[j] += rows[i * all->out + j];
    }
    for (size_t j = 0; j < width; j++) totals[j] += (double)some[j];
  }
  for (size_t j = 0; j < width; j++) all->sums[start + j] += (real)totals[j];
}

void bias_backward(real *dbias, const real *dy, size_t n, size_t out) {
  const struct column_sums all = {dbias, dy, n, out};
  share_out((out + COLUMNS - 1) / COLUMNS, n * out > PARALLEL_WORK, add_columns, &all);
}
