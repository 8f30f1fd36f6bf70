#include "tensor/layer_norm.h"

#include <math.h>

#include "tensor/lanes.h"

static const double EPSILON = 1e-5; /* PyTorch's */

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

real layer_norm_forward(real *x, real *normalized, const real *gain, size_t n) { /* (83) */
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
                         size_t n) { /* (84) */
  for (size_t i = 0; i < n; i++) dy[i] *= gain[i];
  const real mean = (real)mean_of(dy, n);
  const real share = (real)mean_of_products(dy, normalized, n);
  for (size_t i = 0; i < n; i++) dy[i] = scale * (dy[i] - mean - normalized[i] * share);
}
