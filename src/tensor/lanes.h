/* Sums in parts that lie side by side: element i belongs to part i modulo LANES. One sum alone
 * would wait for each addition; compilers make vectors of the parts, and what comes out depends on
 * neither the vectors nor the compiler. */
#ifndef ELMAN_TENSOR_LANES_H
#define ELMAN_TENSOR_LANES_H

#include <stddef.h>

/* Maxima need the second: gcc unrolls sixteen of them before it looks for vectors. */
enum { LANES = 16, MANY_LANES = 32 };

struct lanes {
  _Alignas(64) double of[LANES];
};

/* By halves, each of which waits for one addition instead of all. */
static inline double sum_of_lanes(struct lanes *lanes) {
  for (size_t half = LANES / 2; half > 0; half /= 2) {
    for (size_t l = 0; l < half; l++) lanes->of[l] += lanes->of[l + half];
  }
  return lanes->of[0];
}

#endif
