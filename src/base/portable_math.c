#include "base/portable_math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* In the derivations u is 2^-53, half the distance from 1 to the next number. An operation whose
 * result is in [2^k, 2^(k+1)) has an error of at most 2^k u. The polynomials are fits by the
 * algorithm of Remez to power series, with coefficients rounded to double. */

/* log 2 = LN2_HIGH + LN2_LOW, with an error of 2^-102. The product of LN2_HIGH and an integer below
 * 2^11 is exact. */
static const double LN2_HIGH = 0x1.62e42fefa3800p-1, LN2_LOW = 0x1.ef35793c76730p-45;

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* These two functions read bits, because a comparison may treat subnormal numbers as 0. */
static int is_zero(double x) {
  return bits_of(x) << 1 == 0;
}

static int is_negative(double x) {
  return bits_of(x) >> 63 != 0 && !is_zero(x);
}

/* ---- numbers with twice the precision of double ---- */

/* The number high + low, where |low| is much smaller than |high|. */
struct wide {
  double high, low;
};

/* Return a + b, without error (Knuth). */
static struct wide exact_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return (struct wide){sum, (a - (sum - part)) + (b - part)};
}

/* Return the first 26 bits of x. Products of two such numbers are exact. */
static double leading_bits(double x) {
  return from_bits(bits_of(x) & ~((UINT64_C(1) << 27) - 1));
}

/* Return a b with an error of 2^-104 |a b| (Dekker). */
static struct wide product(double a, double b) {
  const double high = a * b, a1 = leading_bits(a), b1 = leading_bits(b);
  const double a2 = a - a1, b2 = b - b1;
  return (struct wide){high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
}

static struct wide wide_sum(struct wide a, struct wide b) {
  const struct wide sum = exact_sum(a.high, b.high);
  return exact_sum(sum.high, sum.low + (a.low + b.low));
}

static struct wide wide_product(struct wide a, struct wide b) {
  const struct wide high = product(a.high, b.high);
  return exact_sum(high.high, high.low + (a.high * b.low + a.low * b.high));
}

static struct wide wide_quotient(struct wide a, struct wide b) {
  const double quotient = a.high / b.high;
  const struct wide back = product(quotient, b.high);
  const double rest = ((a.high - back.high) - back.low) + (a.low - quotient * b.low);
  return exact_sum(quotient, rest / b.high);
}

/* ---- powers of e ---- */

/* Return x 2^n for |x| in [1/2, 2) and |n| <= 1100, rounded once. */
static double times_power_of_two(double x, int n) {
  const int exponent = (int)(bits_of(x) >> 52) + n;
  if (exponent >= 2047) return INFINITY;
  if (exponent >= 1) return from_bits(bits_of(x) + ((uint64_t)(int64_t)n << 52));
  /* The result is subnormal. In the sum, the last bit is worth 2^-1074 after the scaling. */
  const double shift = from_bits((uint64_t)(1 - n) << 52);
  return from_bits(bits_of(x + shift) - bits_of(shift));
}

/* Return x - n ln 2, with |result| < 0.3466, and set n. Here |x| <= 750. */
static struct wide reduce(struct wide x, int *n) {
  const double magic = 0x1.8p52, turns = (x.high * 0x1.71547652b82fep+0 + magic) - magic;
  *n = (int)turns;
  return exact_sum(x.high - turns * LN2_HIGH, x.low - turns * LN2_LOW);
}

/* Return e^(r + c) - 1 for |r + c| < 0.3466. Let r1 be the leading bits of r and r2 the rest:
 *
 *   e^(r + c) - 1 = r + r1²/2 + r2 (r + r1)/2 + r³ q(r) + c (1 + r + r²/2).
 *
 * The first two terms are added without error. The third is below 2^-28. The fourth is below 0.0077
 * and has 4 rounding errors. q has an error of 2^-62 / r³, and the sums below 0.0077 have 3 errors
 * of 2^-61. The error is at most 4.2 · 0.0077 u + 2^-62 + 3 · 2^-61 < 0.05 u. */
static struct wide power_less_one(struct wide x) {
  const double r = x.high, r1 = leading_bits(r), r2 = r - r1;
  double q = 0x1.1f968f4df7a8cp-29;
  q = q * r + 0x1.af63b30131dbep-26;
  q = q * r + 0x1.27e4c51a4dacep-22;
  q = q * r + 0x1.71ddf5904c394p-19;
  q = q * r + 0x1.a01a01b0ba8a1p-16;
  q = q * r + 0x1.a01a01b0e95a1p-13;
  q = q * r + 0x1.6c16c16c145ffp-10;
  q = q * r + 0x1.111111110f498p-7;
  q = q * r + 0x1.5555555555559p-5;
  q = q * r + 0x1.5555555555559p-3;
  const struct wide sum = exact_sum(r, 0.5 * r1 * r1);
  const double rest = 0.5 * r2 * (r + r1) + (r * r * r * q + (x.low + x.low * sum.high));
  return (struct wide){sum.high, sum.low + rest};
}

/* Return e^x. The error before the last rounding is below 0.06 u, and the result before the scaling
 * is above 0.7, where an ulp is at least u. The total error is at most 0.5 + 0.06 ulp. A subnormal
 * result is rounded twice, the second time to an ulp that is at least twice as large, so its error
 * is at most 0.56 / 2 + 0.5 ulp. */
static double power_of(struct wide x) {
  if (x.high > 710) return INFINITY;
  if (x.high < -746) return 0;
  int n;
  const struct wide power = power_less_one(reduce(x, &n));
  const struct wide sum = exact_sum(1, power.high);
  return times_power_of_two(sum.high + (sum.low + power.low), n);
}

double portable_exp(double x) {
  return isnan(x) ? (double)NAN : power_of((struct wide){x, 0});
}

/* Return e^x - 1 for |x| <= 45. The error is 2^n · 0.055 u. Relative to the result, the error is
 * largest for n = 1 and the smallest r, where the result is 0.41. */
static struct wide wide_expm1(double x) {
  int n;
  const struct wide power = power_less_one(reduce((struct wide){x, 0}, &n));
  const struct wide sum = exact_sum(1, power.high);
  const double scale = from_bits((uint64_t)(1023 + n) << 52);
  const struct wide less_one = exact_sum(scale * sum.high, -1);
  return exact_sum(less_one.high, less_one.low + scale * (sum.low + power.low));
}

/* For n = 1 the error before the last rounding is below 0.11 u, where an ulp is at least u/2. The
 * total error is at most 0.5 + 0.22 ulp. For n = 0 the error is below 0.055 u and decreases as
 * r³. */
double portable_expm1(double x) {
  if (isnan(x)) return (double)NAN;
  if (fabs(x) < 0x1p-53) return x;    /* x²/2 is below 0.5 ulp */
  if (x > 45) return portable_exp(x); /* 1 is below 2^-64 e^x */
  return x < -45 ? -1 : wide_expm1(x).high;
}

/* Compute tanh x = E / (E + 2) with E = e^2x - 1. The relative error of E is below 0.27 u. Hence
 * the relative error of the quotient is below 0.22 u, and the total error is at most 0.5 + 0.22
 * ulp. */
double portable_tanh(double x) {
  if (isnan(x)) return (double)NAN;
  const double size = fabs(x);
  if (size < 0x1p-28) return x; /* x²/3 is below 0.1 u */
  if (size > 22) return copysign(1, x);
  const struct wide power = wide_expm1(2 * size);
  return copysign(wide_quotient(power, wide_sum(power, (struct wide){2, 0})).high, x);
}

/* ---- logarithms ---- */

/* For a positive finite x = 2^n m, return m in [√½, √2) and add n to `exponent`. */
static double mantissa_of(double x, int *exponent) {
  uint64_t bits = bits_of(x);
  if (bits >> 52 == 0) { /* subnormal */
    bits = bits_of((double)bits);
    *exponent -= 1074;
  }
  const int n = (int)((bits + (bits_of(1) - bits_of(0x1.6a09e667f3bcdp-1))) >> 52) - 1023;
  *exponent += n;
  return from_bits(bits - ((uint64_t)(int64_t)n << 52));
}

/* Return n log 2 + log(1 + f) + c for f in [√½ - 1, √2 - 1] and a small c. Let s = f / (2 + f), f1
 * the leading bits of f, f2 the rest:
 *
 *   log(1 + f) = 2 atanh s = f - f1²/2 - f2 (f + f1)/2 + s (f²/2 + s² p(s²)).
 *
 * The sum of n LN2_HIGH, f and f1²/2 has no error. The last term is below 0.019; it has 6.3
 * rounding errors (2 of s, 1 of f²/2 with weight 0.8, 7 of s² p with weight 0.2, the sum and the
 * product) and the error of p, 2^-60. The other sums have errors below 6 · 2^-59. The error is at
 * most 6.3 · 0.019 u + 2^-60 + 6 · 2^-59 < 0.22 u. If n is not 0, the result is at least 0.346,
 * where an ulp is u/2. Hence the total error is less than 0.5 + 0.44 ulp. If n is 0, the error
 * decreases as f³. */
static double log_of(double f, int n, double c) {
  const double s = f / (2 + f), z = s * s, f1 = leading_bits(f), f2 = f - f1;
  double p = 0x1.2f7c3d34a2242p-3;
  p = p * z + 0x1.39964944cef49p-3;
  p = p * z + 0x1.7466a9578f578p-3;
  p = p * z + 0x1.c71c5045f0a16p-3;
  p = p * z + 0x1.2492494378587p-2;
  p = p * z + 0x1.999999997facbp-2;
  p = p * z + 0x1.5555555555587p-1;
  const struct wide first = exact_sum(n * LN2_HIGH, f);
  const struct wide sum = exact_sum(first.high, -0.5 * f1 * f1);
  const double rest = s * (0.5 * f * f + z * p) - 0.5 * f2 * (f + f1);
  return sum.high + ((first.low + sum.low) + (rest + (n * LN2_LOW + c)));
}

double portable_log(double x) {
  if (is_zero(x)) return -INFINITY;
  if (isnan(x) || is_negative(x)) return (double)NAN;
  if (isinf(x)) return x;
  int n = 0;
  const double m = mantissa_of(x, &n);
  return log_of(m - 1, n, 0);
}

/* For 1 + x = v + c with a double v, log(1 + x) = log v + c / v, except for terms below u². */
double portable_log1p(double x) {
  if (fabs(x) < 0x1p-54) return x;
  if (x > -0.29 && x < 0.41) return log_of(x, 0, 0);
  if (x == -1) return -INFINITY;
  if (isnan(x) || x < -1) return (double)NAN;
  if (isinf(x)) return x;
  const struct wide sum = exact_sum(1, x);
  int n = 0;
  const double m = mantissa_of(sum.high, &n);
  return log_of(m - 1, n, sum.low / sum.high);
}

/* Return log x for a positive finite x, with a relative error below 2^-80: the sum of the series
 * 2 (s + s³/3 + s⁵/5 + ...), with |s| < 0.1716. */
static struct wide wide_log(double x) {
  enum { TERMS = 16 };
  int n = 0;
  const double f = mantissa_of(x, &n) - 1;
  const struct wide s = wide_quotient((struct wide){f, 0}, exact_sum(2, f));
  const struct wide square = wide_product(s, s);
  struct wide sum = {0, 0};
  for (int i = TERMS - 1; i >= 0; i--) {
    const struct wide term = wide_quotient((struct wide){1, 0}, (struct wide){2 * i + 1, 0});
    sum = wide_sum(wide_product(sum, square), term);
  }
  const struct wide log_m = wide_product((struct wide){2 * s.high, 2 * s.low}, sum);
  return wide_sum((struct wide){n * LN2_HIGH, n * LN2_LOW}, log_m);
}

/* Compute e^(y log x). y log x is at most 746, so its error is below 2^-70, and the bound is that
 * of portable_exp. */
double portable_power(double base, double exponent) {
  if (is_zero(exponent) || base == 1) return 1;
  if (isnan(base) || isnan(exponent) || is_negative(base)) return (double)NAN;
  const double limit = (base > 1) == !is_negative(exponent) ? INFINITY : 0;
  if (is_zero(base) || isinf(base) || isinf(exponent)) return limit;
  const struct wide log_base = wide_log(base);
  const double estimate = exponent * log_base.high;
  if (fabs(estimate) < 0x1p-54) return 1;
  if (fabs(estimate) > 750) return limit;
  return power_of(wide_product(log_base, (struct wide){exponent, 0}));
}

/* ---- the cosine ---- */

/* Return 2πr for |r| <= 1/8, with an error below 2^-100. */
static struct wide angle_of(double r) {
  return wide_product((struct wide){r, 0},
                      (struct wide){0x1.921fb54442d18p+2, 0x1.1a62633145c07p-52});
}

/* Return cos y = 1 - y²/2 + y⁴ p(y²) for |y| <= π/4. y²/2 has an error of u/4. y⁴ p is below 0.016;
 * it has 5.5 rounding errors. With the low part of y, the error is 0.25 u + 5.5 · 0.016 u + 0.04 u
 * < 0.4 u. The result is at least 0.7, where an ulp is u. Hence the total error is less than 0.9
 * ulp. */
static double cos_of(struct wide y) {
  const double z = y.high * y.high;
  double p = -0x1.8fbbaf17bd3dap-37;
  p = p * z + 0x1.1eea07758004fp-29;
  p = p * z - 0x1.27e4f836c7d0ep-22;
  p = p * z + 0x1.a01a019cf7b52p-16;
  p = p * z - 0x1.6c16c16c154bbp-10;
  p = p * z + 0x1.555555555554dp-5;
  const struct wide sum = exact_sum(1, -0.5 * z);
  return sum.high + (sum.low + (z * z * p - y.high * y.low));
}

/* Return sin y = y + y³ p(y²) for |y| <= π/4. y³ p is below 0.081; it has 4.1 rounding errors. p
 * has a relative error of 2^-56.5 y. The error is at most 0.33 u + 0.07 u + 0.02 u = 0.42 u if the
 * result is in [1/2, 0.71), where an ulp is u. The error decreases as y³. Hence the total error is
 * less than 0.95 ulp. */
static double sin_of(struct wide y) {
  const double z = y.high * y.high;
  double p = 0x1.5db05098e09f0p-33;
  p = p * z - 0x1.ae5ed72f6852bp-26;
  p = p * z + 0x1.71de361c5a4c1p-19;
  p = p * z - 0x1.a01a019cf0fc0p-13;
  p = p * z + 0x1.1111111110117p-7;
  p = p * z - 0x1.5555555555550p-3;
  return y.high + (y.high * z * p + (y.low - 0.5 * z * y.low));
}

/* Subtract whole turns, then quarters. Both differences are exact. */
double portable_cos_turns(double u) {
  if (isnan(u) || isinf(u)) return (double)NAN;
  const double size = fabs(u), turn = size - floor(size);
  const int quarter = (int)(4 * turn + 0.5);
  const struct wide y = angle_of(turn - 0.25 * quarter);
  const double value = quarter % 2 == 0 ? cos_of(y) : sin_of(y);
  return quarter == 1 || quarter == 2 ? 0 - value : value;
}
