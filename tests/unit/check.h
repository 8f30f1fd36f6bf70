/* Helpers of the numeric tests: values, relative errors and central differences. */
#ifndef ELMAN_TESTS_CHECK_H
#define ELMAN_TESTS_CHECK_H

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "owned.h"

#include "base/random.h"
#include "tensor/operand.h"

/* The numerics of most tests. */
#define FAST numerics_of(ARITHMETIC_FAST, ELMAN_PRECISION_FLOAT32)

/* The largest allowed difference between two ways to compute the same values. */
#ifdef ELMAN_DOUBLE
#define CLOSE 1e-12
#else
#define CLOSE 2e-5
#endif

static inline real *reals(size_t n) {
  real *values = calloc(n > 0 ? n : 1, sizeof *values);
  cr_assert_not_null(values);
  return values;
}

/* Return n values from N(0, scale²); each `which` gives other values. */
/* Return n numbers from N(0, scale²). Numbers that were drawn before are kept, because many tests
 * need the same ones for every size, and drawing them takes longer than the code under test. */
static inline real *random_reals(size_t n, double scale, unsigned which) {
  enum { KEPT = 16 };
  static struct {
    double *values;
    size_t count;
    unsigned which;
  } streams[KEPT];
  double *drawn = streams[which % KEPT].values;
  size_t count = streams[which % KEPT].which == which ? streams[which % KEPT].count : 0;
  if (count < n) {
    drawn = realloc(drawn, n * sizeof *drawn);
    cr_assert_not_null(drawn);
    for (; count < n; count++)
      drawn[count] = random_normal((struct random_stream){7, 99, which}, count);
    streams[which % KEPT].values = drawn;
    streams[which % KEPT].count = count;
    streams[which % KEPT].which = which;
  }
  real *values = reals(n);
  for (size_t i = 0; i < n; i++) values[i] = (real)(scale * drawn[i]);
  return values;
}

static inline double *doubles(const real *values, size_t n) {
  double *copy = calloc(n > 0 ? n : 1, sizeof *copy);
  cr_assert_not_null(copy);
  for (size_t i = 0; i < n; i++) copy[i] = (double)values[i];
  return copy;
}

/* Return |a - b| / (|a| + |b|) in the Euclidean norm; 0 for two zero vectors; NaN if any value is
 * NaN. */
static inline double relative_error(const real *a, const real *b, size_t n) {
  double difference = 0, size_a = 0, size_b = 0;
  for (size_t i = 0; i < n; i++) {
    difference += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    size_a += (double)a[i] * (double)a[i];
    size_b += (double)b[i] * (double)b[i];
  }
  if (difference == 0) return 0;
  return sqrt(difference) / (sqrt(size_a) + sqrt(size_b));
}

typedef double loss_function(void *context);

static const double STEP = 1e-5; /* step of central differences */

/* Return (loss(x + step) - loss(x - step)) divided by the step as rounded to the precision of x. */
static inline double central_difference(real *x, double step, loss_function *loss, void *context) {
  const real kept = *x;
  const volatile real above = kept + (real)step, below = kept - (real)step;
  *x = above;
  const double loss_above = loss(context);
  *x = below;
  const double loss_below = loss(context);
  *x = kept;
  return (loss_above - loss_below) / ((double)above - (double)below);
}

/* Compute the gradient of `loss` with respect to the n values at x by central differences. */
static inline real *numerical_gradient(real *x, size_t n, loss_function *loss, void *context) {
  real *numeric = reals(n);
  for (size_t i = 0; i < n; i++) numeric[i] = (real)central_difference(&x[i], STEP, loss, context);
  return numeric;
}

/* Compute the numerical gradient from two step sizes, which cancels the second-order term
 * (Richardson). */
static inline real *refined_gradient(real *x, size_t n, double step, loss_function *loss,
                                     void *context) {
  real *numeric = reals(n);
  for (size_t i = 0; i < n; i++)
    numeric[i] = (real)((4 * central_difference(&x[i], step, loss, context) -
                         central_difference(&x[i], 2 * step, loss, context)) /
                        3);
  return numeric;
}

static inline void check_gradient(const char *name, real *x, const real *analytic, size_t n,
                                  loss_function *loss, void *context) {
  owned real *numeric = numerical_gradient(x, n, loss, context);
  const double error = relative_error(analytic, numeric, n);
  cr_assert(error <= 1e-7, "%s: relative error %.3g", name, error);
}

static inline double norm(const real *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
  return sqrt(sum);
}

static inline double largest_size(const real *x, size_t n) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs((double)x[i]));
  return largest;
}

/* Bound the effect of rounding on a sum in double, in any order of summation: `terms` values whose
 * magnitudes add up to `size`. If a value is itself a sum, its terms are counted too. λ √n u Σ|x|
 * holds except with probability 2 n exp(-λ² / 2), here 3e-8 n, for independent errors with mean 0
 * (Higham and Mary, SIAM Journal on Scientific Computing 41, 2019). */
static inline double rounding_of_sum(size_t terms, double size) {
  const double lambda = 6, unit = DBL_EPSILON / 2;
  return lambda * sqrt((double)terms) * unit * size;
}

/* Accept a gradient that is mathematically zero, where both gradients are rounding errors only. The
 * analytic gradient has the rounding of sums like the loss; the numerical one has the rounding of
 * the loss divided by the step. `rounding` is that of the loss. */
static inline bool is_gradient_or_zero(char message[200], real *x, const real *analytic, size_t n,
                                       double rounding, loss_function *loss, void *context) {
  real *numeric = numerical_gradient(x, n, loss, context);
  const double most = sqrt((double)n) * rounding;
  double error = relative_error(analytic, numeric, n);
  bool right = error <= 1e-7 || (norm(analytic, n) <= most && norm(numeric, n) <= most / STEP);
  /* If the gradient is so small that rounding of the loss matters, a wider step is more exact. If
   * the loss is strongly curved, as at a layer-normalized state of small variance, a smaller step
   * is needed. */
  for (double step = 100 * STEP; !right && step > STEP / 2; step /= 10) {
    free(numeric);
    numeric = refined_gradient(x, n, step, loss, context);
    error = relative_error(analytic, numeric, n);
    right = error <= 1e-7;
  }
  snprintf(message, 200, "relative error %.3g of a gradient of %.3g, measured as %.3g", error,
           norm(analytic, n), norm(numeric, n));
  free(numeric);
  return right;
}

#endif
