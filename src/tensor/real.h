/* One source for two precisions: float for the program, double for verifying the gradients.
 * Functions of <tgmath.h> (sqrt, fabs, floor ...) follow the type of their argument. Call only
 * those with exactly defined results; tensor/elementary.h and base/portable_math.h replace the
 * others. */
#ifndef ELMAN_TENSOR_REAL_H
#define ELMAN_TENSOR_REAL_H

#include "base/arena.h"

#ifdef ELMAN_DOUBLE
typedef double real;
#else
typedef float real;
#endif

/* Return an uninitialized array of (n1,n2,n3) reals, like arena_allocate. */
static inline real *arena_reals(struct arena *arena, size_t n1, size_t n2, size_t n3) {
  return arena_allocate(arena, sizeof(real), n1, n2, n3);
}

#endif
