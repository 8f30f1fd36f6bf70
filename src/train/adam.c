#include "train/adam.h"

#include <math.h>
#include <tgmath.h>

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

/* Every update of a weight goes through here, with a gradient or without: the same operations in
 * the same order. All loads come before all stores: the blocks lie at equal offsets within a page,
 * and a load would wait for a store to the same offset of another block. */
static inline void update_one(real *weight, real *m, real *v, real g, struct adam_step step) {
  const real old = *weight;
  const real first = step.beta1 * *m + step.rest1 * g;      /* (26) */
  const real second = step.beta2 * *v + step.rest2 * g * g; /* (27) */
  *m = first;
  *v = second;
  *weight = old - step.size * first / (sqrt(second) + step.epsilon); /* (28) */
}

static void update_chunk(real *restrict weights, real *restrict m, real *restrict v,
                         const real *restrict gradients, size_t n, struct adam_step step) {
  for (size_t i = 0; i < n; i++) {
    const real g = gradients[i] * step.scale; /* (25) */
    update_one(weights + i, m + i, v + i, g, step);
  }
}

void adam_update(real *weights, real *m, real *v, const real *gradients, size_t n,
                 const struct adam_step *step) {
  if (n <= PARALLEL_SIZE) {
    update_chunk(weights, m, v, gradients, n, *step);
    return;
  }
#pragma omp parallel for schedule(static)
  for (size_t at = 0; at < n; at += CHUNK)
    update_chunk(weights + at, m + at, v + at, gradients + at, n - at < CHUNK ? n - at : CHUNK,
                 *step);
}

void adam_update_without_gradient(real *restrict weights, real *restrict m, real *restrict v,
                                  size_t n, const struct adam_step *step) {
  const struct adam_step constants = *step;
  for (size_t i = 0; i < n; i++) update_one(weights + i, m + i, v + i, 0, constants);
}

static double chunk_sum_of_squares(const real *values, size_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < n; i++) sum += (double)values[i] * (double)values[i];
  return sum;
}

double sum_of_squares(const real *values, size_t n) {
  /* Each chunk's sum goes to its own place; places are few enough to be added by one thread. */
  enum { PLACES = 64 };
  if (n <= CHUNK) return chunk_sum_of_squares(values, n);
  const size_t chunks = (n + CHUNK - 1) / CHUNK;
  double sum = 0;
  for (size_t first = 0; first < chunks; first += PLACES) {
    double sums[PLACES] = {0};
    const size_t count = chunks - first < PLACES ? chunks - first : PLACES;
#pragma omp parallel for schedule(static) if (n > PARALLEL_SIZE)
    for (size_t i = 0; i < count; i++) {
      const size_t start = (first + i) * CHUNK;
      sums[i] = chunk_sum_of_squares(values + start, n - start < CHUNK ? n - start : CHUNK);
    }
    for (size_t i = 0; i < count; i++) sum += sums[i];
  }
  return sum;
}

real clip_scale(double norm, double limit) {
  return limit > 0 && norm > limit ? (real)(limit / (norm + 1e-6)) : 1;
}
