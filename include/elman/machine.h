/* Processor and kernels, on which the speed and the last bits of a result depend. */
#ifndef ELMAN_MACHINE_H
#define ELMAN_MACHINE_H

#include "elman/status.h"

ELMAN_BEGIN

/* Who chose OpenBLAS's kernels: OpenBLAS, the variable OPENBLAS_CORETYPE, or this library. */
typedef enum elman_kernel_choice {
  ELMAN_KERNELS_BY_BLAS,
  ELMAN_KERNELS_BY_USER,
  ELMAN_KERNELS_BY_PROCESSOR
} elman_kernel_choice;

/* The strings are static. */
typedef struct elman_machine {
  const char *blas;             /* OpenBLAS's version and how it was built */
  const char *kernels;          /* the family in use, for example "SkylakeX" */
  const char *original_kernels; /* the family that OpenBLAS had chosen */
  elman_kernel_choice choice;
  const char *processor; /* the vector instructions that it has */
  const char *compiled;  /* those that the library's own loops were compiled for */
  const char *screen;    /* those of eight-bit products in greedy search */
  size_t threads;        /* that a call uses if nothing else is said */
} elman_machine;

/* Sets up OpenBLAS. */
ELMAN_API elman_machine elman_machine_get(void);

ELMAN_END

#endif
