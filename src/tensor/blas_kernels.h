/* The set-up of OpenBLAS: which kernels it uses, its threads and its memory. Also the treatment of
 * subnormal numbers by a thread. */
#ifndef ELMAN_TENSOR_BLAS_KERNELS_H
#define ELMAN_TENSOR_BLAS_KERNELS_H

#include <stdbool.h>

#include "base/status.h"
#include "elman/machine.h"

/* Make OpenBLAS single-threaded, stop the threads it started, and select the kernels that fit
 * the processor. Only the first call of the process has an effect; it must precede the first
 * product. */
void blas_set_up(void);

/* Set up OpenBLAS, and allocate the memory that OpenBLAS needs for products on `threads` threads at
 * once. Without this call OpenBLAS would allocate the memory during a product, and retry a refused
 * allocation forever. Return ELMAN_NO_MEMORY if the memory does not suffice. */
elman_status blas_reserve(size_t threads, elman_error *error) CHECKED;

/* ---- which family of kernels OpenBLAS should use ----
 *
 * A build of OpenBLAS for many processors (DYNAMIC_ARCH) selects kernels from a list of processor
 * models. The list ends with the models known at its release. For a newer model OpenBLAS selects
 * the kernels of an old model, which run at a half or a fifth of the speed. The functions below
 * select kernels by the processor's instructions instead. */

/* Vector instructions that the processor has and the operating system has enabled. Each level
 * includes the previous ones: AVX2 with FMA; AVX-512 with F, DQ, BW and VL. */
enum vector_level { VECTOR_SSE, VECTOR_AVX, VECTOR_AVX2, VECTOR_AVX512 };

enum vector_level vector_level_here(void);

/* Return the name of the vector instructions that the compiler used for the library's own loops. */
const char *compiled_instructions(void);

/* Return the family to use if OpenBLAS selected `family`. Return NULL to keep `family`, because it
 * is good enough or newer than the families listed here. */
const char *better_blas_family(const char *family, enum vector_level processor);

/* Return whether kernels of this family use fused multiply-add. Families that are not listed here
 * use it; they are newer or belong to other processors. */
bool blas_family_fuses(const char *family);

/* The kernels of this process, as static strings. */
struct blas_kernels {
  const char *config;          /* version and build options of OpenBLAS */
  const char *family;          /* such as "SkylakeX" */
  const char *original_family; /* the family that OpenBLAS selected */
  elman_kernel_choice choice;
};

/* Select the kernels. This function must be called once per process, before the first product. It
 * sets the environment variable OPENBLAS_CORETYPE for OpenBLAS and then restores it. */
struct blas_kernels blas_kernels_choose(void);

/* Return the selected kernels. The caller must have called blas_set_up. */
struct blas_kernels blas_kernels_in_use(void);

/* Treat subnormal numbers as zero on this thread and on threads that it starts later. Return the
 * state for denormals_restore. Every operation on subnormal numbers takes many times as long.
 * Without this call Adam's moments of rare words would decay to the smallest subnormal number and
 * stay there. */
unsigned denormals_to_zero(void);
void denormals_restore(unsigned state);

#endif
