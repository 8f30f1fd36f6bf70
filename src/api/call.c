#include "api/call.h"

#include <omp.h>

#include "tensor/blas.h"
#include "tensor/denormals.h"

/* ---- threads and floating-point mode: set for the length of a call, then put back ---- */

static const double WORTH_THREADS = 1 << 22;
enum { MAX_THREADS = 1024 };

elman_status enter(struct surroundings *before, size_t threads, double work, elman_error *error) {
  *before = (struct surroundings){.threads = omp_get_max_threads()};
  if (work < WORTH_THREADS) threads = 1;
  if (threads > MAX_THREADS) threads = MAX_THREADS;
  if (threads == 0) threads = (size_t)before->threads;
  const elman_status status = blas_reserve(threads, error);
  /* In any case: an OpenBLAS built on OpenMP takes "one thread for BLAS" as one for everything. */
  omp_set_num_threads(status == ELMAN_OK ? (int)threads : before->threads);
  if (status == ELMAN_OK) before->denormals = denormals_to_zero();
  return status;
}

void leave(struct surroundings before) {
  denormals_restore(before.denormals);
  omp_set_num_threads(before.threads);
}

const char *elman_version(void) {
  return ELMAN_VERSION;
}
