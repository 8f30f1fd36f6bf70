/* Shared by the numeric tests: numbers, relative errors, central differences. */
#ifndef ELMAN_TESTS_CHECK_H
#define ELMAN_TESTS_CHECK_H

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "tensor/real.h"

/* How close two ways of computing the same numbers must come. */
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

/* n numbers from N(0, scale²), others for every `which`. */
static inline real *random_reals(size_t n, double scale, unsigned which) {
  real *values = reals(n);
  for (size_t i = 0; i < n; i++)
    values[i] = (real)(scale * random_normal((struct random_stream){7, 99, which}, i));
  return values;
}

/* |a - b| / (|a| + |b|) in the Euclidean norm; 0 for two zero vectors; NaN if any number is. */
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

static const double STEP = 1e-5; /* of central differences */

/* (loss(x + step) - loss(x - step)) divided by the step that was realized. */
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

/* The gradient of `loss` with respect to the n numbers at x by central differences. */
static inline real *numeric_gradient(real *x, size_t n, loss_function *loss, void *context) {
  real *numeric = reals(n);
  for (size_t i = 0; i < n; i++) numeric[i] = (real)central_difference(&x[i], STEP, loss, context);
  return numeric;
}

/* The same from two steps, of which the term of the second order is gone (Richardson). */
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
  real *numeric = numeric_gradient(x, n, loss, context);
  const double error = relative_error(analytic, numeric, n);
  cr_assert(error <= 1e-7, "%s: relative error %.3g", name, error);
  free(numeric);
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

/* How far rounding moves a sum in double, whatever the order in which a processor adds: `terms`
 * numbers, whose sizes add up to `size`, each the result of sums that are counted among the terms.
 * λ √n u Σ|x| holds but for a probability of 2 n exp(-λ² / 2), here 3e-8 n, if errors are
 * independent with mean 0 (Higham and Mary, SIAM Journal on Scientific Computing 41, 2019). */
static inline double rounding_of_sum(size_t terms, double size) {
  const double lambda = 6, unit = DBL_EPSILON / 2;
  return lambda * sqrt((double)terms) * unit * size;
}

/* For what may have no influence at all, by mathematics: then both gradients are rounding. Of the
 * analytic one it is that of sums like the loss; in the numeric one, that of the loss is divided by
 * the step. `rounding` is that of the loss. */
static inline bool is_gradient_or_zero(char message[200], real *x, const real *analytic, size_t n,
                                       double rounding, loss_function *loss, void *context) {
  real *numeric = numeric_gradient(x, n, loss, context);
  const double most = sqrt((double)n) * rounding;
  double error = relative_error(analytic, numeric, n);
  bool right = error <= 1e-7 || (norm(analytic, n) <= most && norm(numeric, n) <= most / STEP);
  /* Of a gradient so small that rounding of the loss over the step is seen, a wider step tells
   * more; where the loss bends much, as at a state of little variance that is normalized, one as
   * small. */
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

static inline void check_gradient_or_zero(const char *name, real *x, const real *analytic, size_t n,
                                          double rounding, loss_function *loss, void *context) {
  char message[200];
  cr_assert(is_gradient_or_zero(message, x, analytic, n, rounding, loss, context), "%s: %s", name,
            message);
}

#endif
