/* Processor and matrix kernels. Speed and the last digits of results depend on them. */
#ifndef ELMAN_MACHINE_H
#define ELMAN_MACHINE_H

#include "elman/status.h"

ELMAN_BEGIN

/* The origin of the choice of OpenBLAS kernels: OpenBLAS, the variable OPENBLAS_CORETYPE, or this
 * library, which uses the features of the processor. */
typedef enum elman_kernel_choice {
  ELMAN_KERNELS_BY_BLAS,
  ELMAN_KERNELS_BY_USER,
  ELMAN_KERNELS_BY_PROCESSOR
} elman_kernel_choice;

/* Processor and kernels in use. The strings are static. */
typedef struct elman_machine {
  const char *blas;    /* version and build options of OpenBLAS; "none" without it */
  const char *kernels; /* kernel family in use, for example "SkylakeX"; "none" without OpenBLAS */
  const char *original_kernels; /* kernel family that OpenBLAS chose */
  elman_kernel_choice choice;
  const char *processor; /* vector instructions of the processor */
  const char *compiled;  /* vector instructions that the library was compiled for */
  const char *products;  /* vector instructions of elman's own matrix products, or "fmaf" */
  const char *bfloat16;  /* vector instructions of products with operands in bfloat16; "none" =
                            train in float32 instead, except in portable arithmetic */
  const char *screen;    /* vector instructions used for 8-bit products in greedy search */
  size_t threads;        /* default number of threads of a call */
} elman_machine;

/* Set up OpenBLAS if necessary and describe it. */
ELMAN_API elman_machine elman_machine_get(void);

/* Check the variable ELMAN_PRODUCT_KERNEL. Return ELMAN_INVALID_ARGUMENT if it names no kernel that
 * this processor can run: every computation then fails with this error, and elman_machine_get
 * describes the default. */
ELMAN_CHECKED elman_status elman_machine_check(elman_error *error);

ELMAN_END

#endif
