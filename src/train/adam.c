#include "train/adam.h"

#include <float.h>
#include <tgmath.h>

#if defined(__AVX512F__) && !defined(ELMAN_DOUBLE)
#include <immintrin.h>
#endif

enum {
  CHUNK = 1 << 14,        /* numbers a work item; fixed, so that sums do not depend on threads */
  PARALLEL_SIZE = 1 << 18 /* below this the threads cost more than they bring */
};

struct adam_options adam_options_default(void) {
  return (struct adam_options){
      .learning_rate = 0.001, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
}

struct adam_step adam_step_of(struct adam_options options, uint64_t update) {
  const double correction1 = 1 - pow(options.beta1, (double)update);
  const double correction2 = 1 - pow(options.beta2, (double)update);
  /* (28) with both sides of the fraction multiplied by √(1 - β2^k): one division an element. */
  return (struct adam_step){
      .scale = 1,
      .beta1 = (real)options.beta1,
      .beta2 = (real)options.beta2,
      .rest1 = (real)(1 - options.beta1),
      .rest2 = (real)(1 - options.beta2),
      .size = (real)(options.learning_rate * sqrt(correction2) / correction1),
      .epsilon = (real)options.epsilon * (real)sqrt(correction2),
  };
}

/* Every update of weights goes through update_some, with gradients or without: the same operations
 * in the same order, whatever their place. All loads come before all stores: the blocks lie at
 * equal offsets within a page, and a load would wait for a store to the same offset of another
 * block. */
#if defined(__AVX512F__) && !defined(ELMAN_DOUBLE)

/* 1/√x and 1/x by the processor's estimates, of 14 bits, and a step of Newton's: below 3 units in
 * the last place, in a third of the time of a root and a division. */
static inline __m512 inverse_root(__m512 x) {
  const __m512 guess = _mm512_rsqrt14_ps(x);
  const __m512 half = _mm512_mul_ps(_mm512_mul_ps(x, guess), _mm512_set1_ps(0.5f));
  return _mm512_mul_ps(guess, _mm512_fnmadd_ps(half, guess, _mm512_set1_ps(1.5f)));
}

static inline __m512 inverse(__m512 x) {
  const __m512 guess = _mm512_rcp14_ps(x);
  return _mm512_mul_ps(guess, _mm512_fnmadd_ps(x, guess, _mm512_set1_ps(2)));
}

enum { VECTOR = 16 };

/* `gradients` NULL: they are all 0. */
static inline void update_some(real *weights, real *m, real *v, real *gradients, size_t n,
                               const struct adam_step *step) {
  for (size_t i = 0; i < n; i += VECTOR) {
    const __mmask16 some = n - i < VECTOR ? (__mmask16)((1u << (n - i)) - 1) : (__mmask16)0xFFFF;
    const __m512 g = gradients == NULL ? _mm512_setzero_ps()
                                       : _mm512_mul_ps(_mm512_maskz_loadu_ps(some, gradients + i),
                                                       _mm512_set1_ps(step->scale)); /* (25) */
    const __m512 old = _mm512_maskz_loadu_ps(some, weights + i);
    const __m512 first =
        _mm512_fmadd_ps(_mm512_set1_ps(step->beta1), _mm512_maskz_loadu_ps(some, m + i),
                        _mm512_mul_ps(_mm512_set1_ps(step->rest1), g)); /* (26) */
    const __m512 second =
        _mm512_fmadd_ps(_mm512_set1_ps(step->beta2), _mm512_maskz_loadu_ps(some, v + i),
                        _mm512_mul_ps(_mm512_mul_ps(_mm512_set1_ps(step->rest2), g), g)); /* (27) */
    /* There is no estimate of 0 and of infinity. */
    const __m512 least = _mm512_set1_ps(FLT_MIN), most = _mm512_set1_ps(FLT_MAX);
    const __m512 root =
        _mm512_mul_ps(second, inverse_root(_mm512_min_ps(_mm512_max_ps(second, least), most)));
    const __m512 share =
        inverse(_mm512_min_ps(_mm512_add_ps(root, _mm512_set1_ps(step->epsilon)), most));
    const __m512 change = _mm512_mul_ps(_mm512_mul_ps(_mm512_set1_ps(step->size), first), share);
    if (gradients != NULL) _mm512_mask_storeu_ps(gradients + i, some, _mm512_setzero_ps());
    _mm512_mask_storeu_ps(m + i, some, first);
    _mm512_mask_storeu_ps(v + i, some, second);
    _mm512_mask_storeu_ps(weights + i, some, _mm512_sub_ps(old, change)); /* (28) */
  }
}

#else

static inline void update_some(real *restrict weights, real *restrict m, real *restrict v,
                               real *restrict gradients, size_t n, const struct adam_step *step) {
  const struct adam_step constants = *step;
  for (size_t i = 0; i < n; i++) {
    const real g = gradients == NULL ? 0 : gradients[i] * constants.scale; /* (25) */
    const real old = weights[i];
    const real first = constants.beta1 * m[i] + constants.rest1 * g;      /* (26) */
    const real second = constants.beta2 * v[i] + constants.rest2 * g * g; /* (27) */
    if (gradients != NULL) gradients[i] = 0;
    m[i] = first;
    v[i] = second;
    weights[i] = old - constants.size * first / (sqrt(second) + constants.epsilon); /* (28) */
  }
}

#endif

void adam_update(real *weights, real *m, real *v, real *gradients, size_t n,
                 const struct adam_step *step) {
  if (n <= PARALLEL_SIZE) {
    update_some(weights, m, v, gradients, n, step);
    return;
  }
#pragma omp parallel for schedule(static)
  for (size_t at = 0; at < n; at += CHUNK)
    update_some(weights + at, m + at, v + at, gradients + at, n - at < CHUNK ? n - at : CHUNK,
                step);
}

void adam_update_without_gradient(real *weights, real *m, real *v, size_t n,
                                  const struct adam_step *step) {
  update_some(weights, m, v, NULL, n, step);
}
