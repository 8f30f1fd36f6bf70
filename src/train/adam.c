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

void adam_update(real *weights, real *m, real *v, const real *gradients, size_t n, uint64_t update,
                 struct adam_options options) {
  const double correction1 = 1 - pow(options.beta1, (double)update);
  const double correction2 = 1 - pow(options.beta2, (double)update);
  /* (28) with both sides of the fraction multiplied by √(1 - β2^k): one division an element. */
  const real root = (real)sqrt(correction2);
  const real step = (real)(options.learning_rate * sqrt(correction2) / correction1);
  const real epsilon = (real)options.epsilon * root;
  const real beta1 = (real)options.beta1, beta2 = (real)options.beta2;
  const real rest1 = (real)(1 - options.beta1), rest2 = (real)(1 - options.beta2);

  /* All loads before all stores: the four blocks lie at equal offsets within a page, and a load
   * would wait for a store to the same offset of another block. */
#pragma omp parallel for schedule(static) if (n > PARALLEL_SIZE)
  for (size_t i = 0; i < n; i++) {
    const real g = gradients[i], old = weights[i];
    const real first = beta1 * m[i] + rest1 * g;      /* (26) */
    const real second = beta2 * v[i] + rest2 * g * g; /* (27) */
    m[i] = first;
    v[i] = second;
    weights[i] = old - step * first / (sqrt(second) + epsilon); /* (28) */
  }
}

static double sum_of_squares(const real *values, size_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < n; i++) sum += (double)values[i] * (double)values[i];
  return sum;
}

double global_norm(const real *values, size_t n) {
  /* Each chunk's sum goes to its own place; places are few enough to be added by one thread. */
  enum { PLACES = 64 };
  const size_t chunks = (n + CHUNK - 1) / CHUNK;
  double sum = 0;
  for (size_t first = 0; first < chunks; first += PLACES) {
    double sums[PLACES] = {0};
    const size_t count = chunks - first < PLACES ? chunks - first : PLACES;
#pragma omp parallel for schedule(static) if (n > PARALLEL_SIZE)
    for (size_t i = 0; i < count; i++) {
      const size_t start = (first + i) * CHUNK;
      sums[i] = sum_of_squares(values + start, n - start < CHUNK ? n - start : CHUNK);
    }
    for (size_t i = 0; i < count; i++) sum += sums[i];
  }
  return sqrt(sum);
}

double clip_global_norm(real *gradients, size_t n, double limit) {
  const double norm = global_norm(gradients, n);
  if (limit <= 0 || norm <= limit) return norm;
  const real scale = (real)(limit / (norm + 1e-6)); /* (25) */
#pragma omp parallel for schedule(static) if (n > PARALLEL_SIZE)
  for (size_t i = 0; i < n; i++) gradients[i] *= scale;
  return norm;
}
