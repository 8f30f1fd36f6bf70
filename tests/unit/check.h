/* What the numeric tests share: numbers, relative errors, central differences. */
#ifndef ELMAN_TESTS_CHECK_H
#define ELMAN_TESTS_CHECK_H

#include <criterion/criterion.h>
#include <math.h>
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

/* The gradient of `loss` with respect to the n numbers at x by central differences. The step
 * divided by is the one that was realised. */
static inline real *numeric_gradient(real *x, size_t n, loss_function *loss, void *context) {
  const double step = 1e-5;
  real *numeric = reals(n);
  for (size_t i = 0; i < n; i++) {
    const real kept = x[i];
    const volatile real above = kept + (real)step, below = kept - (real)step;
    x[i] = above;
    const double loss_above = loss(context);
    x[i] = below;
    const double loss_below = loss(context);
    x[i] = kept;
    numeric[i] = (real)((loss_above - loss_below) / ((double)above - (double)below));
  }
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

/* For what may have no influence at all: then the analytic gradient must vanish, and the numeric
 * one is the rounding of the loss divided by the step. */
static inline void check_gradient_or_zero(const char *name, real *x, const real *analytic, size_t n,
                                          loss_function *loss, void *context) {
  real *numeric = numeric_gradient(x, n, loss, context);
  const double error = relative_error(analytic, numeric, n);
  cr_assert(error <= 1e-7 || (norm(analytic, n) < 1e-14 && norm(numeric, n) < 1e-9),
            "%s: relative error %.3g of a gradient of %.3g", name, error, norm(analytic, n));
  free(numeric);
}

#endif
