/* The functions exp and tanh without branches, so that compilers vectorize loops that call them;
 * and sums in lanes.
 *
 * In double these functions call base/portable_math.h, because the tests need accuracy and not
 * speed. In float the error is below 2 ulp (tests/unit/elementary.c checks numbers of every
 * magnitude). Both functions return NaN for NaN. The polynomials are minimax fits on the given
 * intervals. */
#ifndef ELMAN_TENSOR_ELEMENTARY_H
#define ELMAN_TENSOR_ELEMENTARY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/portable_math.h"
#include "tensor/real.h"

#ifdef ELMAN_DOUBLE

static inline real exp_real(real x) {
  return portable_exp(x);
}

static inline real tanh_real(real x) {
  return portable_tanh(x);
}

/* 1 / (1 + e^-x) */
static inline real sigmoid_real(real x) {
  return 1 / (1 + portable_exp(-x));
}

#else

/* Return e^x for x ≤ 88; results below the smallest normal number are 0. */
static inline real exp_real(real x) {
  /* Write x = n ln 2 + r with |r| ≤ ln 2 / 2. Adding 1.5 · 2^23 rounds to an integer, which is then
   * in the low bits. ln 2 is split into two parts, so that n ln 2 is exact. If x is so small that
   * this fails, the result is 0 in any case. */
  const float magic = 0x1.8p23f, ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
  const float shifted = x * 0x1.715476p0f + magic;
  const float n = shifted - magic;
  const float r = (x - n * ln2_high) - n * ln2_low;
  /* e^r = 1 + r + r² p(r) */
  float p = 0.0013814320554956794f;
  p = p * r + 0.00836885068565607f;
  p = p * r + 0.041668400168418884f;
  p = p * r + 0.1666651964187622f;
  p = p * r + 0.4999999403953552f;
  const float power = 1 + (r + r * r * p);
  /* Compute 2^n: shift n to the exponent bits. */
  uint32_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 127) << 23;
  float scale;
  memcpy(&scale, &bits, sizeof scale);
  return x < -87.33654f ? 0 : power * scale;
}

static inline real tanh_real(real x) {
  /* Near 0, compute x + x³ q(x²), for |x| ≤ 0.625. */
  const float square = x * x;
  float q = -0.005697384011000395f;
  q = q * square + 0.0206325463950634f;
  q = q * square - 0.05373779684305191f;
  q = q * square + 0.13331420719623566f;
  q = q * square - 0.3333328068256378f;
  const float near = x + x * square * q;
  /* Elsewhere, compute 1 - 2 / (e^2|x| + 1), which rounds to 1 from 9.02 on. */
  const float size = fabsf(x) > 9.02f ? 9.02f : fabsf(x);
  const float far = copysignf(1 - 2 / (exp_real(2 * size) + 1), x);
  return size < 0.625f ? near : far;
}

/* Return 1 / (1 + e^-x). Below -87 the result is constant, 1.6e-38. */
static inline real sigmoid_real(real x) {
  const float clamped = x < -87 ? -87 : x;
  return 1 / (1 + exp_real(-clamped));
}

#endif

/* Return log(1 + x). Compilers do not vectorize loops over this function. */
static inline real log1p_real(real x) {
  return (real)portable_log1p((double)x);
}

/* Replace x (n) by the sigmoid, or by tanh, of x + a + b. Each gate has its own loop, because
 * compilers do not vectorize a loop over all gates of a cell. */
static inline void sigmoid_of_sum(real *restrict x, const real *restrict a, const real *restrict b,
                                  size_t n) {
  for (size_t i = 0; i < n; i++) x[i] = sigmoid_real(x[i] + a[i] + b[i]);
}

static inline void tanh_of_sum(real *restrict x, const real *restrict a, const real *restrict b,
                               size_t n) {
  for (size_t i = 0; i < n; i++) x[i] = tanh_real(x[i] + a[i] + b[i]);
}

/* ---- sums in lanes: element i is added to lane i modulo LANES. In a single sum each addition
 * would wait for the previous one. Compilers vectorize the lanes, and the result depends on neither
 * the vector size nor the compiler ---- */

/* Use more lanes for maxima: gcc unrolls a loop over 16 lanes instead of vectorizing it. */
enum { LANES = 16, MANY_LANES = 32 };

struct lanes {
  _Alignas(64) double of[LANES];
};

/* Add the lanes in halves, so that fewer additions wait for each other. */
static inline double sum_of_lanes(struct lanes *lanes) {
  for (size_t half = LANES / 2; half > 0; half /= 2) {
    for (size_t l = 0; l < half; l++) lanes->of[l] += lanes->of[l + half];
  }
  return lanes->of[0];
}

#endif
