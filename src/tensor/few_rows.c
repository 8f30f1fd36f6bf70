#include "tensor/few_rows.h"

#include <string.h>

#include "tensor/kernels.h"

#define ROWS 6

#if defined(__x86_64__)

#define NAME(x) x##_avx512
#define TARGET __attribute__((target("avx512f,fma")))
#define BYTES 64
#define OUTPUTS 4
#include "tensor/few_rows_template.h"

#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define BYTES 32
#define OUTPUTS 2
#include "tensor/few_rows_template.h"

#endif

#define NAME(x) x##_plain
#define TARGET
#define BYTES 16
#define OUTPUTS 2
#include "tensor/few_rows_template.h"

static const struct {
  struct few_rows_kernel kernel;
  bool (*runs)(void);
} kernels[] = {
#if defined(__x86_64__)
    {{"AVX-512", run_avx512}, runs_avx512},
    {{"AVX2 with FMA", run_avx2}, runs_avx2},
#endif
    {{"vectors of 16 bytes", run_plain}, runs_everywhere},
};

const struct few_rows_kernel *few_rows_kernel_at(size_t i) {
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    if (!kernels[k].runs()) continue;
    if (i == 0) return &kernels[k].kernel;
    i--;
  }
  return NULL;
}
