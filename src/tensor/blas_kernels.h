/* Which of its families of kernels OpenBLAS should use.
 *
 * A build of OpenBLAS for many processors (DYNAMIC_ARCH) chooses by a list of processor models that
 * was complete on the day of its release: to a newer model it gives the kernels of an old one, at
 * half or a fifth of the speed. What counts here is which instructions the processor has. */
#ifndef ELMAN_TENSOR_BLAS_KERNELS_H
#define ELMAN_TENSOR_BLAS_KERNELS_H

#include "elman/machine.h"

/* Vector instructions that the processor has and the operating system has enabled, each with those
 * before it: AVX2 with FMA, AVX-512 with F, DQ, BW and VL. */
enum vector_level { VECTOR_SSE, VECTOR_AVX, VECTOR_AVX2, VECTOR_AVX512 };
enum vector_level vector_level_here(void);

/* The vector instructions that the compiler was allowed to use in the library's own loops. */
const char *compiled_instructions(void);

/* The family for a processor on which OpenBLAS chose `family`; NULL: that one is good, or newer
 * than what is known here. */
const char *better_blas_family(const char *family, enum vector_level processor);

/* The kernels of this process. Static strings. */
struct blas_kernels {
  const char *config;          /* OpenBLAS's version and how it was built */
  const char *family;          /* "SkylakeX" */
  const char *original_family; /* that OpenBLAS had chosen itself */
  elman_kernel_choice choice;
};

/* Makes the choice: once for the process, before the first product. It is made through the
 * variable OPENBLAS_CORETYPE, which is as it was afterwards. */
struct blas_kernels blas_kernels_choose(void);

#endif
