#include "tensor/linear.h"

#include <math.h>

#include "base/team.h"
#include "tensor/blas.h"
#include "tensor/eight_bits.h"
#include "tensor/elementary.h"

static size_t row_of(struct linear l) {
  return l.row > 0 ? l.row : l.out;
}

static void in_eight_bits(struct eight_bit_results y, const real *x, struct linear l, size_t n) {
  eight_bit_product(y, x, eight_bits_find(l.numerics->eight_bits, l.weight, l.out), n);
}

void linear_add_in_eight_bits(real *y, const real *x, struct linear l, size_t n) {
  in_eight_bits((struct eight_bit_results){.rows = y, .ld = row_of(l), .add = true}, x, l, n);
}

void linear_forward(real *y, const real *x, struct linear l, size_t n) {
  if (numerics_required(l.numerics)->eight_bits != NULL) {
    in_eight_bits((struct eight_bit_results){y, row_of(l), l.bias, false}, x, l, n);
    return;
  }
  const struct product product = {
      y, row_of(l), l.bias != NULL, 1,         not_transposed(x, l.in), transposed(l.weight, l.in),
      n, l.out,     l.in,           l.numerics};
  matrix_product_with_bias(product, l.bias);
}

void linear_tanh_forward(real *y, const real *x, struct linear l, size_t n) {
  linear_forward(y, x, l, n);
  for (size_t i = 0; i < n * l.out; i++) y[i] = tanh_real(y[i]);
}

void linear_backward_input(real *dx, real beta, const real *dy, struct linear l, size_t n) {
  matrix_product((struct product){dx, l.in, beta, 1, not_transposed(dy, row_of(l)),
                                  not_transposed(l.weight, l.in), n, l.in, l.out, l.numerics});
}

void linear_backward_weights(struct linear_gradients d, const real *dy, const real *x,
                             struct linear l, size_t n) {
  matrix_product((struct product){d.weight, l.in, 1, 1, transposed(dy, row_of(l)),
                                  not_transposed(x, l.in), l.out, l.in, n, l.numerics});
  if (d.bias != NULL) bias_backward(d.bias, dy, row_of(l), n, l.out);
}

void linear_backward(struct linear_gradients d, real *dx, real beta, const real *dy, const real *x,
                     struct linear l, size_t n) {
  linear_backward_weights(d, dy, x, l, n);
  linear_backward_input(dx, beta, dy, l, n);
}

void tanh_backward(real *dy, const real *y, size_t n) {
  for (size_t i = 0; i < n; i++) dy[i] *= 1 - y[i] * y[i];
}

void bias_forward(real *y, const real *bias, size_t n, size_t out) {
  for (size_t i = 0; i < n; i++) memcpy(y + i * out, bias, out * sizeof *y);
}

enum { COLUMNS = 64, ROWS = 8 }; /* COLUMNS sums fit into registers and first-level cache */

struct column_sums {
  real *sums;          /* (out): sums to which the rows are added */
  const real *rows;    /* (n,out); consecutive rows are `row` reals apart */
  const real *factors; /* factor of each element, in the layout of `rows`; NULL = 1 */
  size_t row, n, out;
};

/* Add up COLUMNS columns. Sum groups of ROWS rows in `real`, and add these sums in double. */
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

/* ---- layer normalization of a row ---- */

static const double EPSILON = 1e-5; /* the value of PyTorch */

static double mean_of(const real *x, size_t n) {
  struct lanes sums = {{0}};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t l = 0; l < LANES; l++) sums.of[l] += (double)x[i + l];
  }
  for (; i < n; i++) sums.of[i % LANES] += (double)x[i];
  return sum_of_lanes(&sums) / (double)n;
}

static double mean_of_products(const real *x, const real *y, size_t n) {
  struct lanes sums = {{0}};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t l = 0; l < LANES; l++) sums.of[l] += (double)x[i + l] * (double)y[i + l];
  }
  for (; i < n; i++) sums.of[i % LANES] += (double)x[i] * (double)y[i];
  return sum_of_lanes(&sums) / (double)n;
}

real layer_norm_forward(real *x, real *normalized, const real *gain, size_t n) { /* (39) */
  const double mean = mean_of(x, n);
  for (size_t i = 0; i < n; i++) normalized[i] = (real)((double)x[i] - mean);
  const real scale = (real)(1 / sqrt(mean_of_products(normalized, normalized, n) + EPSILON));
  for (size_t i = 0; i < n; i++) {
    normalized[i] *= scale;
    x[i] = gain[i] * normalized[i];
  }
  return scale;
}

void layer_norm_backward(real *dy, const real *normalized, real scale, const real *gain,
                         size_t n) { /* (40) */
  for (size_t i = 0; i < n; i++) dy[i] *= gain[i];
  const real mean = (real)mean_of(dy, n);
  const real share = (real)mean_of_products(dy, normalized, n);
  for (size_t i = 0; i < n; i++) dy[i] = scale * (dy[i] - mean - normalized[i] * share);
}
