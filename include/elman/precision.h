/* The precision of matrix products: of their operands, not of their sums. */
#ifndef ELMAN_PRECISION_H
#define ELMAN_PRECISION_H

#include "elman/status.h"

ELMAN_BEGIN

/* Numbers that large matrix products multiply. Training accepts the first two. */
typedef enum elman_precision {
  ELMAN_PRECISION_FLOAT32,
  ELMAN_PRECISION_BFLOAT16, /* 8 significant bits, the exponent of float32; sums in float32 */
  ELMAN_PRECISION_INT8      /* 8-bit integers with scales; sums in 32-bit integers */
} elman_precision;

/* Return "float32", "bfloat16" or "int8" for index 0 to 2; NULL for any other index. */
ELMAN_API const char *elman_precision_name(size_t index);

ELMAN_END

#endif
