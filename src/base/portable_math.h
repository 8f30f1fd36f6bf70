/* Elementary functions whose bits are the same on every processor, with every C library and every
 * compiler. A C library may change its exp or log, and may choose among variants by processor.
 *
 * The functions use only + - * / floor and the bits of numbers, which IEEE 754 defines exactly.
 * Compile portable_math.c with -ffp-contract=off, for the rounding mode "to nearest".
 *
 * Special values follow Annex F of C11. Every NaN that is returned has the same bits. Subnormal
 * arguments and results are correct even if the thread's floating-point mode flushes subnormal
 * numbers to zero.
 *
 * Each comment states a bound of the error in units in the last place (ulp) of the exact result.
 * portable_math.c derives the bounds. */
#ifndef ELMAN_BASE_PORTABLE_MATH_H
#define ELMAN_BASE_PORTABLE_MATH_H

/* Return e^x; 0.57 ulp, or 0.79 ulp if the result is subnormal. */
double portable_exp(double x);

/* Return e^x - 1; 0.75 ulp. */
double portable_expm1(double x);

/* Return log x; 0.95 ulp. The result is -infinity for 0, and NaN for x < 0. */
double portable_log(double x);

/* Return log(1 + x); 0.95 ulp. The result is -infinity for -1, and NaN for x < -1. */
double portable_log1p(double x);

/* Return tanh x; 0.75 ulp. */
double portable_tanh(double x);

/* Return cos(2πu), where u counts turns; 0.95 ulp. Multiples of a quarter give exactly 1, 0 and -1.
 * The result is NaN if u is not finite. */
double portable_cos_turns(double u);

/* Return base^exponent for base >= 0; 0.57 ulp, or 0.79 ulp if the result is subnormal. A result
 * that a double represents is exact. -0 counts as 0. For base < 0 the result is 1 for the exponent
 * 0, and NaN for any other exponent, even an integer. */
double portable_power(double base, double exponent);

#endif
