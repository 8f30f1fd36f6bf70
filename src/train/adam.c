#include "train/adam.h"

#include <float.h>
#include <tgmath.h>

#if defined(__AVX512F__) && !defined(ELMAN_DOUBLE)
#include <immintrin.h>
#endif

#include "base/portable_math.h"
#include "base/team.h"

enum { CHUNK = 1 << 14 }; /* elements per work item */

struct adam_options adam_options_default(void) {
  return (struct adam_options){.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
}

struct adam_step adam_step_of(struct adam_options options, double learning_rate, uint64_t update) {
  const double correction1 = 1 - portable_power(options.beta1, (double)update);
  const double correction2 = 1 - portable_power(options.beta2, (double)update);
  /* Compute (28) with numerator and denominator multiplied by √(1 - β2^n), so that each element
   * needs only one division. */
  return (struct adam_step){
      .scale = 1,
      .beta1 = (real)options.beta1,
      .beta2 = (real)options.beta2,
      .one_minus_beta1 = (real)(1 - options.beta1),
      .one_minus_beta2 = (real)(1 - options.beta2),
      .size = (real)(learning_rate * sqrt(correction2) / correction1),
      .epsilon = (real)options.epsilon * (real)sqrt(correction2),
      .exact = options.exact,
  };
}

void adam_update_plain(real *restrict weights, real *restrict m, real *restrict v,
                       real *restrict gradients, size_t n, const struct adam_step *step) {
  const struct adam_step constants = *step;
  for (size_t i = 0; i < n; i++) {
    const real g = gradients == NULL ? 0 : gradients[i] * constants.scale; /* (25) */
    const real old = weights[i];
    const real first = constants.beta1 * m[i] + constants.one_minus_beta1 * g;      /* (26) */
    const real second = constants.beta2 * v[i] + constants.one_minus_beta2 * g * g; /* (27) */
    if (gradients != NULL) gradients[i] = 0;
    m[i] = first;
    v[i] = second;
    weights[i] = old - constants.size * first / (sqrt(second) + constants.epsilon); /* (28) */
  }
}

/* Every update of weights calls update_some, with gradients or without. Therefore the operations
 * and their order are the same everywhere. All loads come before all stores. The blocks begin at
 * equal offsets within a page, and a load would wait for a store to the same offset of another
 * block. */
#if defined(__AVX512F__) && !defined(ELMAN_DOUBLE)

enum { VECTOR = 16, AHEAD = 8 * VECTOR };

/* Return √x for x ≥ FLT_MIN. Improve the processor's 14-bit estimate of 1/√x by one step of
 * Newton's method. The error is below 2 units in the last place. This takes a third of the time of
 * a square root. */
static inline __m512 root_of(__m512 x) {
  const __m512 guess = _mm512_rsqrt14_ps(x), root = _mm512_mul_ps(x, guess);
  const __m512 error = _mm512_fnmadd_ps(root, guess, _mm512_set1_ps(1));
  return _mm512_fmadd_ps(_mm512_mul_ps(root, _mm512_set1_ps(0.5f)), error, root);
}

/* Return 1/x, from the processor's 14-bit estimate and one step of Newton's method. */
static inline __m512 inverse(__m512 x) {
  const __m512 guess = _mm512_rcp14_ps(x);
  return _mm512_mul_ps(guess, _mm512_fnmadd_ps(x, guess, _mm512_set1_ps(2)));
}

/* Prefetch explicitly, because the processor does not prefetch four streams by itself. Prefetching
 * past the end is harmless. */
static inline void fetch(const real *weights, const real *m, const real *v, const real *gradients) {
  _mm_prefetch(weights + AHEAD, _MM_HINT_T0);
  _mm_prefetch(m + AHEAD, _MM_HINT_T0);
  _mm_prefetch(v + AHEAD, _MM_HINT_T0);
  _mm_prefetch(gradients + AHEAD, _MM_HINT_T0);
}

/* Update those elements of a vector whose bits are set in `some`. */
static inline void update_vector(real *weights, real *m, real *v, real *gradients, __mmask16 some,
                                 const struct adam_step *step) {
  const __m512 g = gradients == NULL ? _mm512_setzero_ps()
                                     : _mm512_mul_ps(_mm512_maskz_loadu_ps(some, gradients),
                                                     _mm512_set1_ps(step->scale)); /* (25) */
  const __m512 old = _mm512_maskz_loadu_ps(some, weights);
  const __m512 first =
      _mm512_fmadd_ps(_mm512_set1_ps(step->beta1), _mm512_maskz_loadu_ps(some, m),
                      _mm512_mul_ps(_mm512_set1_ps(step->one_minus_beta1), g)); /* (26) */
  const __m512 second = _mm512_fmadd_ps(
      _mm512_set1_ps(step->beta2), _mm512_maskz_loadu_ps(some, v),
      _mm512_mul_ps(_mm512_mul_ps(_mm512_set1_ps(step->one_minus_beta2), g), g)); /* (27) */
  /* There is no estimate for 0, so the maximum excludes 0. The estimate for infinity makes the root
   * NaN; the minimum replaces NaN by the largest number, so that the step becomes 0. */
  const __m512 root = root_of(_mm512_max_ps(second, _mm512_set1_ps(FLT_MIN)));
  const __m512 below = _mm512_add_ps(root, _mm512_set1_ps(step->epsilon));
  const __m512 quotient = inverse(_mm512_min_ps(below, _mm512_set1_ps(FLT_MAX)));
  if (gradients != NULL) _mm512_mask_storeu_ps(gradients, some, _mm512_setzero_ps());
  _mm512_mask_storeu_ps(m, some, first);
  _mm512_mask_storeu_ps(v, some, second);
  _mm512_mask_storeu_ps(
      weights, some,
      _mm512_fnmadd_ps(_mm512_set1_ps(step->size), _mm512_mul_ps(first, quotient), old)); /* (28) */
}

/* Update n elements. `gradients` NULL means that all gradients are 0. */
static inline void update_some(real *weights, real *m, real *v, real *gradients, size_t n,
                               const struct adam_step *step) {
  const __mmask16 all = 0xFFFF;
  size_t i = 0;
  if (step->exact) {
    adam_update_plain(weights, m, v, gradients, n, step);
    return;
  }
  for (; i + VECTOR <= n; i += VECTOR) {
    if (gradients != NULL) fetch(weights + i, m + i, v + i, gradients + i);
    update_vector(weights + i, m + i, v + i, gradients == NULL ? NULL : gradients + i, all, step);
  }
  if (i < n)
    update_vector(weights + i, m + i, v + i, gradients == NULL ? NULL : gradients + i,
                  (__mmask16)((1U << (n - i)) - 1), step);
}

#else

static inline void update_some(real *weights, real *m, real *v, real *gradients, size_t n,
                               const struct adam_step *step) {
  adam_update_plain(weights, m, v, gradients, n, step);
}

#endif

struct update {
  real *weights, *m, *v, *gradients;
  size_t n;
  const struct adam_step *step;
};

static void update_chunk(const void *context, size_t chunk) {
  const struct update *all = context;
  const size_t at = chunk * CHUNK, n = all->n - at < CHUNK ? all->n - at : CHUNK;
  update_some(all->weights + at, all->m + at, all->v + at, all->gradients + at, n, all->step);
}

void adam_update(real *weights, real *m, real *v, real *gradients, size_t n,
                 const struct adam_step *step) {
  const struct update all = {weights, m, v, gradients, n, step};
  share_out((n + CHUNK - 1) / CHUNK, (double)WORK_OF_NUMBER * (double)n, update_chunk, &all);
}

void adam_update_without_gradient(real *weights, real *m, real *v, size_t n,
                                  const struct adam_step *step) {
  update_some(weights, m, v, NULL, n, step);
}
