/* One source, two precisions: float ships, double proves the gradients.
 * Functions of <tgmath.h> (sqrt, log ...) follow the type of their argument. */
#ifndef ELMAN_TENSOR_REAL_H
#define ELMAN_TENSOR_REAL_H

#include <stddef.h>

#ifdef ELMAN_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#endif
