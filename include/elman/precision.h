/* Precisions of matrix products. */
#ifndef ELMAN_PRECISION_H
#define ELMAN_PRECISION_H

#include "elman/status.h"

ELMAN_BEGIN

/* The numbers that matrix products multiply. Sums have at least 32 bits in each precision. */
typedef enum elman_precision {
  ELMAN_PRECISION_FLOAT32,
  ELMAN_PRECISION_BFLOAT16, /* training only */
  ELMAN_PRECISION_INT8      /* translation only */
} elman_precision;

/* Return "float32" for index 0, "bfloat16" for 1, "int8" for 2, NULL for any other index. */
ELMAN_API const char *elman_precision_name(size_t index);

ELMAN_END

#endif
