#include "tensor/denormals.h"

/* The processor's register for how it rounds, and its bits for denormals. */
#if defined(__SSE2__)
#include <immintrin.h>

enum { TO_ZERO = 0x8000 | 0x0040 }; /* of MXCSR: results, operands */

static unsigned mode_of_thread(void) {
  return _mm_getcsr();
}

static void set_mode(unsigned mode) {
  _mm_setcsr(mode);
}
#elif defined(__aarch64__)
#include <stdint.h>

enum { TO_ZERO = 1 << 24 }; /* of FPCR: results and operands */

static unsigned mode_of_thread(void) {
  uint64_t mode;
  __asm__ volatile("mrs %0, fpcr" : "=r"(mode)::"memory");
  return (unsigned)mode;
}

static void set_mode(unsigned mode) {
  __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)mode) : "memory");
}
#else
/* Elsewhere the results are the same to rounding, only slower where denormals are. */
enum { TO_ZERO = 0 };

static unsigned mode_of_thread(void) {
  return 0;
}

static void set_mode(unsigned mode) {
  (void)mode;
}
#endif

unsigned denormals_to_zero(void) {
  const unsigned before = mode_of_thread();
  set_mode(before | TO_ZERO);
  return before;
}

void denormals_restore(unsigned state) {
  set_mode(state);
}
