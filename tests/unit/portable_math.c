/* Test: text, optimized. */
/* Compare the functions with the C library in long double, and their bits with stored bits. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "base/portable_math.h"
#include "base/random.h"
#include "base/xxh64.h"

/* The bounds of portable_math.h, and a little for the error of the long double functions. */
#define LIMIT(ulp) ((ulp) + 0.01)

static const struct random_stream STREAM = {.seed = 1, .purpose = 7};

static double from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Return number i of a fixed list, with the sign of i: the sizes are up to `largest` and have all
 * magnitudes down to the smallest subnormal number, but half of them are above 2^-60. */
static double number(uint64_t i, double largest) {
  uint32_t words[4];
  random_words(words, STREAM, i);
  const uint64_t least = i % 4 < 2 ? 0 : bits_of(0x1p-60), range = bits_of(largest) - least + 1;
  const double size = from_bits(least + (((uint64_t)words[0] << 32 | words[1]) % range));
  return i % 2 == 0 ? size : -size;
}

/* Return number i of a fixed list of numbers that fill the interval evenly. */
static double between(uint64_t i, double least, double largest) {
  return least + (largest - least) * random_uniform(STREAM, i);
}

static double ulps(double value, long double exact) {
  int exponent;
  frexpl(exact, &exponent);
  const int last = exponent - DBL_MANT_DIG < -1074 ? -1074 : exponent - DBL_MANT_DIG;
  return (double)(fabsl((long double)value - exact) / ldexpl(1, last));
}

static bool is_normal(long double x) {
  return fabsl(x) >= (long double)DBL_MIN && fabsl(x) <= (long double)DBL_MAX;
}

/* Check numbers of all magnitudes, and numbers that fill the interval. */
static void check(double (*function)(double), long double (*exact)(long double), double least,
                  double largest, double limit) {
  for (uint64_t i = 0; i < 400000; i++) {
    const double x = i % 2 == 0 ? number(i / 2, largest) : between(i, least, largest);
    if (x < least) continue;
    const long double expected = exact((long double)x);
    if (!is_normal(expected)) continue;
    const double error = ulps(function(x), expected);
    cr_assert(error <= LIMIT(limit), "%a: %.4f ulp", x, error);
  }
}

/* A function with an error below 1 ulp may fall by an ulp between neighbors. Use numbers that are
 * further apart. */
static void check_rises(double (*function)(double), double least, double largest) {
  enum { STEPS = 200000 };
  for (int i = 0; i < STEPS; i++) {
    const double x = least + (largest - least) * i / STEPS;
    const double next = least + (largest - least) * (i + 1) / STEPS;
    cr_assert_leq(function(x), function(next), "%a", x);
  }
}

static bool is_same(double a, double b) {
  return bits_of(a) == bits_of(b);
}

static const double NOT_A_NUMBER = (double)NAN, INFINITE = INFINITY, LEAST = 0x1p-1074;

Test(portable_math, exp) {
  check(portable_exp, expl, -708, 709.7, 0.57);
  check_rises(portable_exp, -746, 709.7);
  check_rises(portable_exp, -1e-3, 1e-3);
  cr_assert(is_same(portable_exp(0), 1));
  cr_assert(is_same(portable_exp(-0.0), 1));
  cr_assert(is_same(portable_exp(LEAST), 1));
  cr_assert(is_same(portable_exp(0x1.62e42fefa39efp+9), 0x1.fffffffffff2ap+1023));
  cr_assert(is_same(portable_exp(0x1.62e42fefa39fp+9), INFINITE));
  cr_assert(is_same(portable_exp(1e300), INFINITE));
  cr_assert(is_same(portable_exp(INFINITE), INFINITE));
  cr_assert(is_same(portable_exp(-746), 0));
  cr_assert(is_same(portable_exp(-INFINITE), 0));
  cr_assert(is_same(portable_exp(-NOT_A_NUMBER), NOT_A_NUMBER));
}

Test(portable_math, exp_underflows_gradually) {
  for (uint64_t i = 0; i < 100000; i++) {
    const double x = between(i, -745.2, -708.3),
                 error = ulps(portable_exp(x), expl((long double)x));
    cr_assert(error <= LIMIT(0.79), "%a: %.4f ulp", x, error);
  }
}

Test(portable_math, expm1) {
  check(portable_expm1, expm1l, -50, 709.7, 0.75);
  check_rises(portable_expm1, -50, 50);
  cr_assert(is_same(portable_expm1(0), 0));
  cr_assert(is_same(portable_expm1(-0.0), -0.0));
  cr_assert(is_same(portable_expm1(-LEAST), -LEAST));
  cr_assert(is_same(portable_expm1(-100), -1));
  cr_assert(is_same(portable_expm1(-INFINITE), -1));
  cr_assert(is_same(portable_expm1(710), INFINITE));
  cr_assert(is_same(portable_expm1(INFINITE), INFINITE));
  cr_assert(is_same(portable_expm1(-NOT_A_NUMBER), NOT_A_NUMBER));
}

Test(portable_math, log) {
  check(portable_log, logl, 0, DBL_MAX, 0.95);
  check(portable_log, logl, 0.6, 1.6, 0.95);
  check_rises(portable_log, 0.5, 2);
  check_rises(portable_log, LEAST, 1e-300);
  cr_assert(is_same(portable_log(1), 0));
  cr_assert(is_same(portable_log(0), -INFINITE));
  cr_assert(is_same(portable_log(-0.0), -INFINITE));
  cr_assert(is_same(portable_log(-LEAST), NOT_A_NUMBER));
  cr_assert(is_same(portable_log(-INFINITE), NOT_A_NUMBER));
  cr_assert(is_same(portable_log(INFINITE), INFINITE));
  cr_assert(is_same(portable_log(-NOT_A_NUMBER), NOT_A_NUMBER));
}

Test(portable_math, log1p) {
  check(portable_log1p, log1pl, 0x1p-53 - 1, DBL_MAX, 0.95);
  check(portable_log1p, log1pl, -0.5, 1, 0.95);
  check_rises(portable_log1p, -0.999, 3);
  cr_assert(is_same(portable_log1p(0), 0));
  cr_assert(is_same(portable_log1p(-0.0), -0.0));
  cr_assert(is_same(portable_log1p(-LEAST), -LEAST));
  cr_assert(is_same(portable_log1p(-1), -INFINITE));
  cr_assert(is_same(portable_log1p(-1.5), NOT_A_NUMBER));
  cr_assert(is_same(portable_log1p(-INFINITE), NOT_A_NUMBER));
  cr_assert(is_same(portable_log1p(INFINITE), INFINITE));
  cr_assert(is_same(portable_log1p(-NOT_A_NUMBER), NOT_A_NUMBER));
}

Test(portable_math, tanh) {
  check(portable_tanh, tanhl, -25, 25, 0.75);
  check_rises(portable_tanh, -25, 25);
  cr_assert(is_same(portable_tanh(0), 0));
  cr_assert(is_same(portable_tanh(-0.0), -0.0));
  cr_assert(is_same(portable_tanh(-LEAST), -LEAST));
  cr_assert(is_same(portable_tanh(INFINITE), 1));
  cr_assert(is_same(portable_tanh(-INFINITE), -1));
  cr_assert(is_same(portable_tanh(-NOT_A_NUMBER), NOT_A_NUMBER));
}

/* The argument of the long double function is exact to its last bit, because whole quarters are
 * subtracted first. */
static long double exact_cos_turns(long double u) {
  const long double quarters = roundl(4 * u), turn = quarters / 4;
  const long double angle = 2 * 3.14159265358979323846264338327950288L * (u - turn);
  const int quarter = (int)(quarters - 4 * floorl(turn));
  const long double value = quarter % 2 == 0 ? cosl(angle) : sinl(angle);
  return quarter == 1 || quarter == 2 ? -value : value;
}

Test(portable_math, cos_turns) {
  check(portable_cos_turns, exact_cos_turns, -0.25, 1.25, 0.95);
  check(portable_cos_turns, exact_cos_turns, -1e6, 1e6, 0.95);
  static const double quarters[] = {1, 0, -1, 0};
  for (int i = 0; i < 40; i++) {
    cr_assert(is_same(portable_cos_turns(0.25 * i), quarters[i % 4]));
    cr_assert(is_same(portable_cos_turns(-0.25 * i), quarters[i % 4]));
  }
  cr_assert(is_same(portable_cos_turns(1e300), 1));
  cr_assert(is_same(portable_cos_turns(LEAST), 1));
  cr_assert(is_same(portable_cos_turns(INFINITE), NOT_A_NUMBER));
  cr_assert(is_same(portable_cos_turns(-NOT_A_NUMBER), NOT_A_NUMBER));
}

/* Every third base is within 1e-6 of 1, with large exponents. */
static void power_arguments(double *base, double *exponent, uint64_t i) {
  const bool near = i % 3 == 0;
  *base = near ? between(2 * i, 1 - 1e-6, 1 + 1e-6) : fabs(number(i, 1e30));
  *exponent = near ? between(2 * i + 1, -5e8, 5e8) : between(2 * i + 1, -12, 12);
}

Test(portable_math, power) {
  for (uint64_t i = 0; i < 200000; i++) {
    double base, exponent;
    power_arguments(&base, &exponent, i);
    const long double expected = powl((long double)base, (long double)exponent);
    if (!is_normal(expected)) continue;
    const double error = ulps(portable_power(base, exponent), expected);
    cr_assert(error <= LIMIT(0.57), "%a, %a: %.4f ulp", base, exponent, error);
  }
}

Test(portable_math, power_is_exact_if_a_double_is) {
  for (int n = 1; n < 5000; n++) {
    cr_assert(is_same(portable_power(n, 1), n));
    cr_assert(is_same(portable_power(n, 3), (double)n * n * n));
    cr_assert(is_same(portable_power((double)n * n, 0.5), n));
    cr_assert(is_same(portable_power(2, n), ldexp(1, n)));
    cr_assert(is_same(portable_power(2, -n), ldexp(1, -n)));
  }
}

Test(portable_math, power_of_special_values) {
  cr_assert(is_same(portable_power(NOT_A_NUMBER, 0), 1));
  cr_assert(is_same(portable_power(1, NOT_A_NUMBER), 1));
  cr_assert(is_same(portable_power(1, INFINITE), 1));
  cr_assert(is_same(portable_power(-2, 0), 1));
  cr_assert(is_same(portable_power(-2, 2), NOT_A_NUMBER));
  cr_assert(is_same(portable_power(2, NOT_A_NUMBER), NOT_A_NUMBER));
  cr_assert(is_same(portable_power(NOT_A_NUMBER, 2), NOT_A_NUMBER));
  cr_assert(is_same(portable_power(0, LEAST), 0));
  cr_assert(is_same(portable_power(0, -LEAST), INFINITE));
  cr_assert(is_same(portable_power(-0.0, 3), 0));
  cr_assert(is_same(portable_power(INFINITE, 0.5), INFINITE));
  cr_assert(is_same(portable_power(INFINITE, -0.5), 0));
  cr_assert(is_same(portable_power(0.5, INFINITE), 0));
  cr_assert(is_same(portable_power(0.5, -INFINITE), INFINITE));
  cr_assert(is_same(portable_power(2, INFINITE), INFINITE));
  cr_assert(is_same(portable_power(2, -INFINITE), 0));
  cr_assert(is_same(portable_power(0.9, 1e300), 0));
  cr_assert(is_same(portable_power(0.9, -1e300), INFINITE));
  cr_assert(is_same(portable_power(LEAST, -1e-300), 1));
}

static double power_of_number(double x) {
  return portable_power(fabs(x), 0.7);
}

/* Return the hash of the results of a function for a fixed list of numbers. */
static uint64_t hash_of(double (*function)(double)) {
  struct xxh64 hash;
  xxh64_start(&hash);
  for (uint64_t i = 0; i < 100000; i++) {
    static const double limits[] = {DBL_MAX, 800, 2};
    const double x = i % 4 < 3 ? number(i, limits[i % 3]) : between(i, -2, 2);
    const uint64_t bits = bits_of(function(x));
    xxh64_add(&hash, &bits, sizeof bits);
  }
  return xxh64_value(&hash);
}

static void check_bits(void) {
  static const struct {
    const char *name;
    double (*function)(double);
    uint64_t hash;
  } known[] = {
      {"exp", portable_exp, UINT64_C(0xEFE7F03FBF68B012)},
      {"expm1", portable_expm1, UINT64_C(0xCD4A09D228164B02)},
      {"log", portable_log, UINT64_C(0x906022EFFBE18931)},
      {"log1p", portable_log1p, UINT64_C(0x21E7D8F3B9A55341)},
      {"tanh", portable_tanh, UINT64_C(0xCA31A3B6FF7F7E2E)},
      {"cos_turns", portable_cos_turns, UINT64_C(0x75FA22A04178BBFE)},
      {"power", power_of_number, UINT64_C(0xD6638040CB922BA2)},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const uint64_t hash = hash_of(known[i].function);
    cr_expect_eq(hash, known[i].hash, "%s: 0x%016llX", known[i].name, (unsigned long long)hash);
  }
}

/* The bits depend neither on the processor, nor on the C library, nor on the compiler. */
Test(portable_math, bits_are_the_same_everywhere) {
  check_bits();
}

#if defined(__SSE2__)

/* The two modes of the processor that replace subnormal results, and arguments, by 0. */
Test(portable_math, bits_are_the_same_if_subnormal_numbers_are_flushed) {
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040);
  check_bits();
  _mm_setcsr(mode);
}

#endif
