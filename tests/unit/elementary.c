/* Test: optimized. */
/* Compare exp and tanh with the C library in double precision, over values of every magnitude. */
#include "check.h"

#include <float.h>

#include "tensor/elementary.h"

#ifndef ELMAN_DOUBLE

static double ulps(float value, double exact) {
  const float nearest = (float)exact;
  const double ulp = (double)(nextafterf(fabsf(nearest), INFINITY) - fabsf(nearest));
  return fabs((double)value - exact) / ulp;
}

/* Check every 61st float from the smallest normal one up to `limit`, with both signs. */
static void check_all(float (*function)(float), double (*exact)(double), float limit) {
  uint32_t last;
  memcpy(&last, &limit, sizeof last);
  for (uint32_t bits = UINT32_C(1) << 23; bits <= last; bits += 61) {
    float x;
    memcpy(&x, &bits, sizeof x);
    for (int sign = 0; sign < 2; sign++, x = -x) {
      const double expected = exact((double)x);
      if (fabs(expected) < (double)FLT_MIN) continue;
      const double error = ulps(function(x), expected);
      cr_assert(error <= 2, "%.9g: %.3f ulp", (double)x, error);
    }
  }
}

static float exp_float(float x) {
  return exp_real(x);
}

static float tanh_float(float x) {
  return tanh_real(x);
}

Test(elementary, exp_is_exact_to_two_ulp) {
  check_all(exp_float, exp, 88);
}

Test(elementary, tanh_is_exact_to_two_ulp) {
  check_all(tanh_float, tanh, 100);
}

Test(elementary, exp_underflows_to_zero) {
  cr_assert_eq(exp_real(0), 1);
  cr_assert_eq(exp_real(-88), 0);
  cr_assert_eq(exp_real(-1e30f), 0);
  cr_assert_eq(exp_real(-INFINITY), 0);
  cr_assert(isnan(exp_real(NAN)));
}

#endif

Test(elementary, tanh_saturates_and_keeps_nan) {
  cr_assert_eq(tanh_real(0), 0);
  cr_assert_eq(tanh_real(1e30f), 1);
  cr_assert_eq(tanh_real(-1e30f), -1);
  cr_assert_eq(tanh_real(INFINITY), 1);
  cr_assert(isnan(tanh_real(NAN)));
}
