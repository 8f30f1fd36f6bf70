#include "api/call.h"

#include <omp.h>
#include <string.h>

#include "tensor/blas.h"
#include "tensor/denormals.h"

/* ---- errors: the internal and the public ones have the same codes and sizes ---- */

_Static_assert((int)ELMAN_OK == (int)STATUS_OK, "codes agree");
_Static_assert((int)ELMAN_INVALID_ARGUMENT == (int)STATUS_INVALID_ARGUMENT, "codes agree");
_Static_assert((int)ELMAN_BAD_DATA == (int)STATUS_BAD_DATA, "codes agree");
_Static_assert((int)ELMAN_NO_INPUT == (int)STATUS_NO_INPUT, "codes agree");
_Static_assert((int)ELMAN_NO_MEMORY == (int)STATUS_NO_MEMORY, "codes agree");
_Static_assert((int)ELMAN_CANNOT_CREATE == (int)STATUS_CANNOT_CREATE, "codes agree");
_Static_assert((int)ELMAN_IO == (int)STATUS_IO, "codes agree");
_Static_assert((int)ELMAN_INTERRUPTED == (int)STATUS_INTERRUPTED, "codes agree");
_Static_assert((int)ELMAN_TOKENS_SPACE == (int)TOKENS_SPACE, "modes agree");
_Static_assert((int)ELMAN_TOKENS_WORDS == (int)TOKENS_WORDS, "modes agree");
_Static_assert((int)ELMAN_TOKENS_CHARS == (int)TOKENS_CHARS, "modes agree");
_Static_assert((int)ELMAN_TOKENS_AUTO == (int)TOKENS_AUTO, "modes agree");

elman_status give(elman_error *out, enum status status, const struct error *error) {
  if (status != STATUS_OK && out != NULL) {
    _Static_assert(sizeof out->message == sizeof error->message, "sizes agree");
    _Static_assert(sizeof out->where == sizeof error->where, "sizes agree");
    out->code = (elman_status)status;
    memcpy(out->message, error->message, sizeof out->message);
    memcpy(out->where, error->where, sizeof out->where);
  }
  return (elman_status)status;
}

/* ---- threads and floating-point mode: set for the length of a call, then put back ---- */

static const double WORTH_THREADS = 1 << 22;
enum { MAX_THREADS = 1024 };

enum status enter(struct surroundings *before, size_t threads, double work, struct error *error) {
  *before = (struct surroundings){.threads = omp_get_max_threads()};
  if (work < WORTH_THREADS) threads = 1;
  if (threads > MAX_THREADS) threads = MAX_THREADS;
  if (threads == 0) threads = (size_t)before->threads;
  const enum status status = blas_reserve(threads, error);
  /* In any case: an OpenBLAS built on OpenMP takes "one thread for BLAS" as one for everything. */
  omp_set_num_threads(status == STATUS_OK ? (int)threads : before->threads);
  if (status == STATUS_OK) before->denormals = denormals_to_zero();
  return status;
}

void leave(struct surroundings before) {
  denormals_restore(before.denormals);
  omp_set_num_threads(before.threads);
}

const char *elman_version(void) {
  return ELMAN_VERSION;
}
