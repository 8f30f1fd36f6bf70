/* The peak rate of fused multiply-add. This file is compiled with -ffp-contract=fast. */
#include "fma_peak.h"

#if defined(__AVX512F__)
enum { BYTES = 64 };
#elif defined(__AVX__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif

typedef float vector __attribute__((vector_size(BYTES)));

/* Enough independent sums that none waits for its predecessor, but few enough for the registers. */
enum { SUMS = 12 };

double fma_peak_work(size_t n) {
  return 2.0 * SUMS * (BYTES / sizeof(float)) * (double)n;
}

float fma_peak_run(size_t n) {
  vector sums[SUMS] = {{0}}, a = {0}, b = {0};
  float total = 0;
  for (size_t l = 0; l < BYTES / sizeof(float); l++) {
    a[l] = 0.5F;
    b[l] = (float)l;
    /* Start values differ: a compiler computes equal sums only once. */
    for (size_t j = 0; j < SUMS; j++) sums[j][l] = (float)(j + l);
  }
  for (size_t i = 0; i < n; i++) {
#define STEP(j) sums[j] = sums[j] * a + b;
    STEP(0)
    STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9) STEP(10) STEP(11)
#undef STEP
  }
  for (size_t j = 0; j < SUMS; j++)
    for (size_t l = 0; l < BYTES / sizeof(float); l++) total += sums[j][l];
  return total;
}
