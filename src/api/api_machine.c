#include "api/call.h"
#include "tensor/blas.h"
#include "tensor/quantized.h"

static const char *processor_instructions(void) {
#if defined(__x86_64__)
  static const char *const names[] = {[VECTOR_SSE] = "SSE",
                                      [VECTOR_AVX] = "AVX",
                                      [VECTOR_AVX2] = "AVX2 with FMA",
                                      [VECTOR_AVX512] = "AVX-512"};
  return names[vector_level_here()];
#else
  return compiled_instructions();
#endif
}

elman_machine elman_machine_get(void) {
  const struct blas_kernels kernels = blas_kernels_in_use();
  return (elman_machine){.blas = kernels.config,
                         .kernels = kernels.family,
                         .original_kernels = kernels.original_family,
                         .choice = kernels.choice,
                         .processor = processor_instructions(),
                         .compiled = compiled_instructions(),
                         .screen = quantized_kernel_at(0)->name,
                         .threads = processors_usable()};
}
