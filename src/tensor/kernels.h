/* Checks of the processor's instructions, and calls with constant numbers, for the tables of
 * kernels. */
#ifndef ELMAN_TENSOR_KERNELS_H
#define ELMAN_TENSOR_KERNELS_H

#include <stdbool.h>

#define INLINE static inline __attribute__((always_inline))

static inline bool runs_everywhere(void) {
  return true;
}

#if defined(__x86_64__) && defined(__GNUC__)
static inline bool runs_avx512(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma");
}

static inline bool runs_avx2(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

/* Cases of a switch that make a variable number constant, so that arrays of that size stay in
 * registers. */
#define CASE(number, call)                                                                         \
  case number:                                                                                     \
    call(number);                                                                                  \
    break;
#define CASES_TO_6(call)                                                                           \
  CASE(1, call) CASE(2, call) CASE(3, call) CASE(4, call) CASE(5, call) CASE(6, call)
#define CASES_TO_14(call)                                                                          \
  CASES_TO_6(call)                                                                                 \
  CASE(7, call)                                                                                    \
  CASE(8, call)                                                                                    \
  CASE(9, call) CASE(10, call) CASE(11, call) CASE(12, call) CASE(13, call) CASE(14, call)

#endif
