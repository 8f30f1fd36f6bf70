#include "tensor/linear.h"

#include <string.h>

#include "base/team.h"
#include "tensor/blas.h"
#include "tensor/elementary.h"

static size_t row_of(struct linear l) {
  return l.row > 0 ? l.row : l.out;
}

void linear_forward(real *y, const real *x, struct linear l, size_t n) {
  if (l.bias != NULL) bias_forward(y, l.bias, n, l.out);
  matrix_product((struct product){y, row_of(l), l.bias != NULL, 1, as_it_is(x, l.in),
                                  transposed(l.weight, l.in), n, l.out, l.in});
}

void linear_tanh_forward(real *y, const real *x, struct linear l, size_t n) {
  linear_forward(y, x, l, n);
  for (size_t i = 0; i < n * l.out; i++) y[i] = tanh_real(y[i]);
}

void linear_backward_input(real *dx, real beta, const real *dy, struct linear l, size_t n) {
  matrix_product((struct product){dx, l.in, beta, 1, as_it_is(dy, row_of(l)),
                                  as_it_is(l.weight, l.in), n, l.in, l.out});
}

void linear_backward_weights(struct linear_gradients d, const real *dy, const real *x,
                             struct linear l, size_t n) {
  matrix_product((struct product){d.weight, l.in, 1, 1, transposed(dy, row_of(l)),
                                  as_it_is(x, l.in), l.out, l.in, n});
  if (d.bias != NULL) bias_backward(d.bias, dy, row_of(l), n, l.out);
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
  share_out(n, (double)WORK_OF_NUMBER * (double)(n * out), copy_bias, &rows);
}

enum { COLUMNS = 64, ROWS = 8 }; /* so many columns stay in registers and first cache */

struct column_sums {
  real *sums;          /* (out), added to */
  const real *rows;    /* (n,out), `row` reals apart */
  const real *factors; /* likewise, of each number; NULL = 1 */
  size_t row, n, out;
};

/* COLUMNS of them. Some rows at a time are added as they are, the rest in double. */
static void add_columns(const void *context, size_t block) {
  const struct column_sums *all = context;
  const size_t start = block * COLUMNS;
  const size_t width = all->out - start < COLUMNS ? all->out - start : COLUMNS;
  const real *rows = all->rows + start, *factors = all->factors;
  double totals[COLUMNS] = {0};
  for (size_t first = 0; first < all->n; first += ROWS) {
    const size_t end = all->n - first < ROWS ? all->n : first + ROWS;
    real some[COLUMNS] = {0};
    for (size_t i = first; i < end; i++) {
      const real *row = rows + i * all->row;
      const real *factor = factors == NULL ? NULL : factors + start + i * all->row;
      for (size_t j = 0; j < width; j++) some[j] += factor == NULL ? row[j] : row[j] * factor[j];
    }
    for (size_t j = 0; j < width; j++) totals[j] += (double)some[j];
  }
  for (size_t j = 0; j < width; j++) all->sums[start + j] += (real)totals[j];
}

static void add_rows(const struct column_sums *all) {
  const double work = (double)WORK_OF_NUMBER * (double)(all->n * all->out);
  share_out((all->out + COLUMNS - 1) / COLUMNS, work, add_columns, all);
}

void bias_backward(real *dbias, const real *dy, size_t row, size_t n, size_t out) {
  add_rows(&(struct column_sums){dbias, dy, NULL, row, n, out});
}

void gain_backward(real *dgain, const real *dy, const real *x, size_t n, size_t out) {
  add_rows(&(struct column_sums){dgain, dy, x, out, n, out});
}
